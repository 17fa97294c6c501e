import { sql, type RawBuilder } from 'kysely';
import type { Database } from '#server/db/database.ts';

/** What decides a direction, as `server/stats/objective.ts` has it. */
export interface DirectionRules {
  /** Problem types of the runner, in lower case. */
  problems: { min: readonly string[]; max: readonly string[] };
  /** Words of a configuration that state a direction, in lower case. */
  words: { min: readonly string[]; max: readonly string[] };
}

type Direction = 'min' | 'max';

/**
 * The direction of an experiment `e`, and the best fitness `c.lowest` or `c.highest` of its runs by that
 * direction, as SQL: the same rule as `findDirection` of `server/stats/objective.ts`, for sorting and paging
 * by it. The traces are looked at only where neither configuration nor problem type decides.
 */
export function bestByDirection(database: Database, rules: DirectionRules) {
  const direction = sql<Direction>`coalesce(
    ${statedDirection(rules)},
    case when lower(trim(e.problem_type)) in (${sql.join(rules.problems.min.map(literal))}) then 'min'
      when lower(trim(e.problem_type)) in (${sql.join(rules.problems.max.map(literal))}) then 'max'
      else ${traceDirection(database)} end,
    'min')`;
  const best = sql<number | null>`case ${direction} when 'max' then c.highest else c.lowest end`;
  return {
    best,
    columns: [direction.as('direction'), best.as('best_fitness')] as const,
  };
}

const statedPaths = ['problem.direction', 'problem.objective', 'problem.sense'];

function statedDirection({ words }: DirectionRules): RawBuilder<Direction | null> {
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
