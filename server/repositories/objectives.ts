import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { orderNullsLast } from '#server/db/queries.ts';
import type { RunDetail } from '#shared/schemas/run.ts';
import { selectNumber, makeRow, selectText } from './row.ts';

const objective = makeRow({
  name: selectText('o.objective_name'),
  value: selectNumber('o.objective_value'),
});

/**
 * Returns all objective rows of a run by name, NULL last. The runner stores the objectives and the last value of every
 * metric in these rows.
 */
export async function listObjectiveRows(
  { kysely, dialect }: Database,
  runId: string,
): Promise<RunDetail['objectives']> {
  const rows = await kysely
    .selectFrom('run_objectives as o')
    .select(objective.columns)
    .where('o.run_id', '=', runId)
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('o.objective_name')), orderNullsLast('asc'))
    .execute();
  return rows.map(objective.read);
}

/** Returns the ids of the runs among these that have a second objective, `best_obj_1`, in any order. */
export async function listRunsWithSeveralObjectives(
  { kysely, dialect }: Database,
  runIds: readonly string[],
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('run_objectives as o')
    .select('o.run_id')
    .where(dialect.isAmong(sql.ref<string>('o.run_id'), runIds))
    .where('o.objective_name', '=', 'best_obj_1')
    .execute();
  return rows.map((row) => row.run_id);
}
