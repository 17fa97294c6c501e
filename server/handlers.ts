import type * as z from 'zod';
import type { EndpointName } from '#shared/addresses.ts';
import type { Endpoint, endpoints } from '#shared/api.ts';
import type { databaseEndpoints } from '#shared/endpoints/databases.ts';
import type { importEndpoints } from '#shared/endpoints/imports.ts';
import type { annotationParams } from '#shared/schemas/annotation.ts';
import { fullIteration, iterationRow } from '#shared/schemas/run.ts';
import { getEcdf } from './analysis/campaign-ecdf.ts';
import { compareOptimizers } from './analysis/campaign-tests.ts';
import { compareRuns } from './analysis/comparison.ts';
import { listTraces, addMetrics } from './analysis/traced-experiments.ts';
import { analyseExperiment } from './analysis/experiment.ts';
import type { RequestMemo } from './analysis/memo.ts';
import { listProblems } from './analysis/problems.ts';
import { forecastRun } from './analysis/run-forecast.ts';
import { countRunsNeeded } from './analysis/runs-needed.ts';
import { loadExperimentInput, loadProblemInput } from '#server/analysis/load.ts';
import type { Traces } from './analysis/shared-traces.ts';
import type { Database } from './db/database.ts';
import type { ReplicaReport } from './db/replica.ts';
import type { ArchiveState } from './export/archive.ts';
import type { ArchiveFormat } from './export/layout.ts';
import { toFileName } from '#shared/file-name.ts';
import { makeLatexFileName } from './formats/descriptions.ts';
import { hashDatabaseUrl } from './db/url.ts';
import { getDocsPage, getOpenApiDocument } from './docs/docs.ts';
import type { Log } from './logger.ts';
import { listParamPaths } from './repositories/params.ts';
import type { List } from './records/page.ts';
import { countRunningRuns } from './repositories/summary.ts';
import * as annotations from './services/annotations.ts';
import * as coco from './services/coco.ts';
import * as control from './services/control.ts';
import * as dataSets from './services/data-sets.ts';
import * as deletion from './services/deletion.ts';
import * as events from './services/events.ts';
import * as experiments from './services/experiments.ts';
import * as iterations from './services/iterations.ts';
import { overlayRuns } from './analysis/run-overlay.ts';
import type { OtherDatabases } from './recording/other-databases.ts';
import * as runs from './services/runs.ts';
import { settleRun } from './services/settle.ts';
import * as summary from './services/summary.ts';

/**
 * The kind of thread of a handler. The `watcher` runs handlers that read at most one row and must not wait for other
 * handlers. The `writer` runs handlers that change stored data. `analysis` threads run handlers that may compute or
 * export for a long time. A `reader` runs all others. A query to SQLite blocks its thread, also while the query waits
 * for a lock. So the thread that responds to requests has no connection to a SQLite file. This thread has connections
 * to PostgreSQL, and is then the watcher. With a database in memory, it runs all handlers.
 */
export type ThreadName = 'watcher' | 'reader' | 'analysis' | 'writer';

/** The endpoints with a handler: all except those of imports and those that choose the database. */
export type HandledName = Exclude<
  EndpointName,
  keyof typeof importEndpoints | keyof typeof databaseEndpoints
>;

/** The dependencies of the handlers of one thread. */
export interface Context {
  database: Database;
  logger: Log;
  traces: Traces;
  memo: RequestMemo;
  /** Root of the artifacts of runs; undefined if unknown. */
  artifactsDirectory?: string | undefined;
  version: string;
  /** Whether clients can choose another database. */
  canChoose?: boolean | undefined;
  /** Whether clients may record runs. */
  isRecording?: boolean | undefined;
  /** Returns the state of the replica. The function is undefined without a replica, and in worker threads. */
  reportReplica?: (() => ReplicaReport) | undefined;
}

type OutputOf<Shape, Key extends string> =
  Shape extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : unknown;

/**
 * The input of a handler. It contains the parts of a request, parsed by the schemas of the endpoint. For a stream of
 * events, it contains the change cursor of the database.
 */
export type Input<Shape extends Endpoint> = Shape extends { kind: 'events' }
  ? { cursor: string }
  : {
      params: OutputOf<Shape, 'params'>;
      query: OutputOf<Shape, 'query'>;
      body: OutputOf<Shape, 'body'>;
    };

type InputOf<Name extends HandledName> = Input<(typeof endpoints)[Name]>;

/** The part of the input of `record` that the service adds to the input from the client. */
export interface RecordContext {
  otherDatabases?: OtherDatabases | undefined;
}

/** A slice of a list that may be too long for the memory. */
export interface Slice {
  rows: unknown[];
  /** Schema of a row. */
  schema: z.ZodType;
  /** Input of the next slice; null after the last one. */
  nextInput: object | null;
}

/** A slice of a binary response that may be too long for the memory. */
export interface BinarySlice {
  bytes: Uint8Array<ArrayBuffer>;
  /** Input of the next slice; null after the last one. */
  nextInput: object | null;
}

/** Item of a page of an endpoint that responds with pages; `never` for other endpoints. */
type ItemOf<Name extends HandledName> =
  z.input<(typeof endpoints)[Name]['response']> extends { items: readonly (infer Item)[] }
    ? Item
    : never;

type HandlerFunction<Name extends HandledName> = (
  context: Context,
  input: InputOf<Name>,
) => Promise<z.input<(typeof endpoints)[Name]['response']>>;

/** The function of an endpoint, with its thread and the options of its response. */
export type Handler<Name extends HandledName> = {
  thread: ThreadName;
  /**
   * Mode of the cache; undefined if the service does not cache the response. `exact`: the cached response is valid
   * until the database changes or, if the response depends on the time, until it expires. `stale-while-revalidate`: if
   * the current response takes long to compute, the service may send a stale one meanwhile; see {@link Responses}.
   */
  cacheMode?: 'exact' | 'stale-while-revalidate';
  /**
   * Returns the name of the file that clients download, in ASCII. The function is undefined if clients download only
   * CSV and Parquet tables.
   */
  getFileName?: ((input: InputOf<Name>) => string) | undefined;
} & (
  | { run: HandlerFunction<Name> }
  | { makeSlice: (context: Context, input: InputOf<Name>) => Promise<Slice> }
  | { list: (context: Context, input: InputOf<Name>) => List<ItemOf<Name>> }
  | { makeBinarySlice: (context: Context, input: InputOf<Name>) => Promise<BinarySlice> }
);

function handleRead<Name extends HandledName>(runFunction: HandlerFunction<Name>): Handler<Name> {
  return { thread: 'reader', run: runFunction };
}

function handleList<Name extends HandledName>(
  createList: (context: Context, input: InputOf<Name>) => List<ItemOf<Name>>,
): Handler<Name> {
  return { thread: 'reader', list: createList };
}

function handleWrite<Name extends HandledName>(runFunction: HandlerFunction<Name>): Handler<Name> {
  return { thread: 'writer', run: runFunction };
}

function handleAnalysis<Name extends HandledName>(
  runFunction: HandlerFunction<Name>,
  getFileName?: (input: InputOf<Name>) => string,
): Handler<Name> {
  return { thread: 'analysis', cacheMode: 'exact', run: runFunction, getFileName };
}

/** Returns the handler of an archive in the format of a logger. */
function handleArchive<Name extends 'exportIohprofiler' | 'exportCoco'>(
  format: ArchiveFormat,
): Handler<Name> {
  return {
    thread: 'analysis',
    getFileName: ({ params }) => `${toFileName(params.subjectId)}.${format}.zip`,
    makeBinarySlice: async ({ database }, input) => {
      const { params: subject, query } = input;
      // Few requests need this module, and each thread compiles the code that it loads.
      const { writeArchivePart } = await import('./export/archive.ts');
      const { previousState } = input as { previousState?: ArchiveState };
      const slice = await writeArchivePart(database, format, { subject, query }, previousState);
      return {
        bytes: slice.bytes,
        nextInput: slice.nextState && { ...input, previousState: slice.nextState },
      };
    },
  };
}

/** Loads the functions that write LaTeX. Few requests need them, and each thread compiles the code that it loads. */
const loadLatex = () => import('./analysis/latex.ts');

/** The handler of two endpoints, because older scripts use another address. */
const exportExperiment = handleAnalysis<'exportExperiment' | 'exportExperimentAnalysis'>(
  async (context, { params, query }) =>
    (await loadLatex()).exportExperiment(context, params.experimentId, query),
  ({ params }) => makeLatexFileName('experiment', params.experimentId),
);

/**
 * Returns the first parameter of the path of a request, such as the id of the experiment. Requests with the same
 * parameter often use the same intermediate results. Returns an empty text for a path without parameters, and undefined
 * for handlers outside of `analysis`.
 */
export function getAffinity(name: HandledName, input: unknown): string | undefined {
  if (handlers[name].thread !== 'analysis') return undefined;
  const { params } = input as { params?: Readonly<Record<string, string>> };
  return Object.values(params ?? {})[0] ?? '';
}

/** Returns the subject of an annotation from the parameters of its path. */
function getSubject({ kind, subjectId }: z.output<typeof annotationParams>): annotations.Subject {
  return { kind, id: subjectId };
}

/** The handlers of all endpoints in {@link HandledName}. */
export const handlers: { readonly [Name in HandledName]: Handler<Name> } = {
  listRuns: handleList(({ database }, { query }) => runs.makeRunList(database, query)),
  getRun: handleRead(({ database }, { params }) => runs.getRun(database, params.runId)),
  forecastRun: {
    thread: 'analysis',
    run: (context, { params }) => forecastRun(context, params.runId),
  },
  listIterations: {
    thread: 'reader',
    makeSlice: async ({ database }, { params, query, body }) => {
      const isShort = query.fields === 'scalars';
      const listRows = isShort ? iterations.listScalars : iterations.listIterations;
      const { rows, nextRange } = await listRows(database, params.runId, query);
      return {
        rows,
        schema: isShort ? iterationRow : fullIteration,
        nextInput: nextRange && { params, query: { ...query, ...nextRange }, body },
      };
    },
  },
  getIteration: handleRead(({ database }, { params }) =>
    iterations.getIteration(database, params.runId, params.iteration),
  ),
  getInsights: {
    thread: 'analysis',
    run: async ({ database }, { params, query }) => {
      const { getInsights } = await import('./analysis/insights.ts');
      return getInsights(database, params.runId, query);
    },
  },
  listEvents: handleList(({ database }, { params, query }) =>
    events.makeEventList(database, params.runId, query),
  ),
  getEvent: handleRead(({ database }, { params }) =>
    events.getEvent(database, params.runId, params.id),
  ),
  listEventTypes: handleRead(({ database }, { params }) =>
    events.listEventTypes(database, params.runId),
  ),
  listCheckpoints: handleRead(({ database }, { params }) =>
    runs.listCheckpoints(database, params.runId),
  ),
  listRunParams: handleRead(({ database }, { params }) =>
    runs.listRunParams(database, params.runId),
  ),
  stopRun: handleWrite(({ database }, { params, body }) =>
    control.requestRunStop(database, params.runId, body?.reason),
  ),
  record: handleWrite(async ({ database, isRecording }, input) => {
    const { query, body, otherDatabases } = input as typeof input & RecordContext;
    // Only services with --record need this module, and each thread compiles the code that it loads.
    const { storeRecords } = await import('./recording/record-lines.ts');
    return storeRecords(database, {
      isRecording: isRecording === true,
      text: body,
      furtherRuns: query.run,
      otherDatabases,
    });
  }),
  settleRun: handleWrite(({ database }, { params, body }) =>
    settleRun(database, params.runId, body?.reason),
  ),
  getTree: handleRead(({ database }, { params }) => runs.getTree(database, params.runId)),
  listExperiments: handleList((context, { query }) => {
    const list = experiments.makeExperimentList(context.database, query);
    if (!query.figures) return list;
    return { ...list, listItems: async (ids) => addMetrics(context, await list.listItems(ids)) };
  }),
  getExperiment: handleRead(({ database }, { params }) =>
    experiments.getExperiment(database, params.experimentId),
  ),
  listExperimentRuns: handleList(({ database }, { params, query }) =>
    experiments.makeExperimentRunList(database, params.experimentId, query),
  ),
  listExperimentParams: handleRead(({ database }, { params }) =>
    experiments.listExperimentParams(database, params.experimentId),
  ),
  previewDeletion: handleRead((context, { params }) =>
    deletion.previewDeletion(context, params.experimentId),
  ),
  deleteExperiment: handleWrite((context, { params, query }) =>
    deletion.deleteExperiment(context, params.experimentId, query),
  ),
  deleteExperiments: handleWrite((context, { body }) => deletion.deleteExperiments(context, body)),
  stopExperiment: handleWrite(({ database }, { params, body }) =>
    control.requestExperimentStop(database, params.experimentId, body?.reason),
  ),
  analyseExperiment: handleAnalysis(async (context, { params, query }) => {
    const input = await loadExperimentInput(context, params.experimentId, query);
    return analyseExperiment(context.memo, input, query);
  }),
  exportExperimentAnalysis: exportExperiment,
  exportExperiment,
  listExperimentTraces: handleAnalysis((context, { params, query }) =>
    listTraces(context, params.experimentId, query),
  ),
  listProblems: {
    thread: 'analysis',
    cacheMode: 'stale-while-revalidate',
    run: ({ database }) => listProblems(database),
  },
  compareProblem: handleAnalysis(async (context, { params, query }) => {
    const input = await loadProblemInput(context, params.problemType, query);
    return compareRuns(context.memo, input, query);
  }),
  exportProblemComparison: handleAnalysis(
    async (context, { params, query }) =>
      (await loadLatex()).exportComparison(context, params.problemType, query),
    ({ params }) => makeLatexFileName('problem', params.problemType),
  ),
  describeParameters: handleAnalysis(async (context, { query }) => {
    const { describeParameters } = await import('./analysis/parameters.ts');
    return describeParameters(context, query);
  }),
  overlayRuns: {
    thread: 'analysis',
    run: (context, { query }) => overlayRuns(context, query),
  },
  overlayTelemetry: {
    thread: 'analysis',
    run: async (context, { query }) => {
      // Few requests need this module, and each thread compiles the code that it loads.
      const { overlayTelemetry } = await import('./analysis/telemetry-overlay.ts');
      return overlayTelemetry(context, query);
    },
  },
  countRunsNeeded: handleRead(async (_context, { query }) => countRunsNeeded(query)),
  compareAcross: handleAnalysis(async (context, { query }) => {
    const { compareAcross } = await import('./analysis/across.ts');
    return compareAcross(context, query);
  }),
  exportAcross: handleAnalysis(
    async (context, { query }) => (await loadLatex()).exportAcross(context, query),
    () => makeLatexFileName('problem', 'across'),
  ),
  listCampaigns: handleList(({ database }, { query }) => coco.makeCampaignList(database, query)),
  getCampaign: handleRead(({ database }, { params }) =>
    coco.getCampaign(database, params.campaignId),
  ),
  listOptimizers: handleRead(({ database }, { params }) =>
    coco.listOptimizers(database, params.campaignId),
  ),
  listAggregates: handleRead(({ database }, { params }) =>
    coco.listAggregates(database, params.campaignId),
  ),
  listTrials: handleList(({ database }, { params, query }) =>
    coco.makeTrialList(database, params.campaignId, query),
  ),
  listErts: handleAnalysis(async (context, { params, query }) => {
    const { listErts } = await import('./analysis/campaign-erts.ts');
    return listErts(context, params.campaignId, query);
  }),
  exportErts: handleAnalysis(
    async (context, { params, query }) =>
      (await loadLatex()).exportErts(context, params.campaignId, query),
    ({ params }) => makeLatexFileName('campaign', params.campaignId),
  ),
  compareOptimizers: handleAnalysis((context, { params, query }) =>
    compareOptimizers(context, params.campaignId, query),
  ),
  getEcdf: handleAnalysis((context, { params, query }) =>
    getEcdf(context, params.campaignId, query),
  ),
  getCompleteness: handleRead(({ database }, { params }) =>
    coco.getCompleteness(database, params.campaignId),
  ),
  listReferences: handleRead(({ database }, { params }) =>
    coco.listReferences(database, params.campaignId),
  ),
  previewCampaignDeletion: handleRead((context, { params }) =>
    deletion.previewCampaignDeletion(context, params.campaignId),
  ),
  deleteCampaign: handleWrite((context, { params, query }) =>
    deletion.deleteCampaign(context, params.campaignId, query),
  ),
  describeExport: handleAnalysis(async ({ database }, { params, query }) => {
    const { describeExport } = await import('./export/archive.ts');
    return describeExport(database, params, query);
  }),
  exportIohprofiler: handleArchive('ioh'),
  exportCoco: handleArchive('coco'),
  exportExperiments: {
    thread: 'analysis',
    run: async ({ database }, input) => {
      const { listExperiments } = await import('./export/tables.ts');
      return listExperiments(database, input);
    },
  },
  exportRuns: {
    thread: 'analysis',
    makeSlice: async ({ database }, input) => {
      const { sliceRuns } = await import('./export/tables.ts');
      return sliceRuns(database, input);
    },
  },
  exportTraces: {
    thread: 'analysis',
    makeSlice: async ({ database }, input) => {
      const { sliceTraces } = await import('./export/tables.ts');
      return sliceTraces(database, input);
    },
  },
  listAnnotations: handleRead(({ database }, { query }) =>
    annotations.listAnnotations(database, query.kind),
  ),
  getAnnotation: handleRead(({ database }, { params }) =>
    annotations.getAnnotation(database, getSubject(params)),
  ),
  saveAnnotation: handleWrite(({ database }, { params, body }) =>
    annotations.saveAnnotation(database, getSubject(params), body),
  ),
  removeAnnotation: handleWrite(({ database }, { params, query }) =>
    annotations.removeAnnotation(database, getSubject(params), query.version),
  ),
  listDataSets: handleRead(({ database }) => dataSets.listDataSets(database)),
  previewDataSetDeletion: handleRead((context, { params }) =>
    dataSets.previewDataSetDeletion(context, params.name),
  ),
  deleteDataSet: handleWrite((context, { params, query }) =>
    dataSets.deleteDataSet(context, params.name, query),
  ),
  getFacets: {
    thread: 'reader',
    cacheMode: 'stale-while-revalidate',
    run: ({ database }, { query }) => summary.getFacets(database, query.trials),
  },
  listParamPaths: handleRead(({ database }) => listParamPaths(database)),
  getSummary: {
    thread: 'reader',
    cacheMode: 'stale-while-revalidate',
    run: ({ database, memo }) => {
      // A run becomes silent without a change of the database.
      memo.markTimeDependent();
      return summary.getSummary(database);
    },
  },
  getHealth: {
    thread: 'watcher',
    run: ({ database, version, canChoose, reportReplica }) =>
      summary.getHealth(database, { version, canChoose, replica: reportReplica?.() }),
  },
  getOpenApi: handleRead(async ({ version }) => ({ ...(await getOpenApiDocument(version)) })),
  getDocs: handleRead(async ({ version }) => getDocsPage(version)),
  watchChanges: handleRead(async ({ database }, { cursor }) => ({
    cursor,
    running: await countRunningRuns(database),
    database: hashDatabaseUrl(database.location),
    databaseIdentity: await database.dialect.readIdentity(),
    annotations: await database.dialect.documents.readVersion(),
  })),
};
