import type { Database } from '#server/db/database.ts';
import { listStopRequests } from '#server/repositories/control.ts';
import { keyOfTime } from '#server/repositories/order.ts';
import type { StopRequest } from '#shared/schemas/run.ts';

/** What a stop request can concern: an experiment, and a run of it. */
export interface StopTarget {
  experimentId: string;
  runId?: string;
}

/**
 * The newest stop request for each target, null where there is none: of those for the run and for its experiment, or
 * for the experiment alone. Of two requests at the same instant it is the run's own.
 */
export async function findStopRequests(
  database: Database,
  targets: readonly StopTarget[],
): Promise<(StopRequest | null)[]> {
  const runIds = targets.flatMap(({ runId }) => runId ?? []);
  const experimentIds = [...new Set(targets.map(({ experimentId }) => experimentId))];
  const requests = await listStopRequests(database, runIds, experimentIds);
  const byTarget = new Map(
    requests.map((request) => [targetKey(request.scope, request.targetId), request]),
  );
  return targets.map(({ runId, experimentId }) => {
    const ofRun = runId === undefined ? undefined : byTarget.get(targetKey('run', runId));
    return newer(ofRun, byTarget.get(targetKey('experiment', experimentId)));
  });
}

function targetKey(scope: string, targetId: string): string {
  return `${scope} ${targetId}`;
}

function newer(ofRun?: StopRequest, ofExperiment?: StopRequest): StopRequest | null {
  const keyOf = (request?: StopRequest) => keyOfTime(request?.requestedAt ?? '');
  const isLater = keyOf(ofExperiment) > keyOf(ofRun);
  return (isLater ? ofExperiment : (ofRun ?? ofExperiment)) ?? null;
}
