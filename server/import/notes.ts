/** What an import says about its source, by code: the beginning of the sentence that the user reads. */
export const sentences = {
  MISSING_DATA_FILE: 'The index names a data file that is not there: its runs are left out',
  RUN_NOT_FINALISED: 'The index does not state the end of the run: it is kept as STOPPED',
  INSTANCE_UNKNOWN: 'The data hold a run that no index lists: it is kept as instance 0',
  RUN_COUNT_MISMATCH: 'A data file holds fewer runs than its index lists',
  RUN_WITHOUT_ROWS: 'A run has no row of data: it is left out',
  ROW_SKIPPED: 'A row is cut or holds something else than numbers: it is left out',
  EVALS_DECREASE: 'Evaluations decrease within a run: the rest of it in this file is left out',
  NO_VALUE_COLUMN: 'The header names no column of values that is known: its rows are left out',
  NO_COMMENT_LINE: 'The index has no comment line between header and runs',
  DUPLICATE_ENTRY: 'The index lists the same runs twice: they are taken once',
  NUL_BYTES: 'The index holds NUL bytes: they are left out',
  UNLISTED_DATA_FILE: 'No index names this data file: it is left out',
  EMPTY_FILE: 'The file is empty',
  FILE_TOO_LARGE: 'The file is larger than an index may be: it is left out',
  BAD_INDEX: 'The index lacks what its runs need: they are left out',
  BAD_JSON: 'The file is not the JSON of an index',
  PATH_REFUSED: 'The path leads out of the folder: it is never opened',
  ARCHIVE_ENTRY_REFUSED: 'The entry of the archive is never opened',
  ARCHIVE_KIND: 'This kind of archive cannot be read: zip, tar, tar.gz and gz can',
  ARCHIVE_UNREADABLE: 'The archive cannot be read',
  ARCHIVE_TRUNCATED: 'The archive ends early: what was whole is read',
  ARCHIVE_NESTED: 'Archives are nested deeper than is read: it is left out',
  DIRECTION_ASSUMED: 'The data do not say whether more or less is better',
  RESOLUTION: 'Values are printed with few decimals: 0 may stand for any smaller one',
  ONE_OBJECTIVE: 'The data have several objectives: only the first is read',
  BUDGET_UNKNOWN:
    'The runs end with an improvement, so the evaluations used after it are unknown. Enter their budget, or comparisons assume equal budgets',
  FINAL_VALUES_ONLY: 'The table holds final values only: there is no trace of the runs',
  TABLE_UNKNOWN: 'The columns of the table are not known',
  SEED_REPLACED: 'Seeds beyond 64 bits are replaced by the number of the run in its group',
  SAME_CONTENT: 'The same content is there under another name',
} as const;

export type NoteCode = keyof typeof sentences;

/** Something that an import found, as often as it found it in one file. */
export interface ImportNote {
  code: NoteCode;
  /** Path in the source; null for the source as a whole. */
  file: string | null;
  /** Where it was found first, counted from 1; null where lines say nothing. */
  line: number | null;
  count: number;
  message: string;
}

/** Where something was found, how often, and what else is to be said of it. */
export interface Finding {
  file?: string | undefined;
  line?: number | undefined;
  count?: number;
  detail?: string | undefined;
}

/** Codes that tell how the data were read, where nothing is missing for it. */
const harmless: ReadonlySet<NoteCode> = new Set([
  'NO_COMMENT_LINE',
  'DUPLICATE_ENTRY',
  'NUL_BYTES',
  'DIRECTION_ASSUMED',
  'RESOLUTION',
  'ONE_OBJECTIVE',
  'BUDGET_UNKNOWN',
  'FINAL_VALUES_ONLY',
  'SAME_CONTENT',
]);

/** Whether something of the source was left out or is in doubt. */
export function isFault({ code }: ImportNote): boolean {
  return !harmless.has(code);
}

const maximumNotes = 1_000;
/** Details may be names or lines of the source, of any length. */
const longestDetail = 300;

/** Collects notes: those of one code in one file become one with their count. */
export class NoteBook {
  readonly #notes = new Map<string, ImportNote>();

  /** Adds a finding; after 1,000 different ones it is counted with the last of its code. */
  add(code: NoteCode, { file, line, count = 1, detail }: Finding = {}): void {
    const shown = detail?.slice(0, longestDetail);
    const message = shown === undefined ? sentences[code] : `${sentences[code]} (${shown})`;
    this.addAll([{ code, file: file ?? null, line: line ?? null, count, message }]);
  }

  /** Adds notes that another book holds. */
  addAll(notes: readonly ImportNote[]): void {
    for (const note of notes) {
      const key = `${note.code} ${note.file ?? ''}`;
      const known = this.#notes.get(key) ?? (this.#isFull() ? this.#lastOf(note.code) : undefined);
      if (known) known.count += note.count;
      else this.#notes.set(key, { ...note });
    }
  }

  #isFull(): boolean {
    return this.#notes.size >= maximumNotes;
  }

  #lastOf(code: NoteCode): ImportNote | undefined {
    return [...this.#notes.values()].findLast((note) => note.code === code);
  }

  /** The notes in the order in which they were made. */
  list(): ImportNote[] {
    return [...this.#notes.values()];
  }
}
