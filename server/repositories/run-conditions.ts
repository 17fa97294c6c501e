import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import {
  experimentStatusRules,
  type ExperimentStatus,
  type RunStatus,
} from '#server/domain/status.ts';
import type { TrialsFilter } from '#shared/schemas/common.ts';

/** Returns whether a run `r` is a trial of a COCO campaign. */
export const isTrial = sql<SqlBool>`exists (select 1 from coco_trials t where t.run_id = r.run_id)`;

/**
 * Returns whether an experiment `e` has runs and all of them are trials. Starts from the trials, because most databases
 * have none.
 */
export const areAllTrials = sql<SqlBool>`(e.experiment_id in (select r.experiment_id from runs r
      where r.run_id in (select t.run_id from coco_trials t))
    and not exists (select 1 from runs r where r.experiment_id = e.experiment_id and not ${isTrial}))`;

/** Returns the condition on the rows of a list that they are trials, are no trials, or nothing. */
export function trialConditions(
  trials: TrialsFilter,
  areTrials: RawBuilder<SqlBool>,
): RawBuilder<SqlBool>[] {
  if (trials === 'include') return [];
  return [trials === 'only' ? areTrials : sql<SqlBool>`not ${areTrials}`];
}

/**
 * Returns whether a run `r`, or a group `g` of runs of one status, has a status, in any ASCII case; NULL without one.
 */
export function hasStatus(
  dialect: DatabaseDialect,
  status: RunStatus,
  table: 'r' | 'g' = 'r',
): RawBuilder<SqlBool> {
  const stored = dialect.byCodePoint(sql.ref<string>(`${table}.status`));
  return sql<SqlBool>`upper(${stored}) = ${sql.lit(status)}`;
}

const counters = {
  runningRuns: 'c.running_runs',
  completedRuns: 'c.completed_runs',
  failedRuns: 'c.failed_runs',
} as const;

const cases = experimentStatusRules.map(({ status, counter, amount }) => {
  const count = sql.ref<number | null>(counters[counter]);
  const condition = amount === 'any' ? sql`${count} > 0` : sql`${count} = c.total_runs`;
  return sql`when ${condition} then ${sql.lit(status)}`;
});

/** Returns the status of an experiment with the counts `c`: the rule of `experimentStatusOf`. */
export const experimentStatus: RawBuilder<ExperimentStatus> = sql<ExperimentStatus>`case
  ${sql.join(cases, sql` `)} else 'PARTIAL' end`;
