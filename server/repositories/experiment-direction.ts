import { sql, type RawBuilder } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { type Direction, directionRules, wordPadding } from '#server/domain/objective.ts';
import { traceEnd } from './iterations.ts';
import { hasStatus } from './run-conditions.ts';

/**
 * Returns the best fitness of the runs of an experiment `e` with counts `c`, by the direction of the experiment, as SQL
 * for sorting and paging. A RUNNING run counts with the best of its iterations. The direction is that of
 * `findDirection` in `server/domain/objective.ts`; traces are read only if neither configuration nor problem type
 * decides.
 */
export function bestByDirection(database: Database): RawBuilder<number | null> {
  const type = sql.ref<string | null>('e.problem_type');
  const direction = sql<Direction>`coalesce(${statedDirection(database)},
    ${directionOf(database, type, directionRules.problems)}, ${traceDirection(database)}, 'min')`;
  return sql<number | null>`case ${direction} when 'max' then ${farthest(database, 'max')}
    else ${farthest(database, 'min')} end`;
}

/** The lowest or highest best fitness of ended runs and of the iterations of RUNNING ones. */
function farthest({ dialect }: Database, end: 'min' | 'max'): RawBuilder<number | null> {
  const ended = end === 'max' ? sql`c.highest` : sql`c.lowest`;
  const best = dialect.finiteNumber(sql.ref<number>('i.best_fitness'));
  const running = sql`(select ${sql.raw(end)}(${best}) from runs r join iterations i on i.run_id = r.run_id
    where r.experiment_id = e.experiment_id and ${hasStatus(dialect, 'RUNNING')})`;
  const values = sql`select ${ended} as value union all select ${running}`;
  return sql<number | null>`case when c.running_runs > 0
    then (select ${sql.raw(end)}(b.value) from (${values}) as b) else ${ended} end`;
}

/** Returns the direction with the text among its words; NULL if there is none. */
function directionOf(
  { dialect }: Database,
  text: RawBuilder<string | null>,
  words: Record<Direction, readonly string[]>,
): RawBuilder<Direction | null> {
  const word = sql`lower(trim(${dialect.byCodePoint(text)}, ${sql.lit(wordPadding)}))`;
  const isAmong = (list: readonly string[]) => sql`${word} in (${sql.join(list.map(literal))})`;
  return sql`case when ${isAmong(words.min)} then 'min' when ${isAmong(words.max)} then 'max' end`;
}

/**
 * Returns the direction in the configuration. Few configurations have one: the flattened parameters, whose paths omit
 * `params`, show which ones must be parsed.
 */
function statedDirection(database: Database): RawBuilder<Direction | null> {
  const { paths, words } = directionRules;
  const flatPaths = paths.map((path) => literal(path.filter((key) => key !== 'params').join('.')));
  const config = sql.ref<string | null>('e.config_json');
  const stated = paths.map((path) =>
    directionOf(database, database.dialect.textAt(config, path), words),
  );
  const isStated = sql`exists (select 1 from experiment_params p
    where p.experiment_id = e.experiment_id and p.param_path in (${sql.join(flatPaths)}))`;
  return sql`case when ${isStated} then case when ${database.dialect.isJson(config)}
    then coalesce(${sql.join(stated)}) end end`;
}

// Ends are compared instead of subtracted: the difference of two finite numbers may be infinite.
function traceDirection({ dialect }: Database): RawBuilder<Direction | null> {
  return sql`(select case sign(sum(case when g.newest > g.oldest then 1 when g.newest < g.oldest then -1 end))
      when 1 then 'max' when -1 then 'min' end
    from (select ${traceEnd(dialect, 't', 'desc')} as newest, ${traceEnd(dialect, 't', 'asc')} as oldest from runs t
      where t.experiment_id = e.experiment_id) as g)`;
}

function literal(text: string): RawBuilder<string> {
  return sql.lit(text);
}
