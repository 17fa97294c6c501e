import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildEnd } from './run-child.ts';

/**
 * Returns the path of the Electron executable in the packages of `root`, or in the folder
 * `ELECTRON_OVERRIDE_DIST_PATH` if `environment` sets it; null if the executable is not there. Does not import the
 * `electron` package, because the import downloads the executable.
 */
export function findElectron(
  root: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  const pathFile = join(root, 'node_modules', 'electron', 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : '';
  const overrideFolder = environment.ELECTRON_OVERRIDE_DIST_PATH;
  const path =
    overrideFolder === undefined || overrideFolder === ''
      ? join(root, 'node_modules', 'electron', 'dist', name)
      : join(overrideFolder, name === '' ? 'electron' : name);
  const isNamed = name !== '' || (overrideFolder !== undefined && overrideFolder !== '');
  return isNamed && existsSync(path) ? path : null;
}

/** The conditions under which a window can open. */
export interface WindowConditions {
  readonly isServiceOnly: boolean;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the user is root. Electron refuses to run as root on Linux. */
  readonly isRoot: boolean;
}

/** Decision whether the window can open. If not, `reason` states why; `reason` is null with `--serve`. */
export type WindowDecision =
  { readonly canOpen: true } | { readonly canOpen: false; readonly reason: string | null };

/**
 * Decides whether the window can open. Except on macOS and Windows, the window needs a display and a user other than
 * root.
 */
export function decideWindow(conditions: WindowConditions): WindowDecision {
  const { isServiceOnly, platform, environment, isRoot } = conditions;
  const refuseWindow = (reason: string | null) => ({ canOpen: false, reason }) as const;
  if (isServiceOnly) return refuseWindow(null);
  if (platform === 'darwin' || platform === 'win32') return { canOpen: true };
  if (!environment.DISPLAY && !environment.WAYLAND_DISPLAY)
    return refuseWindow('there is no display');
  if (isRoot) return refuseWindow('Electron does not run as root');
  return { canOpen: true };
}

/**
 * Returns whether the exit of a window means that the window never opened: a signal ended Electron after a crash, or
 * the exit code is from 129 to 255. For example, Electron crashes if the system forbids the sandbox.
 */
export function hasFailedToOpen({ code, signal }: ChildEnd): boolean {
  const crashSignals: (NodeJS.Signals | null)[] = [
    'SIGTRAP',
    'SIGSEGV',
    'SIGABRT',
    'SIGILL',
    'SIGBUS',
  ];
  return crashSignals.includes(signal) || (code !== null && code > 128 && code < 256);
}
