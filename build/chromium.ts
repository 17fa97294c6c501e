import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Arguments that let Chromium run as root and keep it from calling home. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Path of a Chromium on this machine: `CHROMIUM_PATH`, a usual place, Playwright's own; else null. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | null {
  const candidates = [environment.CHROMIUM_PATH, ...usualPlaces, chromium.executablePath()];
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null;
}

/**
 * Path of a Chromium, installed first when there is none: by Playwright's download, else by Debian's
 * package manager when running as root. Throws with what to do when neither works.
 */
export function ensureChromium(): string {
  const present = findChromium();
  if (present !== null) return present;
  process.stderr.write('No Chromium found: trying to install one\n');
  run('node', ['node_modules/playwright/cli.js', 'install', 'chromium'], 180_000);
  if (findChromium() === null && process.getuid?.() === 0) {
    run('apt-get', ['update', '-qq'], 180_000);
    run('apt-get', ['install', '-y', '-qq', 'chromium'], 600_000);
  }
  const installed = findChromium();
  if (installed !== null) return installed;
  throw new Error(
    'No Chromium could be found or installed. Install Chromium or Chrome, or set CHROMIUM_PATH to its executable, and run the tests again.',
  );
}

function run(command: string, parameters: string[], timeoutMillis: number): void {
  spawnSync(command, parameters, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: timeoutMillis,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
