import type { CsvTables } from './format.ts';

/** Of an answer that is a list. */
export const rows: CsvTables = { rows: [] };

/** Of an answer that is a page of a list: all of the list. */
export const items: CsvTables = { items: ['items'] };

export const notes: CsvTables = { notes: ['notes'] };

/** Of the analysis of an experiment. */
export const ofExperiment: CsvTables = {
  summary: [],
  convergence: ['convergence95Ci'],
  'success-by-budget': ['successVsBudget'],
  'ecdf-total': ['ecdfTotalRuns'],
  'ecdf-successful': ['ecdfSuccessfulRuns'],
  'best-fitness': ['bestFitnessValues'],
  'best-fitness-histogram': ['bestFitnessHistogram'],
  'time-to-target-histogram': ['timeToTargetHistogram'],
  'data-profile': ['dataProfile'],
  'performance-profile': ['performanceProfile'],
  groups: ['sameProblem', 'algorithms'],
  pairs: ['sameProblem', 'pairwise', '{measure}'],
  ranks: ['sameProblem', 'friedman', 'ranks'],
  ...notes,
};

/** Of the comparison on a problem. */
export const ofProblem: CsvTables = {
  groups: ['algorithms'],
  pairs: ['pairwise', '{measure}'],
  ranks: ['friedman', 'ranks'],
  friedman: ['friedman'],
  'kruskal-wallis': ['kruskalWallis'],
  verdict: ['verdict'],
  convergence: ['convergence', 'points'],
  'ecdf-total': ['ecdfTotalRuns', 'points'],
  'ecdf-successful': ['ecdfSuccessfulRuns', 'points'],
  'ecdf-targets': ['ecdfTargets', 'points'],
  'data-profiles': ['dataProfiles', 'points'],
  'performance-profiles': ['performanceProfiles', 'points'],
  instances: ['instances'],
  ...notes,
};

/** Of runs laid over each other. */
export const ofRuns: CsvTables = {
  runs: ['runs'],
  parameters: ['parameters', 'differing'],
  ...notes,
};

/** Of the telemetry of runs. */
export const ofTelemetry: CsvTables = { keys: ['keys'], findings: ['runs', 'diagnosis'] };

/** Of the comparison across instances. */
export const ofAcross: CsvTables = {
  cells: ['cells'],
  groups: ['groups'],
  instances: ['instances'],
  ranks: ['averageRanks'],
  'wins-ties-losses': ['winsTiesLosses'],
  friedman: ['friedman'],
  'signed-rank': ['signedRank'],
  'instance-tests': ['instanceTests'],
  'pair-tests': ['pairTests', 'pairs'],
  'versus-control': ['versusControl'],
  ...notes,
};

/** Of the parameters that vary on an instance. */
export const ofParameters: CsvTables = { values: ['parameters', 'values'], ...notes };

/** Of the traces of an experiment. */
export const ofTraces: CsvTables = { points: ['runs', 'points'] };

/** Of the expected runtimes of a campaign. */
export const ofErts: CsvTables = {
  erts: ['rows'],
  summary: ['summary'],
  dropped: ['dropped'],
  ...notes,
};

/** Of the runtime ECDF of a campaign. */
export const ofEcdf: CsvTables = {
  curves: ['curves', 'points'],
  areas: ['curves'],
  'areas-by-dimension': ['panels', 'curves'],
  'curves-by-dimension': ['panels', 'curves', 'points'],
  dropped: ['dropped'],
  ...notes,
};

/** Of the tests between the optimizers of a campaign. */
export const ofOptimizerTests: CsvTables = {
  functions: ['functions', 'pairs'],
  dimensions: ['dimensions', 'pairs'],
  ...notes,
};

/** Of how complete a campaign is. */
export const ofCompleteness: CsvTables = { cells: ['cells'] };
