import { sql, type Expression, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';

/**
 * Returns the paths that a parameter name can mean: the path itself if it exists, else all paths with it as the last
 * key, in any order. Empty if there is none.
 */
export async function listPathsOfName({ kysely }: Database, name: string): Promise<string[]> {
  // By experiment, because the index contains the path only together with it.
  const whole = await kysely
    .selectFrom('experiments as x')
    .select('x.experiment_id')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('experiment_params as p')
          .select('p.id')
          .whereRef('p.experiment_id', '=', 'x.experiment_id')
          .where('p.param_path', '=', name),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  if (whole) return [name];
  const rows = await kysely
    .selectFrom('experiment_params')
    .select('param_path')
    .distinct()
    .where('leaf_key', '=', name)
    .execute();
  return rows.map((row) => row.param_path);
}

/** Returns which of these paths the experiments have whose ids a query selects, without duplicates, in any order. */
export async function listPathsAmong(
  { kysely }: Database,
  paths: readonly string[],
  experimentIds: Expression<{ experiment_id: string }>,
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('experiment_params')
    .select('param_path')
    .distinct()
    .where('param_path', 'in', paths)
    .where(sql<SqlBool>`experiment_id in ${experimentIds}`)
    .execute();
  return rows.map((row) => row.param_path);
}
