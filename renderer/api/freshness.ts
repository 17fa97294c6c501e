import type { EndpointName } from '#shared/addresses.ts';
import type { Answer } from '#shared/api.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { isRunning } from '#shared/words.ts';

/** When what was fetched is fetched anew, beside when its arguments change. */
export interface Freshness<Data> {
  /** Whether a change of the database wakes it, or what decides that by the data at hand; never unless told. */
  live: boolean | ((data: Data | undefined) => boolean);
  /** Shortest time between two fetches that changes cause, for answers that are dear. */
  minimumIntervalMillis: number;
  /** Keep showing the former arguments' data while the new is fetched. */
  keepPrevious: boolean;
  /** How long an answer that is not shown any more is kept; five minutes unless told. */
  keptMillis: number;
}

/** An analysis reads all runs of a problem. */
export const analysisIntervalMillis = 4000;

const list = { live: true, keepPrevious: true };
// A target that is dragged asks for many answers, each of which is large.
const analysis = {
  keepPrevious: true,
  minimumIntervalMillis: analysisIntervalMillis,
  keptMillis: 10_000,
};

const campaignPart = { keepPrevious: true, minimumIntervalMillis: analysisIntervalMillis };

/**
 * When each endpoint's answer is fetched anew; those not named never are. What hangs on a run that is shown (its
 * events, checkpoints) says `live` where it is used.
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
  // Runs can join an experiment at any time.
  getExperiment: { live: true },
  listExperimentRuns: list,
  listCampaigns: list,
  getCampaign: { live: (campaign) => !campaign || isRunning(campaign) },
  // A running campaign says `live` where these are used.
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
  // The page says `live`: this answer knows no status.
  overlayTelemetry: { keepPrevious: true, minimumIntervalMillis: 2_000 },
  compareAcross: {
    ...analysis,
    // A silent run that counts as failed is RUNNING too.
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

/** Whether an analysis rests on runs that still go on, so that it can change by itself. */
export function hasActiveRuns(notes: readonly AnalysisNote[] | undefined): boolean {
  return notes?.some(({ code }) => code === 'RUNS_ACTIVE') === true;
}
