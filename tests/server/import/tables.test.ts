import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import type { ImportOptions } from '#server/import/read-data-set.ts';
import { listDataSets, listImportMarks } from '#server/repositories/data-sets.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { findArchive, readExpected } from '#tests/support/import-data.ts';
import { unpack } from '#tests/support/unpack.ts';

const samples = await unpack(findArchive('csv-samples')!);
const sample = (name: string) => join(samples.folder, 'csv-samples', name);
const folder = mkdtempSync(join(tmpdir(), 'evoscope-tables-'));
afterAll(() => {
  samples.remove();
  rmSync(folder, { recursive: true });
});

function table(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

async function listImportedRuns({ kysely }: TestDatabase, dataSet: string) {
  return kysely
    .selectFrom('runs as r')
    .innerJoin('experiments as e', 'e.experiment_id', 'r.experiment_id')
    .innerJoin('experiment_params as p', 'p.experiment_id', 'r.experiment_id')
    .select(['e.run_name', 'r.run_id', 'r.seed', 'r.evaluations', 'r.best_fitness', 'r.iterations'])
    .where('p.param_path', '=', 'import.dataset')
    .where('p.value_text', '=', dataSet)
    .orderBy('e.run_name')
    .orderBy('r.seed')
    .orderBy('r.run_id')
    .execute();
}

describeOnEachDatabase('a table', (database) => {
  test('in Latin-1 keeps apart algorithms whose names differ only in accents', async () => {
    const tables = {
      'latin.csv': [
        'algorithm,problem,instance,evaluations,best',
        'ES-é,bbob-f1,1,9,4',
        'ES-è,bbob-f1,1,1,3',
      ],
      'latin.jsonl': [
        '{"algorithm":"ES-é","problem":"bbob-f1","instance":1,"evaluations":9,"best":4}',
        '{"algorithm":"ES-è","problem":"bbob-f1","instance":1,"evaluations":1,"best":3}',
      ],
    };
    for (const [name, lines] of Object.entries(tables)) {
      const path = join(folder, name);
      writeFileSync(path, `${lines.join('\n')}\n`, 'latin1');
      const result = await importDataSets(database(), { path }, { name });
      expect(result.algorithms.map((algorithm) => algorithm.name)).toEqual(['ES-é', 'ES-è']);
      const runs = await listImportedRuns(database(), name);
      const results = runs.map((run) => `${run.evaluations} ${run.best_fitness}`);
      expect(results.toSorted()).toEqual(['1 3', '9 4']);
    }
  });

  const getCodes = async (path: string, options: ImportOptions) => {
    const { notes } = await importDataSets(database(), { path }, options);
    return notes.map(({ code }) => code);
  };

  test.each(['generic.csv', 'generic.jsonl'])(
    'of the generic form contains the runs of its data set: %s',
    async (file) => {
      const { sets } = readExpected();
      const expectedSets = sets.filter(
        (set) =>
          set.dataset === 'coco-gen-bbob' &&
          [1, 8].includes(Number(set.function)) &&
          [2, 5].includes(set.dimension),
      );
      const { campaigns } = await importDataSets(
        database(),
        { path: sample(file) },
        { name: `from ${file}` },
      );
      expect(campaigns).toMatchObject([{ suite: 'bbob', experiments: 4, runs: 60 }]);
      const runs = await listImportedRuns(database(), `from ${file}`);
      for (const set of expectedSets) {
        const setRuns = runs.filter(
          ({ run_name }) => run_name === `(1+1)-ES-1/5 bbob f${set.function} d${set.dimension}`,
        );
        expect(setRuns.map((run) => run.evaluations)).toEqual(set.evaluations);
        expect(setRuns.map((run) => run.best_fitness)).toEqual(set.finalBest);
        expect(setRuns.map((run) => run.seed)).toEqual(set.instances);
      }
    },
  );

  test('with other column names is recognised, with a note that budgets are unknown', async () => {
    expect(await getCodes(sample('iohanalyzer-custom.csv'), { name: 'ioh' })).toEqual([
      'BUDGET_UNKNOWN',
    ]);
    const runs = await listImportedRuns(database(), 'ioh');
    expect(runs.length).toBe(60);
    expect(new Set(runs.map((run) => run.run_name))).toEqual(
      new Set([1, 8].flatMap((f) => [2, 5].map((d) => `(1+1)-ES-1/5 f${f} d${d}`))),
    );
  });

  test('that states instances but no suite gives names with its data set, and f with numbers of functions', async () => {
    const path = table(
      'mine.csv',
      'problem,instance,evaluations,best',
      '8,1,1,5',
      'knapsack,1,1,4',
    );
    await importDataSets(database(), { path });
    const rows = await database()
      .kysely.selectFrom('experiments')
      .select(['run_name', 'problem_type'])
      .where('run_name', 'like', 'mine %')
      .orderBy('run_name')
      .execute();
    expect(rows).toEqual([
      { run_name: 'mine mine f8', problem_type: 'f8' },
      { run_name: 'mine mine knapsack', problem_type: 'knapsack' },
    ]);
  });

  test('of Nevergrad has one run per row without a trace, separated by budget and problem', async () => {
    const path = sample('nevergrad.csv');
    expect(await getCodes(path, { name: 'ng' })).toEqual(['FINAL_VALUES_ONLY']);
    const runs = await listImportedRuns(database(), 'ng');
    expect(runs.length).toBe(937);
    const adam = runs.filter(({ run_name }) => run_name === 'AdamSP sphere d2');
    expect(adam.length).toBe(12);
    expect(adam.every(({ iterations }) => iterations === 0)).toBe(true);
    expect(adam.map(({ evaluations }) => evaluations)).toContain(422);
  });

  test('of Optuna counts all trials and uses the values of completed trials', async () => {
    const path = sample('optuna-trials.csv');
    expect(await getCodes(path, { name: 'optuna', direction: 'min' })).toEqual([]);
    const [run, ...otherRuns] = await listImportedRuns(database(), 'optuna');
    expect(otherRuns).toEqual([]);
    expect(run).toMatchObject({ run_name: 'optuna-trials problem', evaluations: 5 });
    const { kysely } = database();
    const trace = await kysely
      .selectFrom('iterations')
      .select(['evaluations', 'best_fitness'])
      .where('run_id', '=', run!.run_id)
      .orderBy('iteration')
      .execute();
    expect(trace.map((row) => [row.evaluations, row.best_fitness])).toEqual([
      [1, 27.61],
      [3, 4.25],
      [5, 1],
    ]);
  });

  test('of Optuna with several objectives uses the first, with a note', async () => {
    const path = sample('optuna-trials-2-objectives.csv');
    expect(await getCodes(path, { name: 'two', direction: 'min' })).toEqual(['ONE_OBJECTIVE']);
  });

  test('of scripts with pymoo has one run per seed', async () => {
    await importDataSets(database(), { path: sample('pymoo-history.csv') }, { name: 'pymoo' });
    expect(await listImportedRuns(database(), 'pymoo')).toMatchObject([
      { run_name: 'DE rastrigin', seed: 1, evaluations: 400, best_fitness: 6.25 },
      { run_name: 'DE rastrigin', seed: 2, evaluations: 400, best_fitness: 12.5 },
    ]);
  });

  test('keeps the instance and the seed of each run, with all digits', async () => {
    const largeIntegers = ['9007199254740993', '9223372036854775807', '-9223372036854775808'];
    const rows = [1, 2].flatMap((instance) =>
      ['7', '3', ...largeIntegers].map((seed) => `${instance},${seed},10,0.5`),
    );
    const path = table('seeds.csv', 'instance,seed,evaluations,best', ...rows);
    expect(await getCodes(path, {})).not.toContain('SEED_REPLACED');
    const runs = await listImportedRuns(database(), 'seeds');
    const runTexts = runs
      .map(({ run_id, seed }) => `${/-i(\d+)-/.exec(run_id)?.[1]},${seed}`)
      .toSorted();
    expect(runTexts).toEqual(rows.map((row) => row.replace(/,10,0.5$/, '')).toSorted());
    const secondImport = await importDataSets(database(), { path }, {});
    expect(secondImport).toMatchObject({ skipped: 10 });
    const wideTable = table(
      'wide.csv',
      'seed,evaluations,best',
      `${largeIntegers[1]},10,1`,
      `${largeIntegers[0]},10,2`,
    );
    await importDataSets(database(), { path: wideTable });
    const seeds = (await listImportedRuns(database(), 'wide')).map(({ seed }) => String(seed));
    expect(seeds).toEqual([largeIntegers[0], largeIntegers[1]]);
  });

  test('replaces a seed beyond 64 bits, with a note', async () => {
    const path = table('beyond.csv', 'seed,evaluations,best', '18446744073709551615,10,1', '5,9,1');
    expect(await getCodes(path, {})).toContain('SEED_REPLACED');
  });

  test('may have its rows in any order, and a row with the evaluations used', async () => {
    const path = table('any-order.csv', 'evaluations,best', '30,1', '10,5', '20,3', '50,1');
    expect(await getCodes(path, {})).toEqual(['EVALS_RESTART']);
    expect(await listImportedRuns(database(), 'any-order')).toMatchObject([
      { run_name: 'any-order problem', evaluations: 50, best_fitness: 1, iterations: 3 },
    ]);
  });

  test.each([
    {
      what: 'seeds',
      header: 'algorithm,evaluations,best',
      rows: ['A,1,9', 'A,100,5', 'A,1,8', 'A,50,4', 'B,1,7', 'B,100,6'],
    },
    {
      what: 'different seeds',
      header: 'algorithm,seed,evaluations,best',
      rows: ['A,1,100,5', 'A,1,50,4', 'A,2,1,9'],
    },
    {
      what: 'seeds of final values',
      header: 'algorithm,instance,evaluations,best',
      rows: ['A,1,100,5', 'A,1,100,4', 'A,2,100,4'],
    },
    {
      what: 'seeds of studies of Optuna',
      header: 'number,value,state',
      rows: ['0,9,COMPLETE', '1,5,COMPLETE', '0,8,COMPLETE', '1,4,COMPLETE'],
    },
  ])(
    'without $what whose evaluations restart has a note that several runs may count as one',
    async ({ what, header, rows }) => {
      const path = table(`restart without ${what}.csv`, header, ...rows);
      const { notes } = await importDataSets(database(), { path }, { direction: 'min' });
      expect(notes).toContainEqual({
        code: 'EVALS_RESTART',
        file: `restart without ${what}.csv`,
        line: null,
        count: 1,
        message:
          'Evaluations decrease or repeat within a run; its rows are one trace, sorted by evaluations. If they belong to ' +
          'several runs, give each run its own seed in a column "seed" and replace the data set',
      });
    },
  );

  test('whose runs have their own seeds has no note on the order of its rows', async () => {
    const rows = ['1,1,9', '2,1,8', '1,100,5', '2,100,4', '1,100,5'];
    const path = table('interleaved.csv', 'seed,evaluations,best', ...rows);
    expect(await getCodes(path, { direction: 'min' })).toEqual(['BUDGET_UNKNOWN']);
  });

  const listDirections = async (dataSet: string) => {
    const directions = await database()
      .kysely.selectFrom('experiment_params as p')
      .innerJoin('experiment_params as d', 'd.experiment_id', 'p.experiment_id')
      .select('d.value_text')
      .where('p.param_path', '=', 'import.dataset')
      .where('p.value_text', '=', dataSet)
      .where('d.param_path', '=', 'problem.direction')
      .execute();
    return directions.map((row) => row.value_text);
  };

  test('without a direction has the direction of most of its runs', async () => {
    const path = table('rising.csv', 'seed,evaluations,best', '1,1,5', '1,9,8', '2,1,4', '2,7,9');
    await importDataSets(database(), { path });
    expect(await listImportedRuns(database(), 'rising')).toMatchObject([
      { best_fitness: 8 },
      { best_fitness: 9 },
    ]);
  });

  test('without a direction has one direction for all algorithms on a problem', async () => {
    const header = 'algorithm,problem,instance,dimension,seed,evaluations,best';
    const risingRows = ['ES,PBO-1,1,16,1,1,5', 'ES,PBO-1,1,16,1,9,8', 'ES,PBO-1,1,16,2,1,4'];
    const path = table(
      'one-direction.csv',
      header,
      ...risingRows,
      'ES,PBO-1,1,16,2,7,9',
      'DE,PBO-1,1,16,1,1,7',
      'RS,PBO-1,1,16,1,1,6',
      'RS,PBO-1,1,16,1,4,3',
    );
    expect(await getCodes(path, {})).not.toContain('DIRECTION_ASSUMED');
    expect(await listDirections('one-direction')).toEqual(['max', 'max', 'max']);
  });

  test('without a direction has that of the traces on the same function in other tables', async () => {
    mkdirSync(join(folder, 'mixed-kinds'), { recursive: true });
    const columns = 'algorithm,problem,evaluations,best';
    table('mixed-kinds/trace.csv', columns, 'DE,PBO-1,1,5', 'DE,PBO-1,9,8');
    table('mixed-kinds/final.csv', 'algorithm,problem,seed,best', 'ES,PBO-1,1,7', 'RS,PBO-f1,1,6');
    await importDataSets(database(), { path: join(folder, 'mixed-kinds') });
    expect(await listDirections('mixed-kinds')).toEqual(['max', 'max', 'max']);
    expect((await listImportedRuns(database(), 'mixed-kinds'))[0]).toMatchObject({
      best_fitness: 8,
    });
  });

  test('without a direction is known if an earlier version stored its algorithms in other directions', async () => {
    const header = 'algorithm,problem,instance,seed,evaluations,best';
    const risingRows = ['ES,OneMax,1,1,1,5', 'ES,OneMax,1,1,9,8'];
    const otherRows = ['DE,OneMax,1,1,1,6', 'DE,OneMax,1,1,4,3', 'RS,OneMax,1,1,1,7'];
    const name = 'earlier directions';
    const importRows = (rows: readonly string[], options: ImportOptions) =>
      importDataSets(database(), { path: table('earlier.csv', header, ...rows) }, options);
    await importRows(risingRows, { name, direction: 'max' });
    await importRows(otherRows, { name, direction: 'min' });
    const allRows = [...risingRows, ...otherRows];
    await expect(importRows(allRows, { name })).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
    await importRows(allRows, { name: 'same content' });
    const [mark] = await listImportMarks(database());
    const storedMark = (await listImportMarks(database())).find(({ dataSet }) => dataSet === name);
    await database()
      .kysely.updateTable('events')
      .set({ payload_json: sql`replace(payload_json, ${storedMark!.sha256}, ${mark!.sha256})` })
      .where('id', '=', storedMark!.eventId)
      .execute();
    expect(await importRows(allRows, { name })).toMatchObject({
      campaigns: [{ runs: 3, iterations: 5 }],
      skipped: 3,
      extended: 0,
    });
    expect(new Set(await listDirections(name))).toEqual(new Set(['min', 'max']));
    await importRows(allRows, { name, replace: true });
    expect(await listDirections(name)).toEqual(['min', 'min', 'min']);
  });

  test('without a direction has no note on an assumed one if its stored runs have the other', async () => {
    const path = table('constant.csv', 'evaluations,best', '1,5', '3,5');
    expect(await getCodes(path, { name: 'assumed' })).toContain('DIRECTION_ASSUMED');
    expect(await getCodes(path, { name: 'assumed' })).toContain('DIRECTION_ASSUMED');
    await importDataSets(database(), { path }, { name: 'stated', direction: 'max' });
    expect(await importDataSets(database(), { path }, { name: 'stated' })).toMatchObject({
      skipped: 1,
      notes: [{ code: 'SAME_CONTENT' }],
    });
    expect(await listDirections('stated')).toEqual(['max']);
  });

  test('has a note if stored parts of its data set have another direction on a problem', async () => {
    const name = 'directions of parts';
    const header = 'algorithm,problem,dimension,seed,evaluations,best,direction';
    const importPart = async (options: ImportOptions, ...rows: string[]) => {
      const path = table('part-of-directions.csv', header, ...rows);
      const { notes } = await importDataSets(database(), { path }, { name, ...options });
      return notes.filter(({ code }) => code === 'DIRECTIONS_DIFFER');
    };
    expect(await importPart({}, 'ES,f3,2,1,9,5,min', 'ES,f4,2,1,9,5,min')).toEqual([]);
    const expected = [{ count: 1, message: expect.stringContaining('(f3 d2)') as string }];
    for (const dryRun of [true, false])
      expect(await importPart({ dryRun }, 'ES,f3,2,2,9,5,max', 'ES,f3,3,1,9,5,max')).toMatchObject(
        expected,
      );
    expect(await importPart({}, 'DE,f3,2,1,9,5,min', 'DE,f4,2,1,9,5,min')).toMatchObject(expected);
    // Stored runs that the source contains get its direction.
    expect(await importPart({}, 'ES,f4,2,1,9,5,max', 'DE,f4,2,1,9,5,max')).toEqual([]);
    expect(await importPart({ replace: true }, 'ES,f3,2,1,9,5,min')).toEqual([]);
  });

  test('has a note if a stored run with further rows retains another direction on a problem', async () => {
    const importRows = async (...rows: string[]) => {
      const path = table(
        'fewer-rows.csv',
        'algorithm,problem,dimension,seed,evaluations,best',
        ...rows,
      );
      const { notes } = await importDataSets(database(), { path }, { name: 'fewer rows' });
      return notes.filter(({ code }) => code === 'DIRECTIONS_DIFFER').map(({ count }) => count);
    };
    // The values grow, so they are maximised.
    expect(await importRows('ES,f3,2,1,1,1', 'ES,f3,2,1,2,5', 'ES,f3,2,1,3,9')).toEqual([]);
    // Without a gain minimisation is assumed, and the first run remains as it is stored.
    expect(await importRows('ES,f3,2,1,1,1', 'ES,f3,2,2,1,4')).toEqual([1]);
  });

  test.each([
    ['min', 'max'],
    ['max', 'min'],
  ])(
    'that states %s for one algorithm and %s for another on one problem keeps both, with a note',
    async (first, second) => {
      const header = 'algorithm,problem,dimension,evaluations,best,direction';
      const path = table(
        `${first}-first.csv`,
        header,
        ...['ES', 'DE'].flatMap((algorithm, index) =>
          [5, 7, 3].map((value, row) =>
            [algorithm, 'f3', 2, row + 1, value, [first, second][index]].join(),
          ),
        ),
        'ES,f4,2,1,5,min',
        'ES,f3,3,1,5,min',
      );
      const { notes } = await importDataSets(database(), { path });
      expect(notes.filter(({ code }) => code === 'DIRECTIONS_DIFFER')).toEqual([
        {
          code: 'DIRECTIONS_DIFFER',
          file: null,
          line: null,
          count: 1,
          message:
            'Same problem minimised in some runs and maximised in others. They count as two problems. To compare them, give the problem one direction in the source and replace the data set (f3 d2)',
        },
      ]);
      const runs = await listImportedRuns(database(), `${first}-first`);
      expect(
        runs.slice(0, 2).map(({ run_name, best_fitness }) => [run_name, best_fitness]),
      ).toEqual([
        ['DE f3 d2', second === 'min' ? 3 : 7],
        ['ES f3 d2', first === 'min' ? 3 : 7],
      ]);
    },
  );

  test.each([
    ['grows', ['sphere', 'ackley', 'zakharov']],
    ['has a second part', ['ackley']],
    ['has a second part with a numbered function', ['1', 'ackley']],
  ])('keeps the numbers of its named functions if it %s', async (how, problems) => {
    const header = 'algorithm,problem,evaluations,best,direction';
    const options = { name: `functions ${how}` };
    const listRows = (problem: string) => [
      `ES,${problem},1,5,min`,
      ...(problem === 'ackley' ? ['ES,ackley,9,3,min'] : []),
    ];
    await importDataSets(
      database(),
      { path: table('functions.csv', header, ...listRows('sphere')) },
      options,
    );
    const path = table('functions.csv', header, ...problems.flatMap(listRows));
    expect(await importDataSets(database(), { path }, options)).toMatchObject({
      skipped: problems.includes('sphere') ? 1 : 0,
      extended: 0,
    });
    const listNumbers = async () =>
      (await listImportedRuns(database(), options.name)).map(
        ({ run_name, run_id }) => `${run_name} ${/-(f\d+)-d/.exec(run_id)?.[1]}`,
      );
    const newNumbers = problems
      .filter((problem) => problem !== 'sphere')
      .map((problem, index) => `ES ${problem === '1' ? 'f1' : problem} f${index + 2}`);
    expect((await listNumbers()).sort()).toEqual([...newNumbers, 'ES sphere f1'].sort());
    await importDataSets(database(), { path }, { ...options, replace: true });
    expect((await listNumbers())[0]).toMatch(problems[0] === '1' ? 'ES ackley f2' : 'ES ackley f1');
  });

  test('keeps its run of seed 0 if an equal run of another seed is added', async () => {
    const name = 'seed 0';
    for (const seed of [0, 1]) {
      const path = table('seed.csv', 'seed,evaluations,best,direction', `${seed},100,5,min`);
      await importDataSets(database(), { path }, { name });
    }
    expect((await listImportedRuns(database(), name)).map((run) => run.seed)).toEqual([0, 1]);
  });

  test.each([
    ['spellings of a problem', 'spellings', ['problem', 'param:mu', 'param:F'], ['f8', '8']],
    ['orders of parameters', 'orders', ['problem', 'param:F', 'param:mu'], ['f8', 'f8']],
  ])('of several %s has repetitions of one experiment', async (_what, name, columns, problems) => {
    mkdirSync(join(folder, name), { recursive: true });
    const tables = [['problem', 'param:mu', 'param:F'], columns];
    for (const [index, names] of tables.entries()) {
      const cells = names.map((column) => (column === 'problem' ? problems[index] : column.length));
      table(
        join(name, `${index}.csv`),
        ['algorithm', 'evaluations', 'best', 'direction', ...names].join(),
        ['ES', 100, 5 - index, 'min', ...cells].join(),
      );
    }
    const { skipped, campaigns } = await importDataSets(database(), { path: join(folder, name) });
    expect([skipped, campaigns[0]]).toMatchObject([0, { experiments: 1, runs: 2 }]);
    const runs = await listImportedRuns(database(), name);
    expect(runs.map(({ best_fitness }) => best_fitness)).toEqual([5, 4]);
    expect(await importDataSets(database(), { path: join(folder, name) })).toMatchObject({
      skipped: 2,
    });
  });

  test('may have its parameters in another order than the stored part of its data set', async () => {
    const name = 'order of parts';
    const first = ['seed,evaluations,best,direction,param:mu,param:F', '1,100,5,min,4,0.5'];
    const second = ['seed,evaluations,best,direction,param:F,param:mu', '2,100,5,min,0.5,4'];
    const firstReordered = [
      'param:F,seed,evaluations,best,direction,param:mu',
      '0.5,1,100,5,min,4',
    ];
    const importPart = async (lines: readonly string[], replace = false) => {
      const path = table('part.csv', ...lines);
      return (await importDataSets(database(), { path }, { name, replace })).skipped;
    };
    await importPart(first);
    await importPart(second);
    expect(await importPart(firstReordered)).toBe(1);
    await importPart(firstReordered, true);
    expect(await importPart(first)).toBe(1);
    await importPart(second);
    const dataSets = await listDataSets(database());
    expect(dataSets.find((dataSet) => dataSet.name === name)).toMatchObject({
      experimentCount: 1,
      runCount: 2,
    });
  });

  test.each([
    ['budget', { budget: 100 }, { budget: 200 }],
    ['budget, which was unknown,', {}, { budget: 200 }],
    ['direction', { direction: 'min' }, { direction: 'max' }],
  ] as const)(
    'may have another %s and order of parameters than its stored runs',
    async (what, firstOptions, secondOptions) => {
      const name = `order and ${what}`;
      const importTable = (options: ImportOptions, ...lines: string[]) =>
        importDataSets(database(), { path: table('order.csv', ...lines) }, { name, ...options });
      const header = 'problem,seed,evaluations,best';
      const firstHeader = `${header},param:mu,param:F`;
      const otherHeader = `${header},param:F,param:mu`;
      await importTable(firstOptions, firstHeader, 'f1,1,100,5,4,0.5', 'f1,1,100,5,8,0.5');
      const rows = ['f1,1,100,5,0.5,4', 'f1,1,100,5,0.5,8'];
      expect(await importTable(secondOptions, otherHeader, ...rows)).toMatchObject({ extended: 2 });
      expect(await importTable(secondOptions, otherHeader, ...rows)).toMatchObject({ skipped: 2 });
      const dataSets = await listDataSets(database());
      expect(dataSets.find((dataSet) => dataSet.name === name)).toMatchObject({
        experimentCount: 2,
        runCount: 2,
      });
      await expect(
        importTable(firstOptions, otherHeader, 'f1,1,100,4,0.5,4'),
      ).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
    },
  );

  test('has an experiment for each setting of its parameters', async () => {
    const path = table(
      'params.csv',
      'evaluations;best;param:mu',
      '1;5;4',
      '1;6;8',
      '2;5;4',
      '2;6;8',
    );
    await importDataSets(database(), { path });
    expect((await listImportedRuns(database(), 'params')).length).toBe(2);
  });

  test('of a suite has a note if settings of an algorithm differ on the same problem', async () => {
    const header = 'algorithm,problem,instance,dimension,evaluations,best,param:mu,param:F';
    const separateRows = [
      'ES,bbob-f1,1,2,9,5,4,1',
      'ES,bbob-f2,1,2,9,5,8,1',
      'DE,bbob-f1,1,2,9,5,8,',
    ];
    expect(await getCodes(table('separate.csv', header, ...separateRows), {})).not.toContain(
      'SETTINGS_POOLED',
    );
    const path = table('pooled.csv', header, ...separateRows, 'ES,bbob-f1,1,2,9,5,8,1');
    const { notes, campaigns } = await importDataSets(database(), { path }, { asReference: true });
    expect(campaigns).toMatchObject([{ optimizers: 2, runs: 4 }]);
    const references = await database()
      .kysely.selectFrom('coco_reference_results')
      .select(['optimizer_name', 'function_id', 'ert', 'success_rate'])
      .where('target_value', '=', 10)
      .orderBy('optimizer_name')
      .orderBy('function_id')
      .execute();
    expect(references.map((row) => Object.values(row))).toEqual([
      ['DE', 1, 9, 1],
      ['ES', 1, 9, 1],
      ['ES', 2, 9, 1],
    ]);
    expect(notes).toContainEqual({
      code: 'SETTINGS_POOLED',
      file: null,
      line: null,
      count: 1,
      message:
        'Settings of an algorithm differ on the same problem. They count as repetitions of one optimizer. To compare them, give each setting its own algorithm name in the table (ES: mu)',
    });
  });

  test('without seeds is another run of the same experiment as an equal table of its folder', async () => {
    const header = 'algorithm,problem,evaluations,best';
    mkdirSync(join(folder, 'parts'), { recursive: true });
    table('parts/b.csv', header, 'ES,knapsack,1,9', 'ES,knapsack,4,12');
    table('parts/a.csv', header, 'ES,knapsack,1,7', 'ES,knapsack,2,8', 'ES,knapsack,9,8');
    table('parts/c.csv', header, 'ES,knapsack,1,20');
    const { campaigns } = await importDataSets(database(), { path: join(folder, 'parts') });
    expect(campaigns).toMatchObject([{ experiments: 1, runs: 3, iterations: 6 }]);
    const runs = await listImportedRuns(database(), 'parts');
    expect(runs).toMatchObject([
      { evaluations: 9, best_fitness: 8, iterations: 2 },
      { evaluations: 4, best_fitness: 12, iterations: 1 },
      { evaluations: 1, best_fitness: 20, iterations: 0 },
    ]);
    const values = await database()
      .kysely.selectFrom('iterations')
      .select('best_fitness')
      .where('run_id', '=', runs[1]!.run_id)
      .orderBy('iteration')
      .execute();
    expect(values.map((row) => row.best_fitness)).toEqual([9, 12]);
  });

  test('of a suite without instances has a trial for each seed, also of seeds that are added', async () => {
    const rows = ['ES,bbob-f8,2,7,1,9', 'ES,bbob-f8,2,3,1,7'];
    const header = 'algorithm,problem,dimension,seed,evaluations,best';
    await importDataSets(database(), { path: table('seeded.csv', header, ...rows) });
    const readTrials = () =>
      database()
        .kysely.selectFrom('coco_trials as t')
        .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
        .select(['t.repetition', 't.best_fitness'])
        .where('c.name', '=', 'seeded')
        .orderBy('t.repetition')
        .execute();
    const trials = [
      { repetition: 1, best_fitness: 7 },
      { repetition: 2, best_fitness: 9 },
    ];
    expect(await readTrials()).toEqual(trials);
    table('seeded.csv', header, ...rows, 'ES,bbob-f8,2,1,1,5');
    await importDataSets(database(), { path: join(folder, 'seeded.csv') });
    expect(await readTrials()).toEqual([...trials, { repetition: 3, best_fitness: 5 }]);
  });

  test('of a suite has repetitions in several tables, one of them with instances', async () => {
    mkdirSync(join(folder, 'suite'), { recursive: true });
    table('suite/a.csv', 'algorithm,problem,dimension,evaluations,best', 'ES,bbob-f8,2,1,9');
    const header = 'algorithm,problem,dimension,instance,evaluations,best';
    table('suite/b.csv', header, 'ES,bbob-f8,2,0,1,7');
    await importDataSets(database(), { path: join(folder, 'suite') });
    const runs = await listImportedRuns(database(), 'suite');
    expect(new Set(runs.map((row) => row.best_fitness))).toEqual(new Set([7, 9]));
  });

  test('stays the same run if a table with instances is added to its folder', async () => {
    mkdirSync(join(folder, 'growing'), { recursive: true });
    table('growing/b.csv', 'algorithm,problem,evaluations,best', 'ES,knapsack,1,9');
    const importFolder = () => importDataSets(database(), { path: join(folder, 'growing') });
    await importFolder();
    const [run] = await listImportedRuns(database(), 'growing');
    const header = 'algorithm,problem,instance,evaluations,best';
    table('growing/a.csv', header, 'ES,knapsack,3,1,7');
    await importFolder();
    const runs = await listImportedRuns(database(), 'growing');
    expect(runs).toHaveLength(2);
    expect(runs.map((row) => row.run_id)).toContain(run?.run_id);
  });

  test('without a column of evaluations counts its rows as evaluations', async () => {
    const path = table('counted.csv', 'f', '5', '4', '4');
    await importDataSets(database(), { path });
    expect(await listImportedRuns(database(), 'counted')).toMatchObject([{ evaluations: 3 }]);
  });

  test('with columns that the user selected is read by them', async () => {
    const path = table('by-hand.csv', 'schritt,guete', '1,5', '2,4', '3,4');
    const columns = { evaluations: 'Schritt', best: 'guete' };
    await importDataSets(database(), { path }, { columns });
    expect(await listImportedRuns(database(), 'by-hand')).toMatchObject([
      { evaluations: 3, best_fitness: 4 },
    ]);
  });

  test('skips rows without numbers, and counts them', async () => {
    const path = table(
      'broken.csv',
      'evaluations,best',
      '1,5',
      'x,4',
      '2,',
      '3,NaN',
      '5, ',
      ' ,0',
      '4, 3',
      '9,3',
    );
    const { notes } = await importDataSets(database(), { path });
    expect(notes).toMatchObject([{ code: 'ROW_SKIPPED', count: 5, line: 3 }]);
    expect(await listImportedRuns(database(), 'broken')).toMatchObject([
      { evaluations: 9, best_fitness: 3 },
    ]);
  });

  test('skips rows whose instance or dimension is not a number', async () => {
    const header = 'instance,dimension,evaluations,best';
    const path = table('places.csv', header, '1,2,1,9', 'one,2,1,8', '1,2.5,1,7', '1,-2,1,6');
    const { notes } = await importDataSets(database(), { path });
    expect(notes[0]).toMatchObject({ code: 'ROW_SKIPPED', count: 3, line: 3 });
    expect(await listImportedRuns(database(), 'places')).toMatchObject([{ best_fitness: 9 }]);
  });

  test('may have decimal commas if semicolons separate its cells', async () => {
    const path = table('comma.csv', 'evaluations;best', '1;3,5', '2;-1,25e-1', '4;-1,25e-1');
    await importDataSets(database(), { path });
    expect(await listImportedRuns(database(), 'comma')).toMatchObject([
      { evaluations: 4, best_fitness: -0.125 },
    ]);
  });

  test.each(['csv', 'jsonl'])('may begin with a byte order mark: %s', async (format) => {
    const lines =
      format === 'csv'
        ? ['\uFEFFevaluations,best', '1,5', '3,5']
        : ['\uFEFF{"evaluations":1,"best":5}', '{"evaluations":3,"best":5}'];
    expect(await getCodes(table(`mark-${format}.${format}`, ...lines), {})).toEqual([
      'DIRECTION_ASSUMED',
    ]);
    expect(await listImportedRuns(database(), `mark-${format}`)).toMatchObject([
      { iterations: 1, evaluations: 3 },
    ]);
  });

  test('is read up to an unclosed quote, and after an unreadable first line', async () => {
    const truncatedTable = table('cut.csv', 'evaluations,best', '1,5', '2,4', '"3,3', '4,2');
    expect(await getCodes(truncatedTable, {})).toContain('ROW_SKIPPED');
    expect(await listImportedRuns(database(), 'cut')).toMatchObject([
      { evaluations: 2, best_fitness: 4 },
    ]);
    const longLine = JSON.stringify({ evaluations: 1, best: 9, note: 'x'.repeat(2 ** 20) });
    const path = table('long.jsonl', longLine, '{"evaluations":2,"best":4}');
    expect(await getCodes(path, {})).toContain('ROW_SKIPPED');
    expect(await listImportedRuns(database(), 'long')).toMatchObject([
      { evaluations: 2, best_fitness: 4 },
    ]);
  });

  test.each([
    [
      'two columns of one name',
      'best,evaluations,best',
      '(two columns best; columns: best, evaluations, best)',
    ],
    [
      'Nevergrad without a budget',
      'optimizer_name,loss,seed',
      '(no column elapsed_budget or budget; columns: optimizer_name, loss, seed)',
    ],
    ['a first line beyond reading', '"evaluations,best', 'Unknown table columns'],
  ])('of %s is refused', async (what, header, message) => {
    const path = table(`${what}.csv`, header, '2,1,3');
    await expect(importDataSets(database(), { path })).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
      notes: [{ code: 'TABLE_UNKNOWN', message: expect.stringContaining(message) as string }],
    });
  });

  test('without a column that the user selected is refused', async () => {
    const path = table('typo.csv', 'evaluations,best', '10,5', '20,4');
    const columns = { evaluations: 'evals' };
    await expect(importDataSets(database(), { path }, { columns })).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
      notes: [
        {
          code: 'TABLE_UNKNOWN',
          message: 'Unknown table columns; skipped (no column evals; columns: evaluations, best)',
        },
      ],
    });
  });

  test('without a column that the user selected is listed as skipped if other tables have it', async () => {
    mkdirSync(join(folder, 'mixed'), { recursive: true });
    table('mixed/a.csv', 'steps,best', '10,5');
    table('mixed/b.csv', 'evaluations,best', '10,4');
    const columns = { evaluations: 'steps' };
    const { notes } = await importDataSets(
      database(),
      { path: join(folder, 'mixed') },
      { columns },
    );
    expect(notes).toContainEqual({
      code: 'TABLE_UNKNOWN',
      file: 'b.csv',
      line: null,
      count: 1,
      message: 'Unknown table columns; skipped (no column steps; columns: evaluations, best)',
    });
  });

  test('of unknown columns is refused with their names', async () => {
    const path = table('unknown.csv', 'a,b', '1,2');
    const refusedImport = importDataSets(database(), { path });
    await expect(refusedImport).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
      notes: [
        {
          code: 'TABLE_UNKNOWN',
          message: expect.stringContaining('(no column best; columns: a, b)') as string,
        },
      ],
    });
  });
});
