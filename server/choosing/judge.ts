import { basename } from 'node:path';
import { countOf } from '#shared/number-format.ts';
import type { DatabaseTest } from '#shared/schemas/databases.ts';
import type { DatabaseLook } from '#server/db/look.ts';
import {
  assertAdmissible,
  isComplete,
  isLegacy,
  type OwnershipOptions,
  type SchemaState,
} from '#server/db/ownership.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { describeDatabase, type DatabaseUrl } from '#server/db/url.ts';

/** What a database was found to be, in words, and what opening it would take. */
export function judge(look: DatabaseLook, url: DatabaseUrl): DatabaseTest {
  const { state, counts, readOnly } = look;
  const base = { field: null, experiments: null, runs: null, readOnly, ...counts };
  const verdict = (name: DatabaseTest['verdict'], message: string): DatabaseTest => ({
    ...base,
    verdict: name,
    message,
  });
  const name = shortName(url);
  if (look.isMissing) return verdict('missing', `${name} is not there yet`);
  if (state === null || (state.columns.size === 0 && !state.hasOthers && isOurs(state))) {
    return verdict('empty', `${name} is empty: it has no tables yet`);
  }
  if (isLegacy(state)) return { ...base, ...judgeLegacy(state, url, counts?.runs ?? 0) };
  const refusal = refusalOf(state, name);
  if (refusal?.code === 'TABLES_OF_OTHERS') {
    return verdict('others', `${name} has tables of another program, and none of the runner’s`);
  }
  if (refusal) return verdict('refused', refusal.message);
  if (!isComplete(state) || counts === null)
    return verdict('runner', `${name} is a database of the runner that lacks some tables yet`);
  const experiments = countOf(counts.experiments ?? 0, 'experiment');
  return verdict(
    'runner',
    `${name} is a database of the runner: ${experiments}, ${countOf(counts.runs, 'run')}`,
  );
}

/** The verdict on a database that could not be looked at. */
export function refused({ message, part }: StartUpError, url: DatabaseUrl): DatabaseTest {
  return {
    verdict: 'refused',
    message: withoutFolder(message, url),
    field: part ?? (url.dialect === 'sqlite' ? 'file' : null),
    experiments: null,
    runs: null,
    readOnly: false,
  };
}

/** A message without the folders of the database's file, which are nobody's business. */
export function withoutFolder(message: string, url: DatabaseUrl): string {
  return url.dialect === 'sqlite' ? message.replaceAll(url.file, basename(url.file)) : message;
}

function isOurs(state: SchemaState): boolean {
  return state.impostors.size === 0 && state.unreadable.length === 0;
}

function judgeLegacy(
  state: SchemaState,
  url: DatabaseUrl,
  runs: number,
): Pick<DatabaseTest, 'verdict' | 'message'> {
  const name = shortName(url);
  const refusal = refusalOf(state, name, { legacy: 'replace' });
  if (refusal) return { verdict: 'refused', message: refusal.message };
  const whose =
    refusalOf(state, name) === null
      ? 'has tables of an old version of the runner'
      : 'has a table "runs" that may be an old runner’s, or another program’s,';
  return { verdict: 'legacy', message: `${name} ${whose} with ${countOf(runs, 'run')}` };
}

/** Why a database cannot be opened so; null where nothing forbids it. */
function refusalOf(
  state: SchemaState,
  name: string,
  options: OwnershipOptions = {},
): StartUpError | null {
  try {
    assertAdmissible(state, name, options);
    return null;
  } catch (error) {
    if (error instanceof StartUpError) return error;
    throw error;
  }
}

function shortName(url: DatabaseUrl): string {
  return url.dialect === 'sqlite' ? basename(url.file) : describeDatabase(url);
}
