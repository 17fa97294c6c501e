import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { loadTraces } from '#server/analysis/load.ts';
import { TraceStore } from '#server/analysis/shared-traces.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { listRuns } from '#server/repositories/analysis.ts';
import { openTraceFolder, TraceFiles, type TraceFilesData } from '#server/runtime/trace-files.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

let parent: string;
let folder: string;
let messages: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'evoscope-cache-'));
  folder = join(parent, 'traces');
  messages = [];
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

const notify = (message: string) => void messages.push(message);

function open(megabytes = 1): TraceFilesData {
  const data = openTraceFolder(folder, megabytes, notify);
  if (!data) throw new Error(messages.join());
  return data;
}

function listFiles(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}

const getMode = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

/** Returns a name like that of a file. */
const getName = (index: number) => index.toString(16).padStart(64, '0');

describe('The folder of the cache of traces', () => {
  it('is created for its user only', () => {
    open();
    expect(getMode(folder)).toBe('700');
    expect(messages).toEqual([]);
  });

  it('is refused if others can access it', () => {
    mkdirSync(folder);
    chmodSync(folder, 0o750);
    expect(open).toThrow(
      new StartUpError(
        `The cache folder ${folder} is accessible to others (mode 750). Set --cache-dir to a folder that only you can access`,
      ),
    );
    expect(getMode(folder)).toBe('750');
  });

  it('is refused if it is a link, also to a private or missing folder', () => {
    const target = join(parent, 'target');
    symlinkSync(target, folder);
    expect(open).toThrow(`The cache folder ${folder} is a link`);
    mkdirSync(target, { mode: 0o700 });
    expect(open).toThrow(`The cache folder ${folder} is a link`);
    expect(readdirSync(target)).toEqual([]);
  });

  it('is refused if it is a file', () => {
    writeFileSync(folder, 'text');
    expect(open).toThrow(`The cache folder ${folder} is not a folder`);
    expect(readFileSync(folder, 'utf8')).toBe('text');
  });

  it('is refused if it belongs to another user', () => {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      mkdirSync(folder, { mode: 0o700 });
      chownSync(folder, 65_534, 65_534);
    } else folder = '/usr';
    expect(open).toThrow(`The cache folder ${folder} belongs to another user`);
  });

  it('turns the cache off with one message if it cannot be created', () => {
    writeFileSync(join(parent, 'file'), '');
    const data = openTraceFolder(join(parent, 'file', 'traces'), 1, notify);
    expect(data).toBeUndefined();
    expect(messages).toEqual([expect.stringContaining('The service cannot use the cache folder ')]);
  });
});

describe('The cache of traces on disk', () => {
  const numbers = Float64Array.from([1, NaN, -0, Infinity, 5e-324]);

  it('returns the same bits in another process, from files that only their user can read', () => {
    new TraceFiles(open(), { notify }).write(getName(1), numbers);
    const readNumbers = new TraceFiles(open(), { notify }).read(getName(1));
    expect(Buffer.from(readNumbers!.buffer)).toEqual(Buffer.from(numbers.buffer));
    expect(listFiles().map(getMode)).toEqual(['600']);
  });

  it.each<[string, (path: string) => void]>([
    ['is truncated', (path) => truncateSync(path, lstatSync(path).size - 8)],
    ['is empty', (path) => truncateSync(path, 0)],
    [
      'has another bit',
      (path) => {
        const bytes = readFileSync(path);
        bytes[bytes.length - 1]! ^= 1;
        writeFileSync(path, bytes);
      },
    ],
    ['is longer', (path) => writeFileSync(path, Buffer.alloc(8), { flag: 'a' })],
    ['has another format', (path) => writeFileSync(path, 'Evoscope trace 0 '.repeat(20))],
    [
      'is a link',
      (path) => {
        renameSync(path, join(parent, 'moved'));
        symlinkSync(join(parent, 'moved'), path);
      },
    ],
    [
      'is a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('deletes a file that %s, and counts it as missing', (_title, damage) => {
    const files = new TraceFiles(open(), { notify });
    files.write(getName(1), numbers);
    const [path = ''] = listFiles();
    damage(path);
    expect(files.read(getName(1))).toBeNull();
    expect(existsSync(path)).toBe(false);
    files.write(getName(1), numbers);
    expect(files.read(getName(1))).toEqual(numbers);
    expect(messages).toEqual([]);
  });

  it('does not return the file of another run under the name of a run', () => {
    const files = new TraceFiles(open(), { notify });
    files.write(getName(1), numbers);
    const [path = ''] = listFiles();
    renameSync(path, path.replace(/1$/, '2'));
    expect(files.read(getName(2))).toBeNull();
  });

  it('is off for all threads after the disk is full, with one message, and leaves no part of a file', () => {
    const data = open();
    const writeFile = (path: string, bytes: Buffer) => {
      writeFileSync(path, bytes.subarray(0, 10));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const [firstLoad, secondLoad] = [1, 2].map(() => new TraceFiles(data, { notify, writeFile }));
    firstLoad!.write(getName(1), numbers);
    secondLoad!.write(getName(2), numbers);
    expect([firstLoad!.isEnabled, secondLoad!.isEnabled]).toEqual([false, false]);
    expect(messages).toEqual([
      `The service cannot use the cache folder ${folder}: ENOSPC: no space left on device, write. Correct this, then restart the service`,
    ]);
    expect(listFiles()).toEqual([]);
  });

  it('deletes the least recently used files above its limit, and temporary files of ended services', () => {
    const files = new TraceFiles(open(1), { notify });
    const largeTrace = new Float64Array(8_192);
    const getTimeHoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    for (let index = 0; index < 12; index += 1) {
      files.write(getName(index), largeTrace);
      const newestFile = listFiles().find((path) => path.endsWith(getName(index))) ?? '';
      utimesSync(newestFile, getTimeHoursAgo(24 - index), getTimeHoursAgo(24 - index));
    }
    const temporaryFile = join(folder, '00', 'left.tmp');
    writeFileSync(temporaryFile, 'x');
    utimesSync(temporaryFile, getTimeHoursAgo(2), getTimeHoursAgo(2));
    expect(files.read(getName(1))).not.toBeNull();
    for (let index = 12; index < 40; index += 1) {
      files.write(getName(index), largeTrace);
      const bytes = listFiles().reduce((sum, path) => sum + lstatSync(path).size, 0);
      expect(bytes).toBeLessThanOrEqual(1_048_576);
    }
    expect(files.read(getName(0))).toBeNull();
    expect(files.read(getName(39))).not.toBeNull();
    expect(existsSync(temporaryFile)).toBe(false);
    expect(messages).toEqual([]);
  });
});

/**
 * Loads the traces of an experiment as a service that has just started; returns them with the runs read from the
 * database.
 */
async function loadAfterStart(database: TestDatabase, experimentId: string, data = open()) {
  const { dialect } = database;
  const readRuns: string[] = [];
  const readTraces: typeof dialect.readTraces = (requests, visit) => {
    readRuns.push(...requests.map(({ runId }) => runId));
    return dialect.readTraces(requests, visit);
  };
  const watchedDatabase: TestDatabase = {
    ...database,
    dialect: Object.assign(Object.create(dialect) as typeof dialect, { readTraces }),
  };
  const files = new TraceFiles(data, { notify });
  const traces = new TraceStore(1e8, (runs) => files.readTraces(watchedDatabase, runs));
  const runs = await listRuns(database, [experimentId]);
  return { readRuns, runs: await loadTraces({ database, traces }, runs, 'max') };
}

describeOnEachDatabase('The cache of traces on disk', (database) => {
  async function insertRuns(experimentId: string, ...runIds: string[]): Promise<void> {
    await insertExperiment(database(), experimentId);
    for (const runId of runIds) {
      await insertRun(database(), experimentId, runId);
      await insertIterations(database(), runId, 150);
    }
  }

  test('reads no iterations of ended runs after a restart, and returns the same traces', async () => {
    await insertRuns('restart', 'restart-1', 'restart-2');
    const firstLoad = await loadAfterStart(database(), 'restart');
    expect(firstLoad.readRuns).toEqual(['restart-1', 'restart-2']);
    const secondLoad = await loadAfterStart(database(), 'restart');
    expect(secondLoad.readRuns).toEqual([]);
    expect(secondLoad.runs).toEqual(firstLoad.runs);
    expect(secondLoad.runs.map(({ trace }) => trace.best.length)).toEqual([150, 150]);
  });

  test('reads a run again after another program has changed it in place', async () => {
    await insertRuns('changed', 'changed-1', 'changed-2');
    await loadAfterStart(database(), 'changed');
    await database()
      .kysely.updateTable('iterations')
      .set({ best_fitness: 1_000 })
      .where('run_id', '=', 'changed-2')
      .where('iteration', '=', 70)
      .execute();
    const { readRuns, runs } = await loadAfterStart(database(), 'changed');
    expect(readRuns).toEqual(['changed-2']);
    expect(runs.map(({ trace }) => trace.best.at(-1))).toEqual([149, 1_000]);
  });

  test('stores no RUNNING run, and no run that is read faster from the database', async () => {
    await insertRuns('live', 'live-1', 'live-2');
    const { kysely } = database();
    await kysely
      .updateTable('runs')
      .set({ status: 'RUNNING' })
      .where('run_id', '=', 'live-1')
      .execute();
    await kysely
      .deleteFrom('iterations')
      .where('run_id', '=', 'live-2')
      .where('iteration', '>', 50)
      .execute();
    await loadAfterStart(database(), 'live');
    expect(listFiles()).toEqual([]);
  });

  test('has names without any part of the ids, which may be hostile', async () => {
    const runIds = ['../../outside', '/etc/passwd', 'a\\b:c*?', '.', 'long'.repeat(2_000)];
    await insertRuns('../hostile', ...runIds);
    const firstLoad = await loadAfterStart(database(), '../hostile');
    expect(listFiles()).toHaveLength(runIds.length);
    for (const path of listFiles())
      expect(path.slice(folder.length)).toMatch(/^[/\\][0-9a-f]{2}[/\\][0-9a-f]{64}$/);
    expect(readdirSync(parent)).toEqual(['traces']);
    const secondLoad = await loadAfterStart(database(), '../hostile');
    expect(secondLoad.readRuns).toEqual([]);
    expect(secondLoad.runs).toEqual(firstLoad.runs);
  });

  test('reads damaged traces from the database, and all traces after a failure', async () => {
    await insertRuns('damaged', 'damaged-1', 'damaged-2');
    const { runs } = await loadAfterStart(database(), 'damaged');
    const [path = ''] = listFiles();
    truncateSync(path, 100);
    const secondLoad = await loadAfterStart(database(), 'damaged');
    expect(secondLoad.readRuns).toHaveLength(1);
    expect(secondLoad.runs).toEqual(runs);
    const data = open();
    renameSync(folder, join(parent, 'old'));
    symlinkSync(join(parent, 'old'), folder);
    const thirdLoad = await loadAfterStart(database(), 'damaged', data);
    expect(thirdLoad.readRuns).toHaveLength(2);
    expect(thirdLoad.runs).toEqual(runs);
    expect(messages).toEqual([expect.stringContaining('it is a link')]);
  });
});
