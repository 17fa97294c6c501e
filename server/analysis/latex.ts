import { makeAcrossTables } from '#server/formats/across-tables.ts';
import { type BoxPlot, makeComparisonBoxPlot, writeBoxPlot } from '#server/formats/box-plot.ts';
import { makeComparisonTables } from '#server/formats/comparison-tables.ts';
import { makeErtTables } from '#server/formats/ert-tables.ts';
import { makeExperimentTables } from '#server/formats/experiment-tables.ts';
import { writeLatex } from '#server/formats/latex.ts';
import { makeUniqueSlug } from '#server/formats/descriptions.ts';
import type { Table } from '#server/formats/table.ts';
import { checkResponse } from '#server/write-response.ts';
import { endpoints } from '#shared/api.ts';
import type { AcrossQuery } from '#shared/schemas/analysis-across.ts';
import type { ComparisonLatexQuery, ExperimentLatexQuery } from '#shared/schemas/analysis-query.ts';
import type { ErtsQuery } from '#shared/schemas/coco-analysis.ts';
import { compareAcross } from './across.ts';
import { listErts } from './campaign-erts.ts';
import { compareOptimizers } from './campaign-tests.ts';
import { compareRuns } from './comparison.ts';
import { analyseExperiment } from './experiment.ts';
import { type AnalysisContext, loadExperimentInput, loadProblemInput } from './load.ts';

/**
 * Returns the analysis of an experiment as a LaTeX fragment with the same numbers as the JSON response; a LaTeX comment
 * if the analysis does not contain the requested table. Throws EXPERIMENT_NOT_FOUND, and the error of {@link
 * analyseExperiment}.
 */
export async function exportExperiment(
  context: AnalysisContext,
  experimentId: string,
  { table, ...query }: ExperimentLatexQuery,
): Promise<string> {
  const input = await loadExperimentInput(context, experimentId, query);
  const response = await analyseExperiment(context.memo, input, query);
  const analysis = checkResponse(endpoints.analyseExperiment, response);
  const { sameProblem } = analysis;
  const boxPlot = sameProblem && makeComparisonBoxPlot(sameProblem, makeUniqueSlug(experimentId));
  return getFragment(table, makeExperimentTables(analysis), boxPlot);
}

/**
 * Returns the comparison on a problem as a LaTeX fragment with the same numbers as the JSON response; a LaTeX comment
 * if the comparison does not contain the requested table. Throws NOT_FOUND, and the errors of {@link compareRuns}.
 */
export async function exportComparison(
  context: AnalysisContext,
  problemType: string,
  { table, ...query }: ComparisonLatexQuery,
): Promise<string> {
  const input = await loadProblemInput(context, problemType, query);
  const response = await compareRuns(context.memo, input, query);
  const comparison = checkResponse(endpoints.compareProblem, response);
  return getFragment(table, makeComparisonTables(comparison), makeComparisonBoxPlot(comparison));
}

/**
 * Returns the tables across instances as a LaTeX fragment with the same numbers as the JSON response. Throws the errors
 * of {@link compareAcross}.
 */
export async function exportAcross(context: AnalysisContext, query: AcrossQuery): Promise<string> {
  const response = await compareAcross(context, query);
  return writeLatex(makeAcrossTables(checkResponse(endpoints.compareAcross, response)));
}

/**
 * Returns the result of {@link makeErtTables} for a campaign as a LaTeX fragment with the same numbers as the JSON
 * responses. Includes the tests unless the query has several targets. Throws CAMPAIGN_NOT_FOUND, and VALIDATION_FAILED
 * for several suites.
 */
export async function exportErts(
  context: AnalysisContext,
  campaignId: string,
  query: ErtsQuery,
): Promise<string> {
  const erts = checkResponse(endpoints.listErts, await listErts(context, campaignId, query));
  const [target, ...otherTargets] = query.targets;
  if (otherTargets.length > 0) return writeLatex(makeErtTables(erts, null));
  const tests = await compareOptimizers(context, campaignId, {
    ...query,
    target,
    failed: 'include',
  });
  return writeLatex(makeErtTables(erts, checkResponse(endpoints.compareOptimizers, tests)));
}

/**
 * Returns the tables and the box plot as LaTeX; with `requestedTable`, only the one with this name. Returns a LaTeX
 * comment if none has this name.
 */
function getFragment(
  requestedTable: string | undefined,
  tables: readonly Table[],
  boxPlot?: BoxPlot | null,
): string {
  const isRequested = ({ name }: { name: string }) =>
    requestedTable === undefined || name === requestedTable;
  const requestedTables = tables.filter(isRequested);
  const fragments = [
    ...(requestedTables.length > 0 ? [writeLatex(requestedTables)] : []),
    ...(boxPlot && isRequested(boxPlot) ? [writeBoxPlot(boxPlot)] : []),
  ];
  if (fragments.length > 0) return fragments.join('\n');
  const names = [...tables, ...(boxPlot ? [boxPlot] : [])].map(({ name }) => name);
  return `% These data have no table ${requestedTable}. Request one of ${names.join(', ')}.\n`;
}
