import {
  type RecordCode,
  type RecordLine,
  type RecordResponse,
  recordLine,
} from '#shared/schemas/recording.ts';
import { toInstantBound, toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';
import type { Database } from '#server/db/database.ts';
import { type ConfigObject, type ConfigValue, parseConfig } from '#server/domain/config.ts';
import {
  getConfiguredDirection,
  type Direction,
  getProblemDirection,
  getTraceDirection,
} from '#server/domain/objective.ts';
import { requireWritable, truncate } from '#server/errors.ts';
import { acknowledgeStops } from '#server/repositories/control.ts';
import { listSomeTraceGains } from '#server/repositories/iterations.ts';
import { hasExperiment } from '#server/repositories/experiments.ts';
import * as recordedRuns from '#server/repositories/recorded-runs.ts';
import { type NewIteration, updateRun } from '#server/repositories/recording.ts';
import {
  createExperimentRecord,
  createClock,
  formatInstant,
  type Instant,
  isBlocked,
  type Recorder,
  recordWithRetries,
  toDouble,
  toDoubles,
  type JavaObject,
  type JavaValue,
  formatJavaJson,
} from './recorder.ts';
import { makeRecordingBusyError, makeRecordingOffError } from './faults.ts';
import { type Line, type Outcome, readLines } from './read-lines.ts';
import { type OtherDatabases, rejectRunsOfOtherDatabases } from './other-databases.ts';
import { isUnstorableTextError, listStops } from './stops.ts';
import { ConfigError, toJavaValue, makeRecordedConfig } from './recorded-config.ts';

/** Metric of an iteration whose record has NaN as its best. The row has the previous best, or else the worst value. */
export const missingBestMetric = 'best_missing';

/** Types of the events with the `end` record of a run, by the status of the run. The runner uses the same types. */
export const endEventTypes = {
  COMPLETED: 'run_completed',
  FAILED: 'run_failed',
  STOPPED: 'run_stopped',
};

/** Intended maximum duration of a transaction in milliseconds. Other writers of a SQLite database wait for its end. */
const transactionMillis = 25;

const initialChunkSize = 50;
const maximumChunkSize = 1_000;

const readClock = createClock();

/**
 * Stores the records in a text, one JSON object per line. Returns the counts, the rejections by line, the ids of the
 * `run` records, and the pending stop requests for the runs and `furtherRuns`. Stores valid records even if others are
 * invalid, and each record completely or not at all. A record that a client sends again changes nothing, except an
 * event without `eventId` and a `run` record without `runId`. Changes only recorded runs. Writes in transactions of
 * about {@link transactionMillis}; those before an error remain. Throws RECORDING_OFF, READ_ONLY, PAYLOAD_TOO_LARGE
 * (see {@link readLines}), and RECORDING_BUSY if other writers block the first records. If they block later records,
 * rejects the rest as BUSY. Always rejects the records of {@link rejectRunsOfOtherDatabases} as BUSY.
 */
export async function storeRecords(
  database: Database,
  {
    isRecording,
    text,
    furtherRuns,
    otherDatabases = new Map(),
  }: {
    isRecording: boolean;
    text: string;
    furtherRuns: readonly string[];
    otherDatabases?: OtherDatabases | undefined;
  },
): Promise<RecordResponse> {
  if (!isRecording) throw makeRecordingOffError();
  await requireWritable(database);
  const outcome: Outcome = { accepted: 0, unchanged: 0, rejected: [], runIds: [] };
  const allLines = readLines(text, outcome);
  const lines = await rejectRunsOfOtherDatabases(database, allLines, otherDatabases, outcome);
  let size = initialChunkSize;
  for (let start = 0; start < lines.length;) {
    const chunk = lines.slice(start, start + size);
    const startMillis = performance.now();
    let chunkOutcome: Outcome;
    let count: number;
    try {
      [chunkOutcome, count] = await recordWithRetries(database, async (recorder, transaction) => {
        const options = { maximumMillis: transactionMillis, canChangeEndedRuns: false };
        const recordChunk = new Chunk(transaction, recorder, chunk, options);
        return [await recordChunk.store(), recordChunk.count];
      });
    } catch (error) {
      if (isUnstorableTextError(error)) {
        const [line] = chunk;
        if (chunk.length === 1 && line) {
          outcome.rejected.push({ line: line.line, code: error.code, message: error.message });
          start += 1;
        }
        // Halves the chunk until it contains only the invalid line.
        size = Math.ceil(chunk.length / 2);
        continue;
      }
      if (!isBlocked(database, error)) throw error;
      if (start === 0) throw makeRecordingBusyError();
      const message = 'Another program is writing to the database: send this record again';
      for (const { line } of lines.slice(start)) {
        outcome.rejected.push({ line, code: 'BUSY', message });
      }
      break;
    }
    start += count;
    outcome.accepted += chunkOutcome.accepted;
    outcome.unchanged += chunkOutcome.unchanged;
    outcome.rejected.push(...chunkOutcome.rejected);
    const pace = transactionMillis / Math.max(performance.now() - startMillis, 1);
    size = Math.round(Math.min(Math.max(count * pace, 1), size * 2, maximumChunkSize));
  }
  outcome.rejected.sort((a, b) => a.line - b.line);
  const runIds = new Set([...lines.map((line) => line.record.runId ?? ''), ...furtherRuns]);
  return { ...outcome, stop: await listStops(database, [...runIds]) };
}

/**
 * Stores records inside a transaction with its recorder. Returns the first rejection, whose `line` is the number of the
 * record, from 1; the caller must then roll back the transaction. Returns undefined without a rejection.
 */
export async function storeInTransaction(
  transaction: Database,
  recorder: Recorder,
  records: readonly RecordLine[],
): Promise<RecordResponse['rejected'][number] | undefined> {
  const lines = records.map((record, index) => ({ line: index + 1, record: record }));
  // Clients of MLflow may add metrics to the steps of an ended run.
  const options = { maximumMillis: Infinity, canChangeEndedRuns: true };
  const { rejected } = await new Chunk(transaction, recorder, lines, options).store();
  return rejected[0];
}

type EndRecord = Extract<RecordLine, { type: 'end' }>;

/** Iterations of a run to store, by number. */
type Iterations = Map<number, Line<'iteration'>>;

/** The records of one transaction. */
class Chunk {
  readonly #transaction: Database;
  readonly #recorder: Recorder;
  readonly #lines: readonly Line[];
  readonly #options: { maximumMillis: number; canChangeEndedRuns: boolean };
  readonly #outcome: Outcome = { accepted: 0, unchanged: 0, rejected: [], runIds: [] };
  readonly #now: Instant = readClock();
  #runs = new Map<string, recordedRuns.RecordedRun>();
  readonly #iterations = new Map<string, Iterations>();
  readonly #ends: Line<'end'>[] = [];
  readonly #directions = new Map<string, Direction>();

  /** Number of lines whose results {@link store} returns, from the first line on. */
  count = 0;

  constructor(
    transaction: Database,
    recorder: Recorder,
    lines: readonly Line[],
    options: { maximumMillis: number; canChangeEndedRuns: boolean },
  ) {
    this.#transaction = transaction;
    this.#recorder = recorder;
    this.#lines = lines;
    this.#options = options;
  }

  /**
   * Stores the first lines, at least one, until the maximum time has elapsed, and returns their results. The limit is a
   * time, because one line with a new experiment may take as long as 50 iterations.
   */
  async store(): Promise<Outcome> {
    const startMillis = performance.now();
    const ids = [...new Set(this.#lines.map((line) => line.record.runId ?? ''))];
    const runs = await recordedRuns.listRecordedRuns(this.#transaction, ids, { isLocked: true });
    this.#runs = new Map(runs.map((run) => [run.runId, run]));
    for (const line of this.#lines) {
      await this.#add(line);
      this.count += 1;
      if (performance.now() - startMillis > this.#options.maximumMillis) break;
    }
    for (const [runId, iterations] of this.#iterations)
      await this.#storeIterations(runId, iterations);
    for (const end of this.#ends) await this.#storeEnd(end);
    return this.#outcome;
  }

  async #add({ line, record: newRecord }: Line): Promise<void> {
    if (newRecord.type === 'run') return this.#addRun({ line, record: newRecord });
    const run = this.#runs.get(newRecord.runId);
    if (run === undefined) {
      return this.#reject(
        line,
        'RUN_UNKNOWN',
        `There is no run "${truncate(newRecord.runId)}" yet: send its run record first`,
      );
    }
    if (!run.isRecorded) return this.#rejectForeignRun(line, run);
    if (newRecord.type === 'event') return this.#addEvent({ line, record: newRecord }, run);
    if (newRecord.type === 'checkpoint') return this.#addCheckpoint({ line, record: newRecord });
    if (newRecord.type === 'end') return this.#addEnd({ line, record: newRecord }, run);
    const totalEvaluations = isRunning(run) ? null : await this.#getEvaluations(run);
    if (totalEvaluations !== null && newRecord.evaluations > totalEvaluations) {
      const message =
        `Run "${truncate(run.runId)}" has ended after ${totalEvaluations} evaluations: an iteration with ` +
        `${newRecord.evaluations} is not part of it. Record another run`;
      return this.#reject(line, 'RUN_ENDED', message);
    }
    const iterations = this.#iterations.get(run.runId) ?? new Map();
    if (iterations.has(newRecord.iteration)) this.#outcome.unchanged += 1;
    this.#iterations.set(
      run.runId,
      iterations.set(newRecord.iteration, { line, record: newRecord }),
    );
  }

  /**
   * Returns the number of evaluations of an ended run. Returns null for a run that a user settled, and if the `end`
   * record omits the number, because the last iterations may arrive after this record.
   */
  async #getEvaluations({ runId, evaluations }: recordedRuns.RecordedRun): Promise<number | null> {
    const storedEnd = this.#ends.some((end) => end.record.runId === runId)
      ? undefined
      : await this.#readEnd(runId);
    const isOpen = storedEnd !== undefined && storedEnd.evaluations === undefined;
    return isOpen || evaluations === null ? null : Number(evaluations);
  }

  #reject(line: number, code: RecordCode, message: string): void {
    this.#outcome.rejected.push({ line, code, message });
  }

  #rejectForeignRun(line: number, { runId }: recordedRuns.RecordedRun): void {
    const message = `No client recorded run "${truncate(runId)}" over HTTP, so no record can change it: use another id`;
    this.#reject(line, 'RUN_OF_OTHERS', message);
  }

  async #addRun({ line, record: runRecord }: Line<'run'>): Promise<void> {
    const runId = runRecord.runId ?? '';
    let experiment;
    try {
      experiment = createExperimentRecord(makeRecordedConfig(runRecord.config as ConfigObject));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return this.#reject(line, 'VALIDATION_FAILED', error.message);
    }
    const { experimentId } = experiment;
    const existingRun = this.#runs.get(runId);
    if (existingRun && !existingRun.isRecorded) return this.#rejectForeignRun(line, existingRun);
    if (existingRun) {
      const isSameRun =
        existingRun.experimentId === experimentId && BigInt(existingRun.seed) === runRecord.seed;
      if (isSameRun) this.#outcome.unchanged += 1;
      else {
        const message = `Run "${truncate(runId)}" already exists with another configuration or seed: use another id`;
        this.#reject(line, 'RUN_CONFLICT', message);
      }
      return;
    }
    if (!(await hasExperiment(this.#transaction, experimentId))) {
      await this.#recorder.writeExperiment(experiment, this.#now);
    }
    const startTime = this.#getTime(runRecord.startTime);
    const seed = String(runRecord.seed);
    const status = 'RUNNING';
    await this.#recorder.writeRuns([
      { run_id: runId, experiment_id: experimentId, seed, status, start_time: startTime },
    ]);
    this.#runs.set(runId, {
      runId,
      experimentId,
      seed,
      status,
      startTime,
      evaluations: null,
      isRecorded: true,
    });
    this.#outcome.accepted += 1;
  }

  async #addEvent(event: Line<'event'>, run: recordedRuns.RecordedRun): Promise<void> {
    const { runId, eventType, eventId, payload, time } = event.record;
    if (eventId !== undefined) {
      const payloads = await recordedRuns.listPayloadsOfTypes(this.#transaction, runId, [
        eventType,
      ]);
      const isStored = payloads.some((text) => parseConfig(text)['eventId'] === eventId);
      if (isStored) {
        this.#outcome.unchanged += 1;
        return;
      }
    }
    // The newest event of these types contains the `end` record of an ended run.
    if (Object.values(endEventTypes).includes(eventType) && !isRunning(run))
      return this.#rejectEnd(event.line, run);
    const { runId: _run, timestamp: _time, ...members } = toJavaObject(payload ?? {});
    await this.#recorder.writeEvents([
      {
        runId,
        type: eventType,
        instant: this.#getInstant(time),
        members: { ...members, ...(eventId !== undefined && { eventId }) },
      },
    ]);
    this.#outcome.accepted += 1;
  }

  async #addCheckpoint({ record: checkpoint }: Line<'checkpoint'>): Promise<void> {
    const { runId, iteration, path } = checkpoint;
    const storedPaths = await recordedRuns.listCheckpointPaths(this.#transaction, runId);
    const isStored = storedPaths.some((row) => row.iteration === iteration && row.path === path);
    if (isStored) {
      this.#outcome.unchanged += 1;
      return;
    }
    const created_at = this.#getTime(checkpoint.time);
    await this.#recorder.writeCheckpoints([
      { run_id: runId, iteration, checkpoint_path: path, created_at },
    ]);
    this.#outcome.accepted += 1;
  }

  async #addEnd(end: Line<'end'>, run: recordedRuns.RecordedRun): Promise<void> {
    if (isRunning(run)) {
      this.#ends.push(end);
      run.status = end.record.status;
      run.evaluations = end.record.evaluations ?? null;
      return;
    }
    const pendingEnd = this.#ends.find(({ record }) => record.runId === run.runId)?.record;
    const previousEnd = pendingEnd ?? (await this.#readEnd(run.runId));
    const format = (record: EndRecord) => formatJavaJson(getEndMembers(record));
    if (previousEnd && format(previousEnd) === format(end.record)) {
      this.#outcome.unchanged += 1;
      return;
    }
    this.#rejectEnd(end.line, run);
  }

  #rejectEnd(line: number, { runId, status }: recordedRuns.RecordedRun): void {
    const message = `Run "${truncate(runId)}" has ended as ${status}: its end cannot change. Record another run`;
    this.#reject(line, 'RUN_ENDED', message);
  }

  /** Returns the stored `end` record of a run; undefined without one, for example after a user settled the run. */
  async #readEnd(runId: string): Promise<EndRecord | undefined> {
    const types = Object.values(endEventTypes);
    const [payload] = await recordedRuns.listPayloadsOfTypes(this.#transaction, runId, types);
    if (payload === undefined) return undefined;
    const { data } = recordLine.safeParse({ ...parseConfig(payload), type: 'end' });
    return data?.type === 'end' ? data : undefined;
  }

  async #storeIterations(runId: string, iterations: Iterations): Promise<void> {
    const numbers = [...iterations.keys()].sort((a, b) => a - b);
    const storedRows = new Map(
      (await recordedRuns.listIterationsAt(this.#transaction, runId, numbers)).map((row) => [
        row.iteration,
        row,
      ]),
    );
    const rows: NewIteration[] = [];
    const run = this.#runs.get(runId);
    const hasEnded =
      run !== undefined && !isRunning(run) && !this.#ends.some((end) => end.record.runId === runId);
    const isFinal = hasEnded && !this.#options.canChangeEndedRuns;
    let previousBest: { iteration: number; best: number } | undefined;
    let hasMissingBest = false;
    for (const iteration of numbers) {
      const { line, record: newIteration } = iterations.get(iteration) as Line<'iteration'>;
      const isBestMissing = Number.isNaN(newIteration.best);
      const best = isBestMissing
        ? await this.#readBestBefore(runId, iteration, previousBest)
        : newIteration.best;
      const row = makeIterationRow(newIteration, best, this.#getTime(newIteration.time));
      const storedRow = storedRows.get(iteration);
      const isSame = isSameRow(storedRow, row);
      // A missing best depends on the previous iterations, so its row may change.
      if (isFinal && storedRow && !isSame && !isBestMissing) {
        const message = `Run "${truncate(runId)}" has ended with other values in this iteration. Record another run`;
        this.#reject(line, 'RUN_ENDED', message);
        continue;
      }
      previousBest = { iteration, best };
      hasMissingBest ||= isBestMissing;
      if (isSame) this.#outcome.unchanged += 1;
      else rows.push(row);
    }
    if (rows.length === 0) return;
    await this.#recorder.writeIterations(rows);
    this.#outcome.accepted += rows.length;
    // Iterations may arrive in any order, so another best may now precede iterations with a missing best.
    const lastNumber = numbers.at(-1) ?? 0;
    if (
      hasMissingBest ||
      (await recordedRuns.hasIterationAfter(this.#transaction, runId, lastNumber))
    ) {
      await this.#updateMissingBests(runId, Number(rows[0]?.iteration));
    }
    if (hasEnded) await this.#extendEndedRun(run);
  }

  /**
   * Returns the best of the previous iteration, or the worst possible value if there is none. The previous iteration is
   * a stored one, or `previousRecord` of this transaction, which replaces a stored one with the same number.
   */
  async #readBestBefore(
    runId: string,
    iteration: number,
    previousRecord?: { iteration: number; best: number },
  ): Promise<number> {
    const storedBest = await recordedRuns.findBestBefore(this.#transaction, runId, iteration);
    const bestBefore =
      previousRecord && (storedBest?.iteration ?? -1) <= previousRecord.iteration
        ? previousRecord
        : storedBest;
    return bestBefore?.best ?? ((await this.#getDirection(runId)) === 'max' ? -Infinity : Infinity);
  }

  /** Sets each missing best, from `firstIteration` on, to the value of `#readBestBefore`. */
  async #updateMissingBests(runId: string, firstIteration: number): Promise<void> {
    const missingIterations = await recordedRuns.listIterationsWithMetric(
      this.#transaction,
      runId,
      firstIteration,
      missingBestMetric,
    );
    for (const iteration of missingIterations) {
      const best = await this.#readBestBefore(runId, iteration);
      await recordedRuns.updateBest(this.#transaction, runId, iteration, best);
    }
  }

  /**
   * Returns the direction of the experiment of a run by the rules of `findDirection`. Reads at most 50 traces, because
   * other writers wait. If these traces decide nothing, uses the trace of the run, or else `min`.
   */
  async #getDirection(runId: string): Promise<Direction> {
    const { experimentId } = this.#runs.get(runId) as recordedRuns.RecordedRun;
    const cachedDirection = this.#directions.get(experimentId);
    if (cachedDirection) return cachedDirection;
    const problem = await recordedRuns.findProblem(this.#transaction, experimentId);
    const statedDirection =
      problem &&
      (getConfiguredDirection(parseConfig(problem.configJson)) ??
        getProblemDirection(problem.problemType));
    if (!statedDirection) {
      const read = (scope: Parameters<typeof listSomeTraceGains>[1]) =>
        listSomeTraceGains(this.#transaction, scope).then(getTraceDirection);
      return (await read({ experimentId, limit: 50 })) ?? (await read({ runId })) ?? 'min';
    }
    this.#directions.set(experimentId, statedDirection);
    return statedDirection;
  }

  async #storeEnd({ record: end }: Line<'end'>): Promise<void> {
    const run = this.#runs.get(end.runId) as recordedRuns.RecordedRun;
    const instant = this.#getInstant(end.time);
    await this.#recorder.writeEvents([
      { runId: end.runId, type: endEventTypes[end.status], instant, members: getEndMembers(end) },
    ]);
    const endTime = formatInstant(instant);
    const runtime = toMillis(endTime) - toMillis(run.startTime);
    await this.#writeResults(run, end, {
      status: end.status,
      end_time: endTime,
      runtime_millis: runtime >= 0 ? runtime : null,
      best_summary: end.summary ?? null,
      error_message:
        end.error ?? (end.status === 'FAILED' ? 'The client reported a failure' : null),
    });
    if (end.status === 'STOPPED') await acknowledgeStops(this.#transaction, run, endTime);
    this.#outcome.accepted += 1;
  }

  /** Updates the results of an ended run from iterations that arrived after its end. */
  async #extendEndedRun(run: recordedRuns.RecordedRun): Promise<void> {
    const end = await this.#readEnd(run.runId);
    // A run that a user settled has no `end` record and no results.
    if (end) await this.#writeResults(run, end, {});
  }

  /** Writes `change`, the results and the objectives. The iterations determine values that the `end` record omits. */
  async #writeResults(
    run: recordedRuns.RecordedRun,
    end: EndRecord,
    change: Parameters<typeof updateRun>[2],
  ): Promise<void> {
    const { iteration, evaluations, minimum, maximum } = await recordedRuns.findExtremes(
      this.#transaction,
      run.runId,
    );
    const getStoredBest = async () =>
      (await this.#getDirection(run.runId)) === 'max' ? maximum : minimum;
    const bestFitness =
      end.best !== undefined && Number.isFinite(end.best) ? end.best : await getStoredBest();
    await updateRun(this.#transaction, run.runId, {
      ...change,
      iterations: iteration,
      evaluations: end.evaluations ?? evaluations,
      best_fitness: bestFitness,
    });
    const objectives = end.objectives ?? (bestFitness === null ? {} : { best_obj_0: bestFitness });
    await this.#recorder.writeObjectives(
      Object.entries(objectives).map(([objective_name, objective_value]) => ({
        run_id: run.runId,
        objective_name,
        objective_value,
      })),
    );
  }

  #getTime(time: string | undefined): string {
    return formatInstant(this.#getInstant(time));
  }

  /**
   * Returns the instant of a time. Returns the instant of the chunk for a missing time, and for a later time, which
   * would hide a silent run.
   */
  #getInstant(time: string | undefined): Instant {
    const instantBound = time === undefined ? null : toInstantBound(time, 'start');
    if (instantBound === null) return this.#now;
    const [seconds = '', fraction = ''] = instantBound.split('.');
    const instant = BigInt(toMillis(`${seconds}Z`)) * 1_000_000n + BigInt(fraction || '0');
    return instant < this.#now ? instant : this.#now;
  }
}

/**
 * Returns the row of an iteration. `best` replaces a missing or NaN mean, and 0 replaces a missing or NaN deviation, as
 * in imported runs. The row has the {@link missingBestMetric} only if the best of the record is NaN. Omits a metric of
 * this name from the client.
 */
function makeIterationRow(
  record: Extract<RecordLine, { type: 'iteration' }>,
  best: number,
  created_at: string,
): NewIteration {
  const { runId, iteration, evaluations, mean = NaN, std = NaN, diagnostics } = record;
  const { [missingBestMetric]: _clientMetric, ...metrics } = record.metrics ?? {};
  const isBestMissing = Number.isNaN(record.best);
  const values = { ...metrics, ...(isBestMissing && { [missingBestMetric]: 1 }) };
  return {
    run_id: runId,
    iteration,
    evaluations,
    best_fitness: best,
    mean_fitness: Number.isNaN(mean) ? best : mean,
    std_fitness: Number.isNaN(std) ? 0 : std,
    metrics_json: record.metrics || isBestMissing ? formatJavaJson(toDoubles(values)) : null,
    diagnostics_json: diagnostics ? formatJavaJson(toJavaObject(diagnostics)) : null,
    created_at,
  };
}

type StoredIteration = Awaited<ReturnType<typeof recordedRuns.listIterationsAt>>[number];

/** Returns whether a stored iteration equals a row in all values except the time; false without a stored one. */
function isSameRow(storedRow: StoredIteration | undefined, row: NewIteration): boolean {
  return (
    storedRow !== undefined &&
    Number(storedRow.evaluations) === Number(row.evaluations) &&
    storedRow.best_fitness === row.best_fitness &&
    storedRow.mean_fitness === row.mean_fitness &&
    storedRow.std_fitness === row.std_fitness &&
    storedRow.metrics_json === row.metrics_json &&
    storedRow.diagnostics_json === row.diagnostics_json
  );
}

/** Returns the members of the event of an `end` record. */
function getEndMembers(end: EndRecord): JavaObject {
  const { status, best, summary, evaluations, error, objectives } = end;
  return {
    status,
    ...(best !== undefined && { best: toDouble(best) }),
    ...(summary !== undefined && { summary }),
    ...(evaluations !== undefined && { evaluations }),
    ...(error !== undefined && { error }),
    ...(objectives && { objectives: toDoubles(objectives) }),
  };
}

function toJavaObject(value: object): JavaObject {
  return toJavaValue(value as ConfigValue) as Record<string, JavaValue>;
}
