import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import type { ExperimentStatus } from '#shared/schemas/experiment.ts';
import type { ParamFilter } from '#shared/param-filter.ts';
import { isAnyOf, isInRange } from './expressions.ts';
import { hasParam } from './param-filter.ts';
import { paramMatches } from './params-search.ts';
import { areAllTrials, experimentStatus, trialConditions } from './run-conditions.ts';

/** Which experiments a list holds; what is undefined or empty does not restrict it. */
export interface ExperimentsFilter {
  q?: string | undefined;
  algorithm: readonly string[];
  model: readonly string[];
  problem: readonly string[];
  status: readonly ExperimentStatus[];
  /** On the time the experiment was first written. */
  from?: string | undefined;
  to?: string | undefined;
  trials: TrialsFilter;
  /** With the whole path of each parameter. */
  param: readonly ParamFilter[];
}

/** The conditions of a filter on experiments `e`, whose runs are counted as `c` if it asks for a status. */
export function experimentConditions(
  dialect: DatabaseDialect,
  filter: ExperimentsFilter,
): RawBuilder<SqlBool>[] {
  return [
    ...isAnyOf(dialect, 'e.algorithm_type', filter.algorithm),
    ...isAnyOf(dialect, 'e.model_type', filter.model),
    ...isAnyOf(dialect, 'e.problem_type', filter.problem),
    ...(filter.status.length === 0
      ? []
      : [sql<SqlBool>`${experimentStatus} in (${sql.join([...filter.status])})`]),
    ...isInRange(dialect, sql.ref<string>('e.created_at'), filter),
    ...trialConditions(filter.trials, areAllTrials),
    ...filter.param.map((param) => hasParam(dialect, sql.ref('e.experiment_id'), param)),
    ...(filter.q === undefined ? [] : [showsText(dialect, filter.q)]),
  ];
}

/** The runs and parameters that match are found once, not once per experiment. */
function showsText(dialect: DatabaseDialect, part: string): RawBuilder<SqlBool> {
  const contains = (column: string) => dialect.containsText(sql.ref<string | null>(column), part);
  const shown = ['experiment_id', 'run_name', 'config_hash', 'algorithm_type', 'model_type'];
  const own = [...shown, 'problem_type'].map((column) => contains(`e.${column}`));
  return sql<SqlBool>`(${sql.join(own, sql` or `)} or e.experiment_id in (
    select r.experiment_id from runs r where ${contains('r.run_id')}
    union all select p.experiment_id from experiment_params p
      where ${paramMatches(dialect, part)}))`;
}
