import { sql } from 'kysely';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import { isTrial, trialConditions } from './run-conditions.ts';
import type { Database } from '#server/db/database.ts';

/** How many runs the experiments of the same types have; null where they have no type. */
export interface TypeGroup {
  algorithm: string | null;
  model: string | null;
  problem: string | null;
  runs: number;
}

/** All experiments, grouped by their types, with the number of their runs that take part. */
export async function groupByTypes(
  { kysely }: Database,
  trials: TrialsFilter,
): Promise<TypeGroup[]> {
  return kysely
    .selectFrom('experiments as e')
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('runs as r')
          .select(['r.experiment_id', sql<number>`count(*)`.as('runs')])
          .where((where) => where.and(trialConditions(trials, isTrial)))
          .groupBy('r.experiment_id')
          .as('g'),
      (join) => join.onRef('g.experiment_id', '=', 'e.experiment_id'),
    )
    .select([
      'e.algorithm_type as algorithm',
      'e.model_type as model',
      'e.problem_type as problem',
      sql<number>`cast(coalesce(sum(g.runs), 0) as bigint)`.as('runs'),
    ])
    .groupBy(['e.algorithm_type', 'e.model_type', 'e.problem_type'])
    .execute();
}

/** How many of the runs that take part have each status as stored; null for those without one. */
export async function groupByStatus(
  { kysely }: Database,
  trials: TrialsFilter,
): Promise<{ status: string | null; runs: number }[]> {
  return kysely
    .selectFrom('runs as r')
    .select(['r.status', sql<number>`count(*)`.as('runs')])
    .where((where) => where.and(trialConditions(trials, isTrial)))
    .groupBy('r.status')
    .execute();
}

/** The distinct texts of a column; null where a row has none. */
export async function listDistinct(
  { kysely }: Database,
  table: 'experiments' | 'runs' | 'coco_campaigns',
  column: string,
): Promise<(string | null)[]> {
  const { rows } = await sql<{ value: string | null }>`
    select distinct ${sql.ref(column)} as value from ${sql.table(table)}`.execute(kysely);
  return rows.map((row) => row.value);
}
