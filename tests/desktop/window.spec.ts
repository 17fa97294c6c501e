import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect, test, type ElectronApplication } from 'playwright/test';
import { ensureDesktop, root } from '#build/bundle.ts';
import { decideWindow, findElectron } from '#build/start/window.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';

const isRoot = process.getuid?.() === 0;
const electron = findElectron(root);
const decision = decideWindow({
  isServiceOnly: false,
  platform: process.platform,
  environment: process.env,
  // Tests may run as root without the sandbox of the system; users may not.
  isRoot: false,
});
const missing =
  electron === null
    ? 'Electron is not installed (`npx install-electron` fetches it)'
    : decision.canOpen
      ? null
      : decision.reason;
test.skip(missing !== null, missing ?? '');

let directory = '';
let application: ElectronApplication | undefined;

test.beforeAll(async () => {
  if (missing === null) await ensureDesktop(() => undefined);
});
test.beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-desktop-'));
});
test.afterEach(async () => {
  await application?.close().catch(() => undefined);
  application = undefined;
  rmSync(directory, { recursive: true, force: true });
});

async function open(database: string): Promise<ElectronApplication> {
  const profile = `--user-data-dir=${join(directory, 'profile')}`;
  const args = [
    ...(isRoot ? ['--no-sandbox'] : []),
    profile,
    root,
    '--',
    '--db',
    database,
    '--create',
  ];
  application = await _electron.launch({ executablePath: electron ?? '', args });
  return application;
}

async function openPage() {
  const electronApp = await open(join(directory, 'runs.db'));
  const page = await electronApp.firstWindow();
  await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//);
  await expect(page.locator('h1')).toBeVisible();
  return { electronApp, page };
}

test('the window shows the pages of its service, and pages cannot use Node', async () => {
  const { page } = await openPage();
  const names = await page.evaluate(() =>
    ['require', 'process', 'module'].filter((name) => name in window),
  );
  expect(names).toEqual([]);
  const bridge = await page.evaluate(() => ({
    version: window.desktop?.version,
    platform: window.desktop?.platform,
  }));
  expect(bridge).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    platform: process.platform,
  });
  const state = await page.evaluate(() => window.desktop?.readState());
  expect(state).toMatchObject({ address: new URL('/', page.url()).href });
});

test('the service responds to the window, and refuses requests without the token', async () => {
  const { page } = await openPage();
  expect(await page.evaluate(async () => (await fetch('/api/runs')).status)).toBe(200);
  expect((await fetch(new URL('/api/runs', page.url()))).status).toBe(401);
});

test('a page cannot leave the service, open a window or use the camera', async () => {
  const { electronApp, page } = await openPage();
  const address = page.url();
  await page.evaluate(() => (window.location.href = 'https://example.org/'));
  expect(await page.evaluate(() => window.open('https://example.org/') === null)).toBe(true);
  // When this call returns, the program of the window has handled the previous requests.
  await electronApp.evaluate(() => undefined);
  expect(page.url()).toBe(address);
  expect(electronApp.windows()).toHaveLength(1);
  const camera = page.evaluate(() => navigator.mediaDevices.getUserMedia({ video: true }));
  await expect(camera).rejects.toThrow(/NotAllowed|NotFound|Permission/);
});

test('the window explains why a database cannot be opened', async () => {
  const file = join(directory, 'notes.txt');
  writeFileSync(
    file,
    'these are notes and no database, and long enough to be read as one\n'.repeat(20),
  );
  const electronApp = await open(file);
  const message = await electronApp.evaluate(
    ({ dialog }) =>
      new Promise<string>((resolve) => {
        Object.assign(dialog, {
          showMessageBox: (_window: unknown, question: { message: string }) => {
            resolve(question.message);
            return new Promise(() => undefined);
          },
        });
      }),
  );
  expect(message).toContain('notes.txt');
});

test('the menu opens another file, and the page shows it', async () => {
  const { electronApp, page } = await openPage();
  const file = join(directory, 'other.db');
  writeSampleFile(file);
  await electronApp.evaluate(({ dialog, Menu }, path) => {
    Object.assign(dialog, { showOpenDialog: () => ({ filePaths: [path] }) });
    const entries = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []);
    entries?.find(({ label }) => label === 'Open database…')?.click();
  }, file);
  await expect(page.getByRole('button', { name: /^Database: other\.db/ })).toBeVisible();
});

test('a second start with a file opens the file in the first window, and ends', async () => {
  const { electronApp, page } = await openPage();
  const file = join(directory, 'other.db');
  writeSampleFile(file);
  const profile = `--user-data-dir=${join(directory, 'profile')}`;
  const sandbox = isRoot ? ['--no-sandbox'] : [];
  const second = spawn(electron ?? '', [...sandbox, profile, root, '--', file]);
  expect((await once(second, 'exit'))[0]).toBe(0);
  await expect(page.getByRole('button', { name: /^Database: other\.db/ })).toBeVisible();
  expect(electronApp.windows()).toHaveLength(1);
});

test('the bridge returns the path of a dropped file', async () => {
  const { page } = await openPage();
  const file = join(directory, 'other.db');
  writeSampleFile(file);
  await page.evaluate(() => {
    const input = document.body.appendChild(document.createElement('input'));
    input.type = 'file';
    input.id = 'dropped';
  });
  await page.locator('#dropped').setInputFiles(file);
  const path = await page.evaluate(() => {
    const [chosen] = document.querySelector<HTMLInputElement>('#dropped')?.files ?? [];
    return chosen && window.desktop?.databases?.getPath(chosen);
  });
  expect(path).toBe(file);
});

test('the window starts its service again after the service is killed', async () => {
  const { electronApp, page } = await openPage();
  const killed = await electronApp.evaluate(({ app }) => {
    const service = app.getAppMetrics().find(({ name }) => name === 'Evoscope service');
    return service !== undefined && process.kill(service.pid, 'SIGKILL');
  });
  expect(killed).toBe(true);
  await expect
    .poll(() =>
      page.evaluate(() =>
        fetch('/api/health').then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    )
    .toBe(true);
});

test('the service ends when the window closes', async () => {
  const { electronApp, page } = await openPage();
  const address = page.url();
  await electronApp.close();
  application = undefined;
  await expect(fetch(address)).rejects.toThrow('fetch failed');
});
