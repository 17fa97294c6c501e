import type { Database } from '#server/db/database.ts';
import { orderNullsLast } from '#server/db/queries.ts';
import type { CheckpointRow } from '#shared/schemas/run.ts';
import { exactInteger, requiredInteger, makeRow, text } from './row.ts';

const checkpoint = makeRow({
  id: requiredInteger('k.id'),
  runId: text('k.run_id'),
  iteration: exactInteger('k.iteration'),
  checkpointPath: text('k.checkpoint_path'),
  createdAt: text('k.created_at'),
});

/** Returns the checkpoints of a run by iteration, then in the order in which they were saved. */
export async function listCheckpoints(
  { kysely }: Database,
  runId: string,
): Promise<CheckpointRow[]> {
  const rows = await kysely
    .selectFrom('checkpoints as k')
    .select(checkpoint.columns)
    .where('k.run_id', '=', runId)
    .orderBy('k.iteration', orderNullsLast('asc'))
    .orderBy('k.id')
    .execute();
  return rows.map(checkpoint.read);
}
