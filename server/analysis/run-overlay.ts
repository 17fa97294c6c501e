import type { AnalysisContext } from './load.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
  ComparedRun,
  RunDifference,
  RunsOverlay,
  RunsOverlayQuery,
} from '#shared/schemas/analysis-runs.ts';
import {
  getCommonGrid,
  getDifference,
  getDifferencesAt,
  getValuesAt,
  type GridTrace,
} from './run-grid.ts';
import { getGridTrace } from './run-traces.ts';
import { listRunsWithSummaries, type RunWithSummary } from './compared-runs.ts';
import { getTextStart } from '#shared/syntax.ts';
import { hash } from 'node:crypto';
import { isMetadataSection } from '#server/domain/problem-instance.ts';
import { isRunning } from '#shared/words.ts';
import { listWholeParams, type WholeParam } from '#server/repositories/params.ts';
import { maskListedParam } from '#server/domain/secrets/mask-params.ts';
import {
  countDecreasingRuns,
  countStepRuns,
  makeEvaluationNotes,
  makeNote,
  makeNoteIf,
  makeStepNotes,
} from './notes.ts';

/** Maximum number of listed parameters, separately for different and equal ones. */
const maximumParameters = 500;

/** Returns the traces of several runs over one axis, their results and parameters. Throws RUN_NOT_FOUND. */
export async function overlayRuns(
  context: AnalysisContext,
  { run: runIds, by, reference, points }: RunsOverlayQuery,
): Promise<RunsOverlay> {
  const runs = await listRunsWithSummaries(context, runIds);
  const traces = await Promise.all(runs.map(({ run }) => getGridTrace(context, run, by)));
  const hits = by === 'evaluations' ? runs.map(({ summary }) => summary.evaluationsToTarget) : [];
  const grid = getCommonGrid(removeNulls(traces), points, removeNulls(hits));
  const referenceIndex = runs.findIndex(({ summary }) => summary.runId === reference);
  const experimentIds = runs.map(({ summary }) => summary.experimentId);
  const params = await listWholeParams(context.database, [...new Set(experimentIds)]);
  const parameters = compareParameters(params, experimentIds);
  return {
    by,
    reference: reference ?? null,
    runs: runs.map(({ summary }) => ({
      ...summary,
      difference: makeDifferences(summary, runs[referenceIndex]),
    })),
    ...grid,
    traces: getTraces(runs, traces, grid.x, referenceIndex),
    parameters: {
      differing: parameters.differing.slice(0, maximumParameters),
      equal: parameters.equal.slice(0, maximumParameters),
    },
    notes: [...makeDifferenceNotes(runs, traces), ...makeParameterNotes(parameters)],
  };
}

function removeNulls<Value>(values: readonly (Value | null)[]): Value[] {
  return values.filter((value) => value !== null);
}

function getTraces(
  runs: readonly RunWithSummary[],
  traces: readonly (GridTrace | null)[],
  x: readonly number[],
  referenceIndex: number,
): RunsOverlay['traces'] {
  const bestSeries = traces.map((trace) => (trace ? getValuesAt(trace, x) : x.map(() => null)));
  const referenceValues = bestSeries[referenceIndex];
  const reference = runs[referenceIndex];
  return runs.map(({ summary }, index) => {
    const bestValues = bestSeries[index] ?? [];
    const isCompared =
      referenceValues && index !== referenceIndex && isComparable(summary, reference?.summary);
    const difference = isCompared ? getDifferencesAt(bestValues, referenceValues) : null;
    return { runId: summary.runId, best: bestValues, end: traces[index]?.end ?? null, difference };
  });
}

/** Returns whether the fitness of two runs is comparable: they have the same problem instance and direction. */
function isComparable(
  run: Pick<ComparedRun, 'instance' | 'direction'>,
  otherRun: Pick<ComparedRun, 'instance' | 'direction'> | undefined,
): boolean {
  return run.instance.id === otherRun?.instance.id && run.direction === otherRun.direction;
}

function makeDifferences(
  run: RunWithSummary['summary'],
  reference: RunWithSummary | undefined,
): RunDifference | null {
  if (!reference || reference.summary.runId === run.runId) return null;
  const referenceRun = reference.summary;
  return {
    best: isComparable(run, referenceRun) ? getDifference(run.best, referenceRun.best) : null,
    evaluationsToTarget: getDifference(run.evaluationsToTarget, referenceRun.evaluationsToTarget),
    evaluations: getDifference(run.evaluationsSpent, referenceRun.evaluationsSpent),
    iterations: getDifference(run.iterationsDone, referenceRun.iterationsDone),
    runtimeMillis: getDifference(run.elapsedMillis, referenceRun.elapsedMillis),
  };
}

/**
 * Returns the notes on differences between the runs, on RUNNING runs, resumed runs and runs without a curve, and on
 * runs whose evaluations decrease or are steps of MLflow.
 */
function makeDifferenceNotes(
  chosenRuns: readonly RunWithSummary[],
  traces: readonly (GridTrace | null)[],
): AnalysisNote[] {
  const runs = chosenRuns.map(({ summary }) => summary);
  const instances = new Map(runs.map(({ instance }) => [instance.id, instance.label]));
  const targets = new Set(removeNulls(runs.map(({ targetFitness }) => targetFitness)));
  const count = (hasProperty: (run: RunWithSummary['summary']) => boolean) =>
    runs.filter(hasProperty).length;
  const minimisedCount = count(({ direction }) => direction === 'min');
  const untimedCount = traces.filter((trace) => trace === null).length;
  const tracelessCount = traces.filter((trace) => trace?.best.length === 0).length;
  const runningCount = count(isRunning);
  const resumedCount = count(({ isResumed }) => isResumed);
  return [
    ...makeNoteIf(instances.size > 1, 'RUNS_OF_INSTANCES', [...instances.values()]),
    ...makeNoteIf(
      minimisedCount > 0 && minimisedCount < runs.length,
      'RUNS_OF_DIRECTIONS',
      minimisedCount,
      runs.length - minimisedCount,
    ),
    ...makeNoteIf(targets.size > 1, 'RUNS_OF_TARGETS', [...targets]),
    ...makeNoteIf(runningCount > 0, 'RUNS_GO_ON', runningCount),
    ...makeNoteIf(tracelessCount > 0, 'RUNS_WITHOUT_TRACE', tracelessCount),
    ...makeNoteIf(untimedCount > 0, 'RUNS_WITHOUT_TIMES', untimedCount),
    ...makeNoteIf(resumedCount > 0, 'RUNS_RESUMED', resumedCount),
    ...makeEvaluationNotes(countDecreasingRuns(chosenRuns.map(({ run }) => run))),
    ...makeStepNotes(countStepRuns(chosenRuns.map(({ run }) => run))),
  ];
}

function makeParameterNotes({ differing, equal }: RunsOverlay['parameters']): AnalysisNote[] {
  const total = differing.length + equal.length;
  const listedCount =
    Math.min(differing.length, maximumParameters) + Math.min(equal.length, maximumParameters);
  return listedCount < total ? [makeNote('PARAMETERS_LEFT_OUT', listedCount, total)] : [];
}

/** Maximum length of a value without truncation, in UTF-16 code units. */
const maximumValueLength = 200;

/**
 * Returns the parameters of runs, different and equal ones separately, each in the order of `params`. Different
 * parameters that affect only names, storage or display come last. `experimentIds` are the experiments of the runs, in
 * order. The values come from {@link formatValue}, which masks secrets, so different secrets count as equal.
 */
function compareParameters(
  params: readonly WholeParam[],
  experimentIds: readonly string[],
): RunsOverlay['parameters'] {
  const paramsByPath = Map.groupBy(params, ({ paramPath }) => paramPath);
  const rows = Array.from(paramsByPath, ([path, pathParams]) => {
    const valueByExperiment = new Map(
      pathParams.map((param) => [param.experimentId, formatValue(param)]),
    );
    const values = experimentIds.map((id) => valueByExperiment.get(id) ?? null);
    return { path, isIncidental: isMetadataSection(pathParams[0]?.section ?? ''), values };
  });
  const isDifferent = ({ values }: { values: readonly (string | null)[] }) =>
    new Set(values).size > 1;
  return {
    differing: rows
      .filter(isDifferent)
      .toSorted((a, b) => Number(a.isIncidental) - Number(b.isIncidental)),
    equal: rows
      .filter((row) => !isDifferent(row))
      .map(({ path, values }) => ({ path, value: values[0] ?? null })),
  };
}

/**
 * Returns a value as text with masked secrets; null if it has neither a text nor JSON. Truncates a long value, and adds
 * its length and a checksum that distinguishes it from values with the same start. The value null becomes the text
 * `null`. The text "null" gets quotes, to distinguish it from this value.
 */
function formatValue({ paramPath, valueType, valueText, valueJson }: WholeParam): string | null {
  if (valueType === 'null') return 'null';
  const text = maskListedParam(paramPath, valueText ?? valueJson);
  if (text === 'null') return '"null"';
  if (text === null || text.length <= maximumValueLength) return text;
  const checksum = hash('sha256', text).slice(0, 8);
  return `${getTextStart(text, maximumValueLength)}… (${text.length} characters, ${checksum})`;
}
