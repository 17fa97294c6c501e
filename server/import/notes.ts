import { getTextStart } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';

/** Texts of the notes of an import, by code, without the last period. A note may append a detail in parentheses. */
export const sentences = {
  MISSING_DATA_FILE: 'Data file named in the index is missing; its runs are skipped',
  RUN_NOT_FINALISED: 'End of the run not stated in the index; imported as STOPPED',
  INSTANCE_UNKNOWN: 'Run in the data not listed in the index; imported as instance 0',
  RUN_COUNT_MISMATCH:
    'Data file has fewer runs than its index lists; the listed runs without data are skipped',
  RUN_WITHOUT_ROWS: 'Run without data rows skipped',
  ROW_SKIPPED: 'Incomplete or non-numeric row skipped',
  EVALS_DECREASE: 'Evaluations decrease within a run; its remaining rows in this file are skipped',
  NO_VALUE_COLUMN: 'No known value column in the header; its rows are skipped',
  NO_COMMENT_LINE:
    'No comment line between header and runs in the index; the import includes its runs',
  DUPLICATE_ENTRY: 'Runs listed twice in the index; imported once',
  NUL_BYTES: 'NUL bytes in the index ignored',
  UNLISTED_DATA_FILE: 'Data file not listed in any index; skipped',
  EMPTY_FILE: 'File without rows of data; skipped',
  FILE_TOO_LARGE: 'File too large for an index; skipped',
  BAD_INDEX: 'Required fields missing in the index; its runs are skipped',
  BAD_JSON: 'File is not a valid JSON index; its invalid parts are skipped',
  PATH_REFUSED: 'Link, device or path outside the folder; not opened',
  NAME_NOT_UTF8: 'Name is not in UTF-8; not opened',
  ARCHIVE_ENTRY_REFUSED: 'Archive entry not opened',
  ARCHIVE_KIND: 'Unsupported archive format; use zip, tar, tar.gz or gz',
  ARCHIVE_UNREADABLE: 'Archive not readable; its remaining files are skipped',
  ARCHIVE_TRUNCATED: 'Archive ends early; only its complete files are read',
  ARCHIVE_NESTED: 'Archive nested too deeply; skipped',
  DIRECTION_ASSUMED: 'Optimisation direction not stated',
  DIRECTIONS_DIFFER:
    'Same problem minimised in some runs and maximised in others. They count as two problems. To compare them, give the problem one direction in the source and replace the data set',
  DIRECTIONS_CONFLICT:
    'The data state both minimisation and maximisation for an algorithm on a problem. The first one applies to all its runs there. Correct the data, or give the algorithms different names, and replace the data set',
  RESOLUTION: 'Values have few decimals; 0 may be a rounded small number',
  ONE_OBJECTIVE: 'Several objectives in the data; the import reads only the first one',
  INDICATOR_VALUES:
    'Values of problems with two objectives are distances from a reference value of the hypervolume indicator, not objective values',
  BUDGET_UNKNOWN:
    'Traces end at the last improvement, so total budgets are unknown. Enter the budget, or comparisons assume equal budgets',
  FINAL_VALUES_ONLY: 'Table contains final values only; runs have no traces',
  TABLE_UNKNOWN: 'Unknown table columns; skipped',
  SETTINGS_POOLED:
    'Settings of an algorithm differ on the same problem. They count as repetitions of one optimizer. To compare them, give each setting its own algorithm name in the table',
  FOLDERS_POOLED:
    'Several folders have runs on the same instances by an algorithm whose name is only a placeholder. They count as repetitions of one optimizer. If they are different algorithms, import each folder under its own name',
  EQUAL_RUNS:
    'Runs with equal instances, seeds and rows. They count as repetitions, so differences look more certain than they are. If they are copies, remove them from the source and replace the data set',
  EVALS_RESTART:
    'Evaluations decrease or repeat within a run; its rows are one trace, sorted by evaluations. If they belong to several runs, give each run its own seed in a column "seed" and replace the data set',
  SEED_REPLACED: 'Seeds beyond 64 bits replaced by the number of the run in its group',
  NOT_WATCHED: 'A watch reads no tables and archives; import them separately',
  FILE_TRUNCATED: 'File became shorter while the folder was watched; stored rows remain',
  FILE_REPLACED: 'File was replaced while the folder was watched; stored rows remain',
  FILE_DELETED: 'File was deleted while the folder was watched; stored rows remain',
  STORED_DIFFERENTLY:
    'Runs are stored with other values, which remain. To store the new ones, import the finished folder and replace the data set, or use another name',
  SAME_CONTENT: 'Same data already imported under another name',
} as const;

/** Code of a note of an import. */
export type NoteCode = keyof typeof sentences;

/** A note of an import, with its number of occurrences, usually in one file; see {@link NoteBook}. */
export interface ImportNote {
  code: NoteCode;
  /** Path in the source; null for the source as a whole. */
  file: string | null;
  /**
   * Line of the first occurrence, from 1; null for a note without a line. In tables, empty lines do not count, and a
   * record of several lines counts as one.
   */
  line: number | null;
  count: number;
  message: string;
}

/** Position, number of occurrences and details of a finding. */
export interface Finding {
  file?: string | undefined;
  line?: number | undefined;
  count?: number;
  detail?: string | undefined;
}

/** Codes of notes that are not faults, see {@link isFault}. */
const harmlessCodes: ReadonlySet<NoteCode> = new Set([
  'NO_COMMENT_LINE',
  'DUPLICATE_ENTRY',
  'NUL_BYTES',
  'DIRECTION_ASSUMED',
  'DIRECTIONS_DIFFER',
  'RESOLUTION',
  'ONE_OBJECTIVE',
  'INDICATOR_VALUES',
  'BUDGET_UNKNOWN',
  'FINAL_VALUES_ONLY',
  'SETTINGS_POOLED',
  'FOLDERS_POOLED',
  'EQUAL_RUNS',
  'EVALS_RESTART',
  'SAME_CONTENT',
  'NOT_WATCHED',
]);

/** Returns whether a note gives the campaigns of its import the status COMPLETED_WITH_ERRORS. */
export function isFault({ code }: ImportNote): boolean {
  return !harmlessCodes.has(code);
}

/**
 * Returns a sentence for each code of the notes, without details, such as `NUL bytes in the index ignored (4 times).`
 * Returns an empty text without notes.
 */
export function summariseNotes(notes: readonly ImportNote[]): string {
  const notesByCode = Map.groupBy(notes, ({ code }) => code);
  const parts = [...notesByCode].map(([code, codeNotes]) => {
    const count = codeNotes.reduce((sum, note) => sum + note.count, 0);
    return count > 1 ? `${sentences[code]} (${count} times).` : `${sentences[code]}.`;
  });
  return parts.join(' ');
}

/** The fields of a campaign that depend on the notes of its import. */
export interface StoredStatus {
  status: string;
  notes: string | null;
}

/**
 * Returns the row of a campaign with the faults of its stored campaign: with the status COMPLETED_WITH_ERRORS, and with
 * the stored notes before its own. Omits its own notes if the stored notes contain them. Returns the same row if there
 * is no stored campaign, or if the stored campaign has no faults. It has faults if its status is COMPLETED_WITH_ERRORS,
 * or if it is RUNNING with the sentence of a fault in its notes, as after an interrupted watch.
 */
export function retainFaults<Row extends StoredStatus>(
  row: Row,
  storedStatus: StoredStatus | undefined,
): Row {
  if (!storedStatus || !hasFaults(storedStatus)) return row;
  const status = 'COMPLETED_WITH_ERRORS';
  const { notes } = storedStatus;
  if (row.notes === null || notes?.includes(row.notes)) return { ...row, status, notes };
  return { ...row, status, notes: notes === null ? row.notes : `${notes} ${row.notes}` };
}

function hasFaults(campaign: StoredStatus): boolean {
  if (campaign.status === 'COMPLETED_WITH_ERRORS') return true;
  const faultSentences = Object.entries(sentences)
    .filter(([code]) => !harmlessCodes.has(code as NoteCode))
    .map(([, sentence]) => sentence);
  return (
    isRunning(campaign) &&
    faultSentences.some((sentence) => campaign.notes?.includes(sentence) ?? false)
  );
}

/**
 * Codes of notes that may be wrong while a logger is still writing. They are certain only after the logger has ended.
 */
const pendingCodes: ReadonlySet<NoteCode> = new Set([
  'MISSING_DATA_FILE',
  'RUN_NOT_FINALISED',
  'INSTANCE_UNKNOWN',
  'RUN_COUNT_MISMATCH',
  'RUN_WITHOUT_ROWS',
  'UNLISTED_DATA_FILE',
  'EMPTY_FILE',
  'BAD_INDEX',
  'BAD_JSON',
]);

/** Returns whether a note about growing files may be wrong because their logger has not written all content yet. */
export function isPending({ code }: ImportNote): boolean {
  return pendingCodes.has(code);
}

const maximumNotes = 1_000;
/**
 * Maximum length of a detail in UTF-16 code units. A detail may contain a name or line of the source of any length.
 */
const maximumDetailLength = 300;

/**
 * Collects notes. Merges notes with the same code and file into one with the line and message of the first, and counts
 * them.
 */
export class NoteBook {
  readonly #notes = new Map<string, ImportNote>();

  /**
   * Adds a finding. Truncates its detail to 300 UTF-16 code units. After 1,000 different notes, merges a further note
   * with the last note of its code, or adds it if its code has no note.
   */
  add(code: NoteCode, { file, line, count = 1, detail }: Finding = {}): void {
    const truncatedDetail = detail && getTextStart(detail, maximumDetailLength);
    const message =
      truncatedDetail === undefined ? sentences[code] : `${sentences[code]} (${truncatedDetail})`;
    this.addAll([{ code, file: file ?? null, line: line ?? null, count, message }]);
  }

  /** Adds copies of notes, and merges each with the note of the same code and file, like {@link add}. */
  addAll(notes: readonly ImportNote[]): void {
    for (const note of notes) {
      const key = `${note.code} ${note.file ?? ''}`;
      const existingNote =
        this.#notes.get(key) ?? (this.#isFull() ? this.#getLast(note.code) : undefined);
      if (existingNote) existingNote.count += note.count;
      else this.#notes.set(key, { ...note });
    }
  }

  #isFull(): boolean {
    return this.#notes.size >= maximumNotes;
  }

  #getLast(code: NoteCode): ImportNote | undefined {
    return [...this.#notes.values()].findLast((note) => note.code === code);
  }

  /** Returns the notes in the order of their first occurrence. */
  list(): ImportNote[] {
    return [...this.#notes.values()];
  }
}
