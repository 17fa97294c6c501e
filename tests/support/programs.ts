import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleDesktop, bundleService, root } from '#build/bundle.ts';

/** The folder of a whole program, made by {@link setup}: the service, a page, and the window over a stand-in for Electron. */
export const programFolder = join(root, '.cache/test-programs');

/**
 * Where a program of the service's bundle lies once {@link setup} has made it. What is shipped is tested, and each
 * process and thread starts in a fraction of the time that its sources take.
 */
export function programFile(
  name: 'main' | 'worker' | 'import-worker' | 'sample-runner' | 'importer' | 'verifier' | 'mcp',
): string {
  return join(programFolder, 'dist/server', `${name}.js`);
}

/** Bundles the program again, once for all suites. */
export async function setup(): Promise<void> {
  const inProgram = (...names: string[]) => join(programFolder, ...names);
  await rm(programFolder, { recursive: true, force: true });
  mkdirSync(inProgram('dist/renderer'), { recursive: true });
  writeFileSync(inProgram('dist/renderer/index.html'), '<title>the pages</title>');
  mkdirSync(inProgram('node_modules/electron'), { recursive: true });
  const standIn = join(root, 'tests/fixtures/electron/electron-stand-in.cjs');
  copyFileSync(standIn, inProgram('node_modules/electron/index.js'));
  const native = 'node_modules/better-sqlite3';
  symlinkSync(join(root, native), inProgram(native));
  await bundleService(inProgram('dist/server'));
  await bundleDesktop(programFolder);
}
