import type { TableName } from '#server/db/tables.ts';
import type { DocumentStore } from '#server/db/documents.ts';
import type { Tables } from '#server/db/schema.ts';
import { LostLogError } from '#server/db/start-up-error.ts';
import { inspectSqlite } from './sqlite-inspect.ts';
import { isAscii, escapeLike, listSpellings } from '#server/db/text-pattern.ts';
import { sql, type Kysely } from 'kysely';
import { type SqliteHandle, getSqliteCode } from './sqlite-file.ts';
import {
  type TraceRequest,
  type TraceVisitor,
  isTooLong,
  type DatabaseDialect,
  type FailureKind,
  type RowCounts,
} from '#server/db/dialect.ts';

/**
 * Maximum number of rows that the driver returns at once. The number is large enough for speed, and small enough for a
 * run of any length.
 */
const rowsPerChunk = 20_000;

/** Minimum number of rows of a run for which a second statement is cheaper than an array for each row. */
const manyRows = 250;

const rangeClause =
  'from iterations where run_id = ? and iteration > ? and iteration <= ? order by iteration';

type Range = [runId: string, lowerBound: number, upperBound: number];

/**
 * Query of the first {@link rowsPerChunk} iterations of several short runs, in the order of the runs. Its parameter is
 * a JSON list of {@link Range}s (`r`).
 */
const shortRunsQuery = `select r.key, i.evaluations, i.best_fitness from json_each(?) r cross join iterations i
  on i.run_id = json_extract(r.value, '$[0]') and i.iteration > json_extract(r.value, '$[1]')
    and i.iteration <= json_extract(r.value, '$[2]')
  order by r.key, i.iteration limit ${rowsPerChunk}`;

/**
 * Reads the traces of runs in one snapshot; see {@link DatabaseDialect.readTraces}. The fastest way to read a million
 * iterations is one column after the other as plain numbers, one run at a time. But a statement for each short run
 * takes four times as long as one statement for many short runs. Other ways are slower: rows of both columns take a
 * quarter longer, and aggregating first hits and best values by budget in SQL takes twice as long. A window function
 * that returns only improvements takes two to three times as long.
 */
export function readSqliteTraces(
  handle: SqliteHandle,
  requests: readonly TraceRequest[],
  visit: TraceVisitor,
): void {
  const select = <Row>(columns: string, limit = `${rowsPerChunk}`) =>
    handle.prepare<Range, Row>(`select ${columns} ${rangeClause} limit ${limit}`);
  const pointsQuery = select<[unknown, unknown]>('evaluations, best_fitness').raw(true);
  const evaluationsQuery = select('evaluations').pluck();
  const bestFitnessQuery = select('best_fitness').pluck();
  const lastIterationQuery = select<number>('iteration', `1 offset ${rowsPerChunk - 1}`).pluck();
  const pairs = new Pairs();
  const addPoints = (...chunk: Range): number => {
    const rows = pointsQuery.all(...chunk);
    pairs.reserve(rows.length);
    for (const [evaluation, fitness] of rows) pairs.add(evaluation, fitness);
    return rows.length;
  };
  const addColumns = (...chunk: Range): number => {
    const evaluations = evaluationsQuery.all(...chunk);
    const bestFitness = bestFitnessQuery.all(...chunk);
    pairs.reserve(evaluations.length);
    for (let row = 0; row < evaluations.length; row += 1)
      pairs.add(evaluations[row], bestFitness[row]);
    return evaluations.length;
  };
  const readRun = (request: TraceRequest) => {
    const [runId, initialLowerBound, upperBound] = getRange(request);
    const addChunk = (request.rows ?? 0) < manyRows ? addPoints : addColumns;
    let lowerBound: number | undefined = initialLowerBound;
    while (lowerBound !== undefined) {
      const addedCount = addChunk(runId, lowerBound, upperBound);
      lowerBound =
        addedCount < rowsPerChunk
          ? undefined
          : lastIterationQuery.get(runId, lowerBound, upperBound);
    }
    visit(runId, pairs.take());
  };
  const batchQuery = handle.prepare<[string], [number, unknown, unknown]>(shortRunsQuery).raw(true);
  const readBatch = (batch: readonly TraceRequest[]) => {
    const shortRows =
      batch.length > 1 ? batchQuery.all(JSON.stringify(batch.map(getRange))) : undefined;
    // The numbers of rows are approximate, so there may be more rows than the statement has returned.
    if (!shortRows || shortRows.length === rowsPerChunk) return batch.forEach(readRun);
    let row = 0;
    for (const [index, { runId }] of batch.entries()) {
      for (; shortRows[row]?.[0] === index; row += 1) {
        pairs.reserve(1);
        pairs.add(shortRows[row]?.[1], shortRows[row]?.[2]);
      }
      visit(runId, pairs.take());
    }
  };
  const readAll = handle.transaction(() => {
    for (const batch of splitTraceRequests(requests)) readBatch(batch);
  });
  readAll();
}

function getRange({
  runId,
  previousIteration = -Number.MAX_SAFE_INTEGER,
  lastIteration = Number.MAX_SAFE_INTEGER,
}: TraceRequest): Range {
  return [runId, previousIteration, lastIteration];
}

/**
 * Yields batches of requests, in order. A batch contains short runs that together have at most half of {@link
 * rowsPerChunk} rows, or one run with at least {@link manyRows} or an unknown number of rows.
 */
function* splitTraceRequests(requests: readonly TraceRequest[]): Generator<TraceRequest[]> {
  let batch: TraceRequest[] = [];
  let total = 0;
  for (const request of requests) {
    const rowCount = request.rows ?? manyRows;
    if (batch.length > 0 && (rowCount >= manyRows || total + rowCount > rowsPerChunk / 2)) {
      yield batch;
      [batch, total] = [[], 0];
    }
    batch.push(request);
    total += rowCount;
    if (rowCount < manyRows) continue;
    yield batch;
    [batch, total] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Buffer of the points of a run. The next run uses the same memory. */
class Pairs {
  #values = new Float64Array(2_048);
  #length = 0;

  /** Increases the memory for `count` more points if needed. */
  reserve(count: number): void {
    const length = this.#length + 2 * count;
    if (this.#values.length >= length) return;
    this.#values = new Float64Array(
      this.#values.buffer.transfer(2 * length * this.#values.BYTES_PER_ELEMENT),
    );
  }

  /**
   * Adds a stored point, whose values may have any type. Omits a point without a whole number of evaluations. A fitness
   * that is not a number becomes NaN.
   */
  add(evaluations: unknown, fitness: unknown): void {
    if (!Number.isInteger(evaluations)) return;
    this.#values[this.#length] = evaluations as number;
    this.#values[this.#length + 1] = typeof fitness === 'number' ? fitness : NaN;
    this.#length += 2;
  }

  /** Returns all points since the last call. The next points overwrite them. */
  take(): Float64Array {
    const values = this.#values.subarray(0, this.#length);
    this.#length = 0;
    return values;
  }
}

/** The properties of a SQLite database that the dialect uses. */
export interface SqliteAccess {
  kysely: Kysely<Tables>;
  /**
   * Returns the connection for write transactions. In memory, this is `kysely`, because there is only one connection.
   */
  getWriter: () => Kysely<Tables>;
  /** Returns the connection for reading. */
  getReader: () => SqliteHandle;
  readChangeCursor: () => string;
  isWrittenByOthers: () => boolean;
  readIdentity: () => string;
  documents: DocumentStore;
  buildIndex: DatabaseDialect['buildIndex'];
}

/**
 * Returns whether an error reports a violated foreign key. For a key with RESTRICT, SQLite reports the code of a
 * trigger.
 */
function isReferenceError(error: unknown): boolean {
  const code = getSqliteCode(error);
  return (
    code === 'SQLITE_CONSTRAINT_FOREIGNKEY' ||
    (code === 'SQLITE_CONSTRAINT_TRIGGER' &&
      error instanceof Error &&
      error.message === 'FOREIGN KEY constraint failed')
  );
}

/** Creates the dialect for SQLite; {@link DatabaseDialect} describes its members. */
export function createSqliteDialect({
  kysely,
  getWriter,
  getReader,
  readChangeCursor,
  isWrittenByOthers,
  readIdentity,
  documents,
  buildIndex,
}: SqliteAccess): DatabaseDialect {
  const readCursor = async () => `${readChangeCursor()}-${await documents.readVersion()}`;
  return {
    name: 'sqlite',
    maximumParameters: 32_766,
    concurrentQueries: 1,
    orderByCodePoint: (text) => sql`${text}`,
    containsText: (text, substring) =>
      isAscii(substring)
        ? sql`(${text}) like ${`%${escapeLike(substring)}%`} escape '\\'`
        : sql`(${text}) glob ${`*${escapeGlob(substring)}*`}`,
    equalsText: (text, value) =>
      isAscii(value)
        ? sql`(${text}) like ${escapeLike(value)} escape '\\'`
        : sql`(${text}) glob ${escapeGlob(value)}`,
    isAmong: (text, values) => sql`${text} in (select value from json_each(${values}))`,
    selectFiniteNumber: (value) =>
      sql`case when typeof(${value}) in ('integer', 'real') and ${value} between ${sql.lit(-Number.MAX_VALUE)} and ${sql.lit(Number.MAX_VALUE)} then cast(${value} as real) end`,
    selectInteger: (value) => sql`case when typeof(${value}) = 'integer' then ${value} end`,
    quoteLiteral: (value) => sql`quote(${value})`,
    selectTextFrom: (text, substring, length) =>
      sql`case when instr(${text}, ${substring}) > 0 then substr(${text}, instr(${text}, ${substring}), ${length}) end`,
    isJson: (text) => sql`json_valid(${text})`,
    selectTextAt: (json, path) => sql`json_extract(${json}, ${sql.lit(['$', ...path].join('.'))})`,
    selectTextEnd: (text, bytes) => sql`cast(substr(cast(${text} as blob), ${-bytes}) as text)`,
    lockRows: (query) => query,
    lock: async () => {},
    withWriteTransaction: (work) => getWriter().transaction().execute(work),
    expectGrowth: async () => {},
    listHooks: async () => inspectSqlite(getReader()).hooks,
    isReferenceError,
    isWrittenByOthers,
    estimateDeletionLockSeconds: (rows, bytes) =>
      estimateSeconds(rows, deletionMicros) + bytes / 1e9,
    estimateWritingLockSeconds: (rows, storedRuns) =>
      estimateSeconds(rows, writingMicros) + (storedRuns * comparisonMicros) / 1e6,
    readDatabaseSizeBytes: async () => {
      const query = sql<{ bytes: number }>`
        select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
      return (await query.execute(kysely)).rows[0]?.bytes ?? 0;
    },
    readIdentity: async () => readIdentity(),
    readChangeCursor: readCursor,
    readSnapshotKey: readCursor,
    // A sum with infinite fitness stays infinite, and is NULL if both infinities occur. The sum of reciprocals then
    // shows changes of other values, and the third sum shows changes of zeros and infinities.
    iterationFingerprint: sql`count(*) || ' ' || quote(total(i.best_fitness * (i.iteration + 1)))
      || ' ' || quote(total((i.iteration + 1) / i.best_fitness))
      || ' ' || quote(total((i.iteration + 1) * case when i.best_fitness = 0 then 1
        when i.best_fitness = 9e999 then 2 when i.best_fitness = -9e999 then 3 end))
      || ' ' || quote(total(i.evaluations * (i.iteration + 1.0)))`,
    readIterationChanges: async () => '',
    documents,
    hasIndex: async (name) => {
      const query = sql`select 1 from sqlite_schema where type = 'index' and name = ${name}`;
      return (await query.execute(kysely)).rows.length > 0;
    },
    readTraces: async (requests, visit) => readSqliteTraces(getReader(), requests, visit),
    buildIndex,
    classifyFailure: classifySqliteFailure,
  };
}

/**
 * Microseconds for the deletion of one row of a table, including its entries in all indexes and the check before the
 * deletion. The numbers are about 1.6 times the processor time measured with 200,000 runs, because disks take time too.
 */
const deletionMicros: Readonly<Record<TableName, number>> = {
  experiments: 8,
  experiment_params: 5,
  runs: 14,
  run_objectives: 4,
  iterations: 6,
  checkpoints: 4,
  events: 5,
  control_requests: 5,
  coco_campaigns: 5,
  coco_optimizer_configs: 5,
  coco_trials: 8,
  coco_reference_results: 5,
  coco_aggregates: 5,
};

/**
 * Microseconds for writing one row of a table, including its entries in all indexes. The numbers are about 1.5 times
 * the processor time measured in tables of 100,000 rows and more.
 */
const writingMicros: Readonly<Record<TableName, number>> = {
  experiments: 600,
  experiment_params: 30,
  runs: 50,
  run_objectives: 10,
  iterations: 35,
  checkpoints: 30,
  events: 50,
  control_requests: 30,
  coco_campaigns: 100,
  coco_optimizer_configs: 50,
  coco_trials: 30,
  coco_reference_results: 20,
  coco_aggregates: 30,
};

/** Microseconds for listing and comparing one stored run in the transaction: about 1.5 times the measured time. */
const comparisonMicros = 12;

function estimateSeconds(rows: RowCounts, micros: Readonly<Record<TableName, number>>): number {
  return [...rows].reduce((sum, [table, count]) => sum + count * micros[table], 0) / 1e6;
}

/**
 * Returns a GLOB pattern that matches a text in any mixture of the cases of {@link listSpellings}. Characters with
 * several spellings and wildcards become sets.
 */
function escapeGlob(text: string): string {
  return listSpellings(text)
    .map((characters) => {
      const isLiteral = characters.length === 1 && !'*?['.includes(characters[0] ?? '');
      return isLiteral ? characters[0] : `[${characters.join('')}]`;
    })
    .join('');
}

function classifySqliteFailure(error: unknown): FailureKind {
  const code = getSqliteCode(error) ?? '';
  if (error instanceof LostLogError) return 'unavailable';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (code === 'SQLITE_TOOBIG' || isTooLong(error)) return 'too-large';
  const message = error instanceof Error ? error.message : '';
  if (/^no such (table|column)|connection is not open/.test(message)) return 'unavailable';
  return /^SQLITE_(CANTOPEN|IOERR|FULL|CORRUPT|NOTADB|PROTOCOL|READONLY_ROLLBACK)/.test(code)
    ? 'unavailable'
    : 'other';
}
