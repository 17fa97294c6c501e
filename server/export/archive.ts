import type { Database } from '#server/db/database.ts';
import type { TraceRequest } from '#server/db/dialect.ts';
import { getTrace } from '#server/domain/trace.ts';
import { ProblemError, truncate } from '#server/errors.ts';
import { toLine, type LoggedFunction, type LoggedRun } from '#server/formats/logged-run.ts';
import { ZipWriter, type ZipState } from '#server/formats/zip.ts';
import { findDeletedRun } from '#server/repositories/locks.ts';
import { describeCount, formatCount } from '#shared/number-format.ts';
import type { ExportDescription, ExportQuery } from '#shared/schemas/export.ts';
import {
  describeDifferences,
  findExpressibleRuns,
  layOutFiles,
  loggers,
  tableObstacles,
  type ExpressibleRuns,
  type FunctionFiles,
  type ArchiveFormat,
} from './layout.ts';
import { packTasks, unpackTask, type PackedTasks } from './packed-tasks.ts';
import {
  estimateRowCount,
  selectRuns,
  splitRuns,
  type ExportSubject,
  type SelectedRun,
  type Selection,
} from './selection.ts';

/** A step of writing an archive. */
type Task = RowsTask | ScenarioTask | IndexTask | ReadmeTask;

/**
 * A task that appends runs to a data file. The tasks of the last data file of a scenario also collect the entries of
 * their runs for the index.
 */
interface RowsTask {
  kind: 'rows';
  path: string;
  modifiedMillis: number;
  /** Position of the data file in the `dataFiles` of the format, from 0. */
  dataFile: number;
  isMaximised: boolean;
  runs: PendingRun[];
}

/**
 * A task that ends the current data file. If `loggedFunction` is not null, it also ends the scenario of this function.
 */
interface ScenarioTask {
  kind: 'scenario';
  dimension: number;
  loggedFunction: LoggedFunction | null;
}

interface IndexTask {
  kind: 'index';
  path: string;
  modifiedMillis: number;
  loggedFunction: LoggedFunction;
}

interface ReadmeTask {
  kind: 'readme';
  modifiedMillis: number;
  text: string;
}

/** A run whose rows a task reads later. */
interface PendingRun extends Pick<LoggedRun, 'instance' | 'seed' | 'hasCompleted'> {
  runId: string;
  experimentId: string;
  /**
   * Number of the newest iteration of the run when the export began; null without iterations, or if it is not an
   * integer.
   */
  lastIteration: number | null;
  evaluations: number;
  bestFitness: number | null;
  isResumed: boolean;
}

/** The state between two parts of an archive. */
export interface ArchiveState {
  tasks: PackedTasks;
  /** Number of the next task, from 0. */
  nextTask: number;
  zip: ZipState;
  /** Entries of the current scenario in the index. */
  entries: string[];
  /** Texts of the finished scenarios of the current index. */
  scenarios: string[];
  /** Number of runs that the archive omits, because {@link toLoggedRun} returns no value of them. */
  emptyRunCount: number;
  /** Number of runs whose first value is later than evaluation 1. */
  lateRunCount: number;
}

/** A part of an archive, and the state for the next part, which is null after the last part. */
export interface ArchivePart {
  bytes: Uint8Array<ArrayBuffer>;
  nextState: ArchiveState | null;
}

/**
 * A part ends after this number of rows, both read and written ones, or after this number of written characters. This
 * takes about 0.1 s.
 */
const rowsPerPart = 50_000;
const charactersPerPart = 2_097_152;

/**
 * Maximum number of rows by {@link estimateRowCount}. An archive with more rows could exceed the maximum size of a zip
 * archive.
 */
const maximumRows = 50_000_000;

/**
 * Returns the number of selected runs and, for each format, the number of runs that it can express, with the reason if
 * this number is 0. Throws the errors of {@link selectRuns}.
 */
export async function describeExport(
  database: Database,
  subject: ExportSubject,
  query: ExportQuery,
): Promise<ExportDescription> {
  const { runs } = await selectRuns(database, subject, query);
  const describe = (obstacles: Parameters<typeof findExpressibleRuns>[1]) => {
    const expressibleRuns = findExpressibleRuns(runs, obstacles);
    return { runs: expressibleRuns.runs.length, reason: findRefusal(expressibleRuns) };
  };
  return {
    runs: runs.length,
    ioh: describe(loggers.ioh.obstacles),
    coco: describe(loggers.coco.obstacles),
    tables: describe(tableObstacles),
  };
}

/** Returns the reason why a format can express no run; null if it can express some. */
function findRefusal({ runs, omissions }: ExpressibleRuns): string | null {
  if (runs.length > 0) return null;
  return (
    omissions.map((omission) => describeOmission('run', omission)).join(' ') ||
    'There are no runs to export.'
  );
}

function describeOmission(
  noun: 'run' | 'trial',
  { reason, count }: ExpressibleRuns['omissions'][number],
): string {
  return `Evoscope cannot export ${describeCount(count, noun)}: ${reason}.`;
}

/**
 * Returns the first part of an archive in the format of a logger, or the part that follows `previousState`. For the
 * first part, throws the errors of {@link selectRuns}, EXPORT_IMPOSSIBLE if the format can express none of the runs,
 * and ANSWER_TOO_LARGE for more than {@link maximumRows} rows. For any part, throws the RangeErrors of {@link
 * ZipWriter} and the error of {@link refuseDeletedRuns}.
 */
export async function writeArchivePart(
  database: Database,
  format: ArchiveFormat,
  { subject, query }: { subject: ExportSubject; query: ExportQuery },
  previousState?: ArchiveState,
): Promise<ArchivePart> {
  const state = previousState ?? startArchive(format, await selectRuns(database, subject, query));
  const writer = new ArchiveWriter(database, format, state);
  return writer.writePart();
}

function startArchive(format: ArchiveFormat, selection: Selection): ArchiveState {
  const { name, formatter, obstacles } = loggers[format];
  const expressibleRuns = findExpressibleRuns(selection.runs, obstacles);
  const refusal = findRefusal(expressibleRuns);
  if (refusal !== null)
    throw new ProblemError(
      'EXPORT_IMPOSSIBLE',
      `${refusal} Select other runs for ${name} data, or export tables`,
    );
  const rowCount = expressibleRuns.runs.reduce(
    (sum, { newestIteration }) => sum + estimateRowCount(newestIteration),
    0,
  );
  if (rowCount > maximumRows)
    throw new ProblemError(
      'ANSWER_TOO_LARGE',
      `The runs have ${formatCount(rowCount)} iterations, and an archive contains at most ${formatCount(maximumRows)}. Export fewer runs`,
    );
  const files = layOutFiles(expressibleRuns.runs, formatter);
  const readme = describeArchive(format, selection, expressibleRuns, files);
  const tasks = [...files.flatMap((functionFiles) => listTasks(format, functionFiles)), readme];
  return {
    tasks: packTasks(tasks),
    nextTask: 0,
    zip: new ZipWriter().take().state,
    entries: [],
    scenarios: [],
    emptyRunCount: 0,
    lateRunCount: 0,
  };
}

function listTasks(format: ArchiveFormat, files: FunctionFiles): Task[] {
  const { dataFiles } = loggers[format].formatter;
  const { loggedFunction, indexPath, modifiedAt, scenarios } = files;
  const tasks = scenarios.flatMap(
    ({ dimension, dataPath, modifiedAt: dataModifiedAt, runs }): Task[] =>
      dataFiles.flatMap(({ extension }, dataFile): Task[] => [
        ...splitRuns(runs).map((runsOfTask): RowsTask => ({
          kind: 'rows',
          path: `${dataPath}${extension}`,
          modifiedMillis: dataModifiedAt.getTime(),
          dataFile,
          isMaximised: loggedFunction.isMaximised,
          runs: runsOfTask.map(toPendingRun),
        })),
        {
          kind: 'scenario',
          dimension,
          loggedFunction: dataFile === dataFiles.length - 1 ? loggedFunction : null,
        },
      ]),
  );
  const modifiedMillis = modifiedAt.getTime();
  return [...tasks, { kind: 'index', path: indexPath, modifiedMillis, loggedFunction }];
}

function toPendingRun(run: SelectedRun): PendingRun {
  const seed = run.seed === null ? '' : String(run.seed);
  return {
    runId: run.runId,
    experimentId: run.experimentId,
    lastIteration: run.newestIteration,
    evaluations: run.evaluations ?? 0,
    bestFitness: run.bestFitness,
    isResumed: run.isResumed,
    instance: run.instance,
    seed: /^-?\d+$/.test(seed) ? seed : null,
    hasCompleted: run.status === 'COMPLETED',
  };
}

class ArchiveWriter {
  readonly #database: Database;
  readonly #format: ArchiveFormat;
  readonly #state: ArchiveState;
  readonly #zip: ZipWriter;
  #rowCount = 0;
  #characterCount = 0;

  constructor(database: Database, format: ArchiveFormat, state: ArchiveState) {
    this.#database = database;
    this.#format = format;
    this.#state = { ...state, entries: [...state.entries], scenarios: [...state.scenarios] };
    this.#zip = new ZipWriter(state.zip);
  }

  async writePart(): Promise<ArchivePart> {
    const { tasks } = this.#state;
    while (
      this.#state.nextTask < tasks.count &&
      this.#rowCount < rowsPerPart &&
      this.#characterCount < charactersPerPart
    ) {
      await this.#executeTask(unpackTask(tasks, this.#state.nextTask) as Task);
      this.#state.nextTask += 1;
    }
    const isLast = this.#state.nextTask >= tasks.count;
    if (isLast) this.#zip.end();
    const { bytes, state: zip } = this.#zip.take();
    return { bytes, nextState: isLast ? null : { ...this.#state, zip } };
  }

  async #executeTask(task: Task): Promise<void> {
    const { formatScenario, formatIndex } = loggers[this.#format].formatter;
    if (task.kind === 'rows') return this.#writeRows(task);
    if (task.kind === 'scenario') {
      const { loggedFunction, dimension } = task;
      if (this.#zip.isOpen) this.#zip.close();
      if (loggedFunction === null || this.#state.entries.length === 0) return;
      this.#state.scenarios.push(formatScenario(loggedFunction, dimension, this.#state.entries));
      this.#state.entries = [];
    } else if (task.kind === 'readme') {
      this.#writeFile('README.txt', task.modifiedMillis, `${task.text}${this.#describeReadRuns()}`);
    } else if (this.#state.scenarios.length > 0) {
      const text = formatIndex(task.loggedFunction, this.#state.scenarios);
      this.#writeFile(task.path, task.modifiedMillis, text);
      this.#state.scenarios = [];
    }
  }

  #describeReadRuns(): string {
    const { emptyRunCount, lateRunCount } = this.#state;
    const lines = [];
    if (emptyRunCount > 0)
      lines.push(`Runs without a finite fitness, which the archive omits: ${emptyRunCount}.`);
    const lateRunsText = 'Runs with their first value after evaluation 1';
    if (lateRunCount > 0)
      lines.push(
        this.#format === 'ioh'
          ? `${lateRunsText}, which have an infinite value at evaluation 1: ${lateRunCount}.`
          : `${lateRunsText}, which cocopp reads, but IOHinspector cannot separate: ${lateRunCount}.`,
      );
    return lines.map((line) => `- ${line}\n`).join('');
  }

  #writeFile(path: string, modifiedMillis: number, text: string): void {
    this.#zip.open(path, new Date(modifiedMillis));
    this.#write(text);
    this.#zip.close();
  }

  async #writeRows({ path, modifiedMillis, dataFile, isMaximised, runs }: RowsTask): Promise<void> {
    const { dataFiles, formatEntry } = loggers[this.#format].formatter;
    const isLastFile = dataFile === dataFiles.length - 1;
    const loggedRuns = await readLoggedRuns(this.#database, runs, isMaximised);
    const rowTexts: string[] = [];
    for (const run of loggedRuns) {
      if (isLastFile && run.values.length === 0) this.#state.emptyRunCount += 1;
      if (run.values.length === 0) continue;
      if (isLastFile && (run.evaluations[0] ?? 1) > 1) this.#state.lateRunCount += 1;
      rowTexts.push(dataFiles[dataFile]?.formatRows(run, isMaximised) ?? '');
      if (isLastFile) this.#state.entries.push(formatEntry(run));
      this.#rowCount += run.values.length;
    }
    this.#rowCount += runs.reduce(
      (sum, { lastIteration }) => sum + estimateRowCount(lastIteration),
      0,
    );
    if (rowTexts.length === 0) return;
    if (!this.#zip.isOpen) this.#zip.open(path, new Date(modifiedMillis));
    this.#write(rowTexts.join(''));
  }

  #write(text: string): void {
    this.#characterCount += text.length;
    this.#zip.write(text);
  }
}

/**
 * Returns the improvements of runs up to `lastIteration`, in the order of the runs. Throws the error of {@link
 * refuseDeletedRuns}.
 */
async function readLoggedRuns(
  database: Database,
  runs: readonly PendingRun[],
  isMaximised: boolean,
): Promise<LoggedRun[]> {
  const requests = runs.map(({ runId, lastIteration }): TraceRequest => ({
    runId,
    lastIteration: lastIteration ?? -1,
    rows: estimateRowCount(lastIteration),
  }));
  const loggedRuns = new Map<string, LoggedRun>();
  const emptyRuns: PendingRun[] = [];
  await database.dialect.readTraces(requests, (runId, pairs) => {
    const run = runs.find((candidate) => candidate.runId === runId);
    if (run) loggedRuns.set(runId, toLoggedRun(run, pairs, isMaximised));
    if (typeof run?.lastIteration === 'number' && pairs.length === 0) emptyRuns.push(run);
  });
  await refuseDeletedRuns(database, emptyRuns);
  return runs.flatMap(({ runId }) => loggedRuns.get(runId) ?? []);
}

/**
 * Throws RUN_NOT_FOUND if one of these runs without iterations no longer exists. Otherwise a run that was deleted
 * during the export would look like a run that improved only at its end.
 */
async function refuseDeletedRuns(database: Database, runs: readonly PendingRun[]): Promise<void> {
  const deletedRun = await findDeletedRun(database, runs);
  if (deletedRun === undefined) return;
  throw new ProblemError(
    'RUN_NOT_FOUND',
    `Run "${truncate(deletedRun.runId)}" was deleted during the export. Export again`,
  );
}

/**
 * Returns the improvements of a run from its iterations. If the row of the run has a finite best fitness that is better
 * than all of them, adds this fitness as the last improvement. The evaluations of this improvement come from the row.
 * If they are not positive, or if the run is resumed, the maximum of row and iterations replaces them. They are never
 * below the evaluations of the previous improvement. Omits this fitness if neither the row nor the iterations have
 * positive evaluations. Evaluations below 1 become 1.
 */
function toLoggedRun(run: PendingRun, pairs: Float64Array, isMaximised: boolean): LoggedRun {
  const { instance, seed, hasCompleted, evaluations: usedEvaluations, bestFitness } = run;
  const trace = getTrace(pairs, isMaximised ? 'max' : 'min', run);
  const evaluations = Array.from(trace.evaluations, (count) => Math.max(1, count));
  const values = [...trace.best];
  const lastEvaluation = Math.max(1, usedEvaluations, trace.usedEvaluations);
  const lastValue = values.at(-1) ?? (isMaximised ? -Infinity : Infinity);
  const isBetter =
    bestFitness !== null &&
    Number.isFinite(bestFitness) &&
    (isMaximised ? bestFitness > lastValue : bestFitness < lastValue);
  const hasFinalCount = usedEvaluations > 0 && !run.isResumed;
  const end = hasFinalCount ? usedEvaluations : Math.max(usedEvaluations, trace.usedEvaluations);
  if (isBetter && end > 0) {
    evaluations.push(Math.max(end, evaluations.at(-1) ?? 1));
    values.push(bestFitness);
  }
  return { instance, seed, hasCompleted, evaluations, values, usedEvaluations: lastEvaluation };
}

function describeArchive(
  format: ArchiveFormat,
  { title, omittedTrials }: Selection,
  { runs, omissions }: ExpressibleRuns,
  files: readonly FunctionFiles[],
): ReadmeTask {
  const folders = new Map(
    files.map(({ folder, loggedFunction }) => [folder, loggedFunction.algorithm]),
  );
  const facts = [
    ...omittedTrials.map((omission) => describeOmission('trial', omission)),
    ...omissions.map((omission) => describeOmission('run', omission)),
    ...describeDifferences(format, runs),
  ];
  const lines = [
    `${title}, exported by Evoscope as ${loggers[format].name} data: ${describeCount(runs.length, 'run')}.`,
    '',
    'Rows contain the evaluations at which a run improved, with its best value so far, and its last evaluation.',
    '',
    'Folders and their algorithms:',
    ...[...folders].map(([folder, algorithm]) => `- ${folder}: ${toLine(algorithm)}`),
    '',
    'Notes:',
    ...facts.map((fact) => `- ${fact}`),
    '',
  ];
  const modifiedMillis = Math.max(...files.map(({ modifiedAt }) => modifiedAt.getTime()));
  return { kind: 'readme', modifiedMillis, text: lines.join('\n') };
}
