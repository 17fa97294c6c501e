import type { ImportNote } from './notes.ts';

/** Reasons for the refusal of a whole import. */
export type RefusalCode =
  | 'FORMAT_UNKNOWN'
  | 'ARCHIVE_KIND'
  | 'ARCHIVE_UNREADABLE'
  | 'ARCHIVE_TRUNCATED'
  | 'ARCHIVE_TOO_LARGE'
  | 'NAME_TOO_LONG'
  | 'BUDGET_TOO_SMALL'
  | 'RENAME_INVALID'
  | 'IMPORT_CONFLICT'
  | 'CHANGED_MEANWHILE'
  | 'SOURCE_UNREADABLE'
  | 'RUNS_ACTIVE'
  | 'RUNNER_WRITING'
  | 'READ_ONLY'
  | 'CANCELLED';

/**
 * Error of an import that has changed nothing, or of a watch, which may have written earlier changes. The message
 * states the reason for the user.
 */
export class ImportRefusal extends Error {
  readonly code: RefusalCode;
  /** Notes about the source up to the refusal; empty for some refusals. */
  readonly notes: readonly ImportNote[];

  constructor(code: RefusalCode, message: string, notes: readonly ImportNote[] = []) {
    super(message);
    this.name = 'ImportRefusal';
    this.code = code;
    this.notes = notes;
  }
}
