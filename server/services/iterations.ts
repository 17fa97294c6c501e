import type { Database } from '#server/db/database.ts';
import * as iterations from '#server/repositories/iterations.ts';
import type { IterationFull, IterationRow } from '#shared/schemas/run.ts';
import { maskJson } from '#server/rules/secrets/mask-json.ts';
import { requireRun } from './runs.ts';

/** Sizes that are read ahead of the rows themselves. */
const sizesPerStep = 500;

/** JSON that is read at a time; one larger row is read alone. */
const bytesPerStep = 2_097_152;

/** The iterations of a run without their JSON; throws RUN_NOT_FOUND. */
export async function listScalars(
  database: Database,
  selection: iterations.IterationsSelection,
): Promise<IterationRow[]> {
  const rows = await iterations.listScalars(database, selection);
  if (rows.length === 0) await requireRun(database, selection.runId);
  return rows;
}

/**
 * The iterations of a run with their JSON, as they are read: in steps of a few megabytes and each step by
 * itself, so that neither memory nor a lock is held however long the reader takes. Throws RUN_NOT_FOUND
 * before the first.
 */
export async function* streamIterations(
  database: Database,
  selection: iterations.IterationsSelection,
): AsyncGenerator<IterationFull> {
  const { runId } = selection;
  let { after, limit = Number.MAX_SAFE_INTEGER } = selection;
  let hasRows = false;
  while (limit > 0) {
    const sizes = await iterations.listIterationSizes(database, {
      runId,
      after,
      limit: Math.min(limit, sizesPerStep),
    });
    if (sizes.length === 0) break;
    hasRows = true;
    for (const last of stepEnds(sizes)) {
      for (const row of await iterations.listIterations(database, { runId, after, last })) {
        yield masked(row);
      }
      after = Number(last);
    }
    limit -= sizes.length;
  }
  if (!hasRows) await requireRun(database, runId);
}

/** The last iteration of each step, so that a step's JSON stays under {@link bytesPerStep}. */
function stepEnds(sizes: readonly iterations.IterationSize[]): (number | string)[] {
  const ends: (number | string)[] = [];
  let bytes = 0;
  for (const [index, { iteration, jsonBytes }] of sizes.entries()) {
    bytes += jsonBytes;
    const next = sizes[index + 1];
    if (next !== undefined && bytes + next.jsonBytes <= bytesPerStep) continue;
    ends.push(iteration);
    bytes = 0;
  }
  return ends;
}

function masked(row: IterationFull): IterationFull {
  return {
    ...row,
    metricsJson: maskJson(row.metricsJson),
    diagnosticsJson: maskJson(row.diagnosticsJson),
  };
}
