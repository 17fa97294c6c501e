import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { bundleService } from '#build/bundle-service.ts';
import { bundleDesktop } from '#build/bundle.ts';
import { execute } from '#tests/support/databases.ts';
import { olderRunner, otherPrograms } from '#tests/support/schemas.ts';

/**
 * The bundled program of the window, run in Node over a stand-in for Electron and over the real service. It
 * shows that the parts are joined as they should be; what Electron does with them only Electron can show.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const standIn = join(root, 'tests/fixtures/electron/electron-stand-in.cjs');

/** What the stand-in tells. */
interface Told {
  readonly what: 'sandbox' | 'window' | 'title' | 'fork' | 'load' | 'dialog' | 'focus' | 'end';
  readonly [detail: string]: unknown;
}

let program = '';
let userData = '';
const started: ChildProcess[] = [];

beforeAll(async () => {
  program = mkdtempSync(join(tmpdir(), 'evoscope-main-'));
  mkdirSync(join(program, 'dist', 'renderer'), { recursive: true });
  writeFileSync(join(program, 'dist', 'renderer', 'index.html'), '<title>the pages</title>');
  mkdirSync(join(program, 'node_modules', 'electron'), { recursive: true });
  copyFileSync(standIn, join(program, 'node_modules', 'electron', 'index.js'));
  const native = 'node_modules/better-sqlite3';
  symlinkSync(join(root, native), join(program, native));
  await bundleService(join(program, 'dist', 'server'));
  await bundleDesktop(program);
});
beforeEach(() => {
  userData = mkdtempSync(join(tmpdir(), 'evoscope-user-'));
  writeFileSync(join(userData, 'a.db'), '');
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(userData, { recursive: true, force: true });
});
afterAll(() => rmSync(program, { recursive: true, force: true }));

/** Opens the window over a database, which is there; its dialogs are answered by a button. */
function open(database: string, isFirst = true, button = 'Quit', isPackaged = false) {
  const child = fork(join(program, 'dist/electron/main.cjs'), ['--', '--db', database], {
    cwd: userData,
    env: {
      ...process.env,
      STAND_IN: JSON.stringify({ program, userData, isFirst, button, isPackaged }),
    },
    silent: true,
    execArgv: [],
  });
  started.push(child);
  const told: Told[] = [];
  let error = '';
  child.on('message', (message) => told.push(message as Told));
  child.stderr?.on('data', (data) => (error += String(data)));
  const next = async (what: Told['what'], count = 1): Promise<Told> => {
    await expect
      .poll(() => told.filter((one) => one.what === what).length, { timeout: 15_000 })
      .toBe(count);
    return told.findLast((one) => one.what === what)!;
  };
  return { child, told, next, error: () => error };
}

async function statusOf({ url, headers }: Told): Promise<number> {
  const address = new URL('/api/runs', url as string);
  return (await fetch(address, { headers: headers as Record<string, string> })).status;
}

test('the window is made before the service is ready, and then shows it with the token', async () => {
  const { told, next } = open('a.db');
  const load = await next('load');
  expect(told.map(({ what }) => what)).toEqual(['sandbox', 'window', 'title', 'fork', 'load']);
  expect(told[1]?.options).toMatchObject({
    webPreferences: { preload: join(program, 'dist/electron/preload.cjs'), sandbox: true },
  });
  expect(told[3]?.path).toBe('dist/server/main.js');
  expect(load.cancel).toBe(false);
  expect(await statusOf(load)).toBe(200);
  expect(await statusOf({ ...load, headers: {} })).toBe(401);
});

test('closing the window ends the service, and the next start has the same address and place', async () => {
  const first = open('a.db');
  const { url } = await first.next('load');
  first.child.send('close');
  expect(await once(first.child, 'exit')).toEqual([0, null]);
  expect(await first.next('end')).toEqual({ what: 'end', code: 0 });
  await expect(fetch(url as string)).rejects.toThrow('fetch failed');
  const bounds = { x: 10, y: 20, width: 1000, height: 700 };
  const settings: unknown = JSON.parse(readFileSync(join(userData, 'window.json'), 'utf8'));
  expect(settings).toEqual({ port: Number(new URL(url as string).port), bounds });
  const second = open('a.db');
  expect((await second.next('load')).url).toBe(url);
  expect((await second.next('window')).options).toMatchObject(bounds);
});

test('a service that is killed comes back behind the page that is shown', async () => {
  const { next } = open('a.db');
  const { processId } = await next('fork');
  const load = await next('load');
  process.kill(processId as number, 'SIGKILL');
  await next('fork', 2);
  await expect.poll(() => statusOf(load).catch(() => 0), { timeout: 15_000 }).toBe(200);
  await next('load', 1);
});

test('a packaged window runs no service whose files were changed', async () => {
  const file = join(program, 'dist/server/main.js');
  const script = readFileSync(file);
  onTestFinished(() => writeFileSync(file, script));
  const whole = open('a.db', true, 'Quit', true);
  await whole.next('load');
  writeFileSync(file, `${script.toString()}\n// and more`);
  const { child, told, next } = open('a.db', true, 'Quit', true);
  const ended = once(child, 'exit');
  expect(await next('dialog')).toMatchObject({
    message: 'The file dist/server/main.js of Evoscope is not the one that was installed.',
    detail: expect.stringContaining('Install Evoscope again.'),
  });
  expect(await ended).toEqual([1, null]);
  expect(told.map(({ what }) => what)).not.toContain('fork');
});

test('a start that fails asks, and giving up ends with exit code 1', async () => {
  const file = join(userData, 'notes.txt');
  writeFileSync(file, 'notes\n'.repeat(400));
  const { child, next, error } = open(file);
  const ended = once(child, 'exit');
  expect(await next('dialog')).toMatchObject({
    message: `${file} is not a SQLite database`,
    detail: expect.stringContaining('Correct this and try again.'),
  });
  expect(await ended).toEqual([1, null]);
  expect(error()).toContain('is not a SQLite database');
});

test('a database that is not there is created when the user says so, not before', async () => {
  const file = join(userData, 'new.db');
  const refused = open(file);
  expect(await once(refused.child, 'exit')).toEqual([1, null]);
  expect(await refused.next('dialog')).toEqual({
    what: 'dialog',
    message: `The database file ${file} does not exist`,
    detail:
      'A new database without experiments can be created there. If there should be one, check its path and try again.',
  });
  expect(existsSync(file)).toBe(false);
  const allowed = open(file, true, 'Create Database');
  expect(await statusOf(await allowed.next('load'))).toBe(200);
  expect(existsSync(file)).toBe(true);
});

test('tables of an old runner are replaced when the user says so, not before', async () => {
  const file = join(userData, 'old.db');
  await execute({ url: `jdbc:sqlite:${file}`, remove: async () => {} }, olderRunner);
  const before = readFileSync(file);
  const refused = open(file);
  expect(await once(refused.child, 'exit')).toEqual([1, null]);
  expect((await refused.next('dialog')).message).toMatch(/^The tables are of an old version/);
  expect(readFileSync(file).equals(before)).toBe(true);
  const allowed = open(file, true, 'Back Up and Replace');
  expect(await statusOf(await allowed.next('load'))).toBe(200);
  expect(readdirSync(userData).filter((name) => name.startsWith('old.db.legacy-'))).toHaveLength(1);
});

test('tables of another program get the runner’s beside them when the user says so', async () => {
  const file = join(userData, 'other.db');
  await execute({ url: `jdbc:sqlite:${file}`, remove: async () => {} }, otherPrograms.Optuna);
  const { next } = open(file, true, 'Add the Tables');
  expect((await next('dialog')).detail).toMatch(/^The runner's tables can be added/);
  expect(await statusOf(await next('load'))).toBe(200);
});

test('a second start leaves the field to the first one, which comes to the front and says why', async () => {
  const second = open('other.db', false);
  expect(await once(second.child, 'close')).toEqual([0, null]);
  expect(second.told).toEqual([]);
  expect(second.error()).toBe('Evoscope is already open: its window was brought to the front.\n');
  const first = open('a.db');
  await first.next('load');
  first.child.send('startAgain');
  await first.next('focus');
  expect((await first.next('dialog')).detail).toBe(
    'Close it first to start it with: --db other.db',
  );
});

test('the bundles load nothing but Electron and what is built into Node', () => {
  const required = (name: string) => [
    ...new Set(
      [
        ...readFileSync(join(program, 'dist/electron', name), 'utf8').matchAll(
          /\brequire\("([^"]+)"\)/g,
        ),
      ].map(([, module]) => module),
    ),
  ];
  expect(required('preload.cjs')).toEqual(['electron']);
  expect(required('main.cjs').filter((name) => !name?.startsWith('node:'))).toEqual(['electron']);
});
