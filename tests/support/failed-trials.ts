import type { Database } from '#server/db/database.ts';
import { record } from '#server/recording/recorder.ts';
import { publishFailure } from '#server/sample/execute-run.ts';

const campaign_id = 'bbob-small';

/** Message of the runner about a failed run. */
export const failure = 'Covariance matrix is not positive definite';

/**
 * Rewrites the campaign of the sample as if the first three trials had failed. Two fail in their first generation, so
 * their runs have no iterations. The third has no connection to the database, so it has no run. The campaign ends as
 * COMPLETED_WITH_ERRORS, and its aggregates count failed trials as unsolved.
 */
export async function letTrialsFail(database: Database): Promise<void> {
  const { kysely } = database;
  const trials = await getTrials(database);
  for (const [index, { id: _id, ...trial }] of trials.slice(0, 3).entries()) {
    const run = await kysely
      .selectFrom('runs as r')
      .innerJoin('experiments as e', 'e.experiment_id', 'r.experiment_id')
      .selectAll()
      .where('run_id', '=', trial.run_id)
      .executeTakeFirstOrThrow();
    await record(database, async (recorder, transaction) => {
      for (const table of ['iterations', 'run_objectives', 'events', 'runs'] as const)
        await transaction.kysely.deleteFrom(table).where('run_id', '=', trial.run_id).execute();
      const emptyResults = { evaluations: null, best_fitness: null, runtime_millis: null };
      const outcome = { status: 'FAILED', reached_target: 0, evals_to_target: null };
      await recorder.writeTrials([{ ...trial, ...emptyResults, ...outcome }]);
      if (index === 2) return;
      const failedRun = {
        runId: trial.run_id,
        seed: BigInt(run.seed),
        problemName: run.problem_type,
        experiment: { experimentId: run.experiment_id, columns: run, params: [] },
      };
      const runColumns = { run_id: run.run_id, experiment_id: run.experiment_id, seed: run.seed };
      const { start_time } = run;
      await publishFailure(
        async (type, instant, members, effect) => {
          await recorder.writeRuns([{ ...runColumns, status: 'RUNNING', start_time }]);
          await recorder.writeEvents([{ runId: run.run_id, type, instant, members }]);
          await effect?.(recorder);
        },
        failedRun,
        BigInt(Date.parse(start_time)) * 1_000_000n,
        failure,
      );
    });
  }
  await endCampaign(database);
}

function getTrials({ kysely }: Database) {
  const query = kysely.selectFrom('coco_trials').selectAll();
  return query.where('campaign_id', '=', campaign_id).orderBy('id').execute();
}

async function endCampaign(database: Database): Promise<void> {
  const { kysely, ertColumn } = database;
  const trials = await getTrials(database);
  const solvedTrials = trials.filter((trial) => trial.reached_target === 1);
  const failedCount = trials.filter(({ status }) => status === 'FAILED').length;
  for (const cellTrials of Map.groupBy(
    trials,
    (one) => `${one.optimizer_id} ${one.dimension}`,
  ).values()) {
    const usedEvaluations = cellTrials.flatMap((trial) =>
      Number(trial.evals_to_target ?? trial.budget_evals),
    );
    const solvedInCell = cellTrials.filter((trial) => trial.reached_target === 1);
    const computeSum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
    await kysely
      .updateTable('coco_aggregates')
      .set({
        success_rate: solvedInCell.length / cellTrials.length,
        mean_evals_to_target:
          computeSum(solvedInCell.map((hit) => Number(hit.evals_to_target))) / solvedInCell.length,
        [ertColumn]: computeSum(usedEvaluations) / solvedInCell.length,
      })
      .where('campaign_id', '=', campaign_id)
      .where('optimizer_id', '=', cellTrials[0]?.optimizer_id ?? '')
      .where('dimension', '=', cellTrials[0]?.dimension ?? 0)
      .execute();
  }
  const notes = `trials=${trials.length}, success=${solvedTrials.length}, failed=${failedCount}`;
  await kysely
    .updateTable('coco_campaigns')
    .set({ status: 'COMPLETED_WITH_ERRORS', notes })
    .where('campaign_id', '=', campaign_id)
    .execute();
}
