import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import {
  FolderWatch,
  watchFolder,
  type WatchOptions,
  type WatchState,
} from '#server/import/watch/watch-folder.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import {
  clearTables,
  readAllRows,
  readGrowth,
  replayWrites,
  type Write,
} from '#tests/support/growth.ts';

const parentFolder = mkdtempSync(join(tmpdir(), 'evoscope-watch-'));
afterAll(() => rmSync(parentFolder, { recursive: true }));

let folder: string;
const signal = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(parentFolder, 'folder-'));
});

const data = 'ioh/data_f1_Sphere/IOHprofiler_f1_DIM2.dat';
const index = 'ioh/IOHprofiler_f1_Sphere.json';

/** Writes text to the end of a file of the folder. */
function append(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  appendFileSync(join(folder, path), text);
}

/** Writes an index of IOHprofiler that lists runs of these instances with 20 evaluations each. */
function writeIndex(...instances: number[]): void {
  writeIndexWith({}, ...instances);
}

/** Writes an index of IOHprofiler with other fields. */
function writeIndexWith(fields: object, ...instances: number[]): void {
  mkdirSync(join(folder, 'ioh'), { recursive: true });
  const runs = instances.map((instance) => ({ instance, evals: 20, best: { evals: 4, y: 1 } }));
  const content = {
    version: '0.4.2',
    suite: 'unknown_suite',
    function_id: 1,
    function_name: 'Sphere',
    maximization: false,
    algorithm: { name: 'search', info: '_' },
    attributes: ['evaluations', 'raw_y'],
    scenarios: [{ dimension: 2, path: data.slice('ioh/'.length), runs }],
    ...fields,
  };
  writeFileSync(join(folder, index), JSON.stringify(content));
}

const header = 'evaluations raw_y\n';

describeOnEachDatabase('a watched folder', (database) => {
  afterEach(() => clearTables(database()));

  /** Starts a watch. Returns it with its last state. */
  function startWatch(options: WatchOptions = {}, target: Database = database()) {
    const states: WatchState[] = [];
    const watch = new FolderWatch(target, folder, { name: 'set', ...options }, (state) =>
      states.push(state),
    );
    return {
      poll: () => watch.poll(signal),
      finish: () => watch.finish(),
      states,
      get state() {
        return states.at(-1);
      },
    };
  }

  const listRuns = async () =>
    (
      await database()
        .kysely.selectFrom('runs')
        .select(['run_id', 'status', 'evaluations', 'iterations', 'end_time'])
        .orderBy('run_id')
        .execute()
    ).map(({ run_id, ...run }) => ({ ...run, run: run_id.slice('imp-123456789012-'.length) }));

  const listValues = async () =>
    (
      await database()
        .kysely.selectFrom('iterations')
        .select(['evaluations', 'best_fitness'])
        .orderBy('run_id')
        .orderBy('iteration')
        .execute()
    ).map(({ evaluations, best_fitness }) => [evaluations, best_fitness]);

  const listCampaigns = () =>
    database().kysely.selectFrom('coco_campaigns').select(['status', 'notes']).execute();
  const makeSilent = () =>
    database()
      .kysely.updateTable('iterations')
      .set({ created_at: '2020-01-01T00:00:00Z' })
      .execute();

  test.each(['ioh', 'coco', 'cma'] as const)(
    'gives the same rows as an import of the finished folder, while %s writes byte by byte',
    async (logger) => {
      const watch = startWatch();
      // COCO's Python module accepts only ASCII, its C library any name.
      const writes = readGrowth(logger).map(([path, text, ...isNew]) => {
        return [path, text.replace("algId = 'search'", "algId = 'Süche'"), ...isNew] as Write;
      });
      let parts = 0;
      for (const isInCharacter of replayWrites(folder, writes)) {
        parts += 1;
        if (isInCharacter || parts % 11 === 0) await watch.poll();
        if (watch.state?.problem) throw new Error(watch.state.problem);
      }
      await watch.poll();
      expect(watch.states.some(({ running }) => running > 0)).toBe(true);
      expect(watch.state).toMatchObject({ running: 0, notes: [], problem: null });
      const { events: _marks, ...beforeEnd } = await readAllRows(database());
      const result = await watch.finish();
      const watchedRows = await readAllRows(database());
      await clearTables(database());
      const importResult = await importDataSets(database(), { path: folder }, { name: 'set' });
      const importedRows = await readAllRows(database());
      expect(watchedRows).toEqual(importedRows);
      expect(beforeEnd).toEqual({ ...importedRows, events: undefined });
      expect(result).toEqual(importResult);
    },
  );

  test('shows rows before the index lists their run, as a RUNNING run without end', async () => {
    append(data, `${header}1 40.0\n3 20.0\n`);
    const watch = startWatch();
    await watch.poll();
    expect(await listRuns()).toEqual([
      { run: 'f1-d2-i0-r1', status: 'RUNNING', evaluations: 3, iterations: 1, end_time: null },
    ]);
    append(data, '20 35.0\n');
    writeIndex(4);
    await watch.poll();
    expect(await listRuns()).toMatchObject([
      { run: 'f1-d2-i4-r1', status: 'COMPLETED', evaluations: 20, iterations: 2 },
    ]);
    append(data, `${header}1 30.0\n`);
    await watch.poll();
    expect(await listRuns()).toMatchObject([
      { run: 'f1-d2-i0-r1', status: 'RUNNING' },
      { run: 'f1-d2-i4-r1', status: 'COMPLETED' },
    ]);
    expect(watch.state).toMatchObject({ runs: 2, running: 1, notes: [], problem: null });
  });

  test('reads a truncated last line when it is complete', async () => {
    append(data, `${header}1 40.0\n3 2`);
    const watch = startWatch();
    await watch.poll();
    expect(await listValues()).toEqual([[1, 40]]);
    append(data, '1.5');
    await watch.poll();
    expect(await listValues()).toEqual([[1, 40]]);
    append(data, '\n');
    await watch.poll();
    expect(await listValues()).toEqual([
      [1, 40],
      [3, 21.5],
    ]);
  });

  test('keeps the runs of an index that its logger is writing', async () => {
    append(data, `${header}1 40.0\n20 35.0\n`);
    writeIndex(4);
    const watch = startWatch();
    await watch.poll();
    const rowsBefore = await readAllRows(database());
    truncateSync(join(folder, index), 30);
    await watch.poll();
    truncateSync(join(folder, index));
    await watch.poll();
    expect(await readAllRows(database())).toEqual(rowsBefore);
    expect(watch.state).toMatchObject({ running: 0, notes: [] });
  });

  test('renumbers the runs after a run in a folder that comes before theirs', async () => {
    append(data, `${header}1 40.0\n3 30.0\n20 20.0\n`);
    writeIndex(4);
    const watch = startWatch();
    await watch.poll();
    cpSync(join(folder, 'ioh'), join(folder, 'a'), { recursive: true });
    writeFileSync(join(folder, data.replace('ioh', 'a')), `${header}1 50.0\n20 45.0\n`);
    await watch.poll();
    await watch.finish();
    const watchedRows = await readAllRows(database());
    await clearTables(database());
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(watchedRows).toEqual(await readAllRows(database()));
  });

  test.each([
    ['all in one transaction', 2],
    ['each in a transaction', 700],
    ['each in several transactions', 1_500],
  ])('renumbers runs that exchange their numbers: %s', async (_transactions, rows) => {
    const makeRun = (value: number) =>
      `${header}${Array.from({ length: rows }, (_, row) => `${row + 1} ${value - row}\n`).join('')}`;
    append(data, makeRun(5_000) + makeRun(9_000) + makeRun(7_000));
    writeIndex(4, 5, 6);
    const watch = startWatch();
    await watch.poll();
    writeIndex(6, 4, 5);
    await watch.poll();
    expect(watch.state).toMatchObject({ runs: 3, addedRuns: 3, problem: null });
    await watch.finish();
    const watchedRows = await readAllRows(database());
    await clearTables(database());
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(watchedRows).toEqual(await readAllRows(database()));
  });

  test.each([
    ['runs that the index did not list before', [], [4, 5, 6]],
    ['runs that exchange their numbers', [4, 5, 6], [6, 4, 5]],
  ])('renumbers %s, if writing fails after each transaction', async (_runs, before, after) => {
    const rows = Array.from({ length: 1_500 }, (_, row) => row);
    const makeRun = (value: number) =>
      header + rows.map((row) => `${row + 1} ${value - row}\n`).join('');
    append(data, makeRun(5_000) + makeRun(9_000) + makeRun(7_000));
    writeIndex(...before);
    const { dialect } = database();
    let [canFail, count] = [false, 0];
    const withWriteTransaction: typeof dialect.withWriteTransaction = (work) =>
      canFail && (count += 1) % 2 === 0
        ? Promise.reject(new Error('busy'))
        : dialect.withWriteTransaction(work);
    const watch = startWatch(
      {},
      {
        ...database(),
        dialect: { ...dialect, classifyFailure: () => 'busy', withWriteTransaction },
      },
    );
    await watch.poll();
    writeIndex(...after);
    canFail = true;
    do await watch.poll();
    while (watch.state?.problem);
    canFail = false;
    expect(count).toBeGreaterThan(6);
    expect(watch.state).toMatchObject({ runs: 3, addedRuns: 3 });
    await watch.finish();
    const watchedRows = await readAllRows(database());
    await clearTables(database());
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(watchedRows).toEqual(await readAllRows(database()));
  });

  const listTrials = async () =>
    (
      await database()
        .kysely.selectFrom('coco_trials')
        .select(['instance_id', 'target_value', 'reached_target', 'evals_to_target'])
        .orderBy('instance_id')
        .execute()
    ).map((trial) => Object.values(trial));

  test.each([
    ['the same watch continues', false],
    ['another watch continues', true],
  ])(
    'deletes a run of an interrupted watch that a long run supersedes, if writing fails between its parts and %s',
    async (_watch, isInterrupted) => {
      const rows = Array.from({ length: 1_500 }, (_, row) => `${row + 1} ${5_000 - row}\n`);
      append(data, header + rows.slice(0, 9).join(''));
      writeIndex();
      await startWatch().poll();
      const silence = async () => {
        const created_at = '2020-01-01T00:00:00Z';
        await database().kysely.updateTable('iterations').set({ created_at }).execute();
      };
      await silence();
      append(data, rows.slice(9).join(''));
      writeIndex(4);
      const { dialect } = database();
      let count = 0;
      const withWriteTransaction: typeof dialect.withWriteTransaction = (work) =>
        (count += 1) === 2 ? Promise.reject(new Error('busy')) : dialect.withWriteTransaction(work);
      const failingDialect = { ...dialect, classifyFailure: () => 'busy', withWriteTransaction };
      const watch = startWatch({}, { ...database(), dialect: failingDialect as typeof dialect });
      await watch.poll();
      expect(watch.state?.problem).not.toBeNull();
      if (isInterrupted) await silence();
      const nextWatch = isInterrupted ? startWatch() : watch;
      await nextWatch.poll();
      expect(await listRuns()).toMatchObject([
        { run: 'f1-d2-i4-r1', status: 'COMPLETED', evaluations: 1_500 },
      ]);
    },
  );

  test('has one target per problem with the stored parts of its data set', async () => {
    const suite = { suite: 'PBO', function_name: 'OneMax', maximization: true };
    append(data, `${header}1 10.0\n20 10.0\n`);
    writeIndexWith(suite, 4);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    rmSync(join(folder, 'ioh'), { recursive: true });
    append(data, `${header}1 8.0\n20 8.0\n`);
    writeIndexWith(suite, 5);
    const watch = startWatch();
    await watch.poll();
    expect(await listTrials()).toEqual([
      [4, 10, 1, 1],
      [5, 10, 0, null],
    ]);
    append(data, `${header}1 8.0\n2 12.0\n20 12.0\n`);
    writeIndexWith(suite, 5, 6);
    await watch.poll();
    await watch.finish();
    expect(await listTrials()).toEqual([
      [4, 12, 0, null],
      [5, 12, 0, null],
      [6, 12, 1, 2],
    ]);
  });

  test('has a note if stored parts of its data set have another direction on a problem', async () => {
    writeIndex(1);
    append(data, `${header}1 5\n20 5\n`);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    rmSync(join(folder, 'ioh'), { recursive: true });
    writeIndexWith({ maximization: true }, 2);
    append(data, `${header}1 5\n20 5\n`);
    const watch = startWatch();
    await watch.poll();
    const getNote = () => watch.state?.notes.find(({ code }) => code === 'DIRECTIONS_DIFFER');
    expect(getNote()?.message).toContain('(bbob f1 d2)');
    expect((await watch.finish()).notes).toContainEqual(getNote());
  });

  test('keeps the faults of a stored part that it does not contain, and no others', async () => {
    const replaceFiles = (rows: string, ...instances: number[]) => {
      rmSync(join(folder, 'ioh'), { recursive: true, force: true });
      append(data, `${header}${rows}`);
      writeIndex(...instances);
    };
    replaceFiles('1 5\n2 x\n20 5\n', 1);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    const stored = [
      { status: 'COMPLETED_WITH_ERRORS', notes: 'Incomplete or non-numeric row skipped.' },
    ];
    expect(await listCampaigns()).toEqual(stored);
    replaceFiles('1 5\n20 5\n', 2);
    const watch = startWatch();
    await watch.poll();
    expect(await listCampaigns()).toEqual(stored);
    append(data, `${header}1 5\n`);
    await watch.poll();
    expect(await listCampaigns()).toMatchObject([{ status: 'RUNNING', notes: stored[0]?.notes }]);
    append(data, '20 5\n');
    writeIndex(2, 3);
    await watch.poll();
    await watch.finish();
    expect(await listCampaigns()).toEqual(stored);
    replaceFiles(`1 5\n20 5\n${header}1 5\n20 5\n${header}1 5\n20 5\n`, 1, 2, 3);
    const wholeWatch = startWatch();
    await wholeWatch.poll();
    await wholeWatch.finish();
    expect(await listCampaigns()).toEqual([{ status: 'COMPLETED', notes: null }]);
  });

  test('keeps the target of a run whose file is deleted', async () => {
    const suite = { suite: 'PBO', function_name: 'OneMax', maximization: true };
    append(data, `${header}1 10.0\n20 10.0\n`);
    writeIndexWith(suite, 5);
    renameSync(join(folder, 'ioh'), join(folder, 'other'));
    append(data, `${header}1 12.0\n20 12.0\n`);
    writeIndexWith(suite, 4);
    const watch = startWatch();
    await watch.poll();
    rmSync(join(folder, 'ioh'), { recursive: true });
    await watch.poll();
    expect(await listTrials()).toEqual([
      [4, 12, 1, 1],
      [5, 12, 0, null],
    ]);
    append(data.replace('ioh', 'other'), `${header}1 15.0\n20 15.0\n`);
    writeIndexWith(suite, 5, 6);
    renameSync(join(folder, index), join(folder, index.replace('ioh', 'other')));
    await watch.poll();
    await watch.finish();
    expect(await listTrials()).toEqual([
      [4, 15, 0, null],
      [5, 15, 0, null],
      [6, 15, 1, 1],
    ]);
  });

  test('stops runs that have no end when watching ends', async () => {
    append(data, `${header}1 40.0\n20 35.0\n${header}1 40.0\n`);
    writeIndex(4);
    const watch = startWatch();
    await watch.poll();
    const { notes } = await watch.finish();
    expect(notes.map(({ code }) => code)).toEqual(['INSTANCE_UNKNOWN']);
    expect(await listRuns()).toMatchObject([
      { run: 'f1-d2-i0-r1', status: 'STOPPED' },
      { run: 'f1-d2-i4-r1', status: 'COMPLETED' },
    ]);
    const watchedRows = await readAllRows(database());
    await clearTables(database());
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(watchedRows).toEqual(await readAllRows(database()));
  });

  test.each([
    [
      'truncated',
      () => truncateSync(join(folder, data), header.length + 7),
      'File became shorter while the folder was watched; stored rows remain',
    ],
    [
      'replaced by a longer one',
      () => {
        renameSync(join(folder, data), join(folder, 'old'));
        append(data, `${header}1 90.0\n2 80.0\n3 70.0\n4 60.0\n`);
      },
      'File was replaced while the folder was watched; stored rows remain',
    ],
    [
      'deleted',
      () => rmSync(join(folder, data)),
      'File was deleted while the folder was watched; stored rows remain',
    ],
  ])('keeps the rows of a file that is %s, with a note', async (_how, change, message) => {
    append(data, `${header}1 40.0\n20 35.0\n`);
    writeIndex(4);
    const watch = startWatch();
    await watch.poll();
    const valuesBefore = await listValues();
    change();
    await watch.poll();
    expect(await listValues()).toEqual(valuesBefore);
    expect(watch.state?.notes).toContainEqual(expect.objectContaining({ file: data, message }));
    await watch.finish();
    expect(await listValues()).toEqual(valuesBefore);
    expect(await listRuns()).toMatchObject([{ run: 'f1-d2-i4-r1', status: 'COMPLETED' }]);
  });

  test('does not change stored rows that differ from the files, and explains how to replace them', async () => {
    append(data, `${header}1 40.0\n20 35.0\n`);
    writeIndex(4);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    const { coco_trials: trials } = await readAllRows(database());
    rmSync(join(folder, data));
    append(data, `${header}1 50.0\n20 45.0\n`);
    const watch = startWatch();
    await watch.poll();
    expect(await readAllRows(database())).toMatchObject({ coco_trials: trials });
    expect(await listValues()).toEqual([
      [1, 40],
      [20, 35],
    ]);
    expect(watch.state?.notes[0]?.message).toMatch(
      /^Runs are stored with other values, which remain\. To store the new ones, import the finished folder and replace the data set, or use another name \(imp-[0-9a-f]{12}-f1-d2-i4-r1\)$/,
    );
  });

  test('waits while it has no known files, and is refused like an import if watching ends then', async () => {
    append('notes.txt', 'nothing');
    const watch = startWatch();
    await watch.poll();
    expect(watch.state).toMatchObject({ files: 0, problem: null });
    await expect(watch.finish()).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
      message: expect.stringMatching(
        /^The source has no data in a known format\. Choose indexes/,
      ) as string,
    });
    expect((await readAllRows(database()))['events']).toEqual([]);
  });

  test('notes a truncated file without rows', async () => {
    append(data, `${header}1 40.0\n`);
    const watch = startWatch();
    await watch.poll();
    truncateSync(join(folder, data), header.length);
    await watch.poll();
    expect(watch.state?.notes).toMatchObject([{ code: 'FILE_TRUNCATED' }]);
    expect(await listValues()).toEqual([[1, 40]]);
  });

  test('names tables and archives, which are not watched', async () => {
    append('table.csv', 'evaluations,best\n1,2\n');
    append(data, `${header}1 40.0\n`);
    const watch = startWatch();
    await watch.poll();
    expect(watch.state?.notes).toMatchObject([
      {
        file: 'table.csv',
        message: 'A watch reads no tables and archives; import them separately',
      },
    ]);
  });

  test('names links even if there are no other files', async () => {
    symlinkSync('/etc/hostname', join(folder, 'IOHprofiler_f1_DIM2.dat'));
    const watch = startWatch();
    await watch.poll();
    const note = { file: 'IOHprofiler_f1_DIM2.dat', message: expect.stringContaining('(a link)') };
    expect(watch.state).toMatchObject({ files: 0, problem: null, notes: [note] });
    symlinkSync('/etc', join(folder, 'second'));
    await watch.poll();
    expect(watch.state?.notes).toMatchObject([note, { file: 'second' }]);
    rmSync(join(folder, 'second'));
    await watch.poll();
    expect(watch.state?.notes).toMatchObject([note]);
  });

  // Other systems have no such names.
  test.runIf(process.platform === 'linux')(
    'reads the other files if a name is not in UTF-8, as an import does',
    async () => {
      append(data, `${header}1 40.0\n`);
      writeIndex(1);
      const name = (text: string) =>
        Buffer.concat([Buffer.from(`${folder}/${text}`), Buffer.from([0xff])]);
      mkdirSync(name('folder'));
      writeFileSync(name('file'), header);
      const notes = ['file\uFFFD', 'folder\uFFFD/'].map((file) => {
        const message = 'Name is not in UTF-8; not opened';
        return { code: 'NAME_NOT_UTF8', file, line: null, count: 1, message };
      });
      const watch = startWatch();
      await watch.poll();
      expect(watch.state).toMatchObject({ problem: null, runs: 1 });
      expect(watch.state?.notes).toEqual(expect.arrayContaining(notes));
      await watch.finish();
      await clearTables(database());
      const importResult = await importDataSets(database(), { path: folder }, { name: 'set' });
      expect(importResult.notes).toEqual(expect.arrayContaining(notes));
      expect((await listValues())[0]).toEqual([1, 40]);
    },
  );

  test('continues to be watched after it was deleted and created again', async () => {
    append(data, `${header}1 40.0\n`);
    const watch = startWatch();
    await watch.poll();
    renameSync(folder, `${folder}-moved`);
    await watch.poll();
    expect(watch.state?.problem).toBe(
      `The folder ${folder} no longer exists. Watching continues when it exists again.`,
    );
    renameSync(`${folder}-moved`, folder);
    append(data, '3 20.0\n');
    await watch.poll();
    expect(watch.state).toMatchObject({ problem: null, notes: [] });
    expect(await listValues()).toHaveLength(2);
    renameSync(folder, `${folder}-moved`);
    await watch.finish();
    expect(await listRuns()).toMatchObject([{ status: 'STOPPED', evaluations: 3 }]);
  });

  test('ends with a message when its data set is deleted', async () => {
    append(data, `${header}1 40.0\n`);
    const watch = startWatch();
    await watch.poll();
    await clearTables(database());
    append(data, '3 20.0\n');
    await expect(watch.poll()).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: 'Another client deleted or replaced "set" during the watch. Start watching again',
    });
    expect(await listRuns()).toEqual([]);
  });

  test('ends with a message when the file of the database is replaced', async () => {
    const watch = startWatch({}, { ...database(), isCurrent: () => false });
    await expect(watch.poll()).rejects.toMatchObject({
      message:
        'Another program replaced or deleted the file of the database, so watching has ended. Start watching again',
    });
  });

  test('ends with the reason if another watch of the same data set wrote everything', async () => {
    append(data, `${header}1 40.0\n`);
    await startWatch().poll();
    const secondWatch = startWatch();
    await secondWatch.poll();
    await expect(secondWatch.finish()).rejects.toMatchObject({
      code: 'RUNS_ACTIVE',
      message: secondWatch.state?.problem,
    });
    expect(await listRuns()).toMatchObject([{ status: 'RUNNING' }]);
  });

  test('waits for another watch of the same data set until its runs are silent', async () => {
    append(data, `${header}20 40.0\n${header}1 40.0\n`);
    writeIndex(4);
    await startWatch().poll();
    const secondWatch = startWatch();
    await secondWatch.poll();
    expect(secondWatch.state?.problem).toMatch(
      /^"set" has RUNNING runs \(imp-[0-9a-f]{12}-f1-d2-i0-r1\) that another watch of its folder writes: stop that watch, or wait until they are silent$/,
    );
    append(data, '20 20.0\n');
    writeIndex(4, 5);
    await expect(
      importDataSets(database(), { path: folder }, { name: 'set' }),
    ).rejects.toMatchObject({ code: 'RUNS_ACTIVE', message: secondWatch.state?.problem });
    await makeSilent();
    await secondWatch.poll();
    expect(secondWatch.state).toMatchObject({ problem: null, runs: 2, running: 0 });
    expect(await listRuns()).toMatchObject([
      { run: 'f1-d2-i4-r1', status: 'COMPLETED' },
      { run: 'f1-d2-i5-r1', status: 'COMPLETED' },
    ]);
  });

  test('can be imported after an interrupted watch, when its runs are silent', async () => {
    append(data, `${header}20 40.0\n${header}1 40.0\n`);
    writeIndex(4);
    await startWatch().poll();
    append(data, '20 20.0\n');
    writeIndex(4, 5);
    await makeSilent();
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(await listRuns()).toMatchObject([
      { run: 'f1-d2-i4-r1', status: 'COMPLETED' },
      { run: 'f1-d2-i5-r1', status: 'COMPLETED' },
    ]);
  });

  test('has an ended campaign after an import, if the runs of an interrupted watch were settled', async () => {
    append(data, `${header}1 40.0\n20 1e-9\n${header}1 40.0\n`);
    writeIndex(4);
    await startWatch().poll();
    const runningRuns = database().kysely.updateTable('runs').where('status', '=', 'RUNNING');
    await runningRuns.set({ status: 'FAILED' }).execute();
    expect(await listCampaigns()).toMatchObject([{ status: 'RUNNING' }]);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(await listCampaigns()).toMatchObject([{ status: 'COMPLETED_WITH_ERRORS' }]);
  });

  test('gets the trials that an interrupted watch did not write by an import, but not while it has RUNNING runs', async () => {
    append(data, `${header}1 40.0\n20 1e-9\n${header}20 40.0\n`);
    writeIndex(4, 5);
    await startWatch().poll();
    await database().kysely.deleteFrom('coco_trials').where('instance_id', '=', 5).execute();
    const importFolder = (path = folder) => importDataSets(database(), { path }, { name: 'set' });
    await importFolder();
    const trials = [
      [4, 1e-8, 1, 20],
      [5, 1e-8, 0, null],
    ];
    expect(await listTrials()).toEqual(trials);
    const rows = await readAllRows(database());
    await importFolder();
    expect(await readAllRows(database())).toEqual(rows);
    for (const table of ['coco_trials', 'coco_optimizer_configs', 'coco_campaigns'] as const)
      await database().kysely.deleteFrom(table).execute();
    await importFolder();
    expect(await listTrials()).toEqual(trials);
    expect(await listCampaigns()).toEqual([{ status: 'COMPLETED', notes: null }]);
    const copy = join(parentFolder, 'copy');
    cpSync(folder, copy, { recursive: true });
    append(data, `${header}1 40.0\n`);
    await startWatch().poll();
    await database().kysely.deleteFrom('coco_trials').execute();
    await importFolder(copy);
    expect(await listTrials()).toEqual([]);
    expect(await listCampaigns()).toEqual([{ status: 'RUNNING', notes: null }]);
  });

  test('keeps the faults of a stored part after an interrupted watch and an import of another part', async () => {
    append(data, `${header}1 5\n2 x\n20 5\n`);
    writeIndex(1);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    const stored = await listCampaigns();
    expect(stored).toMatchObject([{ status: 'COMPLETED_WITH_ERRORS' }]);
    rmSync(join(folder, 'ioh'), { recursive: true });
    append(data, `${header}1 5\n20 5\n${header}1 5\n`);
    writeIndex(2);
    await startWatch().poll();
    expect(await listCampaigns()).toMatchObject([{ status: 'RUNNING', notes: stored[0]?.notes }]);
    await makeSilent();
    append(data, '20 5\n');
    writeIndex(2, 3);
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(await listCampaigns()).toEqual(stored);
  });

  test('is written in short transactions', async () => {
    const benchmark = makeBenchmark({ functions: 1, dimensions: [2], instances: 6, rows: 400 });
    cpSync(benchmark.folder, folder, { recursive: true });
    benchmark.remove();
    const watch = startWatch();
    await watch.poll();
    const addedRowCounts = watch.states.map(({ addedRows }) => addedRows);
    const steps = addedRowCounts.slice(1).map((rows, step) => rows - (addedRowCounts[step] ?? 0));
    expect(addedRowCounts.at(-1)).toBeGreaterThan(2_000);
    expect(Math.max(...steps)).toBeLessThanOrEqual(1_000);
    await watch.finish();
    const watched = await readAllRows(database());
    await clearTables(database());
    await importDataSets(database(), { path: folder }, { name: 'set' });
    expect(watched).toEqual(await readAllRows(database()));
  });

  test.each([
    ['busy', 'The database is busy. The watch retries automatically.'],
    ['connections', 'The database is busy. The watch retries automatically.'],
    ['full', 'The disk of the database is full. Free some space; writing then continues.'],
    ['unavailable', 'The database does not respond. The watch retries automatically.'],
  ])('is written later if the database is %s', async (failure, message) => {
    append(data, `${header}1 40.0\nx\n`);
    const { dialect } = database();
    let fails = true;
    const watch = startWatch(
      {},
      {
        ...database(),
        dialect: {
          ...dialect,
          classifyFailure: () => (failure === 'full' ? 'other' : (failure as 'busy')),
          withWriteTransaction: (work) =>
            fails
              ? Promise.reject(
                  Object.assign(new Error('no'), { code: failure === 'full' && 'SQLITE_FULL' }),
                )
              : dialect.withWriteTransaction(work),
        },
      },
    );
    await watch.poll();
    expect(watch.state?.problem).toBe(message);
    await watch.poll();
    fails = false;
    await watch.poll();
    expect(watch.state).toMatchObject({
      problem: null,
      running: 1,
      notes: [{ code: 'ROW_SKIPPED', count: 1 }],
    });
  });

  test('ends with the rows of the last reading if the folder is too large', async () => {
    const watch = startWatch({ limits: { entries: 10, bytes: 1_000, fileBytes: 10_000 } });
    append(data, `${header}1 5\n2 4\n`);
    writeIndex(1);
    await watch.poll();
    append(data, '3 3\n'.repeat(500));
    await watch.finish();
    expect(await listValues()).toMatchObject([
      [1, 5],
      [2, 4],
      [20, 4],
    ]);
  });

  test.each([
    ['missing', 'There is no accessible folder at %. Correct the path, or grant access'],
    ['file.txt', '% is not a folder. Choose a folder, or import the file without watching'],
  ])('is refused if its path is %s', async (name, message) => {
    writeFileSync(join(folder, 'file.txt'), '');
    const path = join(folder, name);
    await expect(watchFolder(database(), path, {}, () => {}, signal)).rejects.toMatchObject({
      code: 'SOURCE_UNREADABLE',
      message: message.replace('%', path),
    });
  });

  test('is refused for a read-only database', async () => {
    const target = { ...database(), isReadOnly: true };
    await expect(watchFolder(target, folder, {}, () => {}, signal)).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
  });
});
