import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Path of Electron's program when it is really on this machine, else null. Only looks: the `electron` package
 * fetches its program over the network as soon as it is asked for the path, so it is not asked.
 */
export function findElectron(
  root: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  const pathFile = join(root, 'node_modules', 'electron', 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : '';
  const override = environment.ELECTRON_OVERRIDE_DIST_PATH;
  const path =
    override === undefined || override === ''
      ? join(root, 'node_modules', 'electron', 'dist', name)
      : join(override, name === '' ? 'electron' : name);
  const isNamed = name !== '' || (override !== undefined && override !== '');
  return isNamed && existsSync(path) ? path : null;
}
