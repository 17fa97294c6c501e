import type { Database } from '#server/db/database.ts';
import { orderNullsLast } from '#server/db/queries.ts';
import type { CheckpointRow } from '#shared/schemas/run.ts';
import { selectExactInteger, selectRequiredInteger, makeRow, selectText } from './row.ts';

const checkpoint = makeRow({
  id: selectRequiredInteger('k.id'),
  runId: selectText('k.run_id'),
  iteration: selectExactInteger('k.iteration'),
  checkpointPath: selectText('k.checkpoint_path'),
  createdAt: selectText('k.created_at'),
});

/** Returns the checkpoints of a run by iteration, NULLs last, then by id. */
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
