import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExperimentAnalysis, ProblemComparison } from '#shared/schemas/analysis.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';
import { expectClose, loadOracle } from '#tests/server/stats/oracle.ts';

/** Published trials of real optimisers, with the ERT that cocopp gives them. */
interface Trials {
  algorithm: string;
  function: number;
  dimension: number;
  max_evals: number[];
  evals_to_target: (number | null)[][];
  success_count: number[];
  ert: (number | null)[];
  sp1: (number | null)[];
}

const targets = [10, 1, 0.1, 0.01, 0.001, 1e-5, 1e-7, 1e-8];
const { trials } = loadOracle('coco-real') as { trials: Trials[] };
const getId = (trial: Trials) => `${trial.algorithm}-f${trial.function}-d${trial.dimension}`;
const infinityAsNull = (value: number | null | undefined) =>
  value === Infinity ? null : (value ?? null);

/** Writes the trials of a function as runs: an iteration wherever a target was first reached. */
async function insertTrials(database: TestDatabase, trial: Trials): Promise<void> {
  const experimentId = getId(trial);
  const problemType = `bbob-f${trial.function}`;
  const config = {
    problem: { type: problemType, params: {} },
    representation: { type: 'real-vector', params: { length: trial.dimension } },
  };
  await insertExperiment(database, experimentId, {
    algorithm_type: trial.algorithm,
    problem_type: problemType,
    config_json: JSON.stringify(config),
  });
  const runCount = trial.evals_to_target[0]!.length;
  const records = Array.from({ length: runCount }, (_, run) => getRecord(trial, run));
  const { kysely } = database;
  await kysely
    .insertInto('runs')
    .values(records.map((record) => record.run))
    .execute();
  await kysely
    .insertInto('iterations')
    .values(records.flatMap((record) => record.iterations))
    .execute();
}

/** The rows of a trial. */
function getRecord(trial: Trials, run: number) {
  const hits = targets.flatMap((target, index) => {
    const evaluations = trial.evals_to_target[index]?.[run];
    return typeof evaluations === 'number' ? [{ target, evaluations }] : [];
  });
  // Several targets reached at once are one iteration, with the best of them.
  const iterations = [...Map.groupBy(hits, ({ evaluations }) => evaluations)].map(
    ([evaluations, group]) => ({
      evaluations,
      best: Math.min(...group.map(({ target }) => target)),
    }),
  );
  const runId = `${getId(trial)}-r${run}`;
  const budget = trial.max_evals[run % trial.max_evals.length]!;
  return {
    run: {
      run_id: runId,
      experiment_id: getId(trial),
      seed: run,
      status: 'COMPLETED',
      start_time: '2026-11-21T10:00:00Z',
      evaluations: budget,
      best_fitness: iterations.at(-1)?.best ?? 1e3,
    },
    iterations: [{ evaluations: 0, best: 1e3 }, ...iterations].map(
      ({ evaluations, best }, index) => ({
        run_id: runId,
        iteration: index,
        evaluations,
        best_fitness: best,
        mean_fitness: best,
        std_fitness: 0,
        created_at: '2026-11-21T10:00:00Z',
      }),
    ),
  };
}

describeOnEachDatabase('real COCO trials, written as runs', (database) => {
  let service: TestService;

  beforeAll(async () => {
    for (const trial of trials) await insertTrials(database(), trial);
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  /** Each database gets requests for every other trial at a target, because both run the same code. */
  const isAsked = (place: number) => place % 2 === (database().dialect.name === 'sqlite' ? 0 : 1);

  describe.each(targets.map((target, index) => ({ target, index })))(
    'at target $target',
    ({ target, index }) => {
      test('have the published ERT, SP1 and number of successes over HTTP', async () => {
        for (const trial of trials.filter((_, place) => isAsked(place + index))) {
          const answer = await service.get<ExperimentAnalysis>(
            `/api/experiments/${getId(trial)}/analysis?direction=min&target=${target}&sameProblem=false`,
          );
          expect(answer.successfulRuns, getId(trial)).toBe(trial.success_count[index]);
          expectClose(answer.ert, infinityAsNull(trial.ert[index]), 1e-9);
          expectClose(answer.sp1, infinityAsNull(trial.sp1[index]), 1e-9);
        }
      });
    },
  );

  test('have the published ERT as groups of a comparison too', async () => {
    for (const trial of trials) {
      const path = `/api/analysis/problem/bbob-f${trial.function}?direction=min&target=0.1`;
      const overview = await service.get<ProblemComparison>(path);
      const instance = overview.instances.find(({ dimension }) => dimension === trial.dimension)!;
      const comparison = await service.get<ProblemComparison>(`${path}&instance=${instance.id}`);
      const group = comparison.algorithms.find(({ algorithm }) => algorithm === trial.algorithm)!;
      expectClose(group.ert, infinityAsNull(trial.ert[2]), 1e-9);
    }
  }, 120_000);
});
