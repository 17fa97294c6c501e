import * as analysis from '#server/repositories/analysis.ts';
import * as checkpoints from '#server/repositories/checkpoints.ts';
import * as control from '#server/repositories/control.ts';
import * as events from '#server/repositories/events.ts';
import * as facets from '#server/repositories/facets.ts';
import * as filters from '#server/repositories/filters.ts';
import * as iterations from '#server/repositories/iterations.ts';
import * as objectives from '#server/repositories/objectives.ts';
import * as params from '#server/repositories/params.ts';
import * as runs from '#server/repositories/runs.ts';
import * as summary from '#server/repositories/summary.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import type { Database } from '#server/db/database.ts';
import { runsQuery } from '#shared/schemas/run.ts';

const secretWords = ['password', 'token'];
const defaultQuery = runsQuery.parse({});
const allFilters = runsQuery.parse({
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

/** A call that shows the query of a repository method. */
export interface Example {
  method: (...parameters: never[]) => unknown;
  /** Distinguishes this call from others of the same method. */
  note?: string;
  call: (database: Database) => Promise<unknown>;
}

/** Calls of the repository methods that the other examples do not cover, at least one per method. */
export const examples: readonly Example[] = [
  {
    method: runs.listRunIds,
    note: 'first page',
    call: (database) =>
      runs.listRunIds(database, defaultQuery, { ...defaultQuery, pageRequest: defaultQuery }),
  },
  {
    method: runs.listRunIds,
    note: 'all runs',
    call: (database) => runs.listRunIds(database, defaultQuery, defaultQuery),
  },
  {
    method: runs.listRunIds,
    note: 'all filters, by best fitness',
    call: (database) =>
      runs.listRunIds(database, allFilters, {
        pageRequest: { page: 2, size: 50 },
        sortBy: 'best_fitness',
        sortDir: 'asc',
      }),
  },
  {
    method: runs.listRunIds,
    note: 'by a parameter',
    call: (database) =>
      runs.listRunIds(database, defaultQuery, {
        ...defaultQuery,
        sortBy: 'param:algorithm.populationSize',
      }),
  },
  {
    method: runs.listRunIds,
    note: 'of one experiment',
    call: (database) =>
      runs.listRunIds(database, { ...defaultQuery, experimentId: 'e1' }, defaultQuery),
  },
  { method: runs.listRuns, call: (database) => runs.listRuns(database, ['r1', 'r2']) },
  {
    method: runs.listPresentRuns,
    call: (database) => runs.listPresentRuns(database, ['r1', 'r2']),
  },
  {
    method: runs.listParamPathsOfRuns,
    call: (database) =>
      runs.listParamPathsOfRuns(database, allFilters, ['model.type', 'problem.type']),
  },
  {
    method: runs.countRuns,
    note: 'all runs',
    call: (database) => runs.countRuns(database, defaultQuery),
  },
  {
    method: runs.countRuns,
    note: 'all filters',
    call: (database) => runs.countRuns(database, allFilters),
  },
  {
    method: runs.listStartsInSecond,
    call: (database) =>
      runs.listStartsInSecond(database, defaultQuery, '2026-11-21T10:00:00', 'desc'),
  },
  {
    method: runs.hasMixedSecond,
    call: (database) => runs.hasMixedSecond(database, ['2026-11-21T10:00:00']),
  },
  { method: runs.hasRun, call: (database) => runs.hasRun(database, 'r1') },
  { method: runs.findRun, call: (database) => runs.findRun(database, 'r1') },
  { method: runs.findSibling, call: (database) => runs.findSibling(database, 'r1', 'previous') },
  { method: params.listParamsOfRun, call: (database) => params.listParamsOfRun(database, 'r1') },
  {
    method: params.listParamValues,
    call: (database) =>
      params.listParamValues(database, ['e1', 'e2'], ['algorithm.populationSize']),
  },
  {
    method: params.listWholeParams,
    call: (database) => params.listWholeParams(database, ['e1', 'e2']),
  },
  { method: params.listParamPaths, call: (database) => params.listParamPaths(database) },
  {
    method: iterations.listScalars,
    call: (database) => iterations.listScalars(database, { runId: 'r1', after: 10, limit: 100 }),
  },
  {
    method: iterations.listIterationSizes,
    call: (database) =>
      iterations.listIterationSizes(database, { runId: 'r1', after: 10, limit: 500 }),
  },
  {
    method: iterations.listIterations,
    call: (database) =>
      iterations.listIterations(database, { runId: 'r1', after: 10, lastIteration: 60 }),
  },
  {
    method: iterations.countRowsWithoutNumber,
    call: (database) => iterations.countRowsWithoutNumber(database, 'r1'),
  },
  {
    method: iterations.findLastMetrics,
    call: (database) => iterations.findLastMetrics(database, 'r1'),
  },
  {
    method: iterations.findFamilyText,
    call: (database) => iterations.findFamilyText(database, 'r1'),
  },
  {
    method: iterations.listTraceGains,
    call: (database) => iterations.listTraceGains(database, ['e1', 'e2']),
  },
  {
    method: iterations.listSomeTraceGains,
    call: (database) => iterations.listSomeTraceGains(database, { runId: 'r1' }),
  },
  {
    method: iterations.listSomeTraceGains,
    call: (database) => iterations.listSomeTraceGains(database, { experimentId: 'e1', limit: 50 }),
  },
  {
    method: events.listEvents,
    note: 'truncated',
    call: (database) =>
      events.listEvents(database, [1, 2], { characters: 280, wholeBytes: 65_536 }),
  },
  {
    method: events.listEventIds,
    note: 'with a search text',
    call: (database) =>
      events.listEventIds(
        database,
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
    call: (database) =>
      events.countEvents(database, {
        runId: 'r1',
        search: {
          q: 'text',
          hiddenIds: [],
          matchingIds: [],
          unreadEvents: { afterId: 7, substrings: ['password'] },
        },
      }),
  },
  {
    method: events.listSuspiciousEvents,
    call: (database) =>
      events.listSuspiciousEvents(
        database,
        { runId: 'r1' },
        { substrings: secretWords, limit: 50 },
      ),
  },
  { method: events.listPayloads, call: (database) => events.listPayloads(database, [1, 2]) },
  {
    method: events.findEvent,
    call: (database) =>
      events.findEvent(database, 'r1', '1', { characters: 280, wholeBytes: 1_000 }),
  },
  {
    method: iterations.listRunningRuns,
    call: (database) => iterations.listRunningRuns(database, ['e1', 'e2']),
  },
  {
    method: filters.findRareStatusCondition,
    call: (database) => filters.findRareStatusCondition(database, ['failed', 'STOPPED']),
  },
  {
    method: iterations.listLatestRunningRuns,
    call: (database) => iterations.listLatestRunningRuns(database, 64),
  },
  { method: events.listEventTypes, call: (database) => events.listEventTypes(database, 'r1') },
  {
    method: checkpoints.listCheckpoints,
    call: (database) => checkpoints.listCheckpoints(database, 'r1'),
  },
  {
    method: objectives.listObjectiveRows,
    call: (database) => objectives.listObjectiveRows(database, 'r1'),
  },
  {
    method: objectives.listRunsWithSeveralObjectives,
    call: (database) => objectives.listRunsWithSeveralObjectives(database, ['r1', 'r2']),
  },
  {
    method: control.listStopRequests,
    call: (database) => control.listStopRequests(database, ['r1', 'r2'], ['e1']),
  },
  {
    method: params.listPathsOfName,
    call: (database) => params.listPathsOfName(database, 'type'),
  },
  {
    method: params.listPathsAmong,
    call: (database) =>
      params.listPathsAmong(
        database,
        ['model.type', 'problem.type'],
        database.kysely.selectFrom('experiments').select('experiment_id'),
      ),
  },
  {
    method: iterations.listNewestRows,
    call: (database) => iterations.listNewestRows(database, ['r1', 'r2']),
  },
  {
    method: iterations.listFitnessRanges,
    call: (database) => iterations.listFitnessRanges(database, ['r1', 'r2']),
  },
  {
    method: iterations.listRunningRanges,
    call: (database) => iterations.listRunningRanges(database, ['e1', 'e2']),
  },
  { method: facets.groupRuns, call: (database) => facets.groupRuns(database, 'include') },
  { method: facets.groupRuns, call: (database) => facets.groupRuns(database, 'only') },
  { method: facets.listTypes, call: (database) => facets.listTypes(database) },
  { method: facets.listCampaignKinds, call: (database) => facets.listCampaignKinds(database) },
  {
    method: analysis.listProblemExperiments,
    call: (database) => analysis.listProblemExperiments(database),
  },
  {
    method: analysis.listProblemExperiments,
    note: 'of one problem type',
    call: (database) => analysis.listProblemExperiments(database, 'onemax'),
  },
  {
    method: analysis.listExperiments,
    call: (database) => analysis.listExperiments(database, ['e1', 'e2']),
  },
  {
    method: analysis.listRunsWithStepsNote,
    call: (database) => analysis.listRunsWithStepsNote(database, ['r1', 'r2']),
  },
  {
    method: analysis.listRunsById,
    call: (database) => analysis.listRunsById(database, ['r1', 'r2']),
  },
  {
    method: analysis.computeFingerprints,
    call: (database) => analysis.computeFingerprints(database, ['r1', 'r2']),
  },
  {
    method: analysis.listResults,
    call: (database) => analysis.listResults(database, ['e1', 'e2']),
  },
  {
    method: analysis.listRuns,
    call: (database) => analysis.listRuns(database, ['e1', 'e2']),
  },
  {
    method: analysis.countRunsPerExperiment,
    call: (database) => analysis.countRunsPerExperiment(database),
  },
  {
    method: analysis.listExperimentsOfSameProblem,
    call: (database) => analysis.listExperimentsOfSameProblem(database, 'e1'),
  },
  { method: summary.countAll, call: (database) => summary.countAll(database) },
  { method: summary.countRunningRuns, call: (database) => summary.countRunningRuns(database) },
  { method: summary.ping, call: (database) => summary.ping(database) },
  {
    method: iterations.findIteration,
    call: (database) => iterations.findIteration(database, 'r1', '7'),
  },
  { method: telemetry.listPoints, call: (database) => telemetry.listPoints(database, 'r1') },
  {
    method: telemetry.findNewestDiagnosticsBytes,
    call: (database) => telemetry.findNewestDiagnosticsBytes(database, 'r1'),
  },
  {
    method: telemetry.listTimes,
    call: (database) => telemetry.listTimes(database, 'r1', [0, 7]),
  },
  {
    method: telemetry.listTelemetryHeads,
    call: (database) => telemetry.listTelemetryHeads(database, 'r1', [0, 7]),
  },
  {
    method: telemetry.readDiagnostics,
    call: (database) => telemetry.readDiagnostics(database, 'r1', [0, 7], () => null),
  },
  {
    method: events.findNewestEventId,
    call: (database) => events.findNewestEventId(database, 'r1'),
  },
  {
    method: runs.listRunsToDiagnose,
    call: (database) => runs.listRunsToDiagnose(database, runsQuery.parse({ problem: 'onemax' })),
  },
  {
    method: runs.countRuns,
    note: 'runs with a diagnosis',
    call: (database) => runs.countRuns(database, { ...runsQuery.parse({}), runIds: ['r1', 'r2'] }),
  },
];
