import * as analysis from '#server/repositories/analysis.ts';
import * as checkpoints from '#server/repositories/checkpoints.ts';
import * as control from '#server/repositories/control.ts';
import * as events from '#server/repositories/events.ts';
import * as facets from '#server/repositories/facets.ts';
import * as filters from '#server/repositories/filters.ts';
import * as iterations from '#server/repositories/iterations.ts';
import * as objectives from '#server/repositories/objectives.ts';
import * as params from '#server/repositories/params.ts';
import * as progress from '#server/repositories/progress.ts';
import * as runs from '#server/repositories/runs.ts';
import * as summary from '#server/repositories/summary.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import type { Database } from '#server/db/database.ts';
import { runsQuery } from '#shared/schemas/run.ts';

const secretWords = ['password', 'token'];
const noFilter = runsQuery.parse({});
const everyFilter = runsQuery.parse({
  q: 'text',
  algorithm: ['umda', 'pbil'],
  model: 'umda-bernoulli',
  problem: 'onemax',
  status: 'COMPLETED',
  from: '2026-11-21T10:00:00Z',
  to: '2026-11-21T10:59:59Z',
  minBest: '0.5',
  maxBest: '40',
  trials: 'exclude',
  param: ['algorithm.populationSize >= 50', 'problem.type != ["onemax", "sphere"]'],
});

/** A call of a repository method that shows its query. */
export interface Example {
  method: (...parameters: never[]) => unknown;
  /** Distinguishes this call from others of the same method. */
  note?: string;
  call: (store: Database) => Promise<unknown>;
}

/** At least one call of every other repository method. */
export const examples: readonly Example[] = [
  {
    method: runs.listRunIds,
    note: 'first page',
    call: (store) => runs.listRunIds(store, noFilter, { ...noFilter, part: noFilter }),
  },
  {
    method: runs.listRunIds,
    note: 'all runs',
    call: (store) => runs.listRunIds(store, noFilter, noFilter),
  },
  {
    method: runs.listRunIds,
    note: 'all filters, by best fitness',
    call: (store) =>
      runs.listRunIds(store, everyFilter, {
        part: { page: 2, size: 50 },
        sortBy: 'best_fitness',
        sortDir: 'asc',
      }),
  },
  {
    method: runs.listRunIds,
    note: 'by a parameter',
    call: (store) =>
      runs.listRunIds(store, noFilter, { ...noFilter, sortBy: 'param:algorithm.populationSize' }),
  },
  {
    method: runs.listRunIds,
    note: 'of one experiment',
    call: (store) => runs.listRunIds(store, { ...noFilter, experimentId: 'e1' }, noFilter),
  },
  { method: runs.listRuns, call: (store) => runs.listRuns(store, ['r1', 'r2']) },
  {
    method: runs.listPresentRuns,
    call: (store) => runs.listPresentRuns(store, ['r1', 'r2']),
  },
  {
    method: runs.listParamPathsOfRuns,
    call: (store) => runs.listParamPathsOfRuns(store, everyFilter, ['model.type', 'problem.type']),
  },
  {
    method: runs.countRuns,
    note: 'all runs',
    call: (store) => runs.countRuns(store, noFilter),
  },
  {
    method: runs.countRuns,
    note: 'all filters',
    call: (store) => runs.countRuns(store, everyFilter),
  },
  {
    method: runs.hasMixedSecond,
    call: (store) => runs.hasMixedSecond(store, ['2026-11-21T10:00:00']),
  },
  { method: runs.hasRun, call: (store) => runs.hasRun(store, 'r1') },
  { method: runs.findRun, call: (store) => runs.findRun(store, 'r1') },
  { method: runs.findSibling, call: (store) => runs.findSibling(store, 'r1', 'previous') },
  { method: params.listParamsOfRun, call: (store) => params.listParamsOfRun(store, 'r1') },
  {
    method: params.listParamValues,
    call: (store) => params.listParamValues(store, ['e1', 'e2'], ['algorithm.populationSize']),
  },
  {
    method: params.listWholeParams,
    call: (store) => params.listWholeParams(store, ['e1', 'e2']),
  },
  { method: params.listParamPaths, call: (store) => params.listParamPaths(store) },
  {
    method: iterations.listScalars,
    call: (store) => iterations.listScalars(store, { runId: 'r1', after: 10, limit: 100 }),
  },
  {
    method: iterations.listIterationSizes,
    call: (store) => iterations.listIterationSizes(store, { runId: 'r1', after: 10, limit: 500 }),
  },
  {
    method: iterations.listIterations,
    call: (store) => iterations.listIterations(store, { runId: 'r1', after: 10, last: 60 }),
  },
  {
    method: iterations.countWithoutNumber,
    call: (store) => iterations.countWithoutNumber(store, 'r1'),
  },
  { method: iterations.findLastMetrics, call: (store) => iterations.findLastMetrics(store, 'r1') },
  { method: iterations.findFamilyText, call: (store) => iterations.findFamilyText(store, 'r1') },
  { method: iterations.listTraceGains, call: (store) => iterations.listTraceGains(store, 'e1') },
  {
    method: events.listEvents,
    note: 'truncated',
    call: (store) => events.listEvents(store, [1, 2], { characters: 280, wholeBytes: 65_536 }),
  },
  {
    method: events.listEventIds,
    note: 'with a search text',
    call: (store) =>
      events.listEventIds(
        store,
        {
          runId: 'r1',
          eventType: 'run_started',
          search: { q: 'text', hiddenIds: [1, 2], matchingIds: [2] },
        },
        { page: 1, size: 25 },
      ),
  },
  {
    method: events.countEvents,
    call: (store) =>
      events.countEvents(store, {
        runId: 'r1',
        search: {
          q: 'text',
          hiddenIds: [],
          matchingIds: [],
          unread: { afterId: 7, parts: ['password'] },
        },
      }),
  },
  {
    method: events.listSuspiciousEvents,
    call: (store) =>
      events.listSuspiciousEvents(store, { runId: 'r1' }, { parts: secretWords, limit: 50 }),
  },
  { method: events.listPayloads, call: (store) => events.listPayloads(store, [1, 2]) },
  {
    method: events.findEvent,
    call: (store) => events.findEvent(store, 'r1', '1', { characters: 280, wholeBytes: 1_000 }),
  },
  {
    method: progress.listRunningRuns,
    call: (store) => progress.listRunningRuns(store, ['e1', 'e2']),
  },
  {
    method: filters.findRareStatus,
    call: (store) => filters.findRareStatus(store, ['failed', 'STOPPED']),
  },
  {
    method: progress.listLatestRunningRuns,
    call: (store) => progress.listLatestRunningRuns(store, 64),
  },
  { method: events.listEventTypes, call: (store) => events.listEventTypes(store, 'r1') },
  {
    method: checkpoints.listCheckpoints,
    call: (store) => checkpoints.listCheckpoints(store, 'r1'),
  },
  {
    method: objectives.listObjectiveRows,
    call: (store) => objectives.listObjectiveRows(store, 'r1'),
  },
  {
    method: objectives.listRunsWithSeveralObjectives,
    call: (store) => objectives.listRunsWithSeveralObjectives(store, ['r1', 'r2']),
  },
  {
    method: control.listStopRequests,
    call: (store) => control.listStopRequests(store, ['r1', 'r2'], ['e1']),
  },
  {
    method: params.listPathsOfName,
    call: (store) => params.listPathsOfName(store, 'type'),
  },
  {
    method: params.listPathsAmong,
    call: (store) =>
      params.listPathsAmong(
        store,
        ['model.type', 'problem.type'],
        store.kysely.selectFrom('experiments').select('experiment_id'),
      ),
  },
  {
    method: progress.listNewestRows,
    call: (store) => progress.listNewestRows(store, ['r1', 'r2']),
  },
  {
    method: progress.listFitnessRanges,
    call: (store) => progress.listFitnessRanges(store, ['r1', 'r2']),
  },
  {
    method: progress.listRunningRanges,
    call: (store) => progress.listRunningRanges(store, ['e1', 'e2']),
  },
  { method: facets.groupRuns, call: (store) => facets.groupRuns(store, 'include') },
  { method: facets.groupRuns, call: (store) => facets.groupRuns(store, 'only') },
  { method: facets.listTypes, call: (store) => facets.listTypes(store) },
  { method: facets.listCampaignKinds, call: (store) => facets.listCampaignKinds(store) },
  {
    method: analysis.listProblemExperiments,
    call: (store) => analysis.listProblemExperiments(store),
  },
  {
    method: analysis.listProblemExperiments,
    note: 'of one problem type',
    call: (store) => analysis.listProblemExperiments(store, 'onemax'),
  },
  {
    method: analysis.listExperiments,
    call: (store) => analysis.listExperiments(store, ['e1', 'e2']),
  },
  {
    method: analysis.listRunsById,
    call: (store) => analysis.listRunsById(store, ['r1', 'r2']),
  },
  {
    method: analysis.computeFingerprints,
    call: (store) => analysis.computeFingerprints(store, ['r1', 'r2']),
  },
  {
    method: analysis.listResults,
    call: (store) => analysis.listResults(store, ['e1', 'e2']),
  },
  {
    method: analysis.listRuns,
    call: (store) => analysis.listRuns(store, ['e1', 'e2']),
  },
  {
    method: analysis.countRunsPerExperiment,
    call: (store) => analysis.countRunsPerExperiment(store),
  },
  {
    method: analysis.listExperimentsOfSameProblem,
    call: (store) => analysis.listExperimentsOfSameProblem(store, 'e1'),
  },
  { method: summary.countAll, call: (store) => summary.countAll(store) },
  { method: summary.countRunningRuns, call: (store) => summary.countRunningRuns(store) },
  { method: summary.ping, call: (store) => summary.ping(store) },
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
    method: runs.listRunsToDiagnose,
    call: (store) => runs.listRunsToDiagnose(store, runsQuery.parse({ problem: 'onemax' })),
  },
  {
    method: runs.countRuns,
    note: 'runs with a diagnosis',
    call: (store) => runs.countRuns(store, { ...runsQuery.parse({}), runIds: ['r1', 'r2'] }),
  },
];
