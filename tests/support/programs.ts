import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundleDesktop, bundleService, root } from '#build/bundle.ts';
import { isLong } from './long.ts';

/**
 * Folder of a whole program that {@link setup} creates: the service, a page, and the window with a stand-in for
 * Electron.
 */
export const programFolder = join(root, '.cache/test-programs');

/**
 * Returns the path of a program in the bundle that {@link setup} creates. It starts in a fraction of the time of the
 * sources. Users have the same bundle, but with {@link withoutPreparation} undone.
 */
export function resolveProgramFile(
  name: 'main' | 'worker' | 'import-worker' | 'sample-runner' | 'importer' | 'verifier' | 'mcp',
): string {
  return join(programFolder, 'dist/server', `${name}.js`);
}

/**
 * Makes services start the threads of analyses with the first analysis, without a warm-up: both take as much processor
 * time as the rest of a start. The tests of the bundle, of `npm start` and of pages run complete services, and so
 * do all tests of `npm run test:long`.
 */
const withoutPreparation: Plugin = {
  name: 'without-preparation',
  setup: (build) =>
    build.onLoad({ filter: /[\\/]runtime[\\/]preparation\.ts$/ }, () => ({
      contents: 'export const canPrepareAnalyses = false;',
    })),
};

/** Bundles the program again, once for all suites. */
export async function setup(): Promise<void> {
  const resolveInProgram = (...names: string[]) => join(programFolder, ...names);
  await rm(programFolder, { recursive: true, force: true });
  mkdirSync(resolveInProgram('dist/renderer'), { recursive: true });
  writeFileSync(resolveInProgram('dist/renderer/index.html'), '<title>the pages</title>');
  mkdirSync(resolveInProgram('node_modules/electron'), { recursive: true });
  const standIn = join(root, 'tests/fixtures/electron/electron-stand-in.cjs');
  copyFileSync(standIn, resolveInProgram('node_modules/electron/index.js'));
  const nativePackage = 'node_modules/better-sqlite3';
  symlinkSync(join(root, nativePackage), resolveInProgram(nativePackage));
  await bundleService(resolveInProgram('dist/server'), isLong ? [] : [withoutPreparation]);
  await bundleDesktop(programFolder);
}
