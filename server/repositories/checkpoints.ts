import { sql } from 'kysely';
import { nullsLast } from '#server/db/expressions.ts';
import type { CheckpointRow } from '#shared/schemas/run.ts';
import { textOf } from './expressions.ts';
import type { Database } from '#server/db/database.ts';

/** The checkpoints of a run, by iteration, those of the same iteration in the order they were saved. */
export async function listCheckpoints(
  { kysely, dialect }: Database,
  runId: string,
): Promise<CheckpointRow[]> {
  const rows = await kysely
    .selectFrom('checkpoints as c')
    .select([
      'c.id',
      'c.run_id',
      dialect.integer(sql.ref<number | null>('c.iteration')).as('iteration'),
      'c.checkpoint_path',
      'c.created_at',
    ])
    .where('c.run_id', '=', runId)
    .orderBy('c.iteration', nullsLast('asc'))
    .orderBy('c.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    runId: row.run_id,
    iteration: row.iteration,
    checkpointPath: textOf(row.checkpoint_path),
    createdAt: textOf(row.created_at),
  }));
}
