/** Longest reason that a stop request may carry, in characters. */
export const maximumReasonLength = 1000;

/** Longest search text, in characters. */
export const maximumSearchLength = 200;

/** Largest page that the service hands out; a larger `size` is served as this. */
export const maximumPageSize = 200;

/** Most parameters that a list of runs shows as columns. */
export const maximumParamColumns = 20;

/** The words for the state of an experiment, derived from its runs. */
export const experimentStatuses = ['RUNNING', 'COMPLETED', 'FAILED', 'PARTIAL'] as const;

/** Whether smaller or larger fitness is better. */
export const directions = ['min', 'max'] as const;

/** Where the direction of an objective was found, unless a query chose it. */
export const directionSources = ['config', 'problem', 'trace', 'default'] as const;

/** What the runs of a problem can be grouped by. */
export const groupings = ['algorithm', 'model', 'experiment', 'configuration'] as const;

/** Whether a status, of a run as stored or of an experiment, says that something still runs; ASCII case ignored. */
export function isRunning({ status }: { status: string | null }): boolean {
  // Asked of every run at every target: most are told by their length. Other programs may have stored none.
  return status?.length === 7 && /^running$/i.test(status);
}

/** The diagnoses of a run that need no telemetry, by which runs can be filtered. */
export const searchedDiagnoses = [
  'TARGET_REACHED',
  'STAGNATION',
  'STILL_IMPROVING',
  'CRASHED',
  'STOPPED_BY_USER',
  'SILENT',
] as const;
export type SearchedDiagnosis = (typeof searchedDiagnoses)[number];

/** Which cells of a campaign optimizers are compared on. */
export const cellChoices = ['shared', 'all', 'unsolved'] as const;

/** Whether a note is about which cells of a campaign its pooled figures cover; rows per function cover all trials. */
export function isCellNote({ code }: { code: string }): boolean {
  return /CELLS/.test(code);
}

/** What two groups can be tested on. */
export const measures = ['fitness', 'runtime', 'success', 'anytime'] as const;

/** Smallest effects (A12) for which the number of runs is given; the first unless chosen. */
export const effectsOfInterest = ['0.71', '0.64', '0.56'] as const;

/** What limits the evaluations within which two groups are compared. */
export const budgetSources = [
  'granted',
  'observed',
  'running',
  'stopped',
  'target',
  'assumed',
] as const;

/** Why two groups are not tested. */
export const untestedCodes = [
  'NO_RUNS',
  'NO_ENDED_RUNS',
  'OBSERVED_TOO_SHORT',
  'ONE_AGAINST_SEVERAL',
  'TOO_FEW_CONFIGURATIONS',
] as const;

/** Why runs of a group are in no test. */
export const omissionCodes = [
  'RUNNING_AFTER_LAST_ENDED',
  'FAILED_EXCLUDED',
  'STOPPED_EXCLUDED',
  'WITHOUT_FITNESS',
  'TIME_UNKNOWN',
  'SMALL_CONFIGURATION',
  'BEYOND_EQUAL_COUNT',
] as const;

/** How large an effect is, from A12 (Vargha & Delaney 2000). */
export const effectLabels = ['negligible', 'small', 'medium', 'large'] as const;

/** How many runs can be laid over each other. */
export const fewestComparedRuns = 2;
export const maximumComparedRuns = 20;

/** Most series of telemetry that are laid over each other at once. */
export const maximumOverlaidSeries = 4;

/** What runs that are laid over each other are drawn by; the first unless chosen. */
export const progressAxes = ['evaluations', 'iteration', 'time'] as const;

/** Most campaigns that one page compares. */
export const maximumComparedCampaigns = 12;

/** What can stand in a cell of the table of groups × problem instances. */
export const cellMeasures = ['median', 'mean', 'ert', 'success', 'anytime'] as const;

/** What becomes of an instance on which a group has no results: it is excluded, the group is worst there, or each pair decides. */
export const missingResults = ['shared', 'worst', 'pairwise'] as const;

/** What counts once in the tests of pairs across instances: a function with all its dimensions, or each instance. */
export const acrossBlocks = ['function', 'instance'] as const;

/** How a PostgreSQL connection is encrypted, in the words of libpq and JDBC. */
export const sslModes = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const;

/** The header in which answers name the open database, and pages the one that they show. */
export const databaseHeader = 'X-Evoscope-Database';

/**
 * The header in which a request names the exact database that it is about, as `databaseIdentity` of the health gives it:
 * another file at the same path has another identity.
 */
export const identityHeader = 'X-Evoscope-Identity';

/** What a user reads when another database has taken the place of the one that a page shows. */
export const replacedDetail =
  'Another database has taken the place of the one that was shown, and nothing was changed in it. Reload to see it';

/** Stands for the id of the database while none has been chosen. */
export const noDatabaseId = 'none';
