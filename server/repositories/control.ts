import { sql, type Kysely } from 'kysely';
import type { Tables } from '#server/db/schema.ts';
import { nullsLast } from '#server/db/expressions.ts';
import type { StopRequest } from '#shared/schemas/run.ts';
import { textOf } from './expressions.ts';
import type { Database } from '#server/db/database.ts';

/**
 * The newest stop request for the experiment or, where one is named, for the run; null when there is none. Of
 * two asked for at the same instant the run's own.
 */
export async function findNewestStopRequest(
  { kysely, dialect }: Database,
  experimentId: string,
  runId?: string,
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
        eb.and({ scope: 'experiment', target_id: experimentId }),
        ...(runId === undefined ? [] : [eb.and({ scope: 'run', target_id: runId })]),
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

/** A wish that the runner reads before its next iteration. */
export interface StopRequestRow {
  scope: 'run' | 'experiment';
  targetId: string;
  /** UTC, ISO 8601. */
  requestedAt: string;
  reason: string | undefined;
}

/** Who asks, as the runner's table names it. */
const requestedBy = 'evoscope';

/**
 * Writes stop requests, each over an earlier one for the same target: PENDING again, with nothing
 * acknowledged.
 */
export async function writeStopRequests(
  transaction: Kysely<Tables>,
  requests: readonly StopRequestRow[],
): Promise<void> {
  for (const { scope, targetId, requestedAt, reason } of requests) {
    const state = {
      requested_at: requestedAt,
      requested_by: requestedBy,
      reason: reason ?? null,
      status: 'PENDING',
      acknowledged_at: null,
      acknowledged_by_run_id: null,
    };
    await transaction
      .insertInto('control_requests')
      .values({ scope, target_id: targetId, action: 'STOP', ...state })
      .onConflict((conflict) =>
        conflict.columns(['scope', 'target_id', 'action']).doUpdateSet(state),
      )
      .execute();
  }
}
