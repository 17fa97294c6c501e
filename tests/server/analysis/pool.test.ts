import { renameSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { createAnalysisPool, type AnalysisPool } from '#server/analysis/pool.ts';
import type { AnalysisTask } from '#server/analysis/tasks.ts';
import {
  describeOnEachDatabase,
  makeSqlitePlace,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/experiment-rows.ts';

const noQuery = { direction: undefined, target: undefined };
const problems: AnalysisTask = { kind: 'problems' };
const analysisOf = (experimentId: string): AnalysisTask => ({
  kind: 'experiment',
  experimentId,
  query: noQuery,
});

const pools: AnalysisPool[] = [];
const makePool = (database: Database, threads?: number) => {
  const pool = createAnalysisPool(database, threads);
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

describeOnEachDatabase('A pool of analysis threads', (database) => {
  test('answers from its own connection, more tasks than it has threads', async () => {
    await insertExperiment(database(), 'e1');
    await insertRun(database(), 'e1', 'r1');
    await insertIterations(database(), 'r1', 50);
    const pool = makePool(database(), 2);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => pool.run(analysisOf('e1'))));
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0]!)).toMatchObject({ experimentId: 'e1', totalRuns: 1 });
  });

  test('hands on errors of the catalogue with their code, and goes on', async () => {
    const pool = makePool(database(), 1);
    await expect(pool.run(analysisOf('none'))).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'EXPERIMENT_NOT_FOUND',
      message: 'There is no experiment with the id "none"',
    });
    expect(JSON.parse(await pool.run(problems))).toHaveLength(1);
  });

  test('hands on any other error with its message and stack', async () => {
    const pool = makePool(database(), 1);
    const broken = { kind: 'experiment', experimentId: 'e1' } as AnalysisTask;
    const error = await pool.run(broken).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).toHaveProperty('message', expect.stringContaining('undefined'));
    expect((error as Error).stack).toContain('analysis-objective');
  });

  test('finishes what it was asked for before it closes', async () => {
    const pool = createAnalysisPool(database(), 1);
    const answers = [pool.run(problems), pool.run(analysisOf('e1'))];
    await pool.close();
    for (const answer of answers) expect(await answer).toContain('onemax');
  });

  test('refuses what nobody would wait for', async () => {
    const pool = makePool(database(), 1);
    const asked = Array.from({ length: 80 }, () => pool.run(problems));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(15);
    expect(refused[0]).toMatchObject({
      reason: {
        code: 'DATABASE_BUSY',
        message: 'Too many analyses are waiting; try again in a moment',
        headers: { 'Retry-After': '5' },
      },
    });
  });
});

test('A database that cannot be opened is unavailable, and asked again the next time', async () => {
  const place = await makeSqlitePlace();
  const database = await openTestDatabase(place.url);
  const pool = makePool(database, 1);
  renameSync(place.file, `${place.file}.away`);
  await expect(pool.run(problems)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: 'The database does not answer',
  });
  renameSync(`${place.file}.away`, place.file);
  expect(await pool.run(problems)).toBe('[]');
  await pool.close();
  await database.close();
  await place.remove();
});

test('A database in memory is asked in the same thread', async () => {
  const database = await openTestDatabase('jdbc:sqlite::memory:');
  await insertExperiment(database, 'e1');
  const pool = makePool(database);
  expect(JSON.parse(await pool.run(problems))).toHaveLength(1);
  await expect(pool.run(analysisOf('none'))).rejects.toMatchObject({
    code: 'EXPERIMENT_NOT_FOUND',
  });
  await database.close();
});
