import type { Database } from '#server/db/database.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { ProblemError } from '#server/errors.ts';
import * as iterations from '#server/repositories/iterations.ts';
import type { FullIteration, IterationRow } from '#shared/schemas/run.ts';
import { requireRun } from './runs.ts';

/** Maximum number of rows in a slice without JSON, and in a slice with JSON. */
const rowsPerSlice = 1_000;
const fullRowsPerSlice = 500;

/** Maximum size of the JSON of a slice, in bytes; a larger row is a separate slice. */
const bytesPerSlice = 2_097_152;

/**
 * The requested iterations of a run: those after the iteration `after`, at most `limit`. Undefined fields do not
 * restrict them.
 */
export interface IterationRange {
  after?: StoredInteger | undefined;
  limit?: number | undefined;
}

/**
 * The first of the requested iterations, and the range of the others; `nextRange` is null if there are certainly no
 * others.
 */
export interface IterationSlice<Row> {
  rows: Row[];
  nextRange: IterationRange | null;
}

/** Returns iterations of a run in order, without their JSON, at most {@link rowsPerSlice}; throws RUN_NOT_FOUND. */
export async function listScalars(
  database: Database,
  runId: string,
  range: IterationRange,
): Promise<IterationSlice<IterationRow>> {
  const limit = Math.min(range.limit ?? Infinity, rowsPerSlice);
  const rows = await iterations.listScalars(database, { runId, after: range.after, limit });
  if (rows.length === 0) await requireRun(database, runId);
  return { rows, nextRange: rows.length < limit ? null : getNextRange(range, rows) };
}

/**
 * Returns iterations of a run in order, with their JSON, at most {@link fullRowsPerSlice} and at most {@link
 * bytesPerSlice} bytes of JSON, but at least the first if there is one. Slices prevent a slow reader from occupying
 * much memory or a connection. Throws RUN_NOT_FOUND.
 */
export async function listIterations(
  database: Database,
  runId: string,
  range: IterationRange,
): Promise<IterationSlice<FullIteration>> {
  const { after } = range;
  const limit = Math.min(range.limit ?? Infinity, fullRowsPerSlice);
  const sizes = await iterations.listIterationSizes(database, { runId, after, limit });
  const lastIteration = findEndOfSlice(sizes);
  if (lastIteration === undefined) {
    await requireRun(database, runId);
    return { rows: [], nextRange: null };
  }
  const rows = await iterations.listIterations(database, { runId, after, lastIteration });
  const isLast = sizes.length < limit && rows.length >= sizes.length;
  return { rows, nextRange: isLast ? null : getNextRange(range, rows) };
}

/** Returns one iteration of a run with its JSON; throws RUN_NOT_FOUND or NOT_FOUND. */
export async function getIteration(
  database: Database,
  runId: string,
  iteration: string,
): Promise<FullIteration> {
  const row = isInt8(iteration) && (await iterations.findIteration(database, runId, iteration));
  if (row) return row;
  await requireRun(database, runId);
  throw new ProblemError(
    'NOT_FOUND',
    `The run has no iteration ${iteration}. Select another iteration`,
  );
}

function isInt8(digits: string): boolean {
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

function getNextRange(
  { limit = Infinity }: IterationRange,
  rows: readonly { iteration: StoredInteger }[],
): IterationRange | null {
  const after = rows.at(-1)?.iteration;
  return after === undefined || rows.length >= limit ? null : { after, limit: limit - rows.length };
}

/**
 * Returns the last iteration that fits into a slice together with all previous ones, at least the first; undefined
 * without iterations.
 */
function findEndOfSlice(sizes: readonly iterations.IterationSize[]): StoredInteger | undefined {
  let bytes = 0;
  const end = sizes.findIndex(({ jsonBytes }) => (bytes += jsonBytes) > bytesPerSlice);
  return sizes.at(end < 0 ? -1 : Math.max(0, end - 1))?.iteration;
}
