import { ensureService } from '#build/bundle.ts';

/** Builds the pages and the service that the tests start, unless they are there and newest. */
export default async function setUp(): Promise<void> {
  await ensureService((line) => process.stdout.write(`${line}\n`));
}
