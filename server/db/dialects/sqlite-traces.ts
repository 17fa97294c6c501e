import type { TraceVisitor } from '../dialect.ts';
import type { SqliteHandle } from './sqlite-driver.ts';

/**
 * Reads the traces of runs in one snapshot; see {@link DatabaseDialect.readTraces}. Plain arrays straight
 * from the driver, one run at a time: of all ways to get at a million iterations this is the fastest.
 */
export function readSqliteTraces(
  handle: SqliteHandle,
  runIds: readonly string[],
  visit: TraceVisitor,
): void {
  const statement = handle
    .prepare<[string], [unknown, unknown]>(
      'select evaluations, best_fitness from iterations where run_id = ? order by iteration',
    )
    .raw(true);
  let pairs = new Float64Array(2_048);
  const readAll = handle.transaction(() => {
    for (const runId of runIds) {
      let length = 0;
      for (const [evaluations, fitness] of statement.iterate(runId)) {
        if (!Number.isInteger(evaluations) || !Number.isFinite(fitness)) continue;
        if (length === pairs.length) pairs = doubled(pairs);
        pairs[length] = evaluations as number;
        pairs[length + 1] = fitness as number;
        length += 2;
      }
      visit(runId, pairs.subarray(0, length));
    }
  });
  readAll();
}

function doubled(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}
