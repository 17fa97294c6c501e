import { sql } from 'kysely';
import { nullsLast } from '#server/db/expressions.ts';
import type { StopRequest } from '#shared/schemas/run.ts';
import { textOf } from './expressions.ts';
import type { Store } from './store.ts';

/**
 * The newest stop request for the run or for its experiment, or null; of two asked for at the same instant
 * the run's own.
 */
export async function findNewestStopRequest(
  { kysely, dialect }: Store,
  runId: string,
  experimentId: string,
): Promise<StopRequest | null> {
  const row = await kysely
    .selectFrom('control_requests')
    .select([
      'scope',
      'status',
      'requested_at',
      'requested_by',
      'reason',
      'acknowledged_at',
      'acknowledged_by_run_id',
    ])
    .where('action', '=', 'STOP')
    .where((eb) =>
      eb.or([
        eb.and({ scope: 'run', target_id: runId }),
        eb.and({ scope: 'experiment', target_id: experimentId }),
      ]),
    )
    .orderBy(dialect.byCodePoint(sql.ref<string>('requested_at')), nullsLast('desc'))
    .orderBy(dialect.byCodePoint(sql.ref<string>('scope')), 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  return {
    scope: textOf(row.scope),
    status: textOf(row.status),
    requestedAt: textOf(row.requested_at),
    requestedBy: row.requested_by,
    reason: row.reason,
    acknowledgedAt: row.acknowledged_at,
    acknowledgedByRunId: row.acknowledged_by_run_id,
  };
}
