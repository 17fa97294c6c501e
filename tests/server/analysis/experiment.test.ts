import { expect, test } from 'vitest';
import { analyseExperiment } from '#server/analysis/experiment.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces, TraceStore } from '#server/analysis/shared-traces.ts';
import { loadExperimentInput } from '#server/analysis/load.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import type { ExperimentAnalysisQuery } from '#shared/schemas/analysis-query.ts';
import { everyRun } from './compare.ts';

/** Returns a function that analyses experiments of a database, and the runs whose iterations it reads. */
function watchAnalysis(database: TestDatabase) {
  const readRunIds: string[] = [];
  const traces = new TraceStore(1e8, (runs) => {
    readRunIds.push(...runs.map(({ runId }) => runId));
    return readPackedTraces(database, runs);
  });
  const memo = new MemoStore(1e6).createRequestMemo();
  const analyse = async (experimentId: string, query: ExperimentAnalysisQuery) => {
    const input = await loadExperimentInput({ database, traces, memo }, experimentId, query);
    return analyseExperiment(memo, input, query);
  };
  return { read: readRunIds, analyse };
}

describeOnEachDatabase('An experiment among others on its problem', (database) => {
  const makeConfig = (length: number) =>
    JSON.stringify({ problem: { type: 'onemax' }, representation: { length } });

  test('reads the runs of its instance, and the runs of other instances once for all experiments', async () => {
    for (const [id, length] of [
      ['short-1', 10],
      ['short-2', 10],
      ['long', 20],
    ] as const) {
      await insertExperiment(database(), id, { config_json: makeConfig(length) });
      await insertRun(database(), id, `${id}-run`, { best_fitness: 5 });
      await insertIterations(database(), `${id}-run`, 5);
    }
    const { read: readRunIds, analyse } = watchAnalysis(database());
    const ownQuery = { ...everyRun, sameProblem: false, targets: [] };

    await analyse('short-1', ownQuery);
    expect(readRunIds).toEqual(['short-1-run', 'short-2-run']);
    await analyse('short-2', ownQuery);
    expect(readRunIds).toHaveLength(2);

    const comparisonQuery = { ...everyRun, sameProblem: true, targets: [] };
    const firstAnalysis = await analyse('short-1', comparisonQuery);
    const secondAnalysis = await analyse('short-2', comparisonQuery);
    expect(firstAnalysis.sameProblem?.algorithms).toHaveLength(1);
    expect(secondAnalysis.sameProblem?.algorithms).toBe(firstAnalysis.sameProblem?.algorithms);
  });
});
