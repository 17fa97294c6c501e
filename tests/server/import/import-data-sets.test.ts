import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KyselyPlugin } from 'kysely';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import type { ImportOptions } from '#server/import/read-data-set.ts';
import type { RowCounts } from '#server/db/dialect.ts';
import { tableNames } from '#server/db/tables.ts';
import {
  describeOnEachDatabase,
  makePostgresLocation,
  onServer,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { findArchive, readExpected } from '#tests/support/import-data.ts';
import { insert } from '#tests/support/rows.ts';
import { unpack } from '#tests/support/unpack.ts';

const inputs = await unpack(findArchive('bad-inputs')!);
const wholeFolder = join(inputs.folder, 'bad/01-good');
const cons = await unpack(findArchive('coco-gen-cons')!);
const inspector = await unpack(findArchive('ioh-inspector-tests')!);
const copies = mkdtempSync(join(tmpdir(), 'evoscope-import-test-'));
afterAll(() => {
  for (const { remove } of [inputs, cons, inspector]) remove();
  rmSync(copies, { recursive: true });
});

let copyCount = 0;

/** Copies a folder and changes some of its files. Returns the copy. */
function copyChanged(folder: string, changes: Record<string, (text: string) => string>): string {
  const copy = join(copies, `copy-${(copyCount += 1)}`);
  cpSync(folder, copy, { recursive: true });
  for (const [name, change] of Object.entries(changes)) {
    const path = join(copy, name);
    writeFileSync(path, change(readFileSync(path, 'latin1')), 'latin1');
  }
  return copy;
}

/** Copies the data as they were when the third run had just begun. Returns the copy. */
function copyBeginning(folder: string): string {
  const header = '% f eval';
  const truncateThirdRun = (text: string) => {
    const [, firstRun = '', secondRun = '', thirdRun = ''] = text.split(header);
    const rows = thirdRun.split('\n').slice(0, 6).join('\n');
    return `${header}${firstRun}${header}${secondRun}${header}${rows}\n`;
  };
  return copyChanged(folder, {
    'bbobexp_f8.info': (text) => text.replace(/, 3:.*/s, ', 3'),
    'data_f8/bbobexp_f8_DIM2.dat': truncateThirdRun,
    'data_f8/bbobexp_f8_DIM2.tdat': truncateThirdRun,
  });
}

describeOnEachDatabase('an import', (database) => {
  const importFrom = (path: string, options?: ImportOptions) =>
    importDataSets(database(), { path }, options);

  /** Returns all rows of the database, with 0 as their `id`. */
  async function snapshot(): Promise<string> {
    const tables = await Promise.all(
      tableNames.map((table) => database().kysely.selectFrom(table).selectAll().execute()),
    );
    return JSON.stringify(
      tables.map((rows) => rows.map((row) => JSON.stringify({ ...row, id: 0 })).sort()),
    );
  }

  async function getRuns(name: string) {
    return database()
      .kysely.selectFrom('coco_trials as t')
      .innerJoin('runs as r', 'r.run_id', 't.run_id')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select(['t.instance_id', 'r.status', 'r.evaluations', 'r.best_fitness', 'r.iterations'])
      .where('c.name', '=', name)
      .orderBy('t.instance_id')
      .execute();
  }

  test('of the same data a second time changes nothing, from folder or archive', async () => {
    const firstImport = await importFrom(findArchive('coco-gen-cons')!);
    expect(firstImport).toMatchObject({
      dataset: 'coco-gen-cons',
      campaigns: [{ suite: 'bbob-constrained', experiments: 12, runs: 60, iterations: 1754 }],
      skipped: 0,
      extended: 0,
      notes: [],
    });
    const snapshotBefore = await snapshot();
    const secondImport = await importFrom(findArchive('coco-gen-cons')!);
    const folder = await importFrom(join(cons.folder, 'coco-gen-cons'));
    expect(secondImport).toEqual({ ...firstImport, skipped: 60 });
    expect(folder).toEqual(secondImport);
    expect(await snapshot()).toBe(snapshotBefore);
  });

  test('leaves one event with path, bytes, digest and counts', async () => {
    const events = await database()
      .kysely.selectFrom('events')
      .selectAll()
      .where('event_type', '=', 'imported')
      .where('payload_json', 'like', '%coco-gen-cons%')
      .execute();
    expect(events.map(({ run_id }) => run_id)).toEqual([null]);
    expect(JSON.parse(events[0]!.payload_json)).toMatchObject({
      dataset: 'coco-gen-cons',
      path: findArchive('coco-gen-cons'),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      added: 60,
      skipped: 0,
      notes: [],
    });
  });

  test('of a grown copy extends its runs and adds new runs', async () => {
    const firstImport = await importFrom(copyBeginning(wholeFolder), { name: 'growing' });
    expect(firstImport.notes.map(({ code }) => code)).toEqual(['RUN_NOT_FINALISED']);
    const campaign = await database()
      .kysely.selectFrom('coco_campaigns')
      .select(['status', 'notes'])
      .where('name', '=', 'growing')
      .executeTakeFirst();
    expect(campaign).toEqual({
      status: 'COMPLETED_WITH_ERRORS',
      notes: 'End of the run not stated in the index; imported as STOPPED.',
    });
    expect((await getRuns('growing')).map(({ status }) => status)).toEqual([
      'COMPLETED',
      'COMPLETED',
      'STOPPED',
    ]);
    const secondImport = await importFrom(wholeFolder, { name: 'growing' });
    expect(secondImport).toMatchObject({ skipped: 2, extended: 1, campaigns: [{ runs: 5 }] });
    await importFrom(wholeFolder, { name: 'at once' });
    expect(await getRuns('growing')).toEqual(await getRuns('at once'));
    const counts = await database()
      .kysely.selectFrom('iterations as i')
      .innerJoin('coco_trials as t', 't.run_id', 'i.run_id')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select(['c.name', (eb) => eb.fn.countAll<number>().as('rows')])
      .where('c.name', 'in', ['growing', 'at once'])
      .groupBy('c.name')
      .execute();
    expect(counts[0]!.rows).toBe(counts[1]!.rows);
  });

  test('of an older copy after the newer copy changes nothing', async () => {
    const snapshotBefore = await snapshot();
    expect(await importFrom(copyBeginning(wholeFolder), { name: 'growing' })).toMatchObject({
      skipped: 3,
      extended: 0,
    });
    expect(await snapshot()).toBe(snapshotBefore);
  });

  test('of data in parts lists the functions, dimensions and instances of all parts', async () => {
    const header = 'algorithm,problem,instance,dimension,evaluations,best';
    for (const row of ['ES,bbob-f3,2,5,1,4', 'ES,bbob-f1,1,2,1,4']) {
      writeFileSync(join(copies, 'part.csv'), `${header}\n${row}\n`);
      await importFrom(join(copies, 'part.csv'), { name: 'in parts' });
    }
    const campaign = await database()
      .kysely.selectFrom('coco_campaigns')
      .select(['functions_json', 'dimensions_json', 'instances_json'])
      .where('name', '=', 'in parts')
      .executeTakeFirst();
    expect(campaign).toEqual({
      functions_json: '[1,3]',
      dimensions_json: '[2,5]',
      instances_json: '[1,2]',
    });
  });

  test('of a file without its first header keeps the instances of the other runs', async () => {
    const removeFirstLine = (text: string) => text.slice(text.indexOf('\n') + 1);
    const path = copyChanged(wholeFolder, {
      'data_f8/bbobexp_f8_DIM2.dat': removeFirstLine,
      'data_f8/bbobexp_f8_DIM2.tdat': removeFirstLine,
    });
    await importFrom(wholeFolder, { name: 'with header' });
    const { notes } = await importFrom(path, { name: 'without header' });
    expect(notes.map(({ code }) => code).toSorted()).toEqual([
      'ROW_SKIPPED',
      'ROW_SKIPPED',
      'RUN_WITHOUT_ROWS',
    ]);
    const allRuns = await getRuns('with header');
    expect(allRuns.length).toBeGreaterThan(1);
    expect(await getRuns('without header')).toEqual(
      allRuns.filter(({ instance_id }) => instance_id !== 1),
    );
  });

  test('of files in UTF-16 equals that of the same files in UTF-8', async () => {
    const toUtf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').toString('latin1');
    const path = copyChanged(wholeFolder, {
      'bbobexp_f8.info': toUtf16,
      'data_f8/bbobexp_f8_DIM2.dat': toUtf16,
      'data_f8/bbobexp_f8_DIM2.tdat': toUtf16,
    });
    expect((await importFrom(path, { name: 'UTF-16' })).notes).toEqual([]);
    expect(await getRuns('UTF-16')).toEqual(await getRuns('with header'));
  });

  test('of several folders of an algorithm without a name has a note that they are one optimizer', async () => {
    const importFolders = async (name: string, folders: Record<string, string>) => {
      const path = join(copies, name);
      for (const [folder, algorithm] of Object.entries(folders)) {
        const copy = copyChanged(wholeFolder, {
          'bbobexp_f8.info': (text) => text.replace("'ES15'", `'${algorithm}'`),
        });
        cpSync(copy, join(path, folder), { recursive: true });
      }
      const { notes } = await importFrom(path, { name, dryRun: true });
      return notes.filter(({ code }) => code === 'FOLDERS_POOLED');
    };
    expect(await importFolders('nameless', { default: 'ALG', 'default-0001': 'ALG' })).toEqual([
      {
        code: 'FOLDERS_POOLED',
        file: null,
        line: null,
        count: 1,
        message:
          'Several folders have runs on the same instances by an algorithm whose name is only a placeholder. They count as repetitions of one optimizer. If they are different algorithms, import each folder under its own name (ALG)',
      },
    ]);
    expect(await importFolders('one nameless', { default: 'ALG' })).toEqual([]);
    expect(await importFolders('named', { first: 'DE', second: 'DE' })).toEqual([]);
  });

  test('of copies of the same runs has a note that they count as repetitions', async () => {
    const listCopies = async (path: string) => {
      const { notes } = await importFrom(path, { dryRun: true });
      return notes.filter(({ code }) => code === 'EQUAL_RUNS');
    };
    expect(await listCopies(cons.folder)).toEqual([]);
    const both = join(copies, 'both');
    for (const name of ['first', 'copy'])
      cpSync(cons.folder, join(both, name), { recursive: true });
    expect(await listCopies(both)).toEqual([
      {
        code: 'EQUAL_RUNS',
        file: null,
        line: null,
        count: 60,
        message:
          'Runs with equal instances, seeds and rows. They count as repetitions, so differences look more certain than they are. If they are copies, remove them from the source and replace the data set (ES15)',
      },
    ]);
    const table = join(copies, 'tables');
    mkdirSync(table, { recursive: true });
    const rows = ['1,9', '2,8', '3,7', '9,7'].map((row) => `ES,bbob-f1,1,2,7,${row}`);
    const otherRun = ['1,9', '2,8', '3,7', '8,7'].map((row) => `ES,bbob-f1,1,2,8,${row}`);
    const header = 'algorithm,problem,instance,dimension,seed,evaluations,best';
    const text = [header, ...rows, ...otherRun, ''].join('\n');
    writeFileSync(join(table, 'a.csv'), text);
    rmSync(join(table, 'b.csv'), { force: true });
    expect(await listCopies(table)).toEqual([]);
    writeFileSync(join(table, 'b.csv'), text);
    expect(await listCopies(table)).toMatchObject([{ count: 2 }]);
    // Equal runs are no copies if most runs have no equal one, or if they have few rows.
    writeFileSync(
      join(table, 'b.csv'),
      text.replaceAll(',8,3,7', ',8,4,7').replaceAll('9,7', '9,6'),
    );
    expect(await listCopies(table)).toEqual([]);
  });

  test('of a part without faults keeps the faults of a stored part, until all of it is imported again', async () => {
    const file = join(copies, 'faulty.csv');
    const header = 'algorithm,problem,instance,dimension,evaluations,best';
    const readCampaign = () =>
      database()
        .kysely.selectFrom('coco_campaigns')
        .select(['status', 'notes'])
        .where('name', '=', 'faulty')
        .executeTakeFirst();
    const importRows = async (...rows: string[]) => {
      writeFileSync(file, [header, ...rows, ''].join('\n'));
      await importFrom(file, { name: 'faulty' });
      return readCampaign();
    };
    const firstPart = 'ES,bbob-f1,1,2,1,4';
    const secondPart = 'ES,bbob-f2,1,2,1,4';
    const first = await importRows(firstPart, 'ES,bbob-f1,2,2,1,x');
    expect(first?.status).toBe('COMPLETED_WITH_ERRORS');
    expect(first?.notes).toContain('Incomplete or non-numeric row skipped.');
    expect(await importRows(secondPart)).toEqual(first);
    expect(await importRows(firstPart, secondPart, 'ES,bbob-f3,1,2,1,4')).toMatchObject({
      status: 'COMPLETED',
    });
  });

  test('that blocks the runner of SQLite for longer than estimated changes nothing, unless no runner is writing', async () => {
    const file = join(copies, 'slow.csv');
    writeFileSync(file, 'algorithm,problem,dimension,evaluations,best\nES,bbob-f1,2,1,4\n');
    const { dialect, kysely } = database();
    const isStored = dialect.name !== 'sqlite';
    await insert(database(), 'experiments', { experiment_id: 'live', config_hash: 'live' });
    const run = { run_id: 'live', experiment_id: 'live', status: 'RUNNING' };
    await insert(database(), 'runs', { ...run, start_time: new Date().toISOString() });
    let millis = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (millis += 4_000));
    onTestFinished(() => clock.mockRestore());
    const firstImport = importFrom(file, { name: 'slow' });
    if (!isStored)
      await expect(firstImport).rejects.toMatchObject({
        code: 'RUNNER_WRITING',
        message:
          'A runner is writing, and importing "slow" blocked it for longer than estimated, so the import changed nothing. ' +
          'Wait until it has ended, or import with force=true (--force)',
      });
    else expect(await firstImport).toMatchObject({ campaigns: [{ runs: 1 }], skipped: 0 });
    expect(await getRuns('slow')).toHaveLength(isStored ? 1 : 0);
    await kysely
      .updateTable('runs')
      .set({ start_time: '2020-01-01T00:00:00Z' })
      .where('run_id', '=', 'live')
      .execute();
    expect(await importFrom(file, { name: 'slow' })).toMatchObject({ skipped: isStored ? 1 : 0 });
    expect(await getRuns('slow')).toHaveLength(1);
  });

  test('of a better value than before changes the target of stored trials that depends on it', async () => {
    const path = join(copies, 'targets.csv');
    const rows = ['ES,PBO-1,1,16,max,3,10', 'ES,PBO-1,2,16,max,5,12'];
    for (const count of [1, 2]) {
      const header = 'algorithm,problem,instance,dimension,direction,evaluations,best';
      writeFileSync(path, [header, ...rows.slice(0, count), ''].join('\n'));
      await importFrom(path);
    }
    const trials = await database()
      .kysely.selectFrom('coco_trials as t')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select(['t.target_value', 't.reached_target', 't.evals_to_target'])
      .where('c.name', '=', 'targets')
      .orderBy('t.instance_id')
      .execute();
    expect(trials).toEqual([
      { target_value: 12, reached_target: 0, evals_to_target: null },
      { target_value: 12, reached_target: 1, evals_to_target: 5 },
    ]);
  });

  test('of a part has one target per problem with the parts that are stored', async () => {
    const estimatedCounts: [trials: number, storedRuns: number][] = [];
    const dialect = {
      ...database().dialect,
      estimateWritingLockSeconds: (rows: RowCounts, storedRuns: number) => {
        estimatedCounts.push([rows.get('coco_trials') ?? 0, storedRuns]);
        return 0;
      },
    };
    const importPart = (...rows: string[]) => {
      const path = join(copies, 'target-part.csv');
      const header = 'algorithm,problem,instance,dimension,direction,evaluations,best';
      writeFileSync(path, [header, ...rows, ''].join('\n'));
      const options = { name: 'target parts' };
      return importDataSets({ ...database(), dialect }, { path }, options);
    };
    await importPart('ES,PBO-1,1,16,max,3,10', 'ES,PBO-2,1,16,max,3,7');
    await importPart('DE,PBO-1,1,16,max,5,12');
    await importPart('GA,PBO-1,1,16,max,4,11');
    expect(estimatedCounts).toEqual([
      [2, 0],
      [2, 2],
      [1, 3],
    ]);
    const lockSeconds = database().dialect.estimateWritingLockSeconds(new Map(), 100_000);
    expect(lockSeconds).toBe(database().dialect.name === 'sqlite' ? 1.2 : 0);
    const trials = await database()
      .kysely.selectFrom('coco_trials as t')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select(['t.optimizer_id', 't.target_value', 't.reached_target', 't.evals_to_target'])
      .where('c.name', '=', 'target parts')
      .orderBy('t.function_id')
      .orderBy('t.best_fitness')
      .execute();
    expect(trials.map((trial) => Object.values(trial))).toEqual([
      ['ES', 12, 0, null],
      ['GA', 12, 0, null],
      ['DE', 12, 1, 5],
      ['ES', 7, 1, 3],
    ]);
  });

  test('of a part keeps the targets of stored parts with another direction', async () => {
    const importPart = (...lines: string[]) => {
      const path = join(copies, 'direction-part.csv');
      writeFileSync(path, [...lines, ''].join('\n'));
      return importFrom(path, { name: 'direction parts' });
    };
    await importPart('algorithm,problem,instance,dimension,seed,best', 'ES,PBO-1,1,16,1,10');
    const header = 'algorithm,problem,instance,dimension,evaluations,best';
    await importPart(header, 'DE,PBO-1,1,16,1,5', 'DE,PBO-1,1,16,9,12');
    const trials = await database()
      .kysely.selectFrom('coco_trials as t')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select(['t.optimizer_id', 't.target_value', 't.reached_target'])
      .where('c.name', '=', 'direction parts')
      .orderBy('t.optimizer_id')
      .execute();
    expect(trials.map((trial) => Object.values(trial))).toEqual([
      ['DE', 12, 1],
      ['ES', 10, 1],
    ]);
  });

  test('is refused if another import of its name wrote the same runs meanwhile', async () => {
    const writeTable = (name: string, ...values: number[]) => {
      const path = join(copies, name);
      mkdirSync(dirname(path), { recursive: true });
      const rows = values.map((value, index) => `${index + 1},${value}`);
      writeFileSync(path, ['evaluations,best', ...rows, ''].join('\n'));
      return path;
    };
    const [path, otherPath] = [writeTable('a/race.csv', 5, 4), writeTable('b/race.csv', 9, 8, 7)];
    const { dialect } = database();
    const withWriteTransaction: typeof dialect.withWriteTransaction = async (work) => {
      await importFrom(otherPath);
      return dialect.withWriteTransaction(work);
    };
    const target = { ...database(), dialect: { ...dialect, withWriteTransaction } };
    await expect(importDataSets(target, { path })).rejects.toMatchObject({
      code: 'CHANGED_MEANWHILE',
      message:
        'Another import changed "race" while this one was reading, so this one wrote nothing. Import again',
    });
    expect(await importFrom(otherPath)).toMatchObject({ skipped: 1 });
  });

  test('of a part reads the stored trials before it locks the database, and those of a part that is added meanwhile', async () => {
    const writeTable = (name: string, problem: string) => {
      const path = join(copies, name);
      const header = 'algorithm,problem,instance,dimension,evaluations,best';
      writeFileSync(path, `${header}\nES,${problem},1,2,1,4\n`);
      return path;
    };
    const paths = ['bbob-f1', 'bbob-f2', 'bbob-f3'].map((problem) =>
      writeTable(`${problem}.csv`, problem),
    );
    const importPart = (path: string, target = database()) =>
      importDataSets(target, { path }, { name: 'parts meanwhile' });
    await importPart(paths[0]!);
    const { experiment_id: storedId } = await database()
      .kysely.selectFrom('experiments')
      .select('experiment_id')
      .where('run_name', '=', 'ES bbob f1 d2')
      .executeTakeFirstOrThrow();
    const { dialect } = database();
    const lockedQueries: string[] = [];
    const observer: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'SelectQueryNode') lockedQueries.push(JSON.stringify(node));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const pathsMeanwhile: string[] = [];
    const withWriteTransaction: typeof dialect.withWriteTransaction = async (work) => {
      for (const path of pathsMeanwhile) await importPart(path);
      return dialect.withWriteTransaction((transaction) => work(transaction.withPlugin(observer)));
    };
    const target = { ...database(), dialect: { ...dialect, withWriteTransaction } };
    await importPart(paths[1]!, target);
    expect(lockedQueries.filter((query) => query.includes('evals_to_target'))).toEqual([]);
    expect(lockedQueries.filter((query) => query.includes(storedId))).toEqual([]);
    pathsMeanwhile.push(paths[2]!);
    await importPart(writeTable('bbob-f4.csv', 'bbob-f4'), target);
    const campaign = await database()
      .kysely.selectFrom('coco_campaigns')
      .select('functions_json')
      .where('name', '=', 'parts meanwhile')
      .executeTakeFirst();
    expect(campaign).toEqual({ functions_json: '[1,2,3,4]' });
  });

  test('estimates the time of its lock from the number of rows that it writes to each table', async () => {
    writeFileSync(
      join(copies, 'estimated.csv'),
      'algorithm,problem,instance,evaluations,best\nES,bbob-f1,1,3,0\nDE,bbob-f1,1,3,5\nES,knapsack,,1,4\n',
    );
    const countRows = async () =>
      new Map(
        await Promise.all(
          tableNames.map(async (table) => {
            const rows = await database().kysely.selectFrom(table).selectAll().execute();
            return [table, rows.length] as const;
          }),
        ),
      );
    const before = await countRows();
    let estimated: RowCounts = new Map();
    const dialect = {
      ...database().dialect,
      estimateWritingLockSeconds: (rows: RowCounts) => {
        estimated = rows;
        return 0;
      },
    };
    const target = { ...database(), dialect };
    await importDataSets(target, { path: join(copies, 'estimated.csv') }, { asReference: true });
    const after = await countRows();
    const written = tableNames.map((table) => [table, after.get(table)! - before.get(table)!]);
    expect(tableNames.map((table) => [table, estimated.get(table) ?? 0])).toEqual(written);
  });

  test('updates the instance of a run when the index lists it', async () => {
    const folder = join(inspector.folder, 'ioh-inspector-tests/test_data/algorithm_A');
    const earlyFolder = copyChanged(folder, {
      'IOHprofiler_f1_Sphere.json': (text) => {
        const index = JSON.parse(text) as { scenarios: { runs: unknown[] }[] };
        index.scenarios[0]!.runs.pop();
        return JSON.stringify(index);
      },
    });
    const first = await importFrom(earlyFolder, { name: 'listed later' });
    expect(first.notes.map(({ code }) => code)).toEqual(['INSTANCE_UNKNOWN']);
    expect((await getRuns('listed later')).map((run) => run.instance_id)).toContain(0);
    await importFrom(folder, { name: 'listed later' });
    await importFrom(folder, { name: 'listed at once' });
    expect(await getRuns('listed later')).toEqual(await getRuns('listed at once'));
  });

  test('keeps the runs of an algorithm together if the data describe it in more detail', async () => {
    const folder = join(inspector.folder, 'ioh-inspector-tests/test_data/algorithm_A');
    await importFrom(folder, { name: 'described' });
    const describedFolder = copyChanged(folder, {
      'IOHprofiler_f1_Sphere.json': (text) => text.replace('algorithm_info', 'with restarts'),
    });
    expect(await importFrom(describedFolder, { name: 'described' })).toMatchObject({ skipped: 0 });
    const experiments = await database()
      .kysely.selectFrom('experiment_params as p')
      .innerJoin('experiment_params as info', 'info.experiment_id', 'p.experiment_id')
      .innerJoin('runs as r', 'r.experiment_id', 'p.experiment_id')
      .select(['info.value_text', (eb) => eb.fn.countAll<number>().as('runs')])
      .where('p.param_path', '=', 'import.dataset')
      .where('p.value_text', '=', 'described')
      .where('info.param_path', '=', 'algorithm.info')
      .groupBy('info.value_text')
      .execute();
    expect(experiments).toEqual([{ value_text: 'with restarts', runs: 5 }]);
    const otherRows = await database()
      .kysely.selectFrom('experiment_params')
      .select('experiment_id')
      .where('param_path', '=', 'import.dataset')
      .where('value_text', '=', 'described')
      .execute();
    expect(otherRows.length).toBe(1);
  });

  test('of other values under the same name is refused unless it replaces them', async () => {
    await importFrom(wholeFolder, { name: 'corrected' });
    const otherFolder = copyChanged(wholeFolder, {
      'data_f8/bbobexp_f8_DIM2.dat': (text) => text.replace('+6.626101642e+00', '+6.5e+00'),
      'data_f8/bbobexp_f8_DIM2.tdat': (text) => text.replace('+6.626101642e+00', '+6.5e+00'),
    });
    const before = await snapshot();
    await expect(importFrom(otherFolder, { name: 'corrected' })).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message: expect.stringMatching(
        /^"corrected" exists with other values \(imp-[0-9a-f]{12}-f8-d2-i1-r1\): replace it, or give another name$/,
      ) as string,
    });
    expect(await snapshot()).toBe(before);
    await importFrom(otherFolder, { name: 'corrected', replace: true });
    const { values } = await firstRow('corrected');
    expect(values).toEqual([6.5]);
    expect((await getRuns('corrected')).length).toBe(5);
  });

  test('without runs, or without runs of the requested kind, changes nothing', async () => {
    const before = await snapshot();
    const table = join(copies, 'corrected.csv');
    writeFileSync(table, 'evaluations,best\n');
    for (const [source, options, message] of [
      [table, { replace: true }, 'no run to replace the stored runs. Choose a source with runs'],
      [table, { rename: { A: 'B' } }, 'no runs, so it has no algorithm "A" to rename'],
      [wholeFolder, { kind: 'iohprofiler', replace: true }, 'no run of the kind "iohprofiler"'],
      [wholeFolder, { kind: 'iohprofiler' }, 'Choose another source, or the kind "auto"'],
    ] as const)
      await expect(importFrom(source, { name: 'corrected', ...options })).rejects.toThrow(message);
    expect(await snapshot()).toBe(before);
  });

  async function firstRow(name: string): Promise<{ values: number[] }> {
    const rows = await database()
      .kysely.selectFrom('iterations as i')
      .innerJoin('coco_trials as t', 't.run_id', 'i.run_id')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select('i.best_fitness')
      .where('c.name', '=', name)
      .where('t.instance_id', '=', 1)
      .where('i.iteration', '=', 0)
      .execute();
    return { values: rows.map((row) => row.best_fitness) };
  }

  test('with dryRun reports what it would write, and writes nothing', async () => {
    const before = await snapshot();
    const result = await importFrom(wholeFolder, { name: 'tried', dryRun: true });
    expect(result.campaigns).toMatchObject([{ suite: 'bbob', runs: 5 }]);
    expect(await snapshot()).toBe(before);
  });

  test('of the same content under another name is refused unless the user chose the name', async () => {
    const copy = copyChanged(join(cons.folder, 'coco-gen-cons'), {});
    await expect(importFrom(copy)).rejects.toMatchObject({
      code: 'IMPORT_CONFLICT',
      message:
        'The data set "coco-gen-cons" already has the same content: give a name to import it again',
    });
    const { notes } = await importFrom(copy, { name: 'twice' });
    expect(notes).toMatchObject([
      {
        code: 'SAME_CONTENT',
        message: 'Same data already imported under another name (coco-gen-cons)',
      },
    ]);
  });

  test('writes expected runtimes as reference results, except for targets without a success', async () => {
    await importFrom(findArchive('coco-gen-large')!, { asReference: true });
    const rows = await database()
      .kysely.selectFrom('coco_reference_results')
      .selectAll()
      .where('suite', '=', 'bbob-largescale')
      .execute();
    const expected = readExpected().entries.filter(
      ({ dataset, ert }) => dataset === 'coco-gen-large' && ert !== null,
    );
    const key = (f: number | string, d: number, target: number, ert: number) =>
      `f${f} d${d} ${target} ${ert.toPrecision(12)}`;
    expect(
      rows.map((row) => key(row.function_id, row.dimension, row.target_value, row.ert)).sort(),
    ).toEqual(
      expected
        .map((entry) => key(entry.function, entry.dimension, entry.target, entry.ert!))
        .sort(),
    );
  });

  test('of a part of a data set keeps the reference results of other parts; a replacement keeps none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-references-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'parts.csv');
    const importPart = async (problem: string, options: ImportOptions = {}) => {
      writeFileSync(
        path,
        `algorithm,problem,dimension,instance,evaluations,fitness\nEA,${problem},5,1,10,3\n`,
      );
      await importDataSets(database(), { path }, { asReference: true, ...options });
      const rows = await database()
        .kysely.selectFrom('coco_reference_results')
        .select(['function_id', 'target_value'])
        .where('optimizer_name', '=', 'EA')
        .orderBy('function_id')
        .execute();
      return rows.map((row) => [row.function_id, row.target_value]);
    };
    expect(await importPart('bbob-f1')).toEqual([[1, 10]]);
    const both = [
      [1, 10],
      [2, 10],
    ];
    expect(await importPart('bbob-f2')).toEqual(both);
    expect(await importPart('bbob-f2')).toEqual(both);
    expect(await importPart('bbob-f2', { replace: true })).toEqual([[2, 10]]);
  });

  test('that is aborted while it reads or writes changes nothing', async () => {
    const before = await snapshot();
    for (const phase of ['reading', 'writing']) {
      const controller = new AbortController();
      const abortedImport = importDataSets(
        database(),
        { path: findArchive('coco-gen-bbob')! },
        {},
        (progress) => {
          if (progress.phase === phase) controller.abort();
        },
        controller.signal,
      );
      await expect(abortedImport, phase).rejects.toMatchObject({
        code: 'CANCELLED',
        message: 'The import was cancelled and changed nothing',
      });
    }
    expect(await snapshot()).toBe(before);
  });

  test('into a database that is open read-only is refused', async () => {
    const readOnly = { ...database(), isReadOnly: true };
    await expect(importDataSets(readOnly, { path: wholeFolder })).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
  });

  test('reports its progress, first reading, then writing', async () => {
    const phases: string[] = [];
    let lastProgress: object = {};
    await importDataSets(database(), { path: findArchive('coco-gen-mixint')! }, {}, (progress) => {
      if (phases.at(-1) !== progress.phase) phases.push(progress.phase);
      lastProgress = progress;
    });
    expect(phases).toEqual(['reading', 'writing']);
    expect(lastProgress).toMatchObject({ runs: 50, totalRuns: 50, rows: 1116, totalRows: 1116 });
  });

  test('of a name that is too long for an index of PostgreSQL is refused and changes nothing', async () => {
    const before = await snapshot();
    const file = join(copies, 'long.csv');
    // Without repetitions, which PostgreSQL would compress.
    const longName = Array.from({ length: 450 }, (_, index) => `p${index * 7_919}`).join('');
    const cases = [
      [`evaluations,best,param:${longName}`, '1,1,5', 'parameter'],
      ['evaluations,best,algorithm', `1,1,${'算法'.repeat(200)}`, 'algorithm'],
      ['evaluations,best,problem', `1,1,${'問題'.repeat(200)}`, 'problem'],
    ] as const;
    for (const [header, row, kind] of cases) {
      writeFileSync(file, `${header}\n${row}\n`);
      await expect(importFrom(file)).rejects.toMatchObject({
        code: 'NAME_TOO_LONG',
        message: expect.stringMatching(
          new RegExp(
            `^The name of the ${kind} ".{40,}…" has \\d+ bytes, but at most 1000 are possible. Shorten it in the source.$`,
          ),
        ) as string,
      });
    }
    expect(await snapshot()).toBe(before);
  });

  test('of a missing path reports it', async () => {
    await expect(importFrom('/nowhere/at-all')).rejects.toMatchObject({
      code: 'SOURCE_UNREADABLE',
      message: 'There is no file or folder at /nowhere/at-all. Correct the path',
    });
  });

  test('of an unknown format lists the known formats', async () => {
    await expect(importFrom(findArchive('coco-gen-toy')!)).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
      message: expect.stringContaining('Choose indexes of COCO (.info), IOHprofiler') as string,
    });
  });
});

describe('an import on postgres', () => {
  test('waits while another import of its name writes, and is then refused', async () => {
    const location = await makePostgresLocation();
    const database = await openTestDatabase(location.url);
    const writeTable = (folder: string, ...values: number[]) => {
      const path = join(copies, folder, 'overlap.csv');
      mkdirSync(dirname(path), { recursive: true });
      const rows = values.map((value, index) => `${index + 1},${value}`);
      writeFileSync(path, ['evaluations,best', ...rows, ''].join('\n'));
      return { path };
    };
    const otherSource = writeTable('overlap-b', 9, 8, 7);
    let otherImport: Promise<unknown> | undefined;
    const { dialect } = database;
    const withWriteTransaction: typeof dialect.withWriteTransaction = (work) =>
      dialect.withWriteTransaction(async (transaction) => {
        const result = await work(transaction);
        otherImport = importDataSets(otherDatabase, otherSource);
        otherImport.catch(() => {});
        await onServer(location.url, (client) =>
          expect
            .poll(
              async () => {
                const { rows } = await client.query(
                  `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
                );
                return rows.length;
              },
              { timeout: 30_000 },
            )
            .toBe(1),
        );
        return result;
      });
    const otherDatabase = await openTestDatabase(location.url);
    try {
      const target = { ...database, dialect: { ...dialect, withWriteTransaction } };
      await importDataSets(target, writeTable('overlap-a', 5, 4));
      await expect(otherImport).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
      const rows = await database.kysely.selectFrom('iterations').select('best_fitness').execute();
      expect(rows.map((row) => row.best_fitness)).toEqual([5, 4]);
    } finally {
      await otherDatabase.close();
      await database.close();
      await location.remove();
    }
  });
});
