import { expect, test } from 'vitest';
import { analyseExperiment } from '#server/analysis/experiment.ts';
import type { KeptAnswer } from '#server/analysis/kept-answer.ts';
import { SharedMemory } from '#server/analysis/memory.ts';
import { readPackedTraces } from '#server/analysis/packed-traces.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { everyRun } from './compare.ts';

/** What an analysis is made with, and the runs whose iterations are read for it. */
function watchedContext(database: TestDatabase) {
  const read: string[] = [];
  const memory = new SharedMemory((runs) => {
    read.push(...runs.map(({ runId }) => runId));
    return readPackedTraces(database, runs);
  });
  return { read, context: { database, memory } };
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
    const { read, context } = watchedContext(database());
    const alone = { ...everyRun, sameProblem: false, targets: [] };

    await analyseExperiment(context, 'short-1', alone);
    expect(read).toEqual(['short-1-run', 'short-2-run']);
    await analyseExperiment(context, 'short-2', alone);
    expect(read).toHaveLength(2);

    const whole = { ...everyRun, sameProblem: true, targets: [] };
    const one = comparisonIn(await analyseExperiment(context, 'short-1', whole));
    expect(one.length).toBeGreaterThan(1);
    expect(comparisonIn(await analyseExperiment(context, 'short-2', whole))).toEqual(one);
  });
});

/** Where the memory keeps the comparison in an answer. */
function comparisonIn({ parts }: KeptAnswer): string[] {
  const comparison = parts.slice(parts.indexOf(',"sameProblem":') + 1);
  return comparison.map((part) => (typeof part === 'string' ? part : part.key));
}
