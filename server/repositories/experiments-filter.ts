import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import type { ExperimentStatus } from '#shared/schemas/experiment.ts';
import { isInRange } from './expressions.ts';
import { paramShows } from './params-search.ts';

/** Which experiments a list holds; what is undefined does not restrict it. */
export interface ExperimentsFilter {
  q?: string | undefined;
  algorithm?: string | undefined;
  model?: string | undefined;
  problem?: string | undefined;
  status?: ExperimentStatus | undefined;
  /** On the time the experiment was first written. */
  from?: string | undefined;
  to?: string | undefined;
  trials: TrialsFilter;
  /** Words that make a parameter's value one that a search does not look into. */
  secretWords: readonly string[];
}

/** The conditions of a filter on experiments `e`; `status` is the expression that lists show. */
export function experimentConditions(
  dialect: DatabaseDialect,
  filter: ExperimentsFilter,
  status: RawBuilder<ExperimentStatus>,
): RawBuilder<SqlBool>[] {
  const equals = (column: string, value: string | undefined) =>
    value === undefined ? [] : [dialect.equalsText(sql.ref<string | null>(column), value)];
  return [
    ...equals('e.algorithm_type', filter.algorithm),
    ...equals('e.model_type', filter.model),
    ...equals('e.problem_type', filter.problem),
    ...(filter.status === undefined ? [] : [sql<SqlBool>`${status} = ${filter.status}`]),
    ...isInRange(dialect, sql.ref<string>('e.created_at'), filter),
    ...trialConditions(filter.trials),
    ...(filter.q === undefined ? [] : [showsText(dialect, filter.q, filter.secretWords)]),
  ];
}

/** An experiment counts as trials when it has runs and all of them are trials of campaigns. */
function trialConditions(trials: TrialsFilter): RawBuilder<SqlBool>[] {
  if (trials === 'include') return [];
  const isTrial = sql`exists (select 1 from coco_trials t where t.run_id = r.run_id)`;
  const areTrials = sql<SqlBool>`(c.total_runs > 0 and not exists (
    select 1 from runs r where r.experiment_id = e.experiment_id and not ${isTrial}))`;
  return [trials === 'only' ? areTrials : sql<SqlBool>`not coalesce(${areTrials}, false)`];
}

/** The runs and parameters that match are found once, not once per experiment. */
function showsText(
  dialect: DatabaseDialect,
  part: string,
  secretWords: readonly string[],
): RawBuilder<SqlBool> {
  const contains = (column: string) => dialect.containsText(sql.ref<string | null>(column), part);
  const shown = ['experiment_id', 'run_name', 'config_hash', 'algorithm_type', 'model_type'];
  const own = [...shown, 'problem_type'].map((column) => contains(`e.${column}`));
  return sql<SqlBool>`(${sql.join(own, sql` or `)} or e.experiment_id in (
    select r.experiment_id from runs r where ${contains('r.run_id')}
    union all select p.experiment_id from experiment_params p
      where ${paramShows(dialect, part, secretWords)}))`;
}
