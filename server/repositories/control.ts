import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { Tables } from '#server/db/schema.ts';
import { createPreparedQuery } from '#server/db/queries.ts';
import { selectNullableText, makeRow, selectText } from './row.ts';

const stopRequest = makeRow({
  scope: selectText('q.scope'),
  targetId: selectText('q.target_id'),
  status: selectText('q.status'),
  requestedAt: selectText('q.requested_at'),
  requestedBy: selectNullableText('q.requested_by'),
  reason: selectNullableText('q.reason'),
  acknowledgedAt: selectNullableText('q.acknowledged_at'),
  acknowledgedByRunId: selectNullableText('q.acknowledged_by_run_id'),
});

/** A stop request with its target: `targetId` is the id of a `run` or an `experiment` (`scope`). */
type TargetedStopRequest = ReturnType<typeof stopRequest.read>;

/** Returns the stop requests for these runs and experiments, in any order; at most one for each run or experiment. */
export async function listStopRequests(
  database: Database,
  runIds: readonly string[],
  experimentIds: readonly string[],
): Promise<TargetedStopRequest[]> {
  if (runIds.length === 0 && experimentIds.length === 0) return [];
  return (await selectStopRequests(database, runIds, experimentIds)).map(stopRequest.read);
}

const selectStopRequests = createPreparedQuery(
  ({ kysely, dialect }, runIds: readonly string[], experimentIds: readonly string[]) => {
    const isForAny = (ids: readonly string[]) =>
      dialect.isAmong(sql.ref<string>('q.target_id'), ids);
    return kysely
      .selectFrom('control_requests as q')
      .select(stopRequest.columns)
      .where('q.action', '=', 'STOP')
      .where((eb) =>
        eb.or([
          eb('q.scope', '=', 'experiment').and(isForAny(experimentIds)),
          eb('q.scope', '=', 'run').and(isForAny(runIds)),
        ]),
      );
  },
);

/** A stop request for a run or an experiment. */
export interface StopRequestRow {
  scope: 'run' | 'experiment';
  targetId: string;
  /** Time of the request in UTC (ISO 8601). */
  requestedAt: string;
  reason: string | undefined;
}

/** Name of this service as the requester in `control_requests`. */
const requester = 'evoscope';

/**
 * Writes stop requests. Each request overwrites the previous request for the same target. It is PENDING and has no
 * acknowledgement.
 */
export async function writeStopRequests(
  transaction: Kysely<Tables>,
  requests: readonly StopRequestRow[],
): Promise<void> {
  for (const { scope, targetId, requestedAt, reason } of requests) {
    const state = {
      requested_at: requestedAt,
      requested_by: requester,
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

/** A run and its experiment: the targets of the stop requests for the run. */
export interface StopTargets {
  runId: string;
  experimentId: string;
}

/** Returns whether there is a stop request for the run or its experiment that no run has acknowledged. */
export async function hasPendingStop({ kysely }: Database, targets: StopTargets): Promise<boolean> {
  const request = await kysely
    .selectFrom('control_requests')
    .select('scope')
    .where(isPendingStop(targets))
    .limit(1)
    .executeTakeFirst();
  return request !== undefined;
}

/**
 * Marks the pending stop requests of the run and of its experiment as acknowledged by the run at a time in UTC
 * (ISO 8601).
 */
export async function acknowledgeStops(
  { kysely }: Database,
  targets: StopTargets,
  acknowledgedAt: string,
): Promise<void> {
  await kysely
    .updateTable('control_requests')
    .set({
      status: 'ACKNOWLEDGED',
      acknowledged_at: acknowledgedAt,
      acknowledged_by_run_id: targets.runId,
    })
    .where(isPendingStop(targets))
    .execute();
}

function isPendingStop({ runId, experimentId }: StopTargets) {
  return (builder: ExpressionBuilder<Tables, 'control_requests'>) =>
    builder.and([
      builder.and({ action: 'STOP', status: 'PENDING' }),
      builder.or([
        builder.and({ scope: 'run', target_id: runId }),
        builder.and({ scope: 'experiment', target_id: experimentId }),
      ]),
    ]);
}
