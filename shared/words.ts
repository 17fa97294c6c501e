import { computeMillisBetween } from './syntax.ts';

/** Maximum length of the reason of a request to stop or settle, in UTF-16 code units. */
export const maximumReasonLength = 1000;

/** Maximum length of a search text, in UTF-16 code units. */
export const maximumSearchLength = 200;

/** Maximum page size. It replaces a larger `size`. */
export const maximumPageSize = 200;

/** Maximum number of parameter columns in a list of runs or experiments. */
export const maximumParamColumns = 20;

/** Returns the displayed id: the first 8 characters of an id of 64 hexadecimal digits; any other id in full. */
export function getShortId(id: string): string {
  return /^[0-9a-f]{64}$/i.test(id) ? id.slice(0, 8) : id;
}

/** The statuses of an experiment, derived from its runs. */
export const experimentStatuses = ['RUNNING', 'COMPLETED', 'FAILED', 'PARTIAL'] as const;

/** Directions of optimisation: smaller (`min`) or larger (`max`) fitness is better. */
export const directions = ['min', 'max'] as const;

/** The sources of an experiment's direction, unless a query sets it. */
export const directionSources = ['config', 'problem', 'trace', 'default'] as const;

/** The ways to group the runs of a problem, except by a parameter; the first is the default. */
export const groupings = ['algorithm', 'model', 'experiment', 'configuration'] as const;

/** Returns whether the status of a run, an experiment or a campaign is RUNNING, in any ASCII case; false for null. */
export function isRunning({ status }: { status: string | null }): boolean {
  // Analyses call this for every run at every target, and comparing lengths is fast. Other programs may store null.
  return status?.length === 7 && /^running$/i.test(status);
}

/**
 * Returns the stored runtime of a run; null while it is RUNNING, because its row may have the runtime of an earlier
 * segment.
 */
export function getFinalRuntime<Runtime>(run: {
  status: string | null;
  runtimeMillis: Runtime;
}): Runtime | null {
  return isRunning(run) ? null : run.runtimeMillis;
}

/**
 * Returns the stored runtime of a run in milliseconds; null if it is missing. While the run is RUNNING, returns the
 * time from its start to its newest iteration; null before the first iteration, if a time is invalid, or if the
 * iteration is earlier than the start.
 */
export function getRuntimeSoFar<Runtime>(run: {
  status: string | null;
  runtimeMillis: Runtime;
  startTime: string;
  progress: { iteration: unknown; lastActivityAt: string } | null;
}): Runtime | number | null {
  const finalRuntime = getFinalRuntime(run);
  const { progress } = run;
  // Without an iteration, the last activity is the start.
  if (finalRuntime !== null || !progress || progress.iteration === null) return finalRuntime;
  return computeMillisBetween(run.startTime, progress.lastActivityAt);
}

/**
 * Returns the stored end of a run; null while it is RUNNING, because its row may have the end of an earlier segment.
 */
export function getEndTime<Time>(run: { status: string | null; endTime: Time }): Time | null {
  return isRunning(run) ? null : run.endTime;
}

/** Stored results of a run, and its progress while it is RUNNING; null for other runs. */
interface Results<Count> {
  bestFitness: number | null;
  iterations: Count;
  evaluations: Count;
  progress: { bestSoFar: number | null; iteration: Count; evaluations: Count } | null;
}

/**
 * Returns the progress of a RUNNING run, because its row may have the results of an earlier segment. Returns the stored
 * results of other runs. If a value of the progress is null, returns the stored value instead.
 */
export function getShownResults<Count>({ progress, ...run }: Results<Count>) {
  return {
    best: progress?.bestSoFar ?? run.bestFitness,
    iterations: progress?.iteration ?? run.iterations,
    evaluations: progress?.evaluations ?? run.evaluations,
  };
}

/** The diagnoses by which lists can filter runs. They need no telemetry. */
export const searchedDiagnoses = [
  'TARGET_REACHED',
  'STAGNATION',
  'STILL_IMPROVING',
  'CRASHED',
  'STOPPED_BY_USER',
  'SILENT',
] as const;
/** Code of a diagnosis by which lists can filter runs. */
export type SearchedDiagnosis = (typeof searchedDiagnoses)[number];

/** The choices of the cells that a comparison of optimizers uses; the first is the default. */
export const cellChoices = ['shared', 'all', 'unsolved'] as const;

/**
 * Returns whether a note is about the cells that the pooled values of a campaign cover. Such a note does not apply to
 * rows by function, which cover all trials.
 */
export function isCellNote({ code }: { code: string }): boolean {
  return /CELLS/.test(code);
}

/** The measures of the tests of two groups. */
export const measures = ['fitness', 'runtime', 'success', 'anytime'] as const;

/** Smallest effects of interest (A12), for the required number of runs; the first is the default. */
export const effectsOfInterest = ['0.71', '0.64', '0.56'] as const;

/** The sources of the common budget of two groups. */
export const budgetSources = [
  'granted',
  'observed',
  'running',
  'stopped',
  'target',
  'assumed',
] as const;

/** Reasons why there is no test of two groups. */
export const untestedCodes = [
  'NO_RUNS',
  'NO_ENDED_RUNS',
  'OBSERVED_TOO_SHORT',
  'ONE_AGAINST_SEVERAL',
  'TOO_FEW_CONFIGURATIONS',
] as const;

/** Reasons why tests omit runs of a group. */
export const omissionCodes = [
  'RUNNING_AFTER_LAST_ENDED',
  'FAILED_EXCLUDED',
  'STOPPED_EXCLUDED',
  'WITHOUT_FITNESS',
  'SMALL_CONFIGURATION',
  'BEYOND_EQUAL_COUNT',
] as const;

/** Sizes of an effect by A12 (Vargha & Delaney 2000). */
export const effectLabels = ['negligible', 'small', 'medium', 'large'] as const;

/** Minimum number of overlaid runs. */
export const minimumComparedRuns = 2;
/** Maximum number of overlaid runs. */
export const maximumComparedRuns = 20;

/** Maximum number of overlaid series of telemetry. */
export const maximumOverlaidSeries = 4;

/** The x axes of overlaid runs; the first is the default. */
export const progressAxes = ['evaluations', 'iteration', 'time'] as const;

/** Maximum number of compared campaigns. */
export const maximumComparedCampaigns = 12;

/** The measures in the table of groups × problem instances. */
export const cellMeasures = ['median', 'mean', 'ert', 'success', 'anytime'] as const;

/**
 * Treatment of an instance on which a group has no results. `shared`: ranks and tests exclude the instance. `worst`:
 * they rank the group last on it. `pairwise`: the tests of the pairs of this group exclude it, and there are no common
 * ranks.
 */
export const missingResults = ['shared', 'worst', 'pairwise'] as const;

/**
 * The blocks of ranks and tests across instances: a function with all its dimensions and numbered instances, or each
 * instance.
 */
export const acrossBlocks = ['function', 'instance'] as const;

/** Encryption modes of a PostgreSQL connection, by their names in libpq and JDBC. */
export const sslModes = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const;

/** Header with the id of a database: in responses, the open database; in requests, the database that the page shows. */
export const databaseHeader = 'X-Evoscope-Database';

/**
 * Header of requests with the identity of the database, `databaseIdentity` of `/api/health`. Another file at the same
 * path has another identity.
 */
export const identityHeader = 'X-Evoscope-Identity';

/** Message for the user if another database has replaced the one that a page shows. */
export const replacedDetail =
  'Another database has replaced the one that the page showed, and the service changed nothing in the new one. Reload to see it';

/** Database id that means that no database is open. */
export const noDatabaseId = 'none';

/** The kinds of subjects that users can name, tag, add notes to and mark as a baseline. */
export const annotationKinds = ['run', 'experiment', 'algorithm'] as const;

/** The kinds of subjects whose runs users can export. */
export const exportKinds = ['campaign', 'problem', 'experiment'] as const;

/** Version of the file `query.json` in the archive of a page. */
export const archiveVersion = 1;

/** Maximum length of a display name, in Unicode characters. */
export const maximumNameLength = 100;
/** Maximum length of a tag, in Unicode characters. */
export const maximumTagLength = 50;
/** Maximum number of tags of an annotation. */
export const maximumTags = 20;
/** Maximum length of a note, in Unicode characters. */
export const maximumNoteLength = 10_000;

/** Returns whether one fitness is better than another; false for equal values and NaN. */
export function isBetter(
  fitness: number,
  reference: number,
  direction: (typeof directions)[number],
): boolean {
  return direction === 'min' ? fitness < reference : fitness > reference;
}

/** Minimum ratio of the largest to the smallest positive value for a logarithmic scale: three decades. */
export const logarithmicSpread = 1000;
