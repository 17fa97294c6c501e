import type { TraceRequest, TraceVisitor } from '../dialect.ts';
import type { SqliteHandle } from './sqlite-driver.ts';

/** Rows taken out of the driver at once: enough to be fast, few enough for a run of any length. */
const chunkRows = 20_000;

const range =
  'from iterations where run_id = ? and iteration > ? and iteration <= ? order by iteration';

/**
 * Reads the traces of runs in one snapshot; see {@link DatabaseDialect.readTraces}. The driver's plain arrays
 * of one run at a time are the fastest way to get at a million iterations: aggregating them in SQL into
 * first hits and best values per budget takes twice as long, and a window that leaves improvements only
 * two to three times.
 */
export function readSqliteTraces(
  handle: SqliteHandle,
  requests: readonly TraceRequest[],
  visit: TraceVisitor,
): void {
  const points = handle
    .prepare<[string, number, number], StoredPoint>(
      `select evaluations, best_fitness ${range} limit ${chunkRows}`,
    )
    .raw(true);
  const lastOfChunk = handle
    .prepare<[string, number, number], number>(
      `select iteration ${range} limit 1 offset ${chunkRows - 1}`,
    )
    .pluck();
  let pairs = new Float64Array(2_048);
  const readAll = handle.transaction(() => {
    for (const {
      runId,
      after = -Number.MAX_SAFE_INTEGER,
      until = Number.MAX_SAFE_INTEGER,
    } of requests) {
      let length = 0;
      let from: number | undefined = after;
      while (from !== undefined) {
        const chunk = points.all(runId, from, until);
        if (pairs.length < length + 2 * chunk.length) {
          pairs = enlarged(pairs, length + 2 * chunk.length);
        }
        length = append(chunk, pairs, length);
        from = chunk.length < chunkRows ? undefined : lastOfChunk.get(runId, from, until);
      }
      visit(runId, pairs.subarray(0, length));
    }
  });
  readAll();
}

/** Evaluations and fitness as they are stored, which may be anything. */
type StoredPoint = [evaluations: unknown, fitness: unknown];

/** Writes the points behind those that are there; returns the new length. */
function append(chunk: readonly StoredPoint[], pairs: Float64Array, length: number): number {
  let end = length;
  for (const [evaluations, fitness] of chunk) {
    if (!Number.isInteger(evaluations)) continue;
    pairs[end] = evaluations as number;
    pairs[end + 1] = typeof fitness === 'number' ? fitness : NaN;
    end += 2;
  }
  return end;
}

function enlarged(values: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * length);
  larger.set(values);
  return larger;
}
