import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageFile from '#package.json' with { type: 'json' };
import { ensureService, root } from './bundle.ts';

/** Maximum size of the package, in bytes: `npx evoscope` downloads all of it. */
const maximumBytes = 40_000_000;

/**
 * The package with native code. The npm package includes its code for Linux, macOS and Windows, so an installation
 * neither compiles nor runs scripts.
 */
const nativePackage = 'better-sqlite3';

/** An entry of the output of `npm pack --json`. */
interface PackedFile {
  filename: string;
  size: number;
  unpackedSize: number;
}

/**
 * Builds the npm package `evoscope` in a folder, which it empties first. The package contains the command, the bundled
 * service and the bundled pages, but not the window. Resolves with the path and the size of the package in bytes.
 * Rejects with an Error if a build or npm fails, or if the package is larger than {@link maximumBytes}.
 */
export async function packageNpm(folder: string): Promise<{ file: string; bytes: number }> {
  await ensureService((line) => process.stderr.write(`${line}\n`));
  rmSync(folder, { recursive: true, force: true });
  const contentsFolder = join(folder, 'package');
  for (const path of ['dist/server', 'dist/renderer', 'LICENSE', 'README.md']) {
    cpSync(join(root, path), join(contentsFolder, path), { recursive: true });
  }
  cpSync(join(root, 'build/npm/evoscope.cjs'), join(contentsFolder, 'evoscope.cjs'));
  chmodSync(join(contentsFolder, 'evoscope.cjs'), 0o755);
  copyNativePackage(join(contentsFolder, 'node_modules', nativePackage));
  const { name, version, description, license, homepage } = packageFile;
  writeJson(join(contentsFolder, 'package.json'), {
    name,
    version,
    description,
    license,
    homepage,
    type: 'module',
    bin: { evoscope: 'evoscope.cjs' },
    engines: { node: '>=24' },
    files: ['dist', 'evoscope.cjs'],
    dependencies: { [nativePackage]: packageFile.dependencies[nativePackage] },
    bundleDependencies: [nativePackage],
  });
  const [packReport] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: contentsFolder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // npm is a script on Windows.
      shell: process.platform === 'win32',
    }),
  ) as PackedFile[];
  if (!packReport)
    throw new Error(`npm created no package: run "npm pack" in ${contentsFolder} to see why`);
  if (packReport.size > maximumBytes) {
    throw new Error(
      `The package is ${formatMegabytes(packReport.size)}, more than ${formatMegabytes(maximumBytes)}: make it smaller, or raise maximumBytes`,
    );
  }
  return { file: join(folder, packReport.filename), bytes: packReport.size };
}

/**
 * Copies the files that the native package needs at run time, and its licence. Omits `binding.gyp` and the scripts of
 * `package.json`, because npm would otherwise compile the package.
 */
function copyNativePackage(folder: string): void {
  const sourceFolder = join(root, 'node_modules', nativePackage);
  mkdirSync(folder, { recursive: true });
  for (const path of ['lib', 'prebuilds', 'LICENSE']) {
    cpSync(join(sourceFolder, path), join(folder, path), { recursive: true });
  }
  const { name, version, license, main } = JSON.parse(
    readFileSync(join(sourceFolder, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  writeJson(join(folder, 'package.json'), { name, version, license, main });
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Returns a size in megabytes, such as `12.9 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

if (import.meta.main) {
  try {
    const { file, bytes } = await packageNpm(join(root, 'dist', 'npm'));
    process.stdout.write(`${file}: ${formatMegabytes(bytes)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
