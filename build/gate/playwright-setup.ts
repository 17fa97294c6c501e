import { ensureService } from '#build/bundle.ts';

/** Builds the pages and the service for the tests if they are out of date. */
export default async function setUp(): Promise<void> {
  await ensureService((line) => process.stdout.write(`${line}\n`));
}
