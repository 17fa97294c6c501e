import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { scriptChecksumsFile } from '#shared/desktop.ts';
import { buildAndRecord, buildIfStale, listFilesUnder, type Product } from './bundle/freshness.ts';
import { bundleNotices } from './bundle/notices.ts';
import { exitLike, runChild } from './start/run-child.ts';

/** Folder of the project. */
export const root = join(import.meta.dirname, '..');

const resolveFromRoot = (...names: string[]) => names.map((name) => join(root, name));
const commonInputs = ['shared', 'package.json', 'package-lock.json', 'build/bundle'];

/** A product of `npm run build`. */
interface Part extends Product {
  readonly name: string;
  make(): Promise<void>;
}

const pages: Part = {
  name: 'the pages',
  output: join(root, 'dist', 'renderer'),
  inputs: resolveFromRoot('renderer', 'build/vite.config.ts', ...commonInputs),
  make: bundlePages,
};

const service: Part = {
  name: 'the service',
  output: join(root, 'dist', 'server'),
  inputs: resolveFromRoot('server', 'build/bundle.ts', ...commonInputs),
  make: () => bundleService(service.output),
};

const desktop: Part = {
  name: 'the window',
  output: join(root, 'dist', 'electron'),
  inputs: resolveFromRoot('electron', 'build/bundle.ts', 'dist/server', ...commonInputs),
  make: () => bundleDesktop(root),
};

/**
 * Bundles the pages in a child process, because Vite would occupy hundreds of megabytes in this process, which `npm
 * start` runs until the service ends. The messages of Vite go to the standard error. Rejects with an Error if Vite
 * fails, and with the error of the system if it cannot start. If a signal ends Vite, the same signal ends this process.
 */
async function bundlePages(): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const options = ['--config', join(root, 'build/vite.config.ts'), '--logLevel', 'warn'];
  const end = await runChild(process.execPath, [vite, 'build', ...options], { output: 'error' });
  if (end.signal !== null) exitLike(end);
  if (end.code !== 0) throw new Error('Vite failed. Correct the errors above');
}

/**
 * Sources by bundle: the service, its threads, the sample runner, the importer, the verifier, and the service of one
 * MCP client.
 */
const servicePrograms = {
  main: 'main.ts',
  worker: 'runtime/worker.ts',
  'import-worker': 'runtime/import-worker.ts',
  'prepare-worker': 'runtime/prepare-worker.ts',
  'index-worker': 'runtime/index-worker.ts',
  'sample-runner': 'sample/main.ts',
  importer: 'import/main.ts',
  verifier: 'verify/main.ts',
  mcp: 'mcp/main.ts',
};

/** Package that loads native code for the platform at run time, so esbuild cannot bundle it. */
const nativePackage = 'better-sqlite3';
/** An optional driver that pg tries to load. */
const optionalPackage = 'pg-native';

/** Names that bundled CommonJS packages need in an ES module. */
const commonJsNames = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/**
 * Bundles the programs of the service into this folder, which it empties first. The bundles contain everything but
 * better-sqlite3 and the optional pg-native; code that several programs share is in separate files. Worker programs
 * have the names of their sources, and the sample campaign is in `sample/`. esbuild also runs `plugins`. Rejects with
 * the error of esbuild or of the system.
 */
export async function bundleService(
  outputFolder: string,
  plugins: readonly Plugin[] = [],
): Promise<void> {
  const { build } = await import('esbuild');
  await rm(outputFolder, { recursive: true, force: true });
  await build({
    entryPoints: Object.entries(servicePrograms).map(([out, source]) => ({
      out,
      in: join(root, 'server', source),
    })),
    outdir: outputFolder,
    bundle: true,
    // Every thread compiles all code that it loads, so scripts must be small, and threads load rarely used code on
    // demand.
    minify: true,
    // NOTICES.txt contains the licences of all packages. Otherwise each file of @stdlib would repeat its licence.
    legalComments: 'none',
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: [nativePackage, optionalPackage],
    // Uses the ES modules of this package, because esbuild can omit their unused code. For Node the package has only a
    // CommonJS module.
    alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
    plugins: [
      ...plugins,
      bundleNotices(outputFolder, [join(root, 'node_modules', nativePackage, 'package.json')]),
    ],
    banner: { js: commonJsNames },
    logLevel: 'warning',
  });
  await cp(join(root, 'server/import/sample'), join(outputFolder, 'sample'), {
    recursive: true,
  });
}

/**
 * Bundles the main process of the window and its preload script into `dist/electron` in `programFolder`, and empties
 * `dist/electron` first. The bundles contain everything but Electron, because a sandboxed preload script cannot load
 * other packages. Also writes checksums, by which a packaged window verifies the scripts of the service. Rejects with
 * the error of esbuild or of the system.
 */
export async function bundleDesktop(programFolder: string): Promise<void> {
  const { build } = await import('esbuild');
  const outputFolder = join(programFolder, 'dist', 'electron');
  await rm(outputFolder, { recursive: true, force: true });
  await build({
    entryPoints: resolveFromRoot('electron/main.ts', 'electron/preload.ts'),
    outdir: outputFolder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    external: ['electron'],
    plugins: [bundleNotices(outputFolder)],
    logLevel: 'warning',
  });
  writeFileSync(
    join(outputFolder, scriptChecksumsFile),
    JSON.stringify(computeScriptChecksums(programFolder)),
  );
}

/**
 * Returns the SHA-256 in hexadecimal of each file of the bundled service and of each script of better-sqlite3. The keys
 * are paths relative to `programFolder`. Omits native code, because signing a package can change it.
 */
function computeScriptChecksums(programFolder: string): Record<string, string> {
  const folders = ['dist/server', 'node_modules/better-sqlite3/lib'];
  const files = folders.flatMap((folder) => listFilesUnder(join(programFolder, folder)));
  const getChecksum = (file: string) =>
    createHash('sha256').update(readFileSync(file)).digest('hex');
  return Object.fromEntries(
    files.map((file) => [relative(programFolder, file), getChecksum(file)]),
  );
}

/**
 * Environment variables that `npm start` and the benchmark set for the service. A variable that the user sets has
 * priority. The defaults of the C library of Linux retain up to 100 MB of released memory: in an arena for each thread,
 * and in the gaps that blocks of up to 32 MB leave.
 */
export const serviceVariables = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Returns the path of the bundled program with this name, such as `main` for the service. */
export function resolveProgramFile(name: string): string {
  return join(service.output, `${name}.js`);
}

/** Folder of the bundled pages. */
export const pagesFolder = pages.output;

/**
 * Builds the pages if they are out of date, see {@link buildIfStale}, and reports the build with `print`. Rejects with
 * an Error that names the pages if the build fails.
 */
export function ensurePages(print: (line: string) => void): Promise<void> {
  return buildStaleParts([pages], print);
}

/**
 * Builds the pages and the service, each if it is out of date, see {@link buildIfStale}. Omits the pages if
 * `hasOtherPages`, because the service then serves other pages. Reports each build with `print`. Rejects with an Error
 * that names the part whose build fails.
 */
export function ensureService(
  print: (line: string) => void,
  { hasOtherPages = false } = {},
): Promise<void> {
  return buildStaleParts(hasOtherPages ? [service] : [pages, service], print);
}

/**
 * Builds the pages, the service and the window, each if it is out of date, see {@link buildIfStale}. Reports each build
 * with `print`. Rejects with an Error that names the part whose build fails.
 */
export function ensureDesktop(print: (line: string) => void): Promise<void> {
  return buildStaleParts([pages, service, desktop], print);
}

/**
 * Builds the pages, the service and the window, even if they are up to date, and reports each build with `print`.
 * Rejects with an Error that names the part whose build fails.
 */
export async function bundleAll(print: (line: string) => void): Promise<void> {
  for (const part of [pages, service, desktop]) {
    await printTime(part.name, print, () => buildAndRecord(part, () => part.make()));
  }
}

async function buildStaleParts(parts: Part[], print: (line: string) => void): Promise<void> {
  for (const part of parts) {
    await buildIfStale(part, () => printTime(part.name, print, () => part.make()));
  }
}

async function printTime(
  name: string,
  print: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  const startMillis = performance.now();
  print(`Building ${name} …`);
  try {
    await work();
  } catch (error) {
    throw new Error(
      `Could not build ${name}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  print(`Built ${name} in ${((performance.now() - startMillis) / 1000).toFixed(1)} s.`);
}

if (import.meta.main) {
  try {
    await bundleAll((line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
