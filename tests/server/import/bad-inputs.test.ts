import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { ImportRefusal } from '#server/import/refusal.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { unpack } from '#tests/support/unpack.ts';

/** A folder or archive with one fault, and the expected result. */
interface BadInput {
  why: string;
  expect: string;
  codes: string[];
  reference?: { runs: ExpectedRun[] };
}

type ExpectedRun = [
  suite: string,
  functionId: number,
  dimension: number,
  instance: number | null,
  repetition: number,
  evaluations: number,
  best: number,
  isFinalised: boolean,
];

const inputs = await unpack(findArchive('bad-inputs')!);
const folder = join(inputs.folder, 'bad');
afterAll(() => inputs.remove());
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<
  string,
  BadInput
>;

describeOnEachDatabase('of bad inputs', (database) => {
  let goodRuns: unknown[];

  beforeAll(async () => {
    await importDataSets(database(), { path: join(folder, '01-good') }, { name: 'good' });
    goodRuns = await getRuns('good');
  });

  for (const [name, { why, codes, reference }] of Object.entries(expected)) {
    test(`${name} gives the expected result: ${why}`, async () => {
      const dataSet = `set ${name}`;
      const result = await importDataSets(
        database(),
        { path: join(folder, name) },
        { name: dataSet },
      ).catch((error: unknown) => {
        if (error instanceof ImportRefusal) return error;
        throw error;
      });
      const refusal = result instanceof ImportRefusal ? [result.code] : [];
      const foundCodes = new Set([...refusal, ...result.notes.map(({ code }) => code)]);
      // The content of all folders with 5 good runs may be stored under the name of another folder.
      foundCodes.delete('SAME_CONTENT');
      expect([...foundCodes].sort()).toEqual([...codes].sort());
      const runs = await getRuns(dataSet);
      if (reference) expect(runs).toEqual(reference.runs.map(makeStoredRow));
      else if (expected[name]!.expect.startsWith('5 runs')) expect(runs).toEqual(goodRuns);
      else expect(runs).toEqual([]);
    });
  }

  test('evaluations beyond 2^53 are stored with all digits', async () => {
    const run = await database()
      .kysely.selectFrom('runs')
      .innerJoin('experiment_params as p', 'p.experiment_id', 'runs.experiment_id')
      .select('evaluations')
      .where('p.param_path', '=', 'import.dataset')
      .where('p.value_text', '=', 'set 18-big-evaluations')
      .where('seed', '=', 5)
      .executeTakeFirstOrThrow();
    expect(run.evaluations).toBe('9007199254740993');
  });

  test('names with markup stay plain text, and control characters are removed', async () => {
    const experiment = await database()
      .kysely.selectFrom('experiments')
      .innerJoin('experiment_params as p', 'p.experiment_id', 'experiments.experiment_id')
      .select('algorithm_type')
      .where('p.param_path', '=', 'import.dataset')
      .where('p.value_text', '=', 'set 16-hostile-names')
      .executeTakeFirstOrThrow();
    expect(experiment.algorithm_type).toBe('<img src=x onerror=alert(1)>');
  });

  test('the import writes nothing outside the database', () => {
    for (const path of [join(folder, '..', 'evil.info'), '/tmp/evil.info']) {
      expect(existsSync(path)).toBe(false);
    }
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  async function getRuns(dataSet: string): Promise<unknown[]> {
    const rows = await database()
      .kysely.selectFrom('coco_trials as t')
      .innerJoin('runs as r', 'r.run_id', 't.run_id')
      .innerJoin('coco_campaigns as c', 'c.campaign_id', 't.campaign_id')
      .select([
        'function_id',
        't.dimension',
        'instance_id',
        'repetition',
        'r.evaluations',
        'r.best_fitness',
        'r.status',
      ])
      .where('c.name', '=', dataSet)
      .orderBy('c.name')
      .orderBy('t.id')
      .execute();
    return rows
      .map((row) => [
        ...Object.values(row).slice(0, 4),
        Number(row.evaluations),
        row.best_fitness,
        row.status,
      ])
      .sort(compareRows);
  }
});

/** Returns the row without the suite, which a table of names states and an index of IOHprofiler does not. */
function makeStoredRow([
  ,
  functionId,
  dimension,
  instance,
  repetition,
  evaluations,
  best,
  isFinalised,
]: ExpectedRun) {
  const status = isFinalised ? 'COMPLETED' : 'STOPPED';
  return [functionId, dimension, instance ?? 0, repetition, evaluations, best, status];
}

function compareRows(a: readonly unknown[], b: readonly unknown[]): number {
  const key = (run: readonly unknown[]) => {
    const [functionId, dimension, instance, repetition] = run.map(Number);
    return ((functionId! * 100 + dimension!) * 1000 + (instance! || 999)) * 100 + repetition!;
  };
  return key(a) - key(b);
}
