import { expect, test } from 'vitest';
import { analyseExperiment } from '#server/analysis/experiment.ts';
import { SharedMemory } from '#server/analysis/memory.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

/** The database, with a record of the runs whose iterations are read. */
function watched(database: TestDatabase): { database: TestDatabase; read: string[] } {
  const read: string[] = [];
  const { dialect } = database;
  const readTraces: typeof dialect.readTraces = (requests, visit) => {
    read.push(...requests.map(({ runId }) => runId));
    return dialect.readTraces(requests, visit);
  };
  const watching = Object.assign(Object.create(dialect) as typeof dialect, { readTraces });
  return { read, database: { ...database, dialect: watching } };
}

describeOnEachDatabase('An experiment among others on its problem', (database) => {
  const ofLength = (length: number) =>
    JSON.stringify({ problem: { type: 'onemax' }, representation: { length } });

  test('costs the runs of its own instance, and those of others once for all of them', async () => {
    for (const [id, length] of [
      ['short-1', 10],
      ['short-2', 10],
      ['long', 20],
    ] as const) {
      await insertExperiment(database(), id, { config_json: ofLength(length) });
      await insertRun(database(), id, `${id}-run`, { best_fitness: 5 });
      await insertIterations(database(), `${id}-run`, 5);
    }
    const { read, database: watching } = watched(database());
    const context = { database: watching, memory: new SharedMemory() };
    const alone = { sameProblem: false };

    await analyseExperiment(context, 'short-1', alone);
    expect(read).toEqual(['short-1-run', 'short-2-run']);
    await analyseExperiment(context, 'short-2', alone);
    expect(read).toHaveLength(2);

    const whole = { sameProblem: true };
    const { parts } = await analyseExperiment(context, 'short-1', whole);
    const { parts: others } = await analyseExperiment(context, 'short-2', whole);
    expect(parts.at(2)).toMatchObject({ wasThere: false });
    expect(others.at(2)).toEqual({ ...(parts.at(2) as object), wasThere: true });
  });
});
