import type { Entry } from '#server/import/source/entry.ts';
import { NoteBook } from '#server/import/notes.ts';
import { isDecimal } from '#shared/decimal.ts';

/** Where the numbers of a data file stand, counted from 0. */
export interface Columns {
  evaluations: number;
  /** Evaluations of the constraints, which count too; -1 = none. */
  constraintEvaluations: number;
  /** The value: best so far where the file has it, else that of the evaluation. */
  value: number;
  /** The logger, as its names of columns tell. */
  format: LoggerFormat;
}

/** What wrote a data file: it decides which values it holds. */
export type LoggerFormat = 'coco-old' | 'coco-new' | 'coco-indicator' | 'iohprofiler';

/** Names of columns with the value, the best so far before the current one. */
const valueNames: readonly RegExp[] = [
  /^best noise-free fitness/,
  /^best-so-far f\(x\)$/,
  /^indicator value$/,
  /^raw_y_best$/,
  /^raw_y$/,
  /^current f\(x\)$/,
];

const evaluationNames = new Set(['f evaluations', 'function evaluation', 'function evaluations']);

/**
 * The columns that a header names, whichever logger wrote it: COCO's begin with `%` and part the names by `|`,
 * those of IOHprofiler until 0.3.2 stand in quotes, and later ones are bare words. Null for a line that is no
 * header; `value` is -1 where no column of values is known.
 */
export function columnsOf(line: string): Columns | null {
  const names = namesOf(line);
  const evaluations = names.findIndex((name) => evaluationNames.has(name));
  if (evaluations === -1) return null;
  const known = valueNames.map((pattern) => names.findIndex((name) => pattern.test(name)));
  return {
    evaluations,
    constraintEvaluations: names.indexOf('g evaluations'),
    value: known.find((index) => index !== -1) ?? -1,
    format: formatOf(names),
  };
}

function formatOf(names: readonly string[]): LoggerFormat {
  if (names.includes('indicator value')) return 'coco-indicator';
  if (!names.some((name) => name.includes('noise-free fitness'))) return 'iohprofiler';
  return names.includes('g evaluations') ? 'coco-new' : 'coco-old';
}

function namesOf(line: string): string[] {
  if (line.startsWith('%')) return line.slice(1).split('|').map(plainName);
  if (line.startsWith('"'))
    return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([bare, quoted]) => plainName(quoted ?? bare));
  // The bare form calls its first column `evaluations`, a word that no other header has alone.
  return line
    .trim()
    .split(/\s+/)
    .map((name) => (name === 'evaluations' ? 'f evaluations' : name));
}

function plainName(name: string): string {
  return name.trim().toLowerCase();
}

/** The rows of one run in one data file, in their order. */
export interface Block {
  /** Never decreasing; doubles, also beyond 2^53. */
  evaluations: number[];
  values: number[];
  /** The digits of evaluations that doubles cannot hold, by the nearest double; null where none are as large. */
  exact: Map<number, string> | null;
  /** As the header of the block states it, which only that of two objectives does. */
  instance: number | null;
  format: LoggerFormat;
}

/** A data file of a logger with a block for each run. */
export interface DataFile {
  path: string;
  modifiedAt: Date;
  blocks: Block[];
  /** What was not read of it. */
  notes: NoteBook;
}

/**
 * Reads a data file as its bytes arrive. What is not read is noted in it: rows that are cut or hold no numbers
 * (a last row without an end of line is cut), the rest of a run whose evaluations decrease, rows before any
 * header.
 */
export async function readDataFile(entry: Entry): Promise<DataFile> {
  const notes = new NoteBook();
  const collector = createCollector(entry.path, notes);
  const lines = createLineReader(collector.take);
  let size = 0;
  for await (const chunk of entry.bytes) {
    size += chunk.length;
    lines.push(chunk);
  }
  lines.end();
  if (size === 0) notes.add('EMPTY_FILE', { file: entry.path });
  return { path: entry.path, modifiedAt: entry.modifiedAt, blocks: collector.blocks, notes };
}

function createCollector(file: string, notes: NoteBook) {
  const blocks: Block[] = [];
  let columns: Columns | null = null;
  let instance: number | null = null;
  let hasDecreased = false;

  function takeHeader(text: string, line: number): void {
    instance = instanceIn(text) ?? instance;
    const named = columnsOf(text);
    if (named === null) return;
    if (named.value === -1) notes.add('NO_VALUE_COLUMN', { file, line });
    columns = named.value === -1 ? null : named;
    blocks.push({
      evaluations: [],
      values: [],
      exact: null,
      instance,
      format: named.format,
    });
    instance = null;
    hasDecreased = false;
  }

  function takeRow(text: string, line: number, isWhole: boolean): void {
    const block = blocks.at(-1);
    if (hasDecreased) return;
    const row = columns && isWhole ? parseRow(text, columns) : null;
    if (row === null || !block) {
      notes.add('ROW_SKIPPED', { file, line });
    } else if (row.evaluations < (block.evaluations.at(-1) ?? 0)) {
      hasDecreased = true;
      notes.add('EVALS_DECREASE', { file, line });
    } else {
      block.evaluations.push(row.evaluations);
      block.values.push(row.value);
      if (row.exact !== null) (block.exact ??= new Map()).set(row.evaluations, row.exact);
    }
  }

  return {
    blocks,
    take: (text: string, line: number, isWhole: boolean): void => {
      const plain = line === 1 ? text.replace(/^\u00ef\u00bb\u00bf/, '') : text;
      if (isHeader(plain)) takeHeader(plain, line);
      else if (plain.trim() !== '') takeRow(plain, line, isWhole);
    },
  };
}

/** Rows begin with a digit, a sign or a blank; comments and headers with `%`, a quote or a word. */
function isHeader(text: string): boolean {
  return /^([%"]|evaluations\b)/.test(text);
}

function instanceIn(text: string): number | null {
  const [, digits] = /^%.*\binstance\s*=\s*(\d+)/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** The numbers of a row that are read; `exact` holds the digits of evaluations beyond 2^53. */
export interface DataRow {
  evaluations: number;
  value: number;
  exact: string | null;
}

const largestInteger = 2n ** 63n - 1n;

/**
 * The evaluations and the value of a row; null where one of them is missing, no finite number, or where the
 * evaluations are no whole number that the database can hold. Loggers print evaluations as `1.16044e+06` too.
 */
export function parseRow(line: string, columns: Columns): DataRow | null {
  const value = numberAt(line, columns.value);
  const functionEvaluations = numberAt(line, columns.evaluations);
  const constraints =
    columns.constraintEvaluations === -1 ? 0 : numberAt(line, columns.constraintEvaluations);
  const evaluations = functionEvaluations + constraints;
  if (!Number.isFinite(value) || !Number.isInteger(evaluations) || evaluations < 0) return null;
  if (Number.isSafeInteger(evaluations)) return { evaluations, value, exact: null };
  const digits = fieldAt(line, columns.evaluations);
  const exact = exactCount(digits, constraints);
  return exact === null ? null : { evaluations, value, exact };
}

/** The digits of a count that a double cannot hold; null beyond 2^63 − 1. */
export function exactCount(digits: string, added = 0): string | null {
  const count = /^\d+$/.test(digits) ? BigInt(digits) : BigInt(Number(digits));
  const sum = count + BigInt(added);
  return sum > largestInteger ? null : String(sum);
}

/** The number in a column; NaN where there is none. */
function numberAt(line: string, column: number): number {
  const text = fieldAt(line, column);
  return isDecimal(text) ? Number(text) : Number.NaN;
}

const space = 32;

/** The text in a column; columns are parted by blanks or tabs, any number of them. Empty where there is none. */
function fieldAt(line: string, column: number): string {
  let end = 0;
  for (let index = 0; end < line.length; index += 1) {
    let start = end;
    while (start < line.length && line.charCodeAt(start) <= space) start += 1;
    end = start;
    while (end < line.length && line.charCodeAt(end) > space) end += 1;
    if (index === column) return line.slice(start, end);
  }
  return '';
}

/** Gets the lines of a file as its bytes arrive, each with its number from 1 and whether an end of line follows. */
export type LineVisitor = (text: string, line: number, isWhole: boolean) => void;

/** All numbers and headers that are read are in these first columns. */
const longestLine = 4_096;
const lineFeed = 10;

/**
 * Cuts chunks of bytes into lines, of which no more than 4,096 characters are kept. Latin-1: data files hold
 * numbers and headers of loggers. NUL bytes and the CR of a line end are left out.
 */
export function createLineReader(visit: LineVisitor): {
  push: (chunk: Buffer) => void;
  end: () => void;
} {
  let carried = '';
  let line = 0;

  function take(text: string, isWhole: boolean): void {
    line += 1;
    const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
    visit(plain.endsWith('\r') ? plain.slice(0, -1) : plain, line, isWhole);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const text = chunk.toString('latin1', start, Math.min(end, start + longestLine));
        take(carried === '' ? text : carried + text, true);
        carried = '';
        start = end + 1;
      }
      const room = longestLine - carried.length;
      if (room > 0)
        carried += chunk.toString('latin1', start, Math.min(chunk.length, start + room));
    },
    end() {
      if (carried !== '') take(carried, false);
    },
  };
}
