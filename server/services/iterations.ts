import type { Database } from '#server/db/database.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { ProblemError } from '#server/errors.ts';
import * as iterations from '#server/repositories/iterations.ts';
import type { IterationFull, IterationRow } from '#shared/schemas/run.ts';
import { requireRun } from './runs.ts';

/** Rows that are read at a time. */
const rowsPerSlice = 1_000;
const fullRowsPerSlice = 500;

/** JSON that is read at a time; one larger row is read alone. */
const bytesPerSlice = 2_097_152;

/** Which iterations of a run: those above `after`, at most `limit` of them. */
export interface Selection {
  after?: StoredInteger | undefined;
  limit?: number | undefined;
}

/** The first of the iterations selected, and the selection of those that follow; null after the last. */
export interface IterationSlice<Row> {
  rows: Row[];
  rest: Selection | null;
}

/** Iterations of a run without their JSON, at most {@link rowsPerSlice}; throws RUN_NOT_FOUND. */
export async function listScalars(
  database: Database,
  runId: string,
  selection: Selection,
): Promise<IterationSlice<IterationRow>> {
  const limit = Math.min(selection.limit ?? Infinity, rowsPerSlice);
  const rows = await iterations.listScalars(database, { runId, after: selection.after, limit });
  if (rows.length === 0) await requireRun(database, runId);
  return { rows, rest: rows.length < limit ? null : restOf(selection, rows) };
}

/**
 * Iterations of a run with their JSON: as many as make {@link bytesPerSlice}, at least one. So
 * neither memory nor a connection is held however long the reader takes. Throws RUN_NOT_FOUND.
 */
export async function listIterations(
  database: Database,
  runId: string,
  selection: Selection,
): Promise<IterationSlice<IterationFull>> {
  const { after } = selection;
  const limit = Math.min(selection.limit ?? Infinity, fullRowsPerSlice);
  const sizes = await iterations.listIterationSizes(database, { runId, after, limit });
  const last = endOfSlice(sizes);
  if (last === undefined) {
    await requireRun(database, runId);
    return { rows: [], rest: null };
  }
  const rows = await iterations.listIterations(database, { runId, after, last });
  const isLast = sizes.length < limit && rows.length >= sizes.length;
  return { rows, rest: isLast ? null : restOf(selection, rows) };
}

/** One iteration of a run with its JSON; throws RUN_NOT_FOUND, or NOT_FOUND. */
export async function getIteration(
  database: Database,
  runId: string,
  iteration: string,
): Promise<IterationFull> {
  const row = isInt8(iteration) && (await iterations.findIteration(database, runId, iteration));
  if (row) return row;
  await requireRun(database, runId);
  throw new ProblemError('NOT_FOUND', `The run has no iteration ${iteration}`);
}

function isInt8(digits: string): boolean {
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

function restOf(
  { limit = Infinity }: Selection,
  rows: readonly { iteration: StoredInteger }[],
): Selection | null {
  const after = rows.at(-1)?.iteration;
  return after === undefined || rows.length >= limit ? null : { after, limit: limit - rows.length };
}

/** The last iteration of which the JSON of all up to it fits into a slice; undefined without any. */
function endOfSlice(sizes: readonly iterations.IterationSize[]): StoredInteger | undefined {
  let bytes = 0;
  const end = sizes.findIndex(({ jsonBytes }) => (bytes += jsonBytes) > bytesPerSlice);
  return sizes.at(end < 0 ? -1 : Math.max(0, end - 1))?.iteration;
}
