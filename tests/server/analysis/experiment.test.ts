import { expect, test } from 'vitest';
import { analyseExperiment } from '#server/analysis/experiment.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces, TraceStore } from '#server/analysis/shared-traces.ts';
import { loadExperimentInput } from '#server/analysis/load.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import type { ExperimentAnalysisQuery } from '#shared/schemas/analysis-query.ts';
import { everyRun } from './compare.ts';

/** Analyses experiments of a database, and records the runs whose iterations are read for it. */
function watchedAnalysis(database: TestDatabase) {
  const read: string[] = [];
  const traces = new TraceStore(1e8, (runs) => {
    read.push(...runs.map(({ runId }) => runId));
    return readPackedTraces(database, runs);
  });
  const memo = new MemoStore(1e6).createRequestMemo();
  const analyse = async (experimentId: string, query: ExperimentAnalysisQuery) => {
    const subject = await loadExperimentInput({ database, traces, memo }, experimentId, query);
    return analyseExperiment(memo, subject, query);
  };
  return { read, analyse };
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
    const { read, analyse } = watchedAnalysis(database());
    const alone = { ...everyRun, sameProblem: false, targets: [] };

    await analyse('short-1', alone);
    expect(read).toEqual(['short-1-run', 'short-2-run']);
    await analyse('short-2', alone);
    expect(read).toHaveLength(2);

    const whole = { ...everyRun, sameProblem: true, targets: [] };
    const one = await analyse('short-1', whole);
    const other = await analyse('short-2', whole);
    expect(one.sameProblem?.algorithms).toHaveLength(1);
    expect(other.sameProblem?.algorithms).toBe(one.sameProblem?.algorithms);
  });
});
