import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { RunDetail } from '#shared/schemas/run.ts';
import { number, makeRow, text } from './row.ts';

const objective = makeRow({ name: text('o.objective_name'), value: number('o.objective_value') });

/** Returns all objective rows of a run by name: the objectives and the last value of every metric. */
export async function listObjectiveRows(
  { kysely, dialect }: Database,
  runId: string,
): Promise<RunDetail['objectives']> {
  const rows = await kysely
    .selectFrom('run_objectives as o')
    .select(objective.columns)
    .where('o.run_id', '=', runId)
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('o.objective_name')))
    .execute();
  return rows.map(objective.read);
}
