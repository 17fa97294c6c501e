import { join } from 'node:path';
import { bundleService } from '#build/bundle-service.ts';

const folder = join(import.meta.dirname, '../../.cache/test-programs');

/**
 * Where a program of the service's bundle lies once {@link setup} has made it. What is shipped is tested, and each
 * process and thread starts in a fraction of the time that its sources take.
 */
export function programFile(name: 'main' | 'worker' | 'sample-runner' | 'importer'): string {
  return join(folder, `${name}.js`);
}

/** Bundles the service anew, once for all suites. */
export async function setup(): Promise<void> {
  await bundleService(folder);
}
