import type { TraceRequest, TraceVisitor } from '../dialect.ts';
import type { SqliteHandle } from './sqlite-driver.ts';

/** Number of rows that the driver returns at once: enough to be fast, few enough for a run of any length. */
const chunkRows = 20_000;

/** From this number of rows on, a second statement is cheaper than an array for each row. */
const manyRows = 250;

const range =
  'from iterations where run_id = ? and iteration > ? and iteration <= ? order by iteration';

type Range = [runId: string, after: number, until: number];

/**
 * Reads the traces of runs in one snapshot; see {@link DatabaseDialect.readTraces}. The fastest way to read a million
 * iterations is one column after the other as plain numbers, one run at a time. Rows of both columns take a quarter
 * longer, aggregating first hits and best values by budget in SQL twice as long, and a window function that returns
 * only improvements two to three times as long.
 */
export function readSqliteTraces(
  handle: SqliteHandle,
  requests: readonly TraceRequest[],
  visit: TraceVisitor,
): void {
  const select = <Row>(columns: string, limit = `${chunkRows}`) =>
    handle.prepare<Range, Row>(`select ${columns} ${range} limit ${limit}`);
  const points = select<[unknown, unknown]>('evaluations, best_fitness').raw(true);
  const evaluations = select('evaluations').pluck();
  const bestFitness = select('best_fitness').pluck();
  const lastOfChunk = select<number>('iteration', `1 offset ${chunkRows - 1}`).pluck();
  const read = new Pairs();
  const addPoints = (...chunk: Range): number => {
    const rows = points.all(...chunk);
    read.reserve(rows.length);
    for (const [spent, fitness] of rows) read.add(spent, fitness);
    return rows.length;
  };
  const addColumns = (...chunk: Range): number => {
    const [spent, fitness] = [evaluations.all(...chunk), bestFitness.all(...chunk)];
    read.reserve(spent.length);
    for (let row = 0; row < spent.length; row += 1) read.add(spent[row], fitness[row]);
    return spent.length;
  };
  const readAll = handle.transaction(() => {
    for (const { runId, after, until = Number.MAX_SAFE_INTEGER, rows = 0 } of requests) {
      const addChunk = rows < manyRows ? addPoints : addColumns;
      let from: number | undefined = after ?? -Number.MAX_SAFE_INTEGER;
      while (from !== undefined) {
        const added = addChunk(runId, from, until);
        from = added < chunkRows ? undefined : lastOfChunk.get(runId, from, until);
      }
      visit(runId, read.take());
    }
  });
  readAll();
}

/** The points of a run in memory that is reused for the next run. */
class Pairs {
  #values = new Float64Array(2_048);
  #length = 0;

  /** Makes room for more points. */
  reserve(count: number): void {
    const length = this.#length + 2 * count;
    if (this.#values.length >= length) return;
    this.#values = new Float64Array(
      this.#values.buffer.transfer(2 * length * this.#values.BYTES_PER_ELEMENT),
    );
  }

  /** Adds a stored point, which may be any value; skips it without a whole number of evaluations. */
  add(evaluations: unknown, fitness: unknown): void {
    if (!Number.isInteger(evaluations)) return;
    this.#values[this.#length] = evaluations as number;
    this.#values[this.#length + 1] = typeof fitness === 'number' ? fitness : NaN;
    this.#length += 2;
  }

  /** Returns all points since the last call. */
  take(): Float64Array {
    const taken = this.#values.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
