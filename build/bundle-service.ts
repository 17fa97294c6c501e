import { build } from 'esbuild';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleNotices } from './notices.ts';

const server = join(import.meta.dirname, '../server');

/** Bundle → its source: the service, the programs of its threads, the sample runner and the importer. */
const programs = {
  main: 'main.ts',
  worker: 'threads/worker.ts',
  'import-worker': 'threads/import-worker.ts',
  'choosing-worker': 'choosing/choosing-worker.ts',
  'sqlite-index-worker': 'db/dialects/sqlite-index-worker.ts',
  'sample-runner': 'sample/main.ts',
  importer: 'import/main.ts',
};

/** Loads native code by the platform it runs on, so it stays a package of its own. */
const native = 'better-sqlite3';
/** An optional faster driver that pg tries and does without. */
const optional = 'pg-native';

/** Packages in CommonJS that land in an ES module still ask for these names. */
const commonJsNames = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/**
 * Bundles the programs of the service into files of this folder, which is emptied first, with everything but
 * better-sqlite3 inside; code that several programs share is in files of the same folder. There, the program of a thread
 * has the name of its source, and the sample campaign has its folder.
 */
export async function bundleService(outputDirectory: string): Promise<void> {
  await rm(outputDirectory, { recursive: true, force: true });
  await build({
    entryPoints: Object.entries(programs).map(([out, source]) => ({
      out,
      in: join(server, source),
    })),
    outdir: outputDirectory,
    bundle: true,
    // Each thread compiles and keeps all that it loads, so scripts are small and rarely used code is loaded on demand.
    minify: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: [native, optional],
    plugins: [
      bundleNotices(outputDirectory, [join(server, '../node_modules', native, 'package.json')]),
    ],
    banner: { js: commonJsNames },
    logLevel: 'warning',
  });
  await cp(join(server, 'import/sample'), join(outputDirectory, 'sample'), {
    recursive: true,
  });
}
