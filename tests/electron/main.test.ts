import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { execute } from '#tests/support/databases.ts';
import { programFolder } from '#tests/support/programs.ts';
import { olderRunner, otherPrograms } from '#tests/support/schemas.ts';
import { useWindow, type Report } from './opened-window.ts';

const { open, userData } = useWindow();

async function getStatus({ url, headers }: Report): Promise<number> {
  const address = new URL('/api/runs', url as string);
  return (await fetch(address, { headers: headers as Record<string, string> })).status;
}

describe('a window', () => {
  const { open: openOne, userData: folder } = useWindow({ isShared: true });
  let window: ReturnType<typeof openOne>;
  beforeAll(() => {
    window = openOne('a.db');
  });

  test('is created before the service is ready, and then loads its page with the token', async () => {
    const { reports, all, next } = window;
    const load = await next('load');
    const order = reports
      .map(({ what }) => what)
      .filter((what) => !['theme', 'zoom', 'menu'].includes(what));
    expect(order).toEqual(['sandbox', 'window', 'start', 'fork', 'start', 'load']);
    expect(all('start')).toEqual([
      { what: 'start', content: 'Starting the service…', cancel: false },
      { what: 'start', content: `Opening ${join(folder(), 'a.db')}…`, cancel: false },
    ]);
    expect((await next('window')).options).toMatchObject({
      webPreferences: { preload: join(programFolder, 'dist/electron/preload.cjs'), sandbox: true },
    });
    expect((await next('fork')).path).toBe('dist/server/main.js');
    expect(load.cancel).toBe(false);
    expect(await getStatus(load)).toBe(200);
    expect(await getStatus({ ...load, headers: {} })).toBe(401);
  });

  test('has its menu before the service is started', async () => {
    await window.next('load');
    const steps = window.reports.map(({ what }) => what);
    expect(steps.slice(0, steps.indexOf('fork'))).toContain('menu');
  });

  test('comes to the front at a second start, which ends, and explains why', async () => {
    const secondWindow = open('other.db', { isFirst: false });
    expect(await once(secondWindow.child, 'close')).toEqual([0, null]);
    expect(secondWindow.reports).toEqual([]);
    expect(secondWindow.error()).toBe('Evoscope is already open: its window is in front now.\n');
    window.send('startAgain', { data: { flags: ['--db', 'other.db'] } });
    await window.next('focus');
    expect((await window.next('dialog')).detail).toBe(
      'Close it first to start it with: --db other.db',
    );
  });

  test('restarts a killed service and keeps its page', async () => {
    const { next, ask } = window;
    const { processId } = await next('fork');
    const load = await next('load');
    await ask({ type: 'state' });
    process.kill(processId as number, 'SIGKILL');
    await next('fork', 2);
    await expect.poll(() => getStatus(load).catch(() => 0), { timeout: 15_000 }).toBe(200);
    await next('load', 1);
  });
});

test('loads its page again if a reload failed before the service was restarted', async () => {
  const { next, send } = open('a.db');
  const { processId } = await next('fork');
  const { url } = await next('load');
  send('failReload');
  process.kill(processId as number, 'SIGKILL');
  expect((await next('load', 2)).url).toBe(url);
});

test('closing the window ends the service, and the next start has the same address, position and zoom', async () => {
  const firstWindow = open('a.db');
  const { url } = await firstWindow.next('load');
  firstWindow.send('close');
  expect(await once(firstWindow.child, 'exit')).toEqual([0, null]);
  expect(await firstWindow.next('end')).toEqual({ what: 'end', code: 0 });
  await expect(fetch(url as string)).rejects.toThrow('fetch failed');
  const bounds = { x: 10, y: 20, width: 1000, height: 700 };
  const settings: unknown = JSON.parse(readFileSync(join(userData(), 'window.json'), 'utf8'));
  expect(settings).toMatchObject({
    port: Number(new URL(url as string).port),
    bounds,
    isMaximized: true,
    zoomLevel: 1.5,
  });
  const secondWindow = open('a.db');
  expect((await secondWindow.next('load')).url).toBe(url);
  expect((await secondWindow.next('window')).options).toMatchObject(bounds);
  await secondWindow.next('maximize');
  expect((await secondWindow.next('zoom')).level).toBe(1.5);
  expect(firstWindow.all('maximize')).toEqual([]);
});

test('a program that takes the port of an ended service does not get its token', async () => {
  const { next, send } = open('a.db', { button: null });
  const { processId } = await next('fork');
  const { url } = await next('load');
  writeFileSync(join(userData(), 'a.db'), 'notes\n'.repeat(400));
  process.kill(processId as number, 'SIGKILL');
  await next('dialog');
  send('request', { url });
  expect(await next('request')).toEqual({ what: 'request', url, cancel: true, headers: {} });
});

/** Copies the program to a folder whose files the test may change. */
function copyProgram(): string {
  const program = mkdtempSync(join(tmpdir(), 'evoscope-changed-'));
  onTestFinished(() => rmSync(program, { recursive: true }));
  cpSync(programFolder, program, { recursive: true });
  return program;
}

test('a packaged window runs no service whose files were changed', async () => {
  const program = copyProgram();
  const packagedWindow = open('a.db', { isPackaged: true, program });
  await packagedWindow.next('load');
  appendFileSync(join(program, 'dist/server/main.js'), '\n// and more');
  const { child, reports, next } = open('a.db', { isPackaged: true, program });
  const exit = once(child, 'exit');
  expect(await next('dialog')).toMatchObject({
    message: 'The file dist/server/main.js of Evoscope has changed since the installation.',
    detail: expect.stringContaining('Find out who changed the file, then install Evoscope again.'),
  });
  expect(await exit).toEqual([1, null]);
  expect(reports.map(({ what }) => what)).not.toContain('fork');
});

test('a start with an unexpected error can be tried again', async () => {
  const program = copyProgram();
  writeFileSync(join(program, 'dist/electron/unpacked.json'), 'no checksums');
  const { child, next } = open('a.db', {
    isPackaged: true,
    program,
    button: ['Retry', 'Quit'],
  });
  const exit = once(child, 'exit');
  expect(await next('dialog', 2)).toMatchObject({
    message: expect.stringContaining('is not valid JSON'),
    detail: expect.stringContaining('This is a bug in Evoscope: '),
  });
  expect(await exit).toEqual([1, null]);
});

test('a failed start asks the user, and quitting ends with exit code 1', async () => {
  const file = join(userData(), 'notes.txt');
  writeFileSync(file, 'notes\n'.repeat(400));
  const { child, all, next, error } = open(file);
  const exit = once(child, 'exit');
  expect(await next('dialog')).toMatchObject({
    message: `${file} is not a SQLite database: choose another file`,
    detail: expect.stringContaining('Correct this and try again.'),
  });
  expect(await exit).toEqual([1, null]);
  expect(error()).toContain('is not a SQLite database');
  expect(all('start').at(-1)?.content).toBe(
    `${file} is not a SQLite database: choose another file`,
  );
});

test('a missing database is created only if the user agrees', async () => {
  const file = join(userData(), 'new.db');
  const refusedWindow = open(file);
  expect(await once(refusedWindow.child, 'exit')).toEqual([1, null]);
  expect(await refusedWindow.next('dialog')).toEqual({
    what: 'dialog',
    message: `The database file ${file} does not exist: check the path, or choose another file`,
    detail:
      'Evoscope can create an empty database at this path; if you expected an existing one, check the path and try again.',
  });
  expect(existsSync(file)).toBe(false);
  const allowedWindow = open(file, { button: 'Create database' });
  expect(await getStatus(await allowedWindow.next('load'))).toBe(200);
  expect(existsSync(file)).toBe(true);
});

test('tables of an old runner are replaced only if the user agrees', async () => {
  const file = join(userData(), 'old.db');
  await execute({ url: `jdbc:sqlite:${file}`, remove: async () => {} }, olderRunner);
  const bytesBefore = readFileSync(file);
  const refusedWindow = open(file);
  expect(await once(refusedWindow.child, 'exit')).toEqual([1, null]);
  expect((await refusedWindow.next('dialog')).message).toMatch(
    /^The tables belong to an old version/,
  );
  expect(readFileSync(file).equals(bytesBefore)).toBe(true);
  const allowedWindow = open(file, { button: 'Back up and replace' });
  expect(await getStatus(await allowedWindow.next('load'))).toBe(200);
  expect(readdirSync(userData()).filter((name) => name.startsWith('old.db.legacy-'))).toHaveLength(
    1,
  );
});

test('the runner’s tables are added to those of another program only if the user agrees', async () => {
  const file = join(userData(), 'other.db');
  await execute({ url: `jdbc:sqlite:${file}`, remove: async () => {} }, otherPrograms.Optuna);
  const { next } = open(file, { button: 'Add tables' });
  expect((await next('dialog')).detail).toMatch(/^Evoscope can add the runner's tables/);
  expect(await getStatus(await next('load'))).toBe(200);
});

test('the bundles load only Electron and built-in modules of Node', () => {
  const listRequiredModules = (name: string) => [
    ...new Set(
      [
        ...readFileSync(join(programFolder, 'dist/electron', name), 'utf8').matchAll(
          /\brequire\("([^"]+)"\)/g,
        ),
      ].map(([, module]) => module),
    ),
  ];
  expect(listRequiredModules('preload.cjs')).toEqual(['electron']);
  expect(listRequiredModules('main.cjs').filter((name) => !name?.startsWith('node:'))).toEqual([
    'electron',
  ]);
});
