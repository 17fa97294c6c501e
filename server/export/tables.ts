import type { Database } from '#server/db/database.ts';
import { getTrace } from '#server/domain/trace.ts';
import type * as z from 'zod';
import { exportedPoint, exportedRun } from '#shared/schemas/export.ts';
import type {
  ExportedExperiment,
  ExportedPoint,
  ExportedRun,
  ExportQuery,
} from '#shared/schemas/export.ts';
import { packTasks, unpackTask, type PackedTasks } from './packed-tasks.ts';
import { selectRuns, splitRuns, type ExportSubject, type SelectedRun } from './selection.ts';

/** A slice of a table, and the input of the next slice, which is null after the last slice. */
interface TableSlice<Row> {
  rows: Row[];
  schema: z.ZodType;
  nextInput: TableInput | null;
}

/** The input of a slice of a table. Only the input of a slice after the first has a `remainder`. */
export interface TableInput {
  params: ExportSubject;
  query: ExportQuery;
  remainder?: { tasks: PackedTasks; nextTask: number };
}

/** Maximum number of runs in a slice of the table of runs. */
const runsPerSlice = 1_000;

function splitIntoSlices(runs: readonly SelectedRun[]): SelectedRun[][] {
  const slices = Map.groupBy(runs, (_run, index) => Math.floor(index / runsPerSlice));
  return [...slices.values()];
}

/**
 * Returns a slice of the selected runs, in their order. For the first slice, throws the errors of {@link selectRuns}.
 */
export async function sliceRuns(
  database: Database,
  input: TableInput,
): Promise<TableSlice<ExportedRun>> {
  const remainder = input.remainder ?? (await createRemainder(database, input, splitIntoSlices));
  const runs =
    remainder.tasks.count === 0
      ? []
      : (unpackTask(remainder.tasks, remainder.nextTask) as TableRun[]);
  return {
    rows: runs.map(({ run }) => run),
    schema: exportedRun,
    nextInput: getNextInput(input, remainder),
  };
}

/**
 * Returns the experiments of the selected runs. For a problem or an experiment, includes experiments without runs.
 * Throws the errors of {@link selectRuns}.
 */
export async function listExperiments(
  database: Database,
  { params, query }: Pick<TableInput, 'params' | 'query'>,
): Promise<ExportedExperiment[]> {
  const { experiments } = await selectRuns(database, params, query);
  return experiments.map(
    ({ experimentId, runName, algorithmType, modelType, problemType, instance, configJson }) => ({
      experimentId,
      runName,
      algorithmType,
      modelType,
      problemType,
      instanceId: instance.id,
      configJson,
    }),
  );
}

/**
 * Returns a slice of the traces of the selected runs, in their order. Each improvement is a row. If a run has later
 * iterations, its last row contains their maximum evaluations and the best fitness. A run without a finite fitness in
 * its iterations has only this row, with null as its fitness. It has no row if its maximum is 0, or if it has no
 * iterations. For the first slice, throws the errors of {@link selectRuns}.
 */
export async function sliceTraces(
  database: Database,
  input: TableInput,
): Promise<TableSlice<ExportedPoint>> {
  const remainder = input.remainder ?? (await createRemainder(database, input, splitRuns));
  const runs =
    remainder.tasks.count === 0
      ? []
      : (unpackTask(remainder.tasks, remainder.nextTask) as TableRun[]);
  const rows = await readPoints(database, runs);
  return { rows, schema: exportedPoint, nextInput: getNextInput(input, remainder) };
}

/**
 * A run in a table, and the number of its newest iteration when the export began; null without iterations, or if the
 * number is not an integer.
 */
interface TableRun {
  run: ExportedRun;
  lastIteration: number | null;
}

async function createRemainder(
  database: Database,
  { params, query }: TableInput,
  divide: (runs: readonly SelectedRun[]) => SelectedRun[][],
): Promise<{ tasks: PackedTasks; nextTask: number }> {
  const { runs } = await selectRuns(database, params, query);
  const slices = divide(runs).map((runsOfSlice) =>
    runsOfSlice.map((run): TableRun => ({ run: toRow(run), lastIteration: run.newestIteration })),
  );
  return { tasks: packTasks(slices), nextTask: 0 };
}

function getNextInput(
  input: TableInput,
  { tasks, nextTask }: NonNullable<TableInput['remainder']>,
) {
  return nextTask + 1 < tasks.count
    ? { ...input, remainder: { tasks, nextTask: nextTask + 1 } }
    : null;
}

function toRow(run: SelectedRun): ExportedRun {
  const { runId, experimentId, algorithm, problemType, suite, functionId, dimension } = run;
  const { instance, seed, direction, status, startTime } = run;
  const { evaluations, bestFitness, runtimeMillis, newestIteration, trialBudget, isResumed } = run;
  return {
    runId,
    experimentId,
    algorithm,
    problemType,
    suite,
    functionId,
    dimension,
    instance,
    seed,
    direction,
    status,
    startTime,
    evaluations,
    bestFitness: bestFitness !== null && Number.isFinite(bestFitness) ? bestFitness : null,
    runtimeMillis,
    infinity: bestFitness === Infinity ? 1 : bestFitness === -Infinity ? -1 : null,
    newestIteration,
    trialBudget,
    isResumed,
  };
}

async function readPoints(database: Database, runs: readonly TableRun[]): Promise<ExportedPoint[]> {
  const requests = runs.map(({ run, lastIteration }) => ({
    runId: run.runId,
    lastIteration: lastIteration ?? -1,
  }));
  const runsById = new Map(runs.map(({ run }) => [run.runId, run]));
  const points = new Map<string, ExportedPoint[]>();
  await database.dialect.readTraces(requests, (runId, pairs) => {
    const run = runsById.get(runId);
    if (run) points.set(runId, listPoints(run, pairs));
  });
  return runs.flatMap(({ run }) => points.get(run.runId) ?? []);
}

function listPoints(run: ExportedRun, pairs: Float64Array): ExportedPoint[] {
  const { runId, experimentId, algorithm, problemType, suite, functionId, dimension } = run;
  const { instance, seed, direction } = run;
  const trace = getTrace(pairs, direction, run);
  const makePoint = (evaluations: number, best: number | null): ExportedPoint => ({
    runId,
    experimentId,
    algorithm,
    problemType,
    suite,
    functionId,
    dimension,
    instance,
    seed,
    direction,
    evaluations,
    best,
  });
  const points = Array.from(trace.evaluations, (evaluations, index) =>
    makePoint(evaluations, trace.best[index] ?? NaN),
  );
  const lastPoint = points.at(-1);
  if (trace.usedEvaluations > (lastPoint?.evaluations ?? 0))
    points.push(makePoint(trace.usedEvaluations, lastPoint?.best ?? null));
  return points;
}
