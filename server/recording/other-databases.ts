import { truncate } from '#server/errors.ts';
import type { Database } from '#server/db/database.ts';
import { listRecordedRuns } from '#server/repositories/recorded-runs.ts';
import type { Line, Outcome } from './read-lines.ts';

/** The names of other databases with RUNNING recorded runs, by the ids of these runs. */
export type OtherDatabases = ReadonlyMap<string, string>;

/**
 * Returns the lines, except those of RUNNING runs that only another database contains. Adds a rejection with the code
 * BUSY to `outcome` for each omitted line, because the client then sends the record again. Otherwise, after the user
 * opens another database, this database would contain the last part of a run that began in the previous database.
 */
export async function rejectRunsOfOtherDatabases(
  database: Database,
  lines: readonly Line[],
  otherDatabases: OtherDatabases,
  outcome: Outcome,
): Promise<Line[]> {
  const getId = ({ record }: Line) => record.runId ?? '';
  const ids = new Set(lines.map(getId).filter((runId) => otherDatabases.has(runId)));
  if (ids.size === 0) return [...lines];
  for (const { runId } of await listRecordedRuns(database, [...ids])) ids.delete(runId);
  return lines.filter((line) => {
    const runId = getId(line);
    if (!ids.has(runId)) return true;
    const name = otherDatabases.get(runId);
    const message = `Run "${truncate(runId)}" began in "${name}", and another database is open: open "${name}" again, then send this record again`;
    outcome.rejected.push({ line: line.line, code: 'BUSY', message });
    return false;
  });
}
