import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** Debian's Chromium without a user interface. It reduces the time of the tests by a third. */
const headlessShell = '/usr/bin/chromium-headless-shell';

const defaultPaths = [
  headlessShell,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Arguments that let Chromium run as root, and disable QUIC, the dialogs of the first run and background requests. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * Returns the path of an installed Chromium: the first existing one of `CHROMIUM_PATH`, the default paths and
 * Playwright's path; null if there is none.
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | null {
  const candidates = [environment.CHROMIUM_PATH, ...defaultPaths, chromium.executablePath()];
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null;
}

/**
 * Returns the path of a Chromium. If there is none, tries to install one: as root with Debian's package manager, then
 * with Playwright's download. As root, also tries to install the headless shell if there is another Chromium. Installs
 * nothing if `CHROMIUM_PATH` is set. Throws an Error with advice if there is still no Chromium.
 */
export function ensureChromium(): string {
  const installedPath = findChromium();
  if (installedPath === headlessShell || process.env.CHROMIUM_PATH)
    return installedPath ?? throwMissing();
  if (process.getuid?.() === 0) {
    process.stderr.write('Trying to install chromium-headless-shell\n');
    if (installedPath === null) run('apt-get', ['update', '-qq'], 180_000);
    install('chromium-headless-shell');
    if (findChromium() === null) install('chromium');
  }
  if (findChromium() === null) {
    process.stderr.write("No Chromium found: trying Playwright's download\n");
    run('node', ['node_modules/playwright/cli.js', 'install', 'chromium'], 180_000);
  }
  return findChromium() ?? throwMissing();
}

function throwMissing(): never {
  throw new Error(
    'There is no Chromium. Install Chromium or Chrome, or set CHROMIUM_PATH to its executable, then try again.',
  );
}

function install(name: string): void {
  const noRetryOptions = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20'];
  run(
    'apt-get',
    [...noRetryOptions, 'install', '-y', '-qq', '--no-install-recommends', name],
    600_000,
  );
}

function run(command: string, args: string[], timeoutMillis: number): void {
  spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: timeoutMillis,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
