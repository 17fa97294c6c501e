import type { Database } from '#server/db/database.ts';
import { listRunningRecordings } from '#server/services/runs.ts';
import type { StateName } from './work.ts';

/**
 * Returns a property of the state of the database; see {@link DatabaseDialect}. The result of `listRunningRecordings`
 * is JSON.
 */
export async function readState(database: Database, state: StateName): Promise<string> {
  return state === 'listRunningRecordings'
    ? JSON.stringify(await listRunningRecordings(database))
    : database.dialect[state]();
}
