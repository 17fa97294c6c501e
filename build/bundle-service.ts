import { build, type OnLoadResult, type Plugin } from 'esbuild';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Loads native code by the platform it runs on, so it stays a package of its own. */
const native = 'better-sqlite3';
/** An optional faster driver that pg tries and does without. */
const optional = 'pg-native';

const workerReference = /new URL\(\s*(['"])(\.{1,2}\/[^'"]+\.ts)\1,\s*import\.meta\.url,?\s*\)/g;

/** Packages in CommonJS that land in an ES module still ask for these names. */
const commonJsNames = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/**
 * Bundles a Node program into `<outputDirectory>/<name of entry>.js`, with everything but better-sqlite3
 * inside. Every file that the code names as `new URL('./x.ts', import.meta.url)`, as a worker's, becomes a
 * bundle of its own beside it, and the name follows. The folder is emptied first. Returns the files made.
 * Throws when such a file is missing, or when two of them have the same name.
 */
export async function bundleService(entry: string, outputDirectory: string): Promise<string[]> {
  await rm(outputDirectory, { recursive: true, force: true });
  const sourceOf = new Map<string, string>();
  const waiting = [resolve(entry)];
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    const output = join(outputDirectory, outputName(source));
    const other = sourceOf.get(output);
    if (other === source) continue;
    if (other !== undefined) throw new Error(`${other} and ${source} would both become ${output}`);
    sourceOf.set(output, source);
    await bundleOne(source, output, (worker) => waiting.push(worker));
  }
  return [...sourceOf.keys()];
}

async function bundleOne(
  source: string,
  output: string,
  onWorker: (path: string) => void,
): Promise<void> {
  await build({
    entryPoints: [source],
    outfile: output,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: [native, optional],
    banner: { js: commonJsNames },
    plugins: [workerFiles(onWorker)],
    logLevel: 'warning',
  });
}

function workerFiles(onWorker: (path: string) => void): Plugin {
  return {
    name: 'worker-files',
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, async ({ path }): Promise<OnLoadResult> => {
        const text = await readFile(path, 'utf8');
        const contents = text.replaceAll(workerReference, (_all, _quote, reference: string) => {
          const worker = resolve(dirname(path), reference);
          if (!existsSync(worker)) throw new Error(`${path} names ${reference}, which is missing`);
          onWorker(worker);
          return `new URL('./${outputName(worker)}', import.meta.url)`;
        });
        return { contents, loader: 'ts' };
      });
    },
  };
}

function outputName(source: string): string {
  return basename(source).replace(/\.ts$/, '.js');
}
