import type {
  ImportNote,
  ImportProgress,
  ImportResult,
  WatchState,
} from '#shared/schemas/import.ts';
import type { ErrorCode } from '#shared/schemas/error.ts';
import type { Database } from '#server/db/database.ts';
import { isDiskFull, type FailureKind } from '#server/db/dialect.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import { ProblemError } from '#server/errors.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import type { ImportOptions } from '#server/import/read-data-set.ts';
import { ImportRefusal, type RefusalCode } from '#server/import/refusal.ts';
import type { ImportSource } from '#server/import/source/read-source.ts';
import { serialiseError, type SerialisedError } from './tasks.ts';

/** An import or a watch, and the URL of its target database, which may contain a password. */
export interface ImportTask {
  database: DatabaseUrl;
  source: ImportSource;
  options: ImportOptions;
  /** The required identity of the database; undefined if any database is allowed. See {@link limitToIdentity}. */
  identity: string | undefined;
  /** Path of the folder to watch; undefined for an import of `source`. */
  watchedFolder: string | undefined;
}

/**
 * Runs a task in an open database and returns its result. An import reports its progress. A watch runs until the signal
 * is aborted or an error occurs, and reports its state. Rejects with the errors of {@link importDataSets} and
 * `watchFolder`.
 */
export async function runImportTask(
  database: Database,
  { source, options, watchedFolder }: Omit<ImportTask, 'database' | 'identity'>,
  report: (progress: ImportProgress | WatchState) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  if (watchedFolder === undefined) return importDataSets(database, source, options, report, signal);
  const { watchFolder } = await import('#server/import/watch/watch-folder.ts');
  return watchFolder(database, watchedFolder, options, report, signal);
}

/** Result or failure of an import. */
export type ImportEnd = { result: ImportResult } | { failure: SerialisedFailure };

/** The serialised error of an import. `notes` are the notes before a refusal; empty for other errors. */
export interface SerialisedFailure {
  error: SerialisedError;
  notes: readonly ImportNote[];
}

/** Error codes of the catalogue by the codes of refusals of the importers. */
const errorCodes: Readonly<Record<RefusalCode, ErrorCode>> = {
  FORMAT_UNKNOWN: 'FORMAT_UNKNOWN',
  ARCHIVE_KIND: 'UNSUPPORTED_MEDIA_TYPE',
  ARCHIVE_UNREADABLE: 'SOURCE_UNREADABLE',
  ARCHIVE_TRUNCATED: 'SOURCE_UNREADABLE',
  ARCHIVE_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  NAME_TOO_LONG: 'SOURCE_UNREADABLE',
  BUDGET_TOO_SMALL: 'SOURCE_UNREADABLE',
  RENAME_INVALID: 'VALIDATION_FAILED',
  IMPORT_CONFLICT: 'IMPORT_CONFLICT',
  CHANGED_MEANWHILE: 'VERSION_CONFLICT',
  SOURCE_UNREADABLE: 'SOURCE_UNREADABLE',
  RUNS_ACTIVE: 'RUNS_ACTIVE',
  RUNNER_WRITING: 'RUNNER_WRITING',
  READ_ONLY: 'READ_ONLY',
  CANCELLED: 'IMPORT_CANCELLED',
};

const changedMessage =
  'Another program deleted a file of the source, or the service can no longer read it. Import again when no program changes the files';

/** Messages for the user, by the error code of the system for an unreadable file. */
const unreadableFileMessages: Readonly<Record<string, string>> = {
  EACCES: 'The service has no permission to read a file of the source. Grant it, then import again',
  EPERM: 'The service has no permission to read a file of the source. Grant it, then import again',
  ENOENT: changedMessage,
  ENOTDIR: changedMessage,
  ELOOP: changedMessage,
  EAGAIN: changedMessage,
  EIO: changedMessage,
};

/**
 * Converts the error of an import to a failure that a thread can send. `classifyFailure` recognises the failures of the
 * database; see {@link serialiseError}.
 */
export function serialiseFailure(
  error: unknown,
  classifyFailure: (error: unknown) => FailureKind = () => 'other',
): SerialisedFailure {
  const { code, syscall } = Object(error) as { code?: unknown; syscall?: unknown };
  if (error instanceof ImportRefusal) {
    const catalogueError = new ProblemError(errorCodes[error.code], error.message);
    return { error: serialiseError(catalogueError, classifyFailure), notes: [...error.notes] };
  }
  // A missing or forbidden socket of PostgreSQL has the same error codes as a file of the source.
  if (syscall === 'connect')
    return { error: serialiseError(error, () => 'unavailable'), notes: [] };
  const message = unreadableFileMessages[String(code)];
  if (message !== undefined)
    return {
      error: serialiseError(new ProblemError('SOURCE_UNREADABLE', message), classifyFailure),
      notes: [],
    };
  const explainedError = toLackOfSpaceError(error) ?? error;
  return { error: serialiseError(explainedError, classifyFailure), notes: [] };
}

/**
 * Returns the error for a lack of disk space or memory; undefined for any other error. A RangeError and a string that
 * is too long count as a lack of memory.
 */
function toLackOfSpaceError(error: unknown): ProblemError | undefined {
  const { code } = Object(error) as { code?: unknown };
  if (isDiskFull(error))
    return new ProblemError(
      'DATABASE_UNAVAILABLE',
      'The disk of the database or of temporary files is full. Free some space and import again',
    );
  // Arrays, strings and recursion have separate limits below the limit of the memory.
  const isOverLimit = error instanceof RangeError || code === 'ERR_STRING_TOO_LONG';
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || isOverLimit)
    return new ProblemError(
      'PAYLOAD_TOO_LARGE',
      'The source needs more memory than an import may take (1 GB). Import it in parts',
    );
  return undefined;
}
