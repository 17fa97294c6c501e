import type * as z from 'zod';
import type { EndpointName } from '#shared/addresses.ts';
import type { Endpoint, endpoints } from '#shared/api.ts';
import type { databaseEndpoints } from '#shared/endpoints/databases.ts';
import type { importEndpoints } from '#shared/endpoints/imports.ts';
import type { annotationParams } from '#shared/schemas/annotation.ts';
import { iterationFull, iterationRow } from '#shared/schemas/run.ts';
import { compareAcross } from './analysis/across.ts';
import { getEcdf } from './analysis/campaign-ecdf.ts';
import { listErts } from './analysis/campaign-erts.ts';
import { compareOptimizers } from './analysis/campaign-tests.ts';
import { compareRuns } from './analysis/comparison.ts';
import { listTraces, withFigures } from './analysis/traced-experiments.ts';
import { analyseExperiment } from './analysis/experiment.ts';
import * as latex from './analysis/latex.ts';
import type { RequestMemo } from './analysis/memo.ts';
import { describeParameters } from './analysis/parameters.ts';
import { listProblems } from './analysis/problems.ts';
import { forecastRun } from './analysis/run-forecast.ts';
import { countRunsNeeded } from './analysis/runs-needed.ts';
import { loadExperimentSubject, loadProblemSubject } from './analysis/subjects.ts';
import type { Traces } from './analysis/shared-traces.ts';
import type { Database } from './db/database.ts';
import type { ReplicaReport } from './db/replica.ts';
import { databaseId } from './db/url.ts';
import { docsPage, openApiDocument } from './docs/docs.ts';
import type { Log } from './logger.ts';
import { listParamPaths } from './repositories/params.ts';
import type { List } from './records/page.ts';
import { countRunning } from './repositories/summary.ts';
import * as annotations from './services/annotations.ts';
import * as coco from './services/coco.ts';
import * as control from './services/control.ts';
import * as dataSets from './services/data-sets.ts';
import * as deletion from './services/deletion.ts';
import * as events from './services/events.ts';
import * as experiments from './services/experiments.ts';
import { getInsights } from './analysis/insights.ts';
import * as iterations from './services/iterations.ts';
import { overlayRuns } from './analysis/run-overlay.ts';
import * as runs from './services/runs.ts';
import { overlayTelemetry } from './analysis/telemetry-overlay.ts';
import { settleRun } from './services/settle.ts';
import * as summary from './services/summary.ts';

/**
 * The kind of thread of a handler. The one `watcher` runs handlers that read at most one row and must not wait for
 * others, a `reader` runs handlers that read, `analysis` those that read and compute for a long time, and the one
 * `writer` those that change the database. A query to SQLite blocks its thread, also while it waits for a lock. So the
 * thread that responds to requests has no connection to SQLite. It has connections to PostgreSQL, and is then the
 * watcher.
 */
export type ThreadName = 'watcher' | 'reader' | 'analysis' | 'writer';

/**
 * The endpoints that read or write the database. Those of imports and of choosing a database use the memory of the
 * service.
 */
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
  /** Root of the runner's artifacts; undefined if unknown. */
  artifactsDirectory?: string | undefined;
  version: string;
  /** Whether another database can be chosen. */
  choosing?: boolean | undefined;
  /** Whether clients may record runs. */
  recording?: boolean | undefined;
  /** The state of the replica; undefined without one. */
  replica?: (() => ReplicaReport) | undefined;
}

type OutputOf<Shape, Key extends string> =
  Shape extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : unknown;

/**
 * The input of a handler: the parts of a request, parsed by the endpoint's schemas. For a stream of events, the handler
 * is called for each event with the cursor of the database.
 */
export type Input<Shape extends Endpoint> = Shape extends { kind: 'events' }
  ? { cursor: string }
  : {
      params: OutputOf<Shape, 'params'>;
      query: OutputOf<Shape, 'query'>;
      body: OutputOf<Shape, 'body'>;
    };

type InputOf<Name extends HandledName> = Input<(typeof endpoints)[Name]>;

/** A part of a list that is too long for the memory, and the input of the next part. */
export interface Slice {
  rows: unknown[];
  schema: z.ZodType;
  /** Input of the next slice; null after the last one. */
  next: object | null;
}

/** The items of an endpoint that responds with pages. */
type ItemOf<Name extends HandledName> =
  z.input<(typeof endpoints)[Name]['answer']> extends { items: readonly (infer Item)[] }
    ? Item
    : never;

type Run<Name extends HandledName> = (
  context: Context,
  input: InputOf<Name>,
) => Promise<z.input<(typeof endpoints)[Name]['answer']>>;

/** The function of an endpoint, and its thread. */
export type Handler<Name extends HandledName> = {
  thread: ThreadName;
  /** Whether the response is cached until the database changes. */
  cached?: boolean;
  /** Returns the name of the downloaded file, in ASCII; undefined if the response is not a download. */
  fileName?: ((input: InputOf<Name>) => string) | undefined;
} & (
  | { run: Run<Name> }
  | { slice: (context: Context, input: InputOf<Name>) => Promise<Slice> }
  | { list: (context: Context, input: InputOf<Name>) => List<ItemOf<Name>> }
);

function reads<Name extends HandledName>(run: Run<Name>): Handler<Name> {
  return { thread: 'reader', run };
}

function lists<Name extends HandledName>(
  list: (context: Context, input: InputOf<Name>) => List<ItemOf<Name>>,
): Handler<Name> {
  return { thread: 'reader', list };
}

function writes<Name extends HandledName>(run: Run<Name>): Handler<Name> {
  return { thread: 'writer', run };
}

function analyses<Name extends HandledName>(
  run: Run<Name>,
  fileName?: (input: InputOf<Name>) => string,
): Handler<Name> {
  return { thread: 'analysis', cached: true, run, fileName };
}

/** The handler of two endpoints, because older scripts use another address. */
const exportExperiment = analyses<'exportExperiment' | 'exportExperimentAnalysis'>(
  (context, { params, query }) => latex.exportExperiment(context, params.experimentId, query),
  ({ params }) => latex.fileNameOf('experiment', params.experimentId),
);

/**
 * Returns a text that is equal for requests with the same intermediate results: the experiment, problem type or
 * campaign in their path, or an empty text for requests about several. Undefined for requests that do not analyse.
 */
export function affinityOf(name: HandledName, input: unknown): string | undefined {
  if (handlers[name].thread !== 'analysis') return undefined;
  const { params } = input as { params?: Readonly<Record<string, string>> };
  return Object.values(params ?? {})[0] ?? '';
}

/** Returns the subject of the annotation in a path. */
function subjectOf({ kind, subjectId }: z.output<typeof annotationParams>): annotations.Subject {
  return { kind, id: subjectId };
}

/** The handlers of all endpoints. */
export const handlers: { readonly [Name in HandledName]: Handler<Name> } = {
  listRuns: lists(({ database }, { query }) => runs.runList(database, query)),
  getRun: reads(({ database }, { params }) => runs.getRun(database, params.runId)),
  forecastRun: {
    thread: 'analysis',
    run: (context, { params }) => forecastRun(context, params.runId),
  },
  listIterations: {
    thread: 'reader',
    slice: async ({ database }, { params, query, body }) => {
      const isShort = query.fields === 'scalars';
      const list = isShort ? iterations.listScalars : iterations.listIterations;
      const { rows, rest } = await list(database, params.runId, query);
      return {
        rows,
        schema: isShort ? iterationRow : iterationFull,
        next: rest && { params, query: { ...query, ...rest }, body },
      };
    },
  },
  getIteration: reads(({ database }, { params }) =>
    iterations.getIteration(database, params.runId, params.iteration),
  ),
  getInsights: {
    thread: 'analysis',
    run: ({ database }, { params, query }) => getInsights(database, params.runId, query),
  },
  listEvents: lists(({ database }, { params, query }) =>
    events.eventList(database, params.runId, query),
  ),
  getEvent: reads(({ database }, { params }) => events.getEvent(database, params.runId, params.id)),
  listEventTypes: reads(({ database }, { params }) =>
    events.listEventTypes(database, params.runId),
  ),
  listCheckpoints: reads(({ database }, { params }) =>
    runs.listCheckpoints(database, params.runId),
  ),
  listRunParams: reads(({ database }, { params }) => runs.listRunParams(database, params.runId)),
  stopRun: writes(({ database }, { params, body }) =>
    control.requestRunStop(database, params.runId, body?.reason),
  ),
  record: writes(async ({ database, recording }, { query, body }) => {
    // Loaded here, because only services with --record need it and each thread compiles what it loads.
    const { storeRecords } = await import('./recording/record-lines.ts');
    return storeRecords(database, { isOn: recording === true, text: body, furtherRuns: query.run });
  }),
  settleRun: writes(({ database }, { params, body }) =>
    settleRun(database, params.runId, body?.reason),
  ),
  getTree: reads(({ database }, { params }) => runs.getTree(database, params.runId)),
  listExperiments: lists((context, { query }) => {
    const list = experiments.experimentList(context.database, query);
    if (!query.figures) return list;
    return { ...list, items: async (ids) => withFigures(context, await list.items(ids)) };
  }),
  getExperiment: reads(({ database }, { params }) =>
    experiments.getExperiment(database, params.experimentId),
  ),
  listExperimentRuns: lists(({ database }, { params, query }) =>
    experiments.experimentRunList(database, params.experimentId, query),
  ),
  listExperimentParams: reads(({ database }, { params }) =>
    experiments.listExperimentParams(database, params.experimentId),
  ),
  previewDeletion: reads((context, { params }) =>
    deletion.previewDeletion(context, params.experimentId),
  ),
  deleteExperiment: writes((context, { params, query }) =>
    deletion.deleteExperiment(context, params.experimentId, query.force),
  ),
  deleteExperiments: writes((context, { body }) => deletion.deleteExperiments(context, body)),
  stopExperiment: writes(({ database }, { params, body }) =>
    control.requestExperimentStop(database, params.experimentId, body?.reason),
  ),
  analyseExperiment: analyses(async (context, { params, query }) => {
    const subject = await loadExperimentSubject(context, params.experimentId, query);
    return analyseExperiment(context.memo, subject, query);
  }),
  exportExperimentAnalysis: exportExperiment,
  exportExperiment,
  listExperimentTraces: analyses((context, { params, query }) =>
    listTraces(context, params.experimentId, query),
  ),
  listProblems: analyses(({ database }) => listProblems(database)),
  compareProblem: analyses(async (context, { params, query }) => {
    const subject = await loadProblemSubject(context, params.problemType, query);
    return compareRuns(context.memo, subject, query);
  }),
  exportProblemComparison: analyses(
    (context, { params, query }) => latex.exportComparison(context, params.problemType, query),
    ({ params }) => latex.fileNameOf('problem', params.problemType),
  ),
  describeParameters: analyses((context, { query }) => describeParameters(context, query)),
  overlayRuns: {
    thread: 'analysis',
    run: (context, { query }) => overlayRuns(context, query),
  },
  overlayTelemetry: {
    thread: 'analysis',
    run: (context, { query }) => overlayTelemetry(context, query),
  },
  countRunsNeeded: reads(async (_context, { query }) => countRunsNeeded(query)),
  compareAcross: analyses((context, { query }) => compareAcross(context, query)),
  exportAcross: analyses(
    (context, { query }) => latex.exportAcross(context, query),
    () => latex.fileNameOf('problem', 'across'),
  ),
  listCampaigns: lists(({ database }, { query }) => coco.campaignList(database, query)),
  getCampaign: reads(({ database }, { params }) => coco.getCampaign(database, params.campaignId)),
  listOptimizers: reads(({ database }, { params }) =>
    coco.listOptimizers(database, params.campaignId),
  ),
  listAggregates: reads(({ database }, { params }) =>
    coco.listAggregates(database, params.campaignId),
  ),
  listTrials: lists(({ database }, { params, query }) =>
    coco.trialList(database, params.campaignId, query),
  ),
  listErts: analyses((context, { params, query }) => listErts(context, params.campaignId, query)),
  exportErts: analyses(
    (context, { params, query }) => latex.exportErts(context, params.campaignId, query),
    ({ params }) => latex.fileNameOf('campaign', params.campaignId),
  ),
  compareOptimizers: analyses((context, { params, query }) =>
    compareOptimizers(context, params.campaignId, query),
  ),
  getEcdf: analyses((context, { params, query }) => getEcdf(context, params.campaignId, query)),
  getCompleteness: reads(({ database }, { params }) =>
    coco.getCompleteness(database, params.campaignId),
  ),
  previewCampaignDeletion: reads((context, { params }) =>
    deletion.previewCampaignDeletion(context, params.campaignId),
  ),
  deleteCampaign: writes((context, { params, query }) =>
    deletion.deleteCampaign(context, params.campaignId, query.force),
  ),
  listAnnotations: reads(({ database }, { query }) =>
    annotations.listAnnotations(database, query.kind),
  ),
  getAnnotation: reads(({ database }, { params }) =>
    annotations.getAnnotation(database, subjectOf(params)),
  ),
  saveAnnotation: writes(({ database }, { params, body }) =>
    annotations.saveAnnotation(database, subjectOf(params), body),
  ),
  removeAnnotation: writes(({ database }, { params, query }) =>
    annotations.removeAnnotation(database, subjectOf(params), query.version),
  ),
  listDataSets: reads(({ database }) => dataSets.listDataSets(database)),
  previewDataSetDeletion: reads((context, { params }) =>
    dataSets.previewDataSetDeletion(context, params.name),
  ),
  deleteDataSet: writes((context, { params, query }) =>
    dataSets.deleteDataSet(context, params.name, query.force),
  ),
  getFacets: reads(({ database }, { query }) => summary.getFacets(database, query.trials)),
  listParamPaths: reads(({ database }) => listParamPaths(database)),
  getSummary: reads(({ database }) => summary.getSummary(database)),
  getHealth: {
    thread: 'watcher',
    run: ({ database, version, choosing, replica }) =>
      summary.getHealth(database, { version, choosing, replica: replica?.() }),
  },
  getOpenApi: reads(async ({ version }) => ({ ...(await openApiDocument(version)) })),
  getDocs: reads(async ({ version }) => docsPage(version)),
  watchChanges: reads(async ({ database }, { cursor }) => ({
    cursor,
    running: await countRunning(database),
    database: databaseId(database.source),
    databaseIdentity: await database.dialect.identity(),
    annotations: await database.dialect.documents.version(),
  })),
};
