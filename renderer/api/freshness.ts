import type { EndpointName } from '#shared/addresses.ts';
import type { ResponseBody } from '#shared/api.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { isRunning } from '#shared/words.ts';

/** When a query is fetched again, besides when its arguments change. */
export interface Freshness<Data> {
  /**
   * Whether a change of the database triggers a fetch: always, while the run or campaign of the response is running
   * (the page states whether it is), or as a function decides by the data; default never.
   */
  live: boolean | 'whileRunning' | ((data: Data | undefined) => boolean);
  /** Minimum time between two fetches caused by changes, for expensive responses. */
  minimumIntervalMillis: number;
  /** Keeps showing the data of the previous arguments while the new data is fetched. */
  keepPrevious: boolean;
  /** How long unused data stays cached; default five minutes. */
  cacheMillis: number;
}

/** Minimum interval of an analysis, for which the service reads all runs of a problem. */
const analysisIntervalMillis = 4000;
/** Minimum interval of telemetry, which the service reads for each response. */
const telemetryIntervalMillis = 2000;

const list = { live: true, keepPrevious: true };
// Dragging a target causes many large responses.
const analysis = {
  keepPrevious: true,
  minimumIntervalMillis: analysisIntervalMillis,
  cacheMillis: 10_000,
};

const campaignPart = {
  live: 'whileRunning',
  keepPrevious: true,
  minimumIntervalMillis: analysisIntervalMillis,
} as const;
const runPart = { live: 'whileRunning' } as const;
const telemetry = { ...runPart, minimumIntervalMillis: telemetryIntervalMillis } as const;

/** Queries besides those of an endpoint with its own policy. */
interface OtherQueries {
  /** Values that are computed from the runs of the listed experiments. */
  computedExperiments: unknown;
  diagnosis: unknown;
  insights: unknown;
  iterations: unknown;
  /** Traces of the runs of some experiments. */
  traces: unknown;
  /** Matches of a search in the palette. */
  matches: unknown;
}

/** Name of a policy: that of an endpoint, or of another query. */
export type PolicyName = EndpointName | keyof OtherQueries;

/**
 * Policies of all queries, the only place that decides when a query fetches again; a query of an absent endpoint never
 * does. The next change repeats a failed fetch, and a page that returns after a change repeats all (`waking.ts`).
 */
export const freshness: {
  readonly [Name in EndpointName]?: Partial<Freshness<ResponseBody<Name>>>;
} & Readonly<Record<keyof OtherQueries, Partial<Freshness<unknown>>>> = {
  listRuns: list,
  // An ended run can be deleted, imported again or marked as failed.
  getRun: { live: true },
  listIterations: { keepPrevious: true },
  getIteration: { keepPrevious: true },
  iterations: runPart,
  listEvents: { ...runPart, keepPrevious: true },
  listEventTypes: runPart,
  listCheckpoints: runPart,
  getTree: runPart,
  diagnosis: telemetry,
  insights: telemetry,
  matches: { keepPrevious: true },
  listExperiments: list,
  computedExperiments: { ...list, minimumIntervalMillis: analysisIntervalMillis },
  // Runs can be added to an experiment at any time.
  getExperiment: { live: true },
  listExperimentRuns: list,
  listCampaigns: list,
  // An ended campaign can be deleted, or extended by an import.
  getCampaign: { live: true },
  listOptimizers: runPart,
  getCompleteness: campaignPart,
  listAggregates: campaignPart,
  listTrials: campaignPart,
  listErts: campaignPart,
  // A claim about the previous targets must not be shown next to the values of others.
  compareOptimizers: { ...campaignPart, keepPrevious: false },
  getEcdf: campaignPart,
  getFacets: list,
  listDataSets: { live: true },
  listImports: { live: true },
  getSummary: { live: true },
  listProblems: { live: true, minimumIntervalMillis: analysisIntervalMillis },
  compareProblem: { ...analysis, live: (response) => hasActiveRuns(response?.notes) },
  describeParameters: { ...analysis, live: (response) => hasActiveRuns(response?.notes) },
  overlayRuns: { keepPrevious: true, live: (overlay) => overlay?.runs.some(isRunning) === true },
  overlayTelemetry: { ...telemetry, keepPrevious: true },
  compareAcross: {
    ...analysis,
    // A silent run that counts as failed is also RUNNING.
    live: (response) => response?.guard.isInterim === true || hasSilentRuns(response),
  },
  traces: { ...campaignPart },
  analyseExperiment: {
    ...analysis,
    live: (response) =>
      hasActiveRuns(response?.notes) || hasActiveRuns(response?.sameProblem?.notes),
  },
};

function hasSilentRuns(response: ResponseBody<'compareAcross'> | undefined): boolean {
  return response !== undefined && response.guard.silentRuns.length > 0;
}

/** Whether an analysis includes running runs, so that it can change. */
export function hasActiveRuns(notes: readonly AnalysisNote[] | undefined): boolean {
  return notes?.some(({ code }) => code === 'RUNS_ACTIVE') === true;
}
