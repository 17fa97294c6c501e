import type { CsvTables } from './format.ts';

// The tables of each response by their names in the parameter `table`. The tables of CSV and Parquet come first. These
// are for programs: their columns are the fields of the schema, with exact values (`server/formats/csv-table.ts`). The
// tables of LaTeX follow. These are for readers: they have selected columns, rounded values, marks and captions
// (`server/formats/table.ts`).

/** Table of a list. */
export const listTables: CsvTables = { rows: [] };

/** Table of a page of a list. CSV and Parquet contain the whole list. */
export const pageTables: CsvTables = { items: ['items'] };

/** Table of the notes of an analysis, for the responses that contain notes. */
export const noteTables: CsvTables = { notes: ['notes'] };

/** Tables of the analysis of an experiment. */
export const experimentTables: CsvTables = {
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
  ...noteTables,
};

/** Tables of the comparison on a problem. */
export const problemTables: CsvTables = {
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
  ...noteTables,
};

/** Tables of overlaid runs. */
export const runTables: CsvTables = {
  runs: ['runs'],
  parameters: ['parameters', 'differing'],
  ...noteTables,
};

/** Tables of the telemetry of runs. */
export const telemetryTables: CsvTables = { keys: ['keys'], findings: ['runs', 'diagnosis'] };

/** Tables of the comparison across instances. */
export const acrossTables: CsvTables = {
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
  ...noteTables,
};

/** Tables of the parameters that vary on an instance. */
export const parameterTables: CsvTables = { values: ['parameters', 'values'], ...noteTables };

/** Tables of the traces of an experiment. */
export const traceTables: CsvTables = { points: ['runs', 'points'] };

/** Tables of the expected runtimes of a campaign. */
export const ertTables: CsvTables = {
  erts: ['rows'],
  summary: ['summary'],
  dropped: ['dropped'],
  ...noteTables,
};

/** Tables of the runtime ECDF of a campaign. */
export const ecdfTables: CsvTables = {
  curves: ['curves', 'points'],
  areas: ['curves'],
  'areas-by-dimension': ['panels', 'curves'],
  'curves-by-dimension': ['panels', 'curves', 'points'],
  dropped: ['dropped'],
  ...noteTables,
};

/** Tables of the tests between the optimizers of a campaign. */
export const optimizerTestTables: CsvTables = {
  functions: ['functions', 'pairs'],
  dimensions: ['dimensions', 'pairs'],
  ...noteTables,
};

/** Tables of the completeness of a campaign. */
export const completenessTables: CsvTables = { cells: ['cells'] };

/** LaTeX tables of a comparison on a problem, and its box plot. */
export const problemLatexTables = [
  'groups',
  'pairs-fitness',
  'pairs-runtime',
  'pairs-success',
  'pairs-anytime',
  'ranks',
  'boxes',
] as const;

/** LaTeX tables of the analysis of an experiment, with the tables of the comparison on its problem. */
export const experimentLatexTables = [
  'experiment',
  'distributions',
  ...problemLatexTables,
] as const;

/** LaTeX tables of the comparison across instances. An export contains all tables that have rows. */
export const acrossLatexTables = ['across', 'wins', 'across-pairs', 'control'] as const;

/** LaTeX tables of the expected runtimes of a campaign. An export contains all tables that have rows. */
export const ertLatexTables = ['ert', 'ert-ratios', 'optimizer-tests'] as const;

/** Name of any table or figure of a LaTeX export. */
export type LatexTableName =
  | (typeof experimentLatexTables)[number]
  | (typeof acrossLatexTables)[number]
  | (typeof ertLatexTables)[number];
