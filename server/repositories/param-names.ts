import { sql, type Expression, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';

/**
 * The paths that a name of a parameter can stand for: itself, where it is the path of one; else all whose last
 * key it is, in no order. Empty for a name that nothing has.
 */
export async function listPathsOfName({ kysely }: Database, name: string): Promise<string[]> {
  // By experiment, since only with it the path is in an index.
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

/** Which of these paths experiments have whose ids a query gives, each once, in no order. */
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
