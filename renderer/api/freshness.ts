import type { EndpointName } from '#shared/addresses.ts';
import type { Answer } from '#shared/api.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { isRunning } from '#shared/words.ts';

/** When a query is fetched again, besides when its arguments change. */
export interface Freshness<Data> {
  /** Whether a change of the database triggers a fetch, or a function that decides it by the data; default never. */
  live: boolean | ((data: Data | undefined) => boolean);
  /** Minimum time between two fetches caused by changes, for expensive responses. */
  minimumIntervalMillis: number;
  /** Keeps showing the data of the previous arguments while the new data is fetched. */
  keepPrevious: boolean;
  /** How long unused data stays cached; default five minutes. */
  keptMillis: number;
}

/** An analysis reads all runs of a problem. */
export const analysisIntervalMillis = 4000;

const list = { live: true, keepPrevious: true };
// Dragging a target causes many large responses.
const analysis = {
  keepPrevious: true,
  minimumIntervalMillis: analysisIntervalMillis,
  keptMillis: 10_000,
};

const campaignPart = { keepPrevious: true, minimumIntervalMillis: analysisIntervalMillis };

/**
 * When the response of each endpoint is fetched again; endpoints that are absent never are. Queries that belong to a
 * shown run (its events, checkpoints) set `live` where they are used.
 */
export const freshness: {
  readonly [Name in EndpointName]?: Partial<Freshness<Answer<Name>>>;
} = {
  listRuns: list,
  // A runner may write the end of a run before it acknowledges the stop that caused it.
  getRun: {
    live: (run) =>
      !run ||
      isRunning(run) ||
      (run.stopRequest?.acknowledgedAt === null && run.status === 'STOPPED'),
  },
  listIterations: { keepPrevious: true },
  listEvents: { keepPrevious: true },
  listExperiments: list,
  // Runs can be added to an experiment at any time.
  getExperiment: { live: true },
  listExperimentRuns: list,
  listCampaigns: list,
  getCampaign: { live: (campaign) => !campaign || isRunning(campaign) },
  // A running campaign sets `live` where these are used.
  getCompleteness: campaignPart,
  listAggregates: campaignPart,
  listTrials: campaignPart,
  listErts: campaignPart,
  compareOptimizers: campaignPart,
  getEcdf: campaignPart,
  getFacets: list,
  listDataSets: { live: true },
  getSummary: { live: true },
  listProblems: { live: true, minimumIntervalMillis: analysisIntervalMillis },
  compareProblem: { ...analysis, live: (answer) => hasActiveRuns(answer?.notes) },
  describeParameters: { ...analysis, live: (answer) => hasActiveRuns(answer?.notes) },
  overlayRuns: { keepPrevious: true, live: (overlay) => overlay?.runs.some(isRunning) === true },
  // The page sets `live`: this response has no status.
  overlayTelemetry: { keepPrevious: true, minimumIntervalMillis: 2_000 },
  compareAcross: {
    ...analysis,
    // A silent run that counts as failed is also RUNNING.
    live: (answer) => answer?.guard.isInterim === true || hasSilentRuns(answer),
  },
  analyseExperiment: {
    ...analysis,
    live: (answer) => hasActiveRuns(answer?.notes) || hasActiveRuns(answer?.sameProblem?.notes),
  },
};

function hasSilentRuns(answer: Answer<'compareAcross'> | undefined): boolean {
  return answer !== undefined && answer.guard.silentRuns.length > 0;
}

/** Whether an analysis includes running runs, so that it can change. */
export function hasActiveRuns(notes: readonly AnalysisNote[] | undefined): boolean {
  return notes?.some(({ code }) => code === 'RUNS_ACTIVE') === true;
}
