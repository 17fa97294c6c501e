import type { Direction } from '#server/domain/objective.ts';
import { getUnpackedName } from '#server/import/source/archives.ts';
import {
  getBaseName,
  type Entry,
  inspectStart,
  removePartialCharacter,
} from '#server/import/source/entry.ts';
import type { NoteBook } from '#server/import/notes.ts';
import {
  parseAttribute,
  type FlatAttribute,
  toPlainText,
  parseSmallNatural,
} from '#server/import/formats/indexes.ts';
import { parseDecimal } from '#shared/syntax.ts';
import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import {
  type ColumnChoice,
  type ExportColumns,
  getLayout,
  type TableField,
  type TableLayout,
} from './layout.ts';

/** The rows of one run of a table, in the order of the file. */
export interface TableRun {
  /** Id of the run in exported traces, which separates runs with equal seeds; absent in other tables. */
  runId?: string;
  algorithm: string;
  problem: string;
  instance: number | null;
  dimension: number | null;
  seed: string | null;
  /** The first direction that a row of the run states; null if no row states one. */
  direction: Direction | null;
  attributes: Readonly<Record<string, FlatAttribute>>;
  problemAttributes: Readonly<Record<string, FlatAttribute>>;
  evaluations: number[];
  values: number[];
  /** Number of used evaluations, including those of incomplete trials. */
  usedEvaluations: number;
}

/** A table with known columns. Its runs are in the order of their first rows. */
export interface Table {
  file: string;
  modifiedAt: Date;
  kind: TableLayout['kind'];
  runs: TableRun[];
}

/**
 * Reads a table while its bytes arrive. The extension of the file selects CSV or JSON lines. Returns null, with a note,
 * if the table is empty or its columns are unknown. Skips, with a note, unreadable rows and rows that
 * {@link hasValidNumbers} or {@link addRow} refuses. Also notes tables of final values, further objectives, runs whose
 * rows state different directions, and runs whose rows may belong to several runs, see {@link canBeSeveralRuns}.
 * Rejects with the errors of `entry.bytes`.
 */
export async function readTable(
  entry: Entry,
  notes: NoteBook,
  choice?: ColumnChoice,
): Promise<Table | null> {
  const { path: file, modifiedAt } = entry;
  const isJson = /\.(jsonl|ndjson)$/i.test(file);
  const records = isJson ? readJsonRecords(entry.bytes) : readCsvRecords(entry.bytes);
  const { header, unreadableCount } = await getHeader(records);
  const layout = header && getLayout(header, choice);
  if (layout === null || typeof layout === 'string') {
    const columns = header?.slice(0, 12).map(toPlainText).join(', ');
    const detail = layout === null ? undefined : `${toPlainText(layout)}; columns: ${columns}`;
    notes.add(header || unreadableCount > 0 ? 'TABLE_UNKNOWN' : 'EMPTY_FILE', { file, detail });
    await records.return(undefined);
    return null;
  }
  noteLayout(layout, file, notes);
  if (unreadableCount > 0) notes.add('ROW_SKIPPED', { file, line: 1, count: unreadableCount });
  // The first object of JSON lines is the header and a row.
  const lineCount = unreadableCount + (isJson ? 0 : 1);
  const runs = await collectRuns(records, lineCount, layout, file, notes);
  const restartCount = runs.filter(canBeSeveralRuns).length;
  if (restartCount > 0) notes.add('EVALS_RESTART', { file, count: restartCount });
  return { file, modifiedAt, kind: layout.kind, runs };
}

/**
 * Returns whether the evaluations of a run decrease from one row to the next, or repeat with another value, for example
 * because several runs have the same seed. Returns false for runs of exported traces, which have ids.
 */
function canBeSeveralRuns({ runId, evaluations, values }: TableRun): boolean {
  return (
    runId === undefined &&
    evaluations.some((count, row) => {
      const previousCount = evaluations[row - 1] ?? -1;
      return count < previousCount || (count === previousCount && values[row] !== values[row - 1]);
    })
  );
}

/** Returns the first readable record (null if there is none), and the number of unreadable records before it. */
async function getHeader(
  records: Records,
): Promise<{ header: string[] | null; unreadableCount: number }> {
  for (let unreadableCount = 0; ; unreadableCount += 1) {
    const { value, done } = await records.next();
    if (done || value) return { header: value ?? null, unreadableCount };
  }
}

function noteLayout(layout: TableLayout, file: string, notes: NoteBook): void {
  const { kind, furtherObjectives } = layout;
  if (kind === 'final') notes.add('FINAL_VALUES_ONLY', { file });
  if (furtherObjectives.length > 0)
    notes.add('ONE_OBJECTIVE', { file, detail: furtherObjectives.join(', ') });
}

async function collectRuns(
  records: Records,
  previousLineCount: number,
  layout: TableLayout,
  file: string,
  notes: NoteBook,
): Promise<TableRun[]> {
  const runs = new Map<string, TableRun>();
  let line = previousLineCount;
  for await (const record of records) {
    line += 1;
    const newRun = record && hasValidNumbers(record, layout) ? makeRun(record, layout, file) : null;
    // The key contains no direction, because this cell may be empty in some rows of a run.
    const key =
      layout.kind === 'final' ? String(line) : JSON.stringify({ ...newRun, direction: null });
    const run = newRun && (runs.get(key) ?? newRun);
    if (!record || !run || !addRow(run, record, layout)) notes.add('ROW_SKIPPED', { file, line });
    else {
      run.direction ??= newRun.direction;
      if (newRun.direction !== null && newRun.direction !== run.direction)
        notes.add('DIRECTIONS_CONFLICT', { file, line, detail: run.problem });
      runs.set(key, run);
    }
  }
  return [...runs.values()];
}

/**
 * Returns whether the cells of instance and dimension are whole numbers from 0 to 2^31 − 1, empty or missing. Rows with
 * other texts would merge runs of different instances.
 */
function hasValidNumbers(record: readonly string[], { columns }: TableLayout): boolean {
  return [columns.instance, columns.dimension]
    .map((index) => toPlainText(record[index ?? -1] ?? ''))
    .every((text) => text === '' || parseNatural(text) !== null);
}

function makeRun(record: readonly string[], layout: TableLayout, file: string): TableRun {
  const getText = (field: TableField) => toPlainText(record[layout.columns[field] ?? -1] ?? '');
  const direction = getText('direction').toLowerCase();
  const { exportColumns } = layout;
  return {
    ...(exportColumns && { runId: record[exportColumns.runId] ?? '' }),
    algorithm: getText('algorithm') || getFileTitle(file),
    problem: getFunction(record, exportColumns) ?? (getText('problem') || 'problem'),
    instance: parseNatural(getText('instance')),
    dimension: parseNatural(getText('dimension')) || null,
    seed: getText('seed') || null,
    direction: direction.startsWith('min') ? 'min' : direction.startsWith('max') ? 'max' : null,
    attributes: getCells(record, layout.params),
    problemAttributes: getCells(record, layout.problemParams),
    evaluations: [],
    values: [],
    usedEvaluations: 0,
  };
}

/** Returns the function of a row of exported traces, such as `bbob-f3`; null if the row has no number of a function. */
function getFunction(record: readonly string[], columns: ExportColumns | null): string | null {
  const number = columns && record[columns.functionId];
  if (!number) return null;
  const suite = toPlainText(record[columns.suite] ?? '');
  return `${suite === '' ? '' : `${suite}-`}f${number}`;
}

function getFileTitle(file: string): string {
  return getUnpackedName(getBaseName(file)).replace(/\.\w+$/, '');
}

function parseNatural(text: string): number | null {
  return parseSmallNatural(parseDecimal(text));
}

function getCells(
  record: readonly string[],
  columns: ReadonlyMap<string, number>,
): Record<string, FlatAttribute> {
  const cells = [...columns].filter(([, index]) => (record[index] ?? '') !== '');
  return Object.fromEntries(
    cells.map(([name, index]) => [name, parseAttribute(record[index] ?? '')]),
  );
}

/** Returns the finite number in a cell; NaN for a blank or missing cell, and for other text. */
function parseNumber(cell: string = ''): number {
  return parseDecimal(cell) ?? Number.NaN;
}

/**
 * Adds a row to its run and returns true. Returns false, and adds nothing, for a row whose evaluations are not a whole
 * number from 0 to 2^53 − 1, and for a row without a finite value, unless the row is an incomplete trial. Of an
 * incomplete trial, adds only the evaluations.
 */
function addRow(run: TableRun, record: readonly string[], layout: TableLayout): boolean {
  const { columns, kind, stateColumn } = layout;
  const isRowCounted = columns.evaluations === undefined;
  const number = isRowCounted
    ? run.usedEvaluations + 1
    : parseNumber(record[columns.evaluations ?? -1]);
  // Optuna numbers its trials from 0.
  const evaluations = kind === 'trials' && !isRowCounted ? number + 1 : number;
  if (!Number.isSafeInteger(evaluations) || evaluations < 0) return false;
  const value = parseNumber(record[columns.best ?? -1]);
  const isIncompleteTrial = kind === 'trials' && !/complete/i.test(record[stateColumn] ?? '');
  if (!Number.isFinite(value) && !isIncompleteTrial) return false;
  run.usedEvaluations = Math.max(run.usedEvaluations, evaluations);
  if (isIncompleteTrial) return true;
  run.evaluations.push(evaluations);
  run.values.push(value);
  return true;
}

/** A record of a table: the texts of its cells; null for unreadable lines. */
type TableRecord = string[] | null;

/** The records of a table. The first readable one is the header; others may have fewer or more cells. */
export type Records = AsyncGenerator<TableRecord>;

/** Maximum length of a record in UTF-16 code units; csv-parse counts the current field in bytes. */
const maximumRecordLength = 2 ** 20;

/** Number of first bytes to inspect for the delimiter, because the first chunk may end within the first line. */
const firstLineBytes = 2 ** 16;

/**
 * Yields the bytes of a text as UTF-8. Decodes the first chunk that is not valid UTF-8, and all later chunks, as
 * Windows-1252, which contains the letters of Latin-1; also after a byte order mark of UTF-8. Decodes an incomplete
 * character at the end in the same way. Does not change text whose first byte is 0xFF or 0xFE, as in UTF-16.
 */
async function* toUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let encoding: 'unknown' | 'utf-8' | 'utf-16' | 'windows-1252' = 'unknown';
  let partialCharacter: Buffer = Buffer.alloc(0);
  const decode = (text: Buffer) =>
    Buffer.from(new TextDecoder('windows-1252').decode(text).replace(/^ï»¿/, '\ufeff'));
  for await (const chunk of bytes) {
    const text = partialCharacter.length > 0 ? Buffer.concat([partialCharacter, chunk]) : chunk;
    partialCharacter = Buffer.alloc(0);
    if (encoding === 'unknown')
      encoding = text[0] === 0xff || text[0] === 0xfe ? 'utf-16' : 'utf-8';
    if (encoding === 'utf-8') {
      const wholeText = removePartialCharacter(text);
      if (isUtf8(wholeText)) {
        partialCharacter = text.subarray(wholeText.length);
        yield wholeText;
        continue;
      }
      encoding = 'windows-1252';
    }
    yield encoding === 'windows-1252' ? decode(text) : text;
  }
  yield decode(partialCharacter);
}

/**
 * Yields the header of a CSV file, then the other records (RFC 4180 with lenient quotes; UTF-8, UTF-16LE or
 * Windows-1252; commas, semicolons or tabs). Omits empty lines. Ends at an unclosed quote and at a record that is too
 * long. Yields null once at the end if some records are unreadable. Throws the errors of `bytes`.
 */
export async function* readCsvRecords(bytes: AsyncIterable<Buffer>): Records {
  const { head, content } = await inspectStart(bytes, firstLineBytes);
  const delimiter = getDelimiter(head.toString('utf8'));
  let hasSkipped = false;
  const records = parse({
    bom: true,
    delimiter,
    max_record_size: maximumRecordLength,
    on_skip: (error) => {
      // A record that is too long ends the reading immediately. An unclosed quote contains the rest of the file.
      if (error?.code === 'CSV_MAX_RECORD_SIZE') records.destroy(error);
      else hasSkipped = true;
    },
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  pipeline(Readable.from(toUtf8(content)), records, () => {});
  try {
    for await (const record of records)
      yield delimiter === ',' ? record : (record as string[]).map(replaceDecimalComma);
    if (hasSkipped) yield null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')))
      throw error;
    // After an unclosed quote or a record that is too long, the parser cannot separate fields.
    yield null;
  } finally {
    await content.return?.();
  }
}

/**
 * Replaces the decimal comma of a number with a point; returns other text unchanged. Applies to files whose delimiter
 * is not a comma.
 */
function replaceDecimalComma(cell: string): string {
  return cell.replace(/^([+-]?\d+),(\d+(?:e[+-]?\d+)?)$/i, '$1.$2');
}

/** Returns the delimiter that is most frequent in the first line; in a tie, the first of comma, semicolon and tab. */
function getDelimiter(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const delimiterCounts = [',', ';', '\t'].map((delimiter) => ({
    delimiter,
    count: line.split(delimiter).length,
  }));
  return delimiterCounts.reduce((a, b) => (b.count > a.count ? b : a)).delimiter;
}

/**
 * Number of UTF-16 code units of the first JSON lines whose keys form the header, because a line may omit some keys.
 */
const headerLength = 2 ** 22;
/** Number of keys of a header from which on further objects add no keys. */
const maximumAddedKeys = 1_000;

/**
 * Yields the header of JSON lines, then a record for each line; null for a line that is too long or is not an object.
 * Omits blank lines. The header contains the keys of the first object. Further objects in the first
 * {@link headerLength} code units add keys until the header has {@link maximumAddedKeys}. Ignores all other keys. A
 * missing value, null, a list and an object become empty texts. Throws the errors of `bytes`.
 */
export async function* readJsonRecords(bytes: AsyncIterable<Buffer>): Records {
  const { content } = await inspectStart(bytes, 1);
  const input = Readable.from(toUtf8(content));
  const lines = createInterface({ input, crlfDelay: Infinity });
  const firstObjects: (JsonObject | null)[] = [];
  let header: string[] | null = null;
  let length = 0;
  try {
    for await (const rawLine of lines) {
      // Also removes a byte order mark.
      const line = rawLine.trim();
      if (line === '') continue;
      const values = line.length > maximumRecordLength ? null : parseObject(line);
      if (header) {
        yield toRecord(values, header);
        continue;
      }
      firstObjects.push(values);
      length += line.length;
      if (length < headerLength) continue;
      header = findKeys(firstObjects);
      yield* toRecords(firstObjects, header);
    }
    if (!header) yield* toRecords(firstObjects, findKeys(firstObjects));
  } finally {
    // If a caller stops early, the stream would otherwise continue to read, and no one would handle its errors.
    input.destroy();
    await content.return?.();
  }
}

type JsonObject = Record<string, unknown>;

/**
 * Returns the keys of the first object, and keys of the other objects until there are {@link maximumAddedKeys}, in the
 * order of their first occurrence; null without an object.
 */
function findKeys(objects: readonly (JsonObject | null)[]): string[] | null {
  const [firstObject, ...furtherObjects] = objects.filter((values) => values !== null);
  if (!firstObject) return null;
  const keys = new Set(Object.keys(firstObject));
  for (const key of furtherObjects.flatMap((values) => Object.keys(values)))
    if (keys.size < maximumAddedKeys) keys.add(key);
  return [...keys];
}

/** Yields the header, unless it is null, and then the records of these objects. */
function* toRecords(
  objects: (JsonObject | null)[],
  header: string[] | null,
): Generator<TableRecord> {
  if (header) yield header;
  for (const values of objects.splice(0)) yield toRecord(values, header);
}

function toRecord(values: JsonObject | null, header: string[] | null): TableRecord {
  return values && header && header.map((name) => toCell(values[name]));
}

function parseObject(line: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  // A list or object is not the value of a cell, and its nesting may be too deep for JSON.stringify.
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
