import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import type { ParamFilter } from '#shared/param-filter.ts';
import { isAnyOf, isInRange } from './expressions.ts';
import { hasParam } from './param-filter.ts';
import { paramMatches } from './params-search.ts';
import { isTrial, trialConditions } from './run-conditions.ts';
import type { Database } from '#server/db/database.ts';

/** Which runs a list holds; what is undefined or empty does not restrict it. */
export interface RunsFilter {
  q?: string | undefined;
  algorithm: readonly string[];
  model: readonly string[];
  problem: readonly string[];
  status: readonly string[];
  from?: string | undefined;
  to?: string | undefined;
  minBest?: number | undefined;
  maxBest?: number | undefined;
  trials: TrialsFilter;
  /** With the whole path of each parameter. */
  param: readonly ParamFilter[];
}

/** Runs `r` with their experiments `e`, if they have one: what every list of runs is made from. */
export function runsWithExperiments({ kysely }: Database) {
  return kysely
    .selectFrom('runs as r')
    .leftJoin('experiments as e', 'e.experiment_id', 'r.experiment_id');
}

/** The same rows where only their number matters: experiments are joined only if the filter asks of them. */
export function runsToCount(database: Database, { algorithm, model, problem }: RunsFilter) {
  const asksOfExperiments = [algorithm, model, problem].some((values) => values.length > 0);
  return asksOfExperiments
    ? runsWithExperiments(database)
    : database.kysely.selectFrom('runs as r');
}

/** The conditions of a filter on the rows of {@link runsWithExperiments}. */
export function runConditions(dialect: DatabaseDialect, filter: RunsFilter): RawBuilder<SqlBool>[] {
  const best = dialect.finiteNumber(sql.ref<number | null>('r.best_fitness'));
  return [
    ...isAnyOf(dialect, 'e.algorithm_type', filter.algorithm),
    ...isAnyOf(dialect, 'e.model_type', filter.model),
    ...isAnyOf(dialect, 'e.problem_type', filter.problem),
    ...isAnyOf(dialect, 'r.status', filter.status),
    ...isInRange(dialect, sql.ref<string>('r.start_time'), filter),
    ...(filter.minBest === undefined ? [] : [sql<SqlBool>`${best} >= ${filter.minBest}`]),
    ...(filter.maxBest === undefined ? [] : [sql<SqlBool>`${best} <= ${filter.maxBest}`]),
    ...trialConditions(filter.trials, isTrial),
    ...filter.param.map((param) => hasParam(dialect, sql.ref('r.experiment_id'), param)),
    ...(filter.q === undefined ? [] : [showsText(dialect, filter.q)]),
  ];
}

/** The experiments that match are found once, not once per run. */
function showsText(dialect: DatabaseDialect, part: string): RawBuilder<SqlBool> {
  const contains = (column: string) => dialect.containsText(sql.ref<string | null>(column), part);
  const ofExperiment = ['x.run_name', 'x.algorithm_type', 'x.model_type', 'x.problem_type'];
  const shown = sql.join([...ofExperiment, 'x.config_hash'].map(contains), sql` or `);
  return sql<SqlBool>`(${contains('r.run_id')} or ${contains('r.experiment_id')} or r.experiment_id in (
    select x.experiment_id from experiments x where ${shown}
    union all select p.experiment_id from experiment_params p
      where ${paramMatches(dialect, part)}))`;
}
