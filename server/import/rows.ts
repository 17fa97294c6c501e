import type { NewIteration, NewObjective, NewRun } from '#server/repositories/recording.ts';
import type { NewTrial } from '#server/repositories/recording.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { instantText } from '../recording/clock.ts';
import { statusOf } from './compare.ts';
import type { Experiment } from './data-set.ts';
import { firstHit } from '#server/domain/trace.ts';
import { countRows, rowsOf } from './run-trace.ts';

type PlannedRun = Experiment['runs'][number];

/** The row of a run: it begins and ends when its data file was written, as nothing else is known. */
export function runRow({ record }: Experiment, run: PlannedRun): NewRun {
  const time = timeOf(run);
  return {
    run_id: run.runId,
    experiment_id: record.experimentId,
    seed: run.seed,
    status: statusOf(run),
    start_time: time,
    end_time: time,
    iterations: countRows(run.trace) - 1,
    evaluations: exactOf(run, run.trace.spent),
    best_fitness: run.trace.best.at(-1) ?? null,
    error_message: run.isFinalised ? null : 'The logger did not write the end of this run',
  };
}

/** An iteration for every row of the trace, from 0; there is no population, so the mean is the best. */
export function iterationRows(run: PlannedRun): NewIteration[] {
  const created_at = timeOf(run);
  const { evaluations, values } = rowsOf(run.trace);
  return Array.from(values, (value, iteration) => ({
    run_id: run.runId,
    iteration,
    evaluations: exactOf(run, evaluations[iteration] ?? 0),
    best_fitness: value,
    mean_fitness: value,
    std_fitness: 0,
    metrics_json: null,
    diagnostics_json: null,
    created_at,
  }));
}

/** The best value as the runner names it. */
export function objectiveRow(run: PlannedRun): NewObjective {
  return {
    run_id: run.runId,
    objective_name: 'best_obj_0',
    objective_value: run.trace.best.at(-1) ?? 0,
  };
}

/** The trial of a run. One that was stopped counts as one that ran: it used its evaluations. */
export function trialRow(
  campaignId: string,
  { group, functionNumber, target }: Experiment,
  run: PlannedRun,
  createdAt: string,
): NewTrial {
  const hit = firstHit(run.trace, target);
  const evaluations = exactOf(run, run.trace.spent);
  return {
    campaign_id: campaignId,
    optimizer_id: group.algorithm,
    run_id: run.runId,
    function_id: functionNumber,
    instance_id: run.instance,
    dimension: group.dimension ?? 0,
    repetition: run.repetition,
    budget_evals: evaluations,
    evaluations,
    best_fitness: run.trace.best.at(-1) ?? null,
    runtime_millis: null,
    status: 'COMPLETED',
    reached_target: Number(hit !== null),
    evals_to_target: hit === null ? null : exactOf(run, hit),
    target_value: target,
    created_at: createdAt,
  };
}

/** The last moment that is written with a year of four digits. */
const lastMillis = Date.UTC(9999, 11, 31);

/** When the file was written; the beginning of 1970 where its time is none. */
function timeOf({ modifiedAt }: PlannedRun): string {
  const millis = Math.trunc(modifiedAt.getTime());
  const isTime = millis >= 0 && millis <= lastMillis;
  return instantText(isTime ? BigInt(millis) * 1_000_000n : 0n);
}

/** The count with all its digits. */
function exactOf({ exact }: PlannedRun, evaluations: number): StoredInteger {
  if (Number.isSafeInteger(evaluations)) return evaluations;
  return exact?.get(evaluations) ?? String(BigInt(evaluations));
}
