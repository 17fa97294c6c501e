import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleService } from '#build/bundle-service.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
let folder = '';

/**
 * Bundles the service once for all suites that start it as a process: a start from the bundle takes a quarter
 * of the time of one from the sources. `spawnService` finds it by SERVICE_BUNDLE.
 */
export async function setup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-bundle-'));
  symlinkSync(modules, join(folder, 'node_modules'));
  const output = join(folder, 'dist', 'server');
  await bundleService(output);
  process.env['SERVICE_BUNDLE'] = join(output, 'main.js');
}

/** Removes the bundle. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
