import { rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { scriptSumsFile } from '#shared/desktop.ts';
import { bundleNotices } from './notices.ts';
import { buildAndRecord, buildIfStale, filesUnder, type Product } from './freshness.ts';

/** The project's folder. */
export const root = join(import.meta.dirname, '..');

const fromRoot = (...names: string[]) => names.map((name) => join(root, name));
const common = ['shared', 'package.json', 'package-lock.json'];

/** What `npm run build` makes, each with its sources and the way to make it. */
interface Part extends Product {
  readonly what: string;
  make(): Promise<void>;
}

const pages: Part = {
  what: 'the pages',
  output: join(root, 'dist', 'renderer'),
  inputs: fromRoot('renderer', 'build/vite.config.ts', ...common),
  async make() {
    const { build } = await import('vite');
    await build({
      configFile: join(root, 'build', 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: pages.output, emptyOutDir: true },
    });
  },
};

const service: Part = {
  what: 'the service',
  output: join(root, 'dist', 'server'),
  inputs: fromRoot('server', 'build/bundle-service.ts', ...common),
  async make() {
    const { bundleService } = await import('./bundle-service.ts');
    await bundleService(service.output);
  },
};

const desktop: Part = {
  what: 'the window',
  output: join(root, 'dist', 'electron'),
  inputs: fromRoot('electron', 'build/bundle.ts', 'dist/server', ...common),
  make: () => bundleDesktop(root),
};

/**
 * Bundles the window's program and its preload script into `dist/electron` of a program's folder, with everything but
 * Electron inside: a sandboxed preload script can load nothing else. Beside them lie the sums of the scripts that the
 * service there is made of, by which a packaged window knows them again.
 */
export async function bundleDesktop(program: string): Promise<void> {
  const { build } = await import('esbuild');
  const outputDirectory = join(program, 'dist', 'electron');
  await rm(outputDirectory, { recursive: true, force: true });
  await build({
    entryPoints: fromRoot('electron/main.ts', 'electron/preload.ts'),
    outdir: outputDirectory,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    external: ['electron'],
    plugins: [bundleNotices(outputDirectory)],
    logLevel: 'warning',
  });
  writeFileSync(join(outputDirectory, scriptSumsFile), JSON.stringify(scriptSums(program)));
}

/** Path → SHA-256. Native code is not among them: a system's signature is written into it later. */
function scriptSums(program: string): Record<string, string> {
  const folders = ['dist/server', 'node_modules/better-sqlite3/lib'];
  const files = folders.flatMap((folder) => filesUnder(join(program, folder)));
  const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return Object.fromEntries(files.map((file) => [relative(program, file), sumOf(file)]));
}

/** Returns the path of a built program: `main` for the service, or another program of the same folder. */
export function programFile(name: string): string {
  return join(service.output, `${name}.js`);
}

/** Where the built pages are. */
export const pagesDirectory = pages.output;

/** Builds the pages when their sources changed; `say` gets a line when that takes place. */
export function ensurePages(say: (line: string) => void): Promise<void> {
  return ensure([pages], say);
}

/** Builds the service, and the pages that it serves unless it has others, as far as sources changed. */
export function ensureService(
  say: (line: string) => void,
  { hasOtherPages = false } = {},
): Promise<void> {
  return ensure(hasOtherPages ? [service] : [pages, service], say);
}

/** Builds all that the window runs, the pages included, as far as sources changed. */
export function ensureDesktop(say: (line: string) => void): Promise<void> {
  return ensure([pages, service, desktop], say);
}

/** Builds everything anew. */
export async function bundleAll(say: (line: string) => void): Promise<void> {
  for (const part of [pages, service, desktop]) {
    await timed(part.what, say, () => buildAndRecord(part, () => part.make()));
  }
}

async function ensure(parts: Part[], say: (line: string) => void): Promise<void> {
  for (const part of parts) {
    await buildIfStale(part, () => timed(part.what, say, () => part.make()));
  }
}

async function timed(
  what: string,
  say: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  const startMillis = performance.now();
  say(`Building ${what} …`);
  try {
    await work();
  } catch (error) {
    throw new Error(
      `Could not build ${what}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  say(`Built ${what} in ${((performance.now() - startMillis) / 1000).toFixed(1)} s.`);
}

if (import.meta.main) {
  try {
    await bundleAll((line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
