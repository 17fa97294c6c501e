import type { ImportNote } from './notes.ts';

/** Why an import was refused as a whole. */
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
  | 'SOURCE_UNREADABLE'
  | 'RUNS_ACTIVE'
  | 'RUNNER_WRITING'
  | 'READ_ONLY'
  | 'CANCELLED';

/** An import that changed nothing, with the reason in a sentence for the user. */
export class ImportRefused extends Error {
  readonly code: RefusalCode;
  /** What was found until then. */
  readonly notes: readonly ImportNote[];

  constructor(code: RefusalCode, message: string, notes: readonly ImportNote[] = []) {
    super(message);
    this.name = 'ImportRefused';
    this.code = code;
    this.notes = notes;
  }
}
