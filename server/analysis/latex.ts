import type { Database } from '#server/db/database.ts';
import { type BoxPlot, comparisonBoxPlot, writeBoxPlot } from '#server/formats/box-plot.ts';
import { comparisonTables } from '#server/formats/comparison-tables.ts';
import { experimentTables } from '#server/formats/experiment-tables.ts';
import { writeLatex } from '#server/formats/latex.ts';
import { slug, uniqueSlug } from '#server/formats/subject.ts';
import type { Table } from '#server/formats/table.ts';
import type {
  ExperimentAnalysisQuery,
  ProblemComparisonQuery,
} from '#shared/schemas/analysis-query.ts';
import { compareRuns } from './comparison.ts';
import { analyseExperiment } from './experiment.ts';

/** The analysis of an experiment as a LaTeX fragment: the very numbers of the JSON. Throws EXPERIMENT_NOT_FOUND. */
export async function exportExperiment(
  database: Database,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<string> {
  const analysis = await analyseExperiment(database, experimentId, query);
  const { sameProblem } = analysis;
  const plot = sameProblem && comparisonBoxPlot(sameProblem, uniqueSlug(experimentId));
  return withBoxPlot(experimentTables(analysis), plot);
}

/** The comparison on a problem as a LaTeX fragment: the very numbers of the JSON. Throws NOT_FOUND. */
export async function exportComparison(
  database: Database,
  problemType: string,
  query: ProblemComparisonQuery,
): Promise<string> {
  const comparison = await compareRuns(database, problemType, query);
  return withBoxPlot(comparisonTables(comparison), comparisonBoxPlot(comparison));
}

/** The name of a file with a fragment: ASCII letters, digits, hyphens and a dot. */
export function fileNameOf(kind: 'experiment' | 'problem', name: string): string {
  return `${slug(`${kind}-${name}`)}.tex`;
}

function withBoxPlot(tables: readonly Table[], plot?: BoxPlot | null): string {
  return [writeLatex(tables), ...(plot ? [writeBoxPlot(plot)] : [])].join('\n');
}
