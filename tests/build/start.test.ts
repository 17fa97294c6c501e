import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { ensureService } from '#build/bundle.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

// Writing the sample runs takes seconds, and much longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL('../../build/start.ts', import.meta.url));
const testOptions = { timeout: 60_000 };
const children: ChildProcess[] = [];
let directory = '';
let pages = '';

// A start reports the folders that it builds, unless they exist.
beforeAll(() => ensureService(() => {}, { hasOtherPages: true }), 120_000);
beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'evoscope-start-'));
  directory = join(parent, 'work');
  pages = join(parent, 'pages');
  mkdirSync(directory);
  mkdirSync(pages);
  writeFileSync(join(pages, 'index.html'), '<!doctype html><title>the pages</title>');
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

/** Starts the program without a terminal and without a display. Returns its process and its output so far. */
function start(...args: string[]) {
  return startWith({}, ...args);
}

function startWith(variables: Record<string, string>, ...args: string[]) {
  const { SVC_DB_URL: _url, SVC_TOKEN: _token, ...otherVariables } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: {
      ...otherVariables,
      SVC_PAGES_DIR: pages,
      SVC_PORT: '0',
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const output = { child, out: '', err: '' };
  child.stdout.on('data', (data) => (output.out += String(data)));
  child.stderr.on('data', (data) => (output.err += String(data)));
  return output;
}

type Start = ReturnType<typeof start>;

/** Resolves with the address in the ready line; rejects with the output if the start ends before. */
async function getAddress(startProcess: Start): Promise<string> {
  while (!startProcess.out.includes('\n')) {
    if (startProcess.child.exitCode !== null) throw new Error(`it ended: ${startProcess.err}`);
    await Promise.race([
      once(startProcess.child.stdout, 'data'),
      once(startProcess.child, 'close'),
    ]);
  }
  return (
    /^Evoscope ready at (http:\/\/\S+) \(sqlite: .*\)\n$/.exec(startProcess.out)?.[1] ??
    startProcess.out
  );
}

async function getEnd({ child }: Start): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return [child.exitCode, child.signalCode];
  }
  return once(child, 'close');
}

async function countRuns(address: string): Promise<unknown> {
  const response = await fetch(new URL('/api/dashboard/summary', address));
  return ((await response.json()) as { runCount: unknown }).runCount;
}

/** Returns the variables of the service that the program has started. */
function readServiceVariables({ child }: Start): string[] {
  const processes = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return readFileSync(`/proc/${processes.trim()}/environ`, 'utf8').split('\0');
}

/** Counts the iterations of the sample in a file. */
function countIterations(file: string): unknown {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    return database.prepare('select count(*) from iterations').pluck().get();
  } finally {
    database.close();
  }
}

/** Returns the output of the start without the log of the service. */
function getOutputOf({ err }: Start): string[] {
  return err.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}

describe('a start that fails', () => {
  test('because of its flags reports it, has exit code 2 and creates no file', async () => {
    const failedStart = start('--bd=x.db', '--port', 'many');
    expect(await getEnd(failedStart)).toEqual([2, null]);
    expect(getOutputOf(failedStart)).toEqual([
      'Unknown flag --bd: see --help',
      '--port must be a whole number from 0 to 65535',
    ]);
    expect(failedStart.out).toBe('');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('because of its database prints the message of the service once', async () => {
    writeFileSync(join(directory, 'notes.txt'), 'notes\n'.repeat(400));
    const failedStart = start('--serve', '--db', 'notes.txt');
    expect(await getEnd(failedStart)).toEqual([1, null]);
    expect(getOutputOf(failedStart)).toEqual([
      `${join(directory, 'notes.txt')} is not a SQLite database: choose another file`,
    ]);
    expect(readdirSync(directory)).toEqual(['notes.txt']);
  });
});

test('help lists the flags of the service and of the start', async () => {
  const begun = start('--help');
  expect(await getEnd(begun)).toEqual([0, null]);
  expect(begun.out).toMatch(/--db <url>[^]*--serve +never open the window\n +--sample +fill/);
  expect(readdirSync(directory)).toEqual([]);
});

describe('a start without a database', () => {
  test('creates a database with sample runs, serves it and ends on a signal; a second start does not fill it again', async () => {
    const begun = start();
    const address = await getAddress(begun);
    expect(getOutputOf(begun)).toEqual([
      'Without --db, the start fills the new evoscope.db with sample runs. To open your own: npm start -- --db <file or URL>',
      expect.stringMatching(
        /^No window: (Electron is not installed|there is no display).*\. Open the address below in a browser instead\.$/,
      ),
    ]);
    const count = await countRuns(address);
    expect(count).toBeGreaterThan(0);
    expect(await (await fetch(address)).text()).toContain('the pages');
    begun.child.kill('SIGTERM');
    expect(await getEnd(begun)).toEqual([0, null]);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    const secondStart = start('--serve', '--sample', '--db', 'evoscope.db');
    expect(await countRuns(await getAddress(secondStart))).toBe(count);
    expect(getOutputOf(secondStart)).toEqual([
      'The start adds no sample runs, because evoscope.db already has runs: name a new file with --db',
    ]);
  });

  test('with --serve creates an empty database and explains how to fill it; killing the start ends the service', async () => {
    const begun = start('--serve');
    const address = await getAddress(begun);
    expect(await countRuns(address)).toBe(0);
    if (process.platform === 'linux')
      expect(readServiceVariables(begun)).toEqual(
        expect.arrayContaining(['MALLOC_ARENA_MAX=2', 'MALLOC_MMAP_THRESHOLD_=131072']),
      );
    expect(getOutputOf(begun)).toEqual([
      'evoscope.db has no runs yet. Add sample runs with: npm run sample -- --db evoscope.db',
    ]);
    begun.child.kill('SIGKILL');
    await getEnd(begun);
    await expect
      .poll(() =>
        fetch(address).then(
          () => 'up',
          () => 'down',
        ),
      )
      .toBe('down');
  });
});

describe('a start with a database', () => {
  test.each([
    ['a flag', ['--db', 'my runs.db'], {}],
    ['a file', [], { SVC_DB_URL_FILE: '../url' }],
  ])('that %s names does not fill it without a question', async (_what, flags, variables) => {
    writeFileSync(join(directory, '../url'), 'my runs.db\n');
    const begun = startWith(variables, ...flags);
    expect(await countRuns(await getAddress(begun))).toBe(0);
    expect(getOutputOf(begun)[0]).toBe(
      "my runs.db has no runs yet. Add sample runs with: npm run sample -- --db 'my runs.db'",
    );
  });

  test('fills it on --sample; an interruption keeps the written runs and starts no service', async () => {
    const begun = start('--serve', '--sample', '--db', 'a.db');
    const file = join(directory, 'a.db');
    await expect
      .poll(() => (existsSync(file) ? countIterations(file) : 0), testOptions)
      .toBeGreaterThan(100);
    begun.child.kill('SIGINT');
    expect(await getEnd(begun)).toEqual([130, null]);
    expect(getOutputOf(begun)).toEqual(['Filling a.db with sample runs.']);
    expect(begun.out).toBe('');
    expect(countIterations(file)).toBeGreaterThan(100);
  });
});
