import type { TraceVisitor } from '../dialect.ts';
import type { SqliteHandle } from './sqlite-driver.ts';

/** Rows taken out of the driver at once: enough to be fast, few enough for a run of any length. */
const chunkRows = 20_000;

/**
 * Reads the traces of runs in one snapshot; see {@link DatabaseDialect.readTraces}. The driver's plain arrays
 * of one run at a time are the fastest way to get at a million iterations: aggregating them in SQL into
 * first hits and best values per budget takes twice as long, and a window that leaves improvements only
 * two to three times.
 */
export function readSqliteTraces(
  handle: SqliteHandle,
  runIds: readonly string[],
  visit: TraceVisitor,
): void {
  const statement = handle
    .prepare<[string, number], StoredPoint>(
      `select evaluations, best_fitness from iterations where run_id = ?
       order by iteration limit ${chunkRows} offset ?`,
    )
    .raw(true);
  const chunkOf = (runId: string, offset: number) => statement.all(runId, offset);
  let pairs = new Float64Array(2_048);
  const readAll = handle.transaction(() => {
    for (const runId of runIds) {
      let length = 0;
      for (let offset = 0, rows = chunkRows; rows === chunkRows; offset += chunkRows) {
        const chunk = chunkOf(runId, offset);
        rows = chunk.length;
        if (pairs.length < length + 2 * rows) pairs = enlarged(pairs, length + 2 * rows);
        length = append(chunk, pairs, length);
      }
      visit(runId, pairs.subarray(0, length));
    }
  });
  readAll();
}

/** Evaluations and fitness as they are stored, which may be anything. */
type StoredPoint = [evaluations: unknown, fitness: unknown];

/** Writes the valid points behind those that are there; returns the new length. */
function append(chunk: readonly StoredPoint[], pairs: Float64Array, length: number): number {
  let end = length;
  for (const [evaluations, fitness] of chunk) {
    if (!Number.isInteger(evaluations) || !Number.isFinite(fitness)) continue;
    pairs[end] = evaluations as number;
    pairs[end + 1] = fitness as number;
    end += 2;
  }
  return end;
}

function enlarged(values: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * length);
  larger.set(values);
  return larger;
}
