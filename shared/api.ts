import * as z from 'zod';
import { addresses, type Address, type EndpointName } from './addresses.ts';
import { analysisEndpoints } from './endpoints/analysis.ts';
import { annotationEndpoints } from './endpoints/annotations.ts';
import { cocoEndpoints } from './endpoints/coco.ts';
import { databaseEndpoints } from './endpoints/databases.ts';
import { exportEndpoints } from './endpoints/export.ts';
import { dataSetEndpoints, importEndpoints } from './endpoints/imports.ts';
import * as analysis from './schemas/analysis.ts';
import * as analysisQuery from './schemas/analysis-query.ts';
import * as control from './schemas/control.ts';
import * as csv from './schemas/csv-tables.ts';
import type { CsvTables } from './schemas/format.ts';
import type { ErrorCode } from './schemas/error.ts';
import * as experiment from './schemas/experiment.ts';
import * as insights from './schemas/insights.ts';
import { eventParams, experimentParams, iterationParams, runParams } from './schemas/path.ts';
import { runForecast } from './schemas/run-forecast.ts';
import * as run from './schemas/run.ts';
import * as recording from './schemas/recording.ts';
import * as service from './schemas/service.ts';
import * as tree from './schemas/tree.ts';

/** The kind of a response. */
export type ResponseKind = 'json' | 'events' | 'html' | 'tex' | 'zip';

/** One operation of the service. The server, the renderer and the OpenAPI document use it. */
export interface Endpoint extends Address {
  summary: string;
  /** Schema of the parameters of the path. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Schema of a JSON body; accepts `undefined` if the body is optional. */
  body?: z.ZodType;
  /** Body of lines: content type, schema of a line, maximum size in bytes after decompression. */
  lines?: { type: string; schema: z.ZodType; maximumBytes: number };
  /** Content types of uploads, which replace the JSON body and may exceed its maximum size. */
  uploads?: readonly string[];
  response: z.ZodType;
  /** Status of the response; default 200. */
  status?: 202;
  /** Kind of the response; default `json`. */
  kind?: ResponseKind;
  /** Tables of the response that are available as CSV and Parquet. */
  csv?: CsvTables;
  /**
   * Error codes of the operation, in addition to the codes of all operations, of its method and of requests with a
   * body.
   */
  errors?: readonly ErrorCode[];
}

/** The endpoint table: the only definition of the HTTP contract under `/api`. */
export const endpoints = {
  listRuns: {
    ...addresses.listRuns,
    summary: 'List runs, filtered, sorted and paged',
    query: run.runsQuery,
    response: run.runsPage,
    csv: csv.pageTables,
  },
  getRun: {
    ...addresses.getRun,
    summary: 'One run with its configuration, objectives and newest stop request',
    params: runParams,
    response: run.runDetail,
    errors: ['RUN_NOT_FOUND'],
  },
  forecastRun: {
    ...addresses.forecastRun,
    summary:
      'The other ended runs of the same experiment, and the expected time at which a RUNNING run reaches its target',
    params: runParams,
    response: runForecast,
    errors: ['RUN_NOT_FOUND'],
  },
  listIterations: {
    ...addresses.listIterations,
    summary: 'Iterations of a run in order; `fields=scalars` omits the telemetry JSON',
    params: runParams,
    query: run.iterationsQuery,
    response: run.iterationsResponse,
    csv: csv.listTables,
    errors: ['RUN_NOT_FOUND'],
  },
  getIteration: {
    ...addresses.getIteration,
    summary: 'One iteration with its telemetry JSON',
    params: iterationParams,
    response: run.fullIteration,
    errors: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  },
  getInsights: {
    ...addresses.getInsights,
    summary: 'Telemetry of a run as arrays over its iterations, and its diagnosis',
    params: runParams,
    query: insights.insightsQuery,
    response: insights.insights,
    errors: ['RUN_NOT_FOUND'],
  },
  listEvents: {
    ...addresses.listEvents,
    summary: 'Events of a run, newest first',
    params: runParams,
    query: run.eventsQuery,
    response: run.eventsPage,
    csv: csv.pageTables,
    errors: ['RUN_NOT_FOUND'],
  },
  getEvent: {
    ...addresses.getEvent,
    summary: 'One event with its payload, truncated above 128 MiB',
    params: eventParams,
    response: run.eventRow,
    errors: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  },
  listEventTypes: {
    ...addresses.listEventTypes,
    summary: 'Types of the events of a run with their counts',
    params: runParams,
    response: z.array(run.eventTypeCount),
    csv: csv.listTables,
    errors: ['RUN_NOT_FOUND'],
  },
  listCheckpoints: {
    ...addresses.listCheckpoints,
    summary: 'Checkpoints of a run by iteration',
    params: runParams,
    response: z.array(run.checkpointRow),
    csv: csv.listTables,
    errors: ['RUN_NOT_FOUND'],
  },
  listRunParams: {
    ...addresses.listRunParams,
    summary: 'Flattened parameters of the run’s experiment',
    params: runParams,
    response: z.array(run.paramRow),
    csv: csv.listTables,
    errors: ['RUN_NOT_FOUND'],
  },
  stopRun: {
    ...addresses.stopRun,
    summary: 'Request a RUNNING run to stop before its next iteration',
    params: runParams,
    body: control.stopBody,
    response: control.stopResponse,
    errors: ['RUN_NOT_FOUND', 'NOT_STOPPABLE', 'READ_ONLY'],
  },
  settleRun: {
    ...addresses.settleRun,
    summary:
      'Mark a RUNNING run as FAILED if its runner has crashed: the run is silent, its last activity is older than 10 ' +
      'minutes, and it writes nothing during a check of 3 to 10 s. Its end is its last activity',
    params: runParams,
    body: control.stopBody,
    response: control.settleResponse,
    errors: ['RUN_NOT_FOUND', 'NOT_RUNNING', 'STILL_ALIVE', 'READ_ONLY'],
  },
  record: {
    ...addresses.record,
    summary:
      'Record runs of any program while they run: one JSON object per line, at most 8 MiB, gzip accepted. Invalid lines ' +
      'do not affect valid ones. A line that a client sends again changes nothing, except a `run` without `runId` and an event ' +
      'without `eventId`. The response lists the runs that a user requested to stop. Requires --record',
    query: recording.recordQuery,
    body: recording.recordBody,
    lines: {
      type: recording.recordType,
      schema: recording.recordLine,
      maximumBytes: recording.maximumRecordBytes,
    },
    response: recording.recordResponse,
    errors: ['RECORDING_OFF', 'RECORDING_BUSY', 'READ_ONLY'],
  },
  getTree: {
    ...addresses.getTree,
    summary: 'The best program of a grammar run',
    params: runParams,
    response: tree.grammarTree,
    errors: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  },
  listExperiments: {
    ...addresses.listExperiments,
    summary: 'List experiments with their numbers of runs, filtered, sorted and paged',
    query: experiment.experimentsQuery,
    response: experiment.experimentsPage,
    csv: csv.pageTables,
  },
  getExperiment: {
    ...addresses.getExperiment,
    summary: 'One experiment with its configuration, counters and newest stop request',
    params: experimentParams,
    response: experiment.experimentDetail,
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  listExperimentRuns: {
    ...addresses.listExperimentRuns,
    summary: 'Runs of an experiment, sorted and paged',
    params: experimentParams,
    query: experiment.experimentRunsQuery,
    response: experiment.experimentRunsPage,
    csv: csv.pageTables,
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  listExperimentParams: {
    ...addresses.listExperimentParams,
    summary: 'Flattened parameters of an experiment',
    params: experimentParams,
    response: z.array(run.paramRow),
    csv: csv.listTables,
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  previewDeletion: {
    ...addresses.previewDeletion,
    summary: 'Preview of the rows and files that a deletion would remove now',
    params: experimentParams,
    response: experiment.deletionPreview,
    errors: ['EXPERIMENT_NOT_FOUND', 'DOCUMENTS_UNREADABLE'],
  },
  deleteExperiment: {
    ...addresses.deleteExperiment,
    summary: 'Delete an experiment with its runs and all their data',
    params: experimentParams,
    query: experiment.deletionQuery,
    response: experiment.deletionResponse,
    errors: [
      'EXPERIMENT_NOT_FOUND',
      'RUNS_ACTIVE',
      'RUNNER_WRITING',
      'COUNTS_CHANGED',
      'TABLES_OF_OTHERS',
      'DOCUMENTS_UNREADABLE',
      'READ_ONLY',
    ],
  },
  deleteExperiments: {
    ...addresses.deleteExperiments,
    summary: 'Delete several experiments, each in a separate transaction',
    body: experiment.bulkDeletionBody,
    response: experiment.bulkDeletionResponse,
    errors: ['DOCUMENTS_UNREADABLE', 'READ_ONLY'],
  },
  stopExperiment: {
    ...addresses.stopExperiment,
    summary: 'Request all RUNNING runs of an experiment to stop',
    params: experimentParams,
    body: control.stopBody,
    response: control.stopResponse,
    errors: ['EXPERIMENT_NOT_FOUND', 'NOT_STOPPABLE', 'READ_ONLY'],
  },
  analyseExperiment: {
    ...addresses.analyseExperiment,
    summary: 'The analysis of an experiment, and the comparison on its problem instance',
    params: experimentParams,
    query: analysisQuery.experimentAnalysisQuery,
    response: analysis.experimentAnalysis,
    csv: csv.experimentTables,
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  exportExperimentAnalysis: {
    ...addresses.exportExperimentAnalysis,
    summary: 'The tables of the analysis as a LaTeX fragment (`booktabs`, `longtable`, `graphicx`)',
    params: experimentParams,
    query: analysisQuery.experimentLatexQuery,
    response: z.string(),
    kind: 'tex',
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  exportExperiment: {
    ...addresses.exportExperiment,
    summary: 'The same as `…/analysis/latex`, at the address that existing scripts use',
    params: experimentParams,
    query: analysisQuery.experimentLatexQuery,
    response: z.string(),
    kind: 'tex',
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  listExperimentTraces: {
    ...addresses.listExperimentTraces,
    summary: 'Trace (best so far) of each run of an experiment, thinned for charts',
    params: experimentParams,
    query: analysisQuery.experimentTracesQuery,
    response: analysis.experimentTraces,
    csv: csv.traceTables,
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
  ...analysisEndpoints,
  ...annotationEndpoints,
  ...cocoEndpoints,
  ...exportEndpoints,
  ...importEndpoints,
  ...dataSetEndpoints,
  ...databaseEndpoints,
  getFacets: {
    ...addresses.getFacets,
    summary: 'Distinct values for filters',
    query: service.facetsQuery,
    response: service.facets,
  },
  listParamPaths: {
    ...addresses.listParamPaths,
    summary: 'Parameter paths that lists can show as columns',
    response: service.paramPaths,
    csv: csv.listTables,
  },
  getSummary: {
    ...addresses.getSummary,
    summary: 'Counts, total runtime and size of the database',
    response: service.dashboardSummary,
  },
  getHealth: {
    ...addresses.getHealth,
    summary: 'State of the service and its database; requires no token',
    response: service.health,
  },
  getOpenApi: {
    ...addresses.getOpenApi,
    summary: 'This API as an OpenAPI 3.1 document',
    response: z.looseObject({ openapi: z.string() }),
  },
  getDocs: {
    ...addresses.getDocs,
    summary: 'The documentation page of this API',
    response: z.string(),
    kind: 'html',
  },
  watchChanges: {
    ...addresses.watchChanges,
    summary: 'Server-sent events: the state of the database at the start, and after each change',
    response: service.databaseChange,
    kind: 'events',
    errors: ['TOO_MANY_STREAMS'],
  },
} as const satisfies { [Name in EndpointName]: Endpoint & (typeof addresses)[Name] };

/** The response of the endpoint with this name. */
export type ResponseBody<Name extends EndpointName> = z.infer<(typeof endpoints)[Name]['response']>;
