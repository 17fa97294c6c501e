import type { Database } from '#server/db/database.ts';
import { record } from '#server/recording/recorder.ts';
import { publishFailed } from '#server/sample/execute-run.ts';

const campaign_id = 'bbob-small';

/** Messages of the runner about a run that its search ended, and about one for which it got no connection. */
export const failure = 'Covariance matrix is not positive definite';

/**
 * Writes the sample's campaign once more as its runner does where the first three trials fail: two in their first
 * generation, so that there is a run with nothing but its failure; the third for want of a connection, so that
 * there is no run. The campaign ends COMPLETED_WITH_ERRORS, its aggregates count the failed ones as not solved.
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
      const nothing = { evaluations: null, best_fitness: null, runtime_millis: null };
      const outcome = { status: 'FAILED', reached_target: 0, evals_to_target: null };
      await recorder.writeTrials([{ ...trial, ...nothing, ...outcome }]);
      if (index === 2) return;
      const reported = {
        runId: trial.run_id,
        seed: BigInt(run.seed),
        problemName: run.problem_type,
        experiment: { experimentId: run.experiment_id, columns: run, params: [] },
      };
      const skeleton = { run_id: run.run_id, experiment_id: run.experiment_id, seed: run.seed };
      const { start_time } = run;
      await publishFailed(
        async (type, instant, members, effect) => {
          await recorder.writeRuns([{ ...skeleton, status: 'RUNNING', start_time }]);
          await recorder.writeEvents([{ runId: run.run_id, type, instant, members }]);
          await effect?.(recorder);
        },
        reported,
        BigInt(Date.parse(start_time)) * 1_000_000n,
        failure,
      );
    });
  }
  await endCampaign(database);
}

function getTrials({ kysely }: Database) {
  const all = kysely.selectFrom('coco_trials').selectAll();
  return all.where('campaign_id', '=', campaign_id).orderBy('id').execute();
}

async function endCampaign(database: Database): Promise<void> {
  const { kysely, ertColumn } = database;
  const trials = await getTrials(database);
  const solved = trials.filter((trial) => trial.reached_target === 1);
  const failed = trials.filter(({ status }) => status === 'FAILED').length;
  for (const own of Map.groupBy(trials, (one) => `${one.optimizer_id} ${one.dimension}`).values()) {
    const used = own.flatMap((trial) => Number(trial.evals_to_target ?? trial.budget_evals));
    const hits = own.filter((trial) => trial.reached_target === 1);
    const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
    await kysely
      .updateTable('coco_aggregates')
      .set({
        success_rate: hits.length / own.length,
        mean_evals_to_target: sum(hits.map((hit) => Number(hit.evals_to_target))) / hits.length,
        [ertColumn]: sum(used) / hits.length,
      })
      .where('campaign_id', '=', campaign_id)
      .where('optimizer_id', '=', own[0]?.optimizer_id ?? '')
      .where('dimension', '=', own[0]?.dimension ?? 0)
      .execute();
  }
  const notes = `trials=${trials.length}, success=${solved.length}, failed=${failed}`;
  await kysely
    .updateTable('coco_campaigns')
    .set({ status: 'COMPLETED_WITH_ERRORS', notes })
    .where('campaign_id', '=', campaign_id)
    .execute();
}
