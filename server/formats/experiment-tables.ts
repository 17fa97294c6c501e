import type { NoteCode } from '#shared/schemas/analysis-note.ts';
import type { Box, ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { describeCount, formatCount, formatRuntime, formatShare } from '#shared/number-format.ts';
import { makeComparisonTables, makeMetricCells, makeMetricColumns } from './comparison-tables.ts';
import { describeObjective, makeUniqueSlug } from './descriptions.ts';
import type { Cell, Column, Row, Table } from './table.ts';

const rangeColumns: Column[] = [
  { key: 'min', header: 'Min', format: 'fitness' },
  { key: 'max', header: 'Max', format: 'fitness' },
];

/** Codes of the notes without which the success rate may mislead. */
const successNoteCodes = new Set<NoteCode>([
  'RUNS_ACTIVE',
  'EVALUATIONS_RESTARTED',
  'EVALUATIONS_DECREASE',
  'STEPS_AS_EVALUATIONS',
  'RUNS_FAILED_SOLVED',
]);

/**
 * Returns the tables of an experiment's analysis: the values of the experiment, their distributions, and the tables of
 * the comparison on its problem if the analysis contains one.
 */
export function makeExperimentTables(analysis: ExperimentAnalysis): Table[] {
  const { sameProblem } = analysis;
  return [
    makeExperimentTable(analysis),
    makeDistributionTable(analysis),
    ...(sameProblem
      ? makeComparisonTables(sameProblem, makeUniqueSlug(analysis.experimentId))
      : []),
  ];
}

function makeExperimentTable(analysis: ExperimentAnalysis): Table {
  const box = analysis.bestFitnessBox;
  return {
    name: 'experiment',
    owner: makeUniqueSlug(analysis.experimentId),
    caption: describeAnalysis(analysis),
    columns: [...makeMetricColumns(analysis.targetFitness !== null), ...rangeColumns],
    rows: [{ cells: { ...makeMetricCells(analysis, box), min: box.min, max: box.max } }],
    notes: [
      `Experiment ${analysis.experimentId}.`,
      ...analysis.notes.flatMap(({ code, message }) => (successNoteCodes.has(code) ? message : [])),
    ],
  };
}

const distributionColumns: Column[] = [
  { key: 'quantity', header: 'Quantity', format: 'text' },
  { key: 'n', header: 'n', format: 'count' },
  { key: 'min', header: 'Min', format: 'fitness' },
  { key: 'q1', header: 'Q1', format: 'fitness' },
  { key: 'median', header: 'Median', format: 'fitness' },
  { key: 'q3', header: 'Q3', format: 'fitness' },
  { key: 'max', header: 'Max', format: 'fitness' },
  { key: 'mean', header: 'Mean', format: 'fitness' },
];

function makeDistributionTable(analysis: ExperimentAnalysis): Table {
  const { bestFitnessBox, evaluationsBox, runtimeMillisBox } = analysis;
  const { min, q1, median, q3, max, mean } = bestFitnessBox;
  return {
    name: 'distributions',
    owner: makeUniqueSlug(analysis.experimentId),
    caption:
      'Five-number summaries (quartiles of type 7) and means: best fitness of the completed runs, ' +
      'evaluations and runtime of the runs that have ended and state them.',
    columns: distributionColumns,
    rows: [
      { cells: { quantity: 'Best fitness', n: bestFitnessBox.n, min, q1, median, q3, max, mean } },
      makeRowOfCounts('Evaluations', evaluationsBox),
      makeRowOfCounts('Runtime (ms)', runtimeMillisBox),
    ],
  };
}

/**
 * Returns the row of a quantity with large whole numbers. Unlike fitness, they show all their digits; see {@link
 * formatRuntime}.
 */
function makeRowOfCounts(quantity: string, { n, min, q1, median, q3, max, mean }: Box): Row {
  const texts = Object.entries({ min, q1, median, q3, max, mean }).map(
    ([key, value]): [string, Cell] => [key, value === null ? null : formatRuntime(value)],
  );
  return { cells: { quantity, n, ...Object.fromEntries(texts) } };
}

function describeAnalysis(analysis: ExperimentAnalysis): string {
  const { problemInstance, targetFitness, totalRuns, successRateCi: interval } = analysis;
  const statisticsText = 'statistics of the best fitness over the n completed runs.';
  if (targetFitness === null) {
    return `${problemInstance.label}, ${describeObjective(analysis)}, ${describeCount(totalRuns, 'run')}: ${statisticsText}`;
  }
  const intervalText = interval
    ? ` (95 % Wilson interval ${formatShare(interval.lower)} to ${formatShare(interval.upper)})`
    : '';
  return (
    `${problemInstance.label}, ${describeObjective(analysis)}: ${formatCount(analysis.successfulRuns)} of ` +
    `${describeCount(totalRuns, 'run')} succeeded${intervalText}. Expected runtime (ERT) and SP1 in evaluations over ` +
    `all runs; ${statisticsText}`
  );
}
