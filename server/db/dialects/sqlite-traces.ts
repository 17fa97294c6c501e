import type { TraceRequest, TraceVisitor } from '../dialect.ts';
import type { SqliteHandle } from './sqlite-driver.ts';

/** Rows taken out of the driver at once: enough to be fast, few enough for a run of any length. */
const chunkRows = 20_000;

/** From so many rows on a second statement costs less than an array for each row. */
const manyRows = 250;

const range =
  'from iterations where run_id = ? and iteration > ? and iteration <= ? order by iteration';

type Range = [runId: string, after: number, until: number];

/**
 * Reads the traces of runs in one snapshot; see {@link DatabaseDialect.readTraces}. Plain numbers of one column after
 * the other, of one run at a time, are the fastest way to get at a million iterations: rows of both take a quarter
 * longer, aggregating them in SQL into first hits and best values per budget twice as long, and a window that leaves
 * improvements only two to three times.
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

/** The pairs of a run in memory that serves the next one too. */
class Pairs {
  #values = new Float64Array(2_048);
  #length = 0;

  /** Makes room for so many more. */
  reserve(count: number): void {
    const length = this.#length + 2 * count;
    if (this.#values.length >= length) return;
    this.#values = new Float64Array(
      this.#values.buffer.transfer(2 * length * this.#values.BYTES_PER_ELEMENT),
    );
  }

  /** Adds a point as it is stored, which may be anything; one without whole evaluations is left out. */
  add(evaluations: unknown, fitness: unknown): void {
    if (!Number.isInteger(evaluations)) return;
    this.#values[this.#length] = evaluations as number;
    this.#values[this.#length + 1] = typeof fitness === 'number' ? fitness : NaN;
    this.#length += 2;
  }

  /** All that was added since the last time. */
  take(): Float64Array {
    const taken = this.#values.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
