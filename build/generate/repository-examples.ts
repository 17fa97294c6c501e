import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import * as checkpoints from '#server/repositories/checkpoints.ts';
import * as control from '#server/repositories/control.ts';
import * as events from '#server/repositories/events.ts';
import * as facets from '#server/repositories/facets.ts';
import * as iterations from '#server/repositories/iterations.ts';
import * as objectives from '#server/repositories/objectives.ts';
import * as params from '#server/repositories/params.ts';
import * as runs from '#server/repositories/runs.ts';
import * as summary from '#server/repositories/summary.ts';

const secretWords = ['password', 'token'];
const firstPage = { page: 0, size: 25, sortBy: 'start_time', sortDir: 'desc' } as const;
const everyFilter = {
  q: 'text',
  algorithm: 'umda',
  model: 'umda-bernoulli',
  problem: 'onemax',
  status: 'COMPLETED',
  from: '2026-11-21T10:00:00.000000000',
  to: '2026-11-21T10:59:59.999999999',
  minBest: 0.5,
  maxBest: 40,
  trials: 'exclude',
  secretWords,
} as const;

/** A repository method with arguments that show its query, and what these arguments ask for. */
export interface Example {
  method: (...parameters: never[]) => unknown;
  /** What tells this call from others of the same method. */
  note?: string;
  call: (store: Database) => Promise<unknown>;
}

/** At least one call of every repository method. */
export const examples: readonly Example[] = [
  {
    method: runs.listRuns,
    note: 'first page',
    call: (store) => runs.listRuns(store, { trials: 'include', secretWords }, firstPage),
  },
  {
    method: runs.listRuns,
    note: 'all filters, by best fitness',
    call: (store) =>
      runs.listRuns(store, everyFilter, {
        page: 2,
        size: 50,
        sortBy: 'best_fitness',
        sortDir: 'asc',
      }),
  },
  {
    method: runs.countRuns,
    note: 'all runs',
    call: (store) => runs.countRuns(store, { trials: 'include', secretWords }),
  },
  {
    method: runs.countRuns,
    note: 'all filters',
    call: (store) => runs.countRuns(store, everyFilter),
  },
  { method: runs.runExists, call: (store) => runs.runExists(store, 'r1') },
  { method: runs.findRun, call: (store) => runs.findRun(store, 'r1') },
  { method: runs.findSibling, call: (store) => runs.findSibling(store, 'r1', 'previous') },
  { method: params.listParamsOfRun, call: (store) => params.listParamsOfRun(store, 'r1') },
  {
    method: params.listParamValues,
    call: (store) => params.listParamValues(store, ['e1', 'e2'], ['algorithm.populationSize']),
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
  { method: iterations.findLastMetrics, call: (store) => iterations.findLastMetrics(store, 'r1') },
  { method: iterations.findFamilyText, call: (store) => iterations.findFamilyText(store, 'r1') },
  { method: iterations.listTraceGains, call: (store) => iterations.listTraceGains(store, 'e1') },
  {
    method: events.listEvents,
    note: 'searched, cut',
    call: (store) =>
      events.listEvents(
        store,
        { runId: 'r1', eventType: 'run_started', q: 'text', exceptIds: [1, 2] },
        { page: 1, size: 25 },
        { characters: 280, wholeBytes: 65_536 },
      ),
  },
  {
    method: events.countEvents,
    call: (store) => events.countEvents(store, { runId: 'r1', exceptWords: ['password'] }),
  },
  {
    method: events.listEventsWithWords,
    call: (store) =>
      events.listEventsWithWords(store, { runId: 'r1', q: 'text' }, secretWords, {
        afterId: 0,
        limit: 50,
      }),
  },
  { method: events.findEvent, call: (store) => events.findEvent(store, 'r1', '1') },
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
    method: control.findNewestStopRequest,
    call: (store) => control.findNewestStopRequest(store, 'e1', 'r1'),
  },
  { method: facets.groupRuns, call: (store) => facets.groupRuns(store, 'only') },
  {
    method: facets.listDistinct,
    call: (store) => facets.listDistinct(store, 'experiments', 'algorithm_type'),
  },
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
    method: analysis.listRunsOf,
    call: (store) => analysis.listRunsOf(store, ['e1', 'e2']),
  },
  {
    method: analysis.countRunsPerExperiment,
    call: (store) => analysis.countRunsPerExperiment(store),
  },
  { method: analysis.findProblemType, call: (store) => analysis.findProblemType(store, 'e1') },
  { method: summary.countAll, call: (store) => summary.countAll(store) },
  { method: summary.countRunning, call: (store) => summary.countRunning(store) },
  { method: summary.ping, call: (store) => summary.ping(store) },
];
