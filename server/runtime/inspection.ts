import { basename } from 'node:path';
import { describeCount } from '#shared/number-format.ts';
import type { InspectionResult } from '#shared/schemas/databases.ts';
import type { DatabaseInspection } from '#server/db/inspect.ts';
import {
  assertAdmissible,
  isComplete,
  isLegacy,
  type OwnershipOptions,
  type SchemaState,
} from '#server/db/ownership.ts';
import type { Database } from '#server/db/database.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { describeDatabase, type DatabaseUrl } from '#server/db/url.ts';
import { ProblemError } from '#server/errors.ts';

/** Changes that the preparation of a database may make, and the identity of the database that it may change. */
export interface Permissions {
  /** Whether the service must not write to the database. */
  isReadOnly: boolean;
  canCreate: boolean;
  legacy: 'replace' | undefined;
  /** The identity of the database that the user has confirmed; undefined if any database is allowed. */
  identity?: string | undefined;
}

/** A task before the service opens a database. A separate thread runs it, because it could block responses. */
export type PrepareTask =
  | { kind: 'inspect'; url: DatabaseUrl }
  | { kind: 'prepare'; url: DatabaseUrl; permissions: Permissions }
  | { kind: 'sample'; file: string };

/** Result of an inspection or preparation; `preparedProperties` is null unless the service prepared the database. */
export interface Inspection {
  result: InspectionResult;
  /** The identity of the inspected database; null if the inspection or preparation failed. */
  identity: string | null;
  preparedProperties: Pick<Database, 'isReadOnly' | 'ertColumn'> | null;
}

/** Progress of the sample: the numbers of ended runs and of all runs, without the runs of the sample campaign. */
export interface SampleProgress {
  runs: number;
  totalRuns: number;
}

/** Returns the verdict on a database, a message about the database, and its numbers of rows, null if unknown. */
export function describeInspection(
  inspection: DatabaseInspection,
  url: DatabaseUrl,
): InspectionResult {
  const { state, counts, isReadOnly } = inspection;
  const base = { field: null, experiments: null, runs: null, readOnly: isReadOnly, ...counts };
  const makeVerdict = (
    verdict: InspectionResult['verdict'],
    message: string,
  ): InspectionResult => ({
    ...base,
    verdict,
    message,
  });
  const name = getShortName(url);
  if (inspection.isMissing) return makeVerdict('missing', `${name} does not exist yet`);
  if (
    state === null ||
    (state.columns.size === 0 &&
      !state.hasOtherTables &&
      state.runnerSchema === null &&
      hasOnlyReadableTables(state))
  ) {
    return makeVerdict('empty', `${name} is empty: it has no tables yet`);
  }
  if (isLegacy(state)) return { ...base, ...describeLegacy(state, url, counts) };
  const refusal = findRefusal(state, name);
  if (refusal?.code === 'TABLES_OF_OTHERS') {
    return makeVerdict(
      'others',
      state.runnerSchema === null
        ? `${name} has tables of another program, and none of the runner’s`
        : `${name} has the runner’s tables in the schema "${state.runnerSchema.name}", and none in "${state.runnerSchema.current}"`,
    );
  }
  if (refusal) return makeVerdict('refused', refusal.message);
  if (!isComplete(state) || counts === null)
    return makeVerdict(
      'runner',
      `${name} is a database of the runner. Some of its tables or indexes are missing`,
    );
  const experiments = describeCount(counts.experiments ?? 0, 'experiment');
  return makeVerdict(
    'runner',
    `${name} is a database of the runner: ${experiments}, ${describeCount(counts.runs, 'run')}`,
  );
}

/** Returns the verdict on a database that the service could not inspect, prepare or open. */
export function makeRefusedResult(
  { message, field }: StartUpError,
  url: DatabaseUrl,
): InspectionResult {
  return {
    verdict: 'refused',
    message: removeFolder(message, url),
    field: field ?? (url.dialect === 'sqlite' ? 'file' : null),
    experiments: null,
    runs: null,
    readOnly: false,
  };
}

/** Returns a message with the name of the SQLite file instead of its path, which clients need not know. */
function removeFolder(message: string, url: DatabaseUrl): string {
  return url.dialect === 'sqlite' ? message.replaceAll(url.file, basename(url.file)) : message;
}

function hasOnlyReadableTables(state: SchemaState): boolean {
  return state.nonTables.size === 0 && state.unreadableTables.length === 0;
}

function describeLegacy(
  state: SchemaState,
  url: DatabaseUrl,
  counts: DatabaseInspection['counts'],
): Pick<InspectionResult, 'verdict' | 'message'> {
  const name = getShortName(url);
  const refusal = findRefusal(state, name, { legacy: 'replace' });
  if (refusal) return { verdict: 'refused', message: refusal.message };
  const [origin, separator] =
    findRefusal(state, name) === null
      ? ['has tables of an old version of the runner', ' ']
      : ['has a table "runs" that may be an old runner’s, or another program’s', ', '];
  const content = counts === null ? '' : `${separator}with ${describeCount(counts.runs, 'run')}`;
  return { verdict: 'legacy', message: `${name} ${origin}${content}` };
}

/** Returns the error of {@link assertAdmissible} for these tables and options; null if there is none. */
function findRefusal(
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

function getShortName(url: DatabaseUrl): string {
  return url.dialect === 'sqlite' ? basename(url.file) : describeDatabase(url);
}

const questionsByVerdict = {
  empty: ['CREATE_NEEDED', 'Create the runner’s tables in it?'],
  missing: ['CREATE_NEEDED', 'Create a new database?'],
  others: ['TABLES_OF_OTHERS', 'Create the runner’s tables next to them?'],
  legacy: ['LEGACY_SCHEMA', ''],
  runner: ['DATABASE_REFUSED', ''],
  refused: ['DATABASE_REFUSED', ''],
} as const;

/**
 * Returns the error of an opening: a question whether the user permits a change, with the identity of the database, or
 * the reason why the service does not open the database.
 */
export function makeOpeningError(
  { verdict, message, field }: InspectionResult,
  url: DatabaseUrl,
  identity: string | null,
): ProblemError {
  const [code, question] = questionsByVerdict[verdict];
  if (code !== 'DATABASE_REFUSED') {
    const text =
      code === 'LEGACY_SCHEMA'
        ? describeLegacyReplacement(message, url)
        : `${message}. ${question}`;
    return new ProblemError(code, text, { databaseIdentity: identity ?? undefined });
  }
  const path =
    url.dialect === 'postgres' ? (field ? `postgres.${field}` : 'postgres') : (field ?? 'file');
  return new ProblemError(code, message, { faults: [{ path, message }] });
}

function describeLegacyReplacement(message: string, url: DatabaseUrl): string {
  const backup =
    url.dialect === 'sqlite'
      ? 'a copy of the whole file next to it, with ".legacy-" and the time in its name'
      : 'a new schema in the same database, with "legacy_" and the time in its name';
  return `${message}. The service can replace them by empty ones of the current version after a backup: ${backup}`;
}
