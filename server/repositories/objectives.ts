import { sql } from 'kysely';
import type { RunDetail } from '#shared/schemas/run.ts';
import { textOf } from './expressions.ts';
import type { Database } from '#server/db/database.ts';

/** All rows that the runner wrote as objectives of a run, by name: the objectives and every last metric. */
export async function listObjectiveRows(
  { kysely, dialect }: Database,
  runId: string,
): Promise<RunDetail['objectives']> {
  const rows = await kysely
    .selectFrom('run_objectives')
    .select([
      'objective_name',
      dialect.finiteNumber(sql.ref<number>('objective_value')).as('objective_value'),
    ])
    .where('run_id', '=', runId)
    .orderBy(dialect.byCodePoint(sql.ref<string>('objective_name')))
    .execute();
  return rows.map((row) => ({ name: textOf(row.objective_name), value: row.objective_value }));
}
