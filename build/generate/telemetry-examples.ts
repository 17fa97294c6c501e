import * as events from '#server/repositories/events.ts';
import * as iterations from '#server/repositories/iterations.ts';
import * as runs from '#server/repositories/runs.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import { runsQuery } from '#shared/schemas/run.ts';
import type { Example } from './repository-examples.ts';

/** At least one call of every repository method that reads the telemetry of a run. */
export const telemetryExamples: readonly Example[] = [
  {
    method: iterations.findIteration,
    call: (store) => iterations.findIteration(store, 'r1', '7'),
  },
  { method: telemetry.listPoints, call: (store) => telemetry.listPoints(store, 'r1') },
  { method: telemetry.findNewestBytes, call: (store) => telemetry.findNewestBytes(store, 'r1') },
  {
    method: telemetry.listTimes,
    call: (store) => telemetry.listTimes(store, 'r1', [0, 7]),
  },
  {
    method: telemetry.listTelemetryHeads,
    call: (store) => telemetry.listTelemetryHeads(store, 'r1', [0, 7]),
  },
  {
    method: telemetry.readDiagnostics,
    call: (store) => telemetry.readDiagnostics(store, 'r1', [0, 7], () => null),
  },
  {
    method: events.findNewestEventId,
    call: (store) => events.findNewestEventId(store, 'r1'),
  },
  {
    method: runs.listJudgedRuns,
    call: (store) => runs.listJudgedRuns(store, runsQuery.parse({ problem: 'onemax' })),
  },
  {
    method: runs.countRuns,
    note: 'those of which something is said',
    call: (store) => runs.countRuns(store, { ...runsQuery.parse({}), runIds: ['r1', 'r2'] }),
  },
];
