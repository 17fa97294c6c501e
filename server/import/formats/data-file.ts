import type { Entry } from '#server/import/source/entry.ts';
import { NoteBook } from '#server/import/notes.ts';
import { parseSmallNatural } from './indexes.ts';
import { isDecimal } from '#shared/syntax.ts';

/** Indices of the columns of a data file, from 0. */
export interface Columns {
  evaluations: number;
  /** Evaluations of the constraints, which {@link parseRow} adds to `evaluations`; -1 if there is no such column. */
  constraintEvaluations: number;
  /** Index of the column whose name comes first in {@link valueNames}; -1 if no column has such a name. */
  value: number;
  /** The logger to which the names of the columns belong. */
  format: LoggerFormat;
}

/** The logger that wrote a data file. It determines the meaning of the values. */
export type LoggerFormat = 'coco-old' | 'coco-new' | 'coco-indicator' | 'iohprofiler' | 'pycma';

/** Names of value columns in the order of preference. In each format, best-so-far values come before current values. */
const valueNames: readonly RegExp[] = [
  /^best noise-free fitness/,
  /^best-so-far f\(x\)$/,
  /^indicator value$/,
  /^raw_y_best$/,
  /^raw_y$/,
  /^current f\(x\)$/,
  /^bestever$/,
];

const evaluationNames = new Set([
  'f evaluations',
  'function evaluation',
  'function evaluations',
  'evaluation',
]);

/**
 * Returns the columns of a header. Headers of COCO begin with `%` and separate the names by `|`. IOHprofiler writes
 * quoted names until version 0.3.2, and unquoted words later. pycma writes `% # columns="…"`. Returns null for a line
 * without a known column of evaluations. `value` is -1 without a known column of values.
 */
export function getColumns(line: string): Columns | null {
  const names = getNames(line);
  const evaluations = names.findIndex((name) => evaluationNames.has(name));
  if (evaluations === -1) return null;
  const valueColumns = valueNames.map((pattern) => names.findIndex((name) => pattern.test(name)));
  return {
    evaluations,
    constraintEvaluations: names.indexOf('g evaluations'),
    value: valueColumns.find((index) => index !== -1) ?? -1,
    format: getFormat(names),
  };
}

function getFormat(names: readonly string[]): LoggerFormat {
  if (names.includes('indicator value')) return 'coco-indicator';
  if (names.includes('bestever')) return 'pycma';
  if (!names.some((name) => name.includes('noise-free fitness'))) return 'iohprofiler';
  return names.includes('g evaluations') ? 'coco-new' : 'coco-old';
}

function getNames(line: string): string[] {
  const [, columnList] = /^% # columns="([^"]*)"/.exec(line) ?? [];
  if (columnList !== undefined) return columnList.split(',').map(toPlainName);
  if (line.startsWith('%')) return line.slice(1).split('|').map(toPlainName);
  if (line.startsWith('"'))
    return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quotedText]) =>
      toPlainName(quotedText ?? word),
    );
  // In headers without quotes the first column is `evaluations`, a name that no other header has.
  return line
    .trim()
    .split(/\s+/)
    .map((name) => (name === 'evaluations' ? 'f evaluations' : name));
}

function toPlainName(name: string): string {
  return name.trim().toLowerCase();
}

/** The rows of one run in one data file, in their order. */
export interface Block {
  /** The evaluations of each row, never decreasing. Numbers beyond 2^53 − 1 are approximate, see `exactCounts`. */
  evaluations: number[];
  values: number[];
  /** The digits of evaluations beyond 2^53 − 1, by their numbers in `evaluations`; null if there are none. */
  exactCounts: Map<number, string> | null;
  /**
   * The instance in the header of the block or in a comment before it; null if absent. Only data with two objectives
   * state it.
   */
  instance: number | null;
  /** The seed in the header; null if it is absent or not a number of at most 15 digits. Only pycma states it. */
  seed: number | null;
  format: LoggerFormat;
}

/** A data file of a logger with a block for each run. */
export interface DataFile {
  path: string;
  modifiedAt: Date;
  blocks: Block[];
  /** Notes about skipped content, or about an empty file. */
  notes: NoteBook;
}

/**
 * Reads a data file while its bytes arrive. Skips these rows, with a note:
 * - a last row without an end of line, because it may be truncated
 * - rows that {@link parseRow} refuses
 * - the rest of a run whose evaluations decrease
 * - rows before the first header; if one of them begins with a digit, their run has a block without rows
 * - rows below a header without a known column of values; their run has a block without rows
 *
 * Skips blank lines, and the infinite values of IOHprofiler before the first value of a run, without a note. Adds a
 * note about an empty file.
 */
export async function readDataFile(entry: Entry): Promise<DataFile> {
  const reader = createDataFileReader(entry.path);
  for await (const chunk of entry.bytes) reader.push(chunk);
  reader.end();
  return reader.getFile(entry.modifiedAt);
}

/** Reads a data file from chunks of its bytes. */
export interface DataFileReader {
  /** Reads the next bytes. A line without its end waits for the next chunk. */
  push: (chunk: Buffer) => void;
  /** Ends the file: a last row without an end of line counts as truncated. */
  end: () => void;
  /** Returns the data file with the content of all previous chunks. Later chunks add to its blocks and notes. */
  getFile: (modifiedAt: Date) => DataFile;
}

/** Creates a reader of the data file at a path; see {@link readDataFile}. */
export function createDataFileReader(path: string): DataFileReader {
  const notes = new NoteBook();
  const collector = createCollector(path, notes);
  const lines = createLineReader(collector.take);
  let size = 0;
  return {
    push: (chunk) => {
      size += chunk.length;
      lines.push(chunk);
    },
    end: () => {
      lines.end();
      if (size === 0) notes.add('EMPTY_FILE', { file: path });
    },
    getFile: (modifiedAt) => ({ path, modifiedAt, blocks: collector.blocks, notes }),
  };
}

/** The byte order marks of UTF-8 and UTF-16, decoded as Latin-1. The line reader removes the NUL bytes of UTF-16. */
const byteOrderMarks = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/;

function createCollector(file: string, notes: NoteBook) {
  const blocks: Block[] = [];
  let columns: Columns | null = null;
  let instance: number | null = null;
  let hasDecreased = false;

  function takeHeader(text: string, line: number): void {
    instance = parseInstance(text) ?? instance;
    const columnsOfHeader = getColumns(text);
    if (columnsOfHeader === null) return;
    if (columnsOfHeader.value === -1) notes.add('NO_VALUE_COLUMN', { file, line });
    columns = columnsOfHeader.value === -1 ? null : columnsOfHeader;
    beginBlock(columnsOfHeader.format, parseSeed(text));
  }

  function beginBlock(format: LoggerFormat, seed: number | null): void {
    blocks.push({ evaluations: [], values: [], exactCounts: null, instance, seed, format });
    instance = null;
    hasDecreased = false;
  }

  function takeRow(text: string, line: number, isComplete: boolean): void {
    // The header of the first run is missing. Without its block, the next blocks would belong to wrong runs.
    if (blocks.length === 0 && /^\s*\d/.test(text)) beginBlock('iohprofiler', null);
    const block = blocks.at(-1);
    if (hasDecreased) return;
    if (block?.values.length === 0 && columns && isComplete && hasNoValueYet(text, columns)) return;
    const row = columns && isComplete ? parseRow(text, columns) : null;
    if (row === null || !block) {
      notes.add('ROW_SKIPPED', { file, line });
    } else if (row.evaluations < (block.evaluations.at(-1) ?? 0)) {
      hasDecreased = true;
      notes.add('EVALS_DECREASE', { file, line });
    } else {
      block.evaluations.push(row.evaluations);
      block.values.push(row.value);
      if (row.exactCount !== null)
        (block.exactCounts ??= new Map()).set(row.evaluations, row.exactCount);
    }
  }

  return {
    blocks,
    take: (text: string, line: number, isComplete: boolean): void => {
      const plainText = line === 1 ? text.replace(byteOrderMarks, '') : text;
      if (isHeader(plainText)) takeHeader(plainText, line);
      else if (plainText.trim() !== '') takeRow(plainText, line, isComplete);
    },
  };
}

/** Returns whether a line is a header or comment: it begins with `%`, a quote or the word `evaluations`. */
function isHeader(text: string): boolean {
  return /^([%"]|evaluations\b)/.test(text);
}

function parseInstance(text: string): number | null {
  const [, digits] = /^%.*\binstance\s*=\s*(\d+)/.exec(text) ?? [];
  return digits === undefined ? null : parseSmallNatural(Number(digits));
}

function parseSeed(text: string): number | null {
  const [, digits] = /^% # columns=.*\bseed=(\d{1,15})\b/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** The numbers of a row. `exactCount` contains the digits of evaluations beyond 2^53 − 1; null for smaller ones. */
export interface DataRow {
  evaluations: number;
  value: number;
  exactCount: string | null;
}

const maximumInteger = 2n ** 63n - 1n;

/**
 * Returns the value of a row and its evaluations, including those of constraints. Returns null if a number is missing
 * or not finite, if the evaluations are not whole, or if their sum is negative or above 2^63 − 1. Some loggers print
 * evaluations as `1.16044e+06`.
 */
export function parseRow(line: string, columns: Columns): DataRow | null {
  const value = parseNumberAt(line, columns.value);
  const functionEvaluations = parseNumberAt(line, columns.evaluations);
  const constraintEvaluations =
    columns.constraintEvaluations === -1 ? 0 : parseNumberAt(line, columns.constraintEvaluations);
  const evaluations = functionEvaluations + constraintEvaluations;
  const isWhole = Number.isInteger(functionEvaluations) && Number.isInteger(constraintEvaluations);
  if (!Number.isFinite(value) || !isWhole || evaluations < 0) return null;
  if (Number.isSafeInteger(evaluations)) return { evaluations, value, exactCount: null };
  const digits = getFieldAt(line, columns.evaluations);
  const exactCount = formatExactCount(digits, constraintEvaluations);
  return exactCount === null ? null : { evaluations, value, exactCount };
}

/** Returns whether a row has evaluations but no value yet: IOHprofiler logs an infinite value until a run has one. */
function hasNoValueYet(line: string, columns: Columns): boolean {
  return (
    columns.format === 'iohprofiler' &&
    /^[+-]?inf$/i.test(getFieldAt(line, columns.value)) &&
    /^\d+$/.test(getFieldAt(line, columns.evaluations))
  );
}

/**
 * Returns the digits of the sum of a count and `increment`; null for a sum above 2^63 − 1. `digits` is a whole number.
 * If it has a form such as `1.2e+16`, the function uses its nearest double.
 */
export function formatExactCount(digits: string, increment = 0): string | null {
  const count = /^\d+$/.test(digits) ? BigInt(digits) : BigInt(Number(digits));
  const sum = count + BigInt(increment);
  return sum > maximumInteger ? null : String(sum);
}

/** Returns the decimal number in a column, infinite if it is too large for a double; NaN if there is none. */
function parseNumberAt(line: string, column: number): number {
  const text = getFieldAt(line, column);
  return isDecimal(text) ? Number(text) : Number.NaN;
}

const space = 32;

/** Returns the text in a column; empty if there is none. Characters up to U+0020, such as tabs, separate columns. */
function getFieldAt(line: string, column: number): string {
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

/** Handles a line of a file. `line` is its number from 1. `isComplete` states whether an end of line follows. */
export type LineVisitor = (text: string, line: number, isComplete: boolean) => void;

/** Maximum length of a line in one chunk, in characters. All known headers and columns are within it. */
const maximumLineLength = 4_096;
const lineFeed = 10;

/**
 * Creates a reader that splits chunks of bytes into lines. It truncates a long line: it visits at most 4,096 characters
 * from the chunks before the end of the line, and 4,096 from the chunk with this end. Decodes Latin-1, because data
 * files contain only numbers and headers of loggers. Removes NUL bytes and a CR at the end of a line. `end` visits a
 * last line without an end of line.
 */
export function createLineReader(visit: LineVisitor): {
  push: (chunk: Buffer) => void;
  end: () => void;
} {
  let partialLine = '';
  let line = 0;

  function take(text: string, isComplete: boolean): void {
    line += 1;
    const plainText = text.includes('\0') ? text.replaceAll('\0', '') : text;
    visit(plainText.endsWith('\r') ? plainText.slice(0, -1) : plainText, line, isComplete);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const text = chunk.toString('latin1', start, Math.min(end, start + maximumLineLength));
        take(partialLine === '' ? text : partialLine + text, true);
        partialLine = '';
        start = end + 1;
      }
      const remainingLength = maximumLineLength - partialLine.length;
      if (remainingLength > 0)
        partialLine += chunk.toString(
          'latin1',
          start,
          Math.min(chunk.length, start + remainingLength),
        );
    },
    end() {
      if (partialLine !== '') take(partialLine, false);
    },
  };
}
