import { sql, type RawBuilder } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { directionRules } from '#server/rules/objective.ts';
import { hasStatus } from './run-conditions.ts';

type Direction = 'min' | 'max';

/**
 * The best fitness of the runs of an experiment `e` with counts `c`, by the direction of the experiment, as SQL: for
 * sorting and paging by it. A RUNNING run counts with the best of its iterations. The direction is that of
 * `findDirection` of `server/rules/objective.ts`; the traces are looked at only where neither configuration nor
 * problem type decides.
 */
export function bestByDirection(database: Database): RawBuilder<number | null> {
  const { problems } = directionRules;
  const direction = sql<Direction>`coalesce(
    ${statedDirection()},
    case when lower(trim(e.problem_type)) in (${sql.join(problems.min.map(literal))}) then 'min'
      when lower(trim(e.problem_type)) in (${sql.join(problems.max.map(literal))}) then 'max'
      else ${traceDirection(database)} end,
    'min')`;
  return sql<number | null>`case ${direction} when 'max' then ${farthest(database, 'max')}
    else ${farthest(database, 'min')} end`;
}

/** The lowest or highest best fitness of the runs that have ended and the iterations of those that are RUNNING. */
function farthest({ dialect }: Database, end: 'min' | 'max'): RawBuilder<number | null> {
  const ended = end === 'max' ? sql`c.highest` : sql`c.lowest`;
  const best = dialect.finiteNumber(sql.ref<number>('i.best_fitness'));
  const running = sql`(select ${sql.raw(end)}(${best}) from runs r join iterations i on i.run_id = r.run_id
    where r.experiment_id = e.experiment_id and ${hasStatus('RUNNING')})`;
  const values = sql`select ${ended} as value union all select ${running}`;
  return sql<number | null>`case when c.running_runs > 0
    then (select ${sql.raw(end)}(b.value) from (${values}) as b) else ${ended} end`;
}

const statedPaths = ['problem.direction', 'problem.objective', 'problem.sense'];

function statedDirection(): RawBuilder<Direction | null> {
  const { words } = directionRules;
  const word = sql`lower(trim(p.value_text))`;
  const order = statedPaths.map((path, rank) => sql`when ${literal(path)} then ${sql.lit(rank)}`);
  return sql`(select case when ${word} in (${sql.join(words.min.map(literal))}) then 'min' else 'max' end
    from experiment_params p where p.experiment_id = e.experiment_id
      and p.param_path in (${sql.join(statedPaths.map(literal))}) and p.value_type = 'string'
      and ${word} in (${sql.join([...words.min, ...words.max].map(literal))})
    order by case p.param_path ${sql.join(order, sql` `)} end limit 1)`;
}

function traceDirection({ dialect }: Database): RawBuilder<Direction | null> {
  const end = (order: 'asc' | 'desc') =>
    sql`(select ${dialect.finiteNumber(sql.ref<number>('i.best_fitness'))} from iterations i
      where i.run_id = t.run_id order by i.iteration ${sql.raw(order)} nulls last limit 1)`;
  return sql`(select case when sum(sign(g.gain)) > 0 then 'max' when sum(sign(g.gain)) < 0 then 'min' end
    from (select ${end('desc')} - ${end('asc')} as gain from runs t
      where t.experiment_id = e.experiment_id) as g)`;
}

function literal(text: string): RawBuilder<string> {
  return sql.lit(text);
}
