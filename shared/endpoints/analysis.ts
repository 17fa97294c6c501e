import * as z from 'zod';
import { addresses } from '#shared/addresses.ts';
import * as analysis from '#shared/schemas/analysis.ts';
import { acrossComparison, acrossQuery } from '#shared/schemas/analysis-across.ts';
import * as design from '#shared/schemas/analysis-design.ts';
import * as parameters from '#shared/schemas/analysis-parameters.ts';
import * as runs from '#shared/schemas/analysis-runs.ts';
import * as analysisQuery from '#shared/schemas/analysis-query.ts';
import * as csv from '#shared/schemas/csv-tables.ts';

/** The endpoints under `/api/analysis`. */
export const analysisEndpoints = {
  listProblems: {
    ...addresses.listProblems,
    summary:
      'Problem types with their algorithms and their numbers of instances, experiments and runs',
    response: z.array(analysis.problemSummary),
    csv: csv.listTables,
  },
  compareProblem: {
    ...addresses.compareProblem,
    summary:
      'Comparison of algorithms, models, experiments, configurations or values of a parameter on one instance of a problem',
    params: analysisQuery.problemTypePath,
    query: analysisQuery.problemComparisonQuery,
    response: analysis.problemComparison,
    csv: csv.problemTables,
    errors: ['NOT_FOUND'],
  },
  exportProblemComparison: {
    ...addresses.exportProblemComparison,
    summary:
      'The tables of the comparison as a LaTeX fragment (`booktabs`, `longtable`, `graphicx`)',
    params: analysisQuery.problemTypePath,
    query: analysisQuery.comparisonLatexQuery,
    response: z.string(),
    kind: 'tex',
    errors: ['NOT_FOUND'],
  },
  describeParameters: {
    ...addresses.describeParameters,
    summary:
      'Parameters that vary between the experiments on an instance, with the results of the runs by value',
    query: parameters.parametersQuery,
    response: parameters.instanceParameters,
    csv: csv.parameterTables,
    errors: ['NOT_FOUND'],
  },
  overlayRuns: {
    ...addresses.overlayRuns,
    summary: 'Overlay of runs: traces, results, and the parameters that differ',
    query: runs.runsOverlayQuery,
    response: runs.runsOverlay,
    csv: csv.runTables,
    errors: ['RUN_NOT_FOUND'],
  },
  overlayTelemetry: {
    ...addresses.overlayTelemetry,
    summary:
      'Telemetry series of runs over one axis, with the available series and the diagnosis of each run',
    query: runs.telemetryOverlayQuery,
    response: runs.telemetryOverlay,
    csv: csv.telemetryTables,
    errors: ['RUN_NOT_FOUND'],
  },
  countRunsNeeded: {
    ...addresses.countRunsNeeded,
    summary:
      'Number of runs that each group needs for a test to detect an effect; uses no stored data',
    query: design.runsNeededQuery,
    response: design.runsNeededResponse,
  },
  compareAcross: {
    ...addresses.compareAcross,
    summary:
      'Comparison across instances: values of groups × instances, average ranks, tests over instances',
    query: acrossQuery,
    response: acrossComparison,
    csv: csv.acrossTables,
    errors: ['NOT_FOUND'],
  },
  exportAcross: {
    ...addresses.exportAcross,
    summary:
      'The tables across instances as a LaTeX fragment (`booktabs`, `longtable`, `graphicx`)',
    query: acrossQuery,
    response: z.string(),
    kind: 'tex',
    errors: ['NOT_FOUND'],
  },
} as const;
