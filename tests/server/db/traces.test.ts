import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

async function getTraces(
  database: TestDatabase,
  runIds: string[],
  range: { previousIteration?: number; lastIteration?: number } = {},
): Promise<[string, number[]][]> {
  const read = async (rows?: number) => {
    const traces: [string, number[]][] = [];
    const requests = runIds.map((runId) => ({ runId, ...range, rows }));
    await database.dialect.readTraces(requests, (runId, pairs) => {
      traces.push([runId, Array.from(pairs)]);
    });
    return traces;
  };
  const traces = await read();
  for (const rows of [1, 100, 1_000])
    expect(await read(rows), `where ${rows} rows are expected`).toEqual(traces);
  return traces;
}

describeOnEachDatabase('Traces', (database) => {
  test('are the exact iterations of each run in order, in the order of the requests', async () => {
    await insertExperiment(database(), 'e1');
    await insertRun(database(), 'e1', 'r1');
    await insertRun(database(), 'e1', 'r2');
    const point = { run_id: 'r1', mean_fitness: 0, std_fitness: 0 };
    await insert(
      database(),
      'iterations',
      { ...point, iteration: 2, evaluations: 10, best_fitness: 0.1 + 0.2 },
      { ...point, iteration: 1, evaluations: 20, best_fitness: -1e308 },
      { ...point, iteration: 3, evaluations: '9007199254740993', best_fitness: 5e-324 },
    );
    await insertIterations(database(), 'r2', 3);
    expect(await getTraces(database(), ['r2', 'none', 'r1'])).toEqual([
      ['r2', [0, 0, 20, 1, 40, 2]],
      ['none', []],
      ['r1', [20, -1e308, 10, 0.1 + 0.2, 9007199254740992, 5e-324]],
    ]);
  });

  test('contain the evaluations of iterations without a finite fitness', async () => {
    await insertRun(database(), 'e1', 'r3');
    const point = { run_id: 'r3', mean_fitness: 0, std_fitness: 0 };
    await insert(
      database(),
      'iterations',
      { ...point, iteration: 1, evaluations: 10, best_fitness: Infinity },
      { ...point, iteration: 2, evaluations: 20, best_fitness: 2 },
      { ...point, iteration: 3, evaluations: 30, best_fitness: -Infinity },
    );
    expect(await getTraces(database(), ['r3'])).toEqual([
      ['r3', [10, Infinity, 20, 2, 30, -Infinity]],
    ]);
  });

  test('start after an iteration and end with another iteration if requested', async () => {
    expect(await getTraces(database(), ['r2'], { previousIteration: 0, lastIteration: 1 })).toEqual(
      [['r2', [20, 1]]],
    );
    expect(await getTraces(database(), ['r2'], { previousIteration: 2 })).toEqual([['r2', []]]);
  });

  test('can be longer than a chunk, and of more runs than a batch', async () => {
    await insertRun(database(), 'e1', 'long');
    await insertIterations(database(), 'long', 45_000);
    const [trace] = await getTraces(database(), ['long']);
    expect(trace?.[1]).toHaveLength(90_000);
    expect(trace?.[1].slice(-2)).toEqual([44_999 * 20, 44_999]);
    const [tail] = await getTraces(database(), ['long'], {
      previousIteration: 19_999,
      lastIteration: 40_000,
    });
    expect(tail?.[1].slice(0, 2)).toEqual([20_000 * 20, 20_000]);
    expect(tail?.[1].slice(-2)).toEqual([40_000 * 20, 40_000]);
    expect(tail?.[1]).toHaveLength(2 * 20_001);
    const manyRunIds = Array.from({ length: 250 }, (_, index) =>
      index % 2 ? 'r2' : `none-${index}`,
    );
    const lengths = (await getTraces(database(), manyRunIds)).map(([, pairs]) => pairs.length);
    expect(lengths).toEqual(manyRunIds.map((runId) => (runId === 'r2' ? 6 : 0)));
  });

  test('have a snapshot key that differs immediately after any row has changed, and only then', async () => {
    const { dialect, kysely } = database();
    const firstKey = await dialect.readSnapshotKey();
    await kysely.selectFrom('runs').selectAll().execute();
    expect(await dialect.readSnapshotKey()).toBe(firstKey);
    const keys = new Set([firstKey]);
    for (const change of [
      () =>
        kysely.updateTable('runs').set({ status: 'STOPPED' }).where('run_id', '=', 'r1').execute(),
      () => kysely.deleteFrom('iterations').where('run_id', '=', 'r3').execute(),
      () => insertRun(database(), 'e1', 'r9'),
      () =>
        dialect.withWriteTransaction((transaction) =>
          transaction.deleteFrom('runs').where('run_id', '=', 'r9').execute(),
        ),
    ]) {
      await change();
      keys.add(await dialect.readSnapshotKey());
    }
    expect(keys.size).toBe(5);
  });

  test('contain NaN for iterations whose best fitness is NULL, if the table allows it', async () => {
    const { kysely, dialect } = database();
    const statements =
      dialect.name === 'postgres'
        ? ['alter table iterations alter column best_fitness drop not null']
        : [
            'create table nullable as select * from iterations',
            'drop table iterations',
            'alter table nullable rename to iterations',
          ];
    for (const statement of statements) await sql.raw(statement).execute(kysely);
    await insertRun(database(), 'e1', 'r-null');
    await sql`insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
      values ('r-null', 1, 10, null, 0, 0, 't'), ('r-null', 2, 20, 2, 0, 0, 't'), ('r-null', 3, 30, null, 0, 0, 't')`.execute(
      kysely,
    );
    expect(await getTraces(database(), ['r-null'])).toEqual([
      ['r-null', [10, NaN, 20, 2, 30, NaN]],
    ]);
  });
});
