import type { Direction } from '#server/domain/objective.ts';
import { unpackedName } from '#server/import/source/archives.ts';
import { baseName, type Entry, peek } from '#server/import/source/entry.ts';
import type { NoteBook } from '#server/import/notes.ts';
import {
  attributeOf,
  type FlatAttribute,
  plainText,
  smallNatural,
} from '#server/import/formats/attributes.ts';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import { type ColumnChoice, layoutOf, type TableField, type TableLayout } from './layout.ts';

/** The rows of one run of a table, in the order of the file. */
export interface TableRun {
  algorithm: string;
  problem: string;
  instance: number | null;
  dimension: number | null;
  seed: string | null;
  direction: Direction | null;
  attributes: Readonly<Record<string, FlatAttribute>>;
  problemAttributes: Readonly<Record<string, FlatAttribute>>;
  evaluations: number[];
  values: number[];
  /** Evaluations used, also by trials without a value. */
  used: number;
}

/** A table whose columns are known, with its runs in the order of their first rows. */
export interface Table {
  file: string;
  modifiedAt: Date;
  kind: TableLayout['kind'];
  runs: TableRun[];
}

/**
 * Reads a table of comma-separated values or JSON lines as its bytes arrive. Null, with a note, where its columns
 * are not known; rows without what they need are noted and left out.
 */
export async function readTable(
  entry: Entry,
  notes: NoteBook,
  choice?: ColumnChoice,
): Promise<Table | null> {
  const { path: file, modifiedAt } = entry;
  const records = /\.(jsonl|ndjson)$/i.test(file)
    ? jsonRecords(entry.bytes)
    : csvRecords(entry.bytes);
  const { header, unreadable } = await headerOf(records);
  const layout = header ? layoutOf(header, choice) : null;
  if (!layout) {
    const detail = header?.slice(0, 12).map(plainText).join(', ');
    notes.add(header || unreadable > 0 ? 'TABLE_UNKNOWN' : 'EMPTY_FILE', { file, detail });
    await records.return(undefined);
    return null;
  }
  noteLayout(layout, file, notes);
  if (unreadable > 0) notes.add('ROW_SKIPPED', { file, line: 1, count: unreadable });
  const runs = await collectRuns(records, layout, file, notes);
  return { file, modifiedAt, kind: layout.kind, runs };
}

/** The first record that can be read, and how many before it cannot. */
async function headerOf(
  records: Records,
): Promise<{ header: string[] | null; unreadable: number }> {
  for (let unreadable = 0; ; unreadable += 1) {
    const { value, done } = await records.next();
    if (done || value) return { header: value ?? null, unreadable };
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
  layout: TableLayout,
  file: string,
  notes: NoteBook,
): Promise<TableRun[]> {
  const runs = new Map<string, TableRun>();
  let line = 1;
  for await (const record of records) {
    line += 1;
    const own = record && isPlaceKnown(record, layout) ? runOfRow(record, layout, file) : null;
    const key = layout.kind === 'final' ? String(line) : JSON.stringify(own);
    const run = own && (runs.get(key) ?? own);
    if (!record || !run || !takeRow(run, record, layout)) notes.add('ROW_SKIPPED', { file, line });
    else runs.set(key, run);
  }
  return [...runs.values()];
}

/** Whether instance and dimension are whole numbers or left open: runs of others would become one. */
function isPlaceKnown(record: readonly string[], { columns }: TableLayout): boolean {
  return [columns.instance, columns.dimension]
    .map((index) => plainText(record[index ?? -1] ?? ''))
    .every((text) => text === '' || naturalOf(text) !== null);
}

function runOfRow(record: readonly string[], layout: TableLayout, file: string): TableRun {
  const text = (field: TableField) => plainText(record[layout.columns[field] ?? -1] ?? '');
  const direction = text('direction').toLowerCase();
  return {
    algorithm: text('algorithm') || fileTitle(file),
    problem: text('problem') || 'problem',
    instance: naturalOf(text('instance')),
    dimension: naturalOf(text('dimension')) || null,
    seed: text('seed') || null,
    direction: direction.startsWith('min') ? 'min' : direction.startsWith('max') ? 'max' : null,
    attributes: cellsOf(record, layout.params),
    problemAttributes: cellsOf(record, layout.problemParams),
    evaluations: [],
    values: [],
    used: 0,
  };
}

function fileTitle(file: string): string {
  return unpackedName(baseName(file)).replace(/\.\w+$/, '');
}

function naturalOf(text: string): number | null {
  return text === '' ? null : smallNatural(Number(text));
}

function cellsOf(
  record: readonly string[],
  columns: ReadonlyMap<string, number>,
): Record<string, FlatAttribute> {
  const cells = [...columns].filter(([, index]) => (record[index] ?? '') !== '');
  return Object.fromEntries(cells.map(([name, index]) => [name, attributeOf(record[index] ?? '')]));
}

/** Adds a row to its run; false where it lacks evaluations or value. */
function takeRow(run: TableRun, record: readonly string[], layout: TableLayout): boolean {
  const { columns, kind, state } = layout;
  const counted = columns.evaluations === undefined;
  const stated = counted ? run.used + 1 : Number(record[columns.evaluations ?? -1] || Number.NaN);
  const evaluations = kind === 'trials' && !counted ? stated + 1 : stated;
  if (!Number.isSafeInteger(evaluations) || evaluations < 0) return false;
  const value = Number(record[columns.best ?? -1] || Number.NaN);
  const isTrialOnly = kind === 'trials' && !/complete/i.test(record[state] ?? '');
  if (!Number.isFinite(value) && !isTrialOnly) return false;
  run.used = Math.max(run.used, evaluations);
  if (isTrialOnly) return true;
  run.evaluations.push(evaluations);
  run.values.push(value);
  return true;
}

/** A record of a table: the texts of its cells; null for a line that is none. */
type TableRecord = string[] | null;

/** The header of a table is its first record; the others may have fewer cells. */
export type Records = AsyncGenerator<TableRecord>;

/** The longest record that is read, in bytes. */
const longestRecord = 2 ** 20;

/** The records of a CSV file (RFC 4180, UTF-8; commas, semicolons or tabs), the header first. */
export async function* csvRecords(bytes: AsyncIterable<Buffer>): Records {
  const { head, whole } = await peek(bytes, 1);
  const delimiter = delimiterOf(head.toString('utf8'));
  let isCut = false;
  const records = parse({
    bom: true,
    delimiter,
    max_record_size: longestRecord,
    on_skip: (error) => {
      // An endless record ends the reading at once; after an unclosed quote there is nothing left to read.
      if (error?.code === 'CSV_MAX_RECORD_SIZE') records.destroy(error);
      else isCut = true;
    },
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  pipeline(Readable.from(whole), records, () => {});
  try {
    for await (const record of records)
      yield delimiter === ',' ? record : (record as string[]).map(withPoint);
    if (isCut) yield null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')))
      throw error;
    // After an unclosed quote or an endless record, fields can no longer be separated.
    yield null;
  } finally {
    await whole.return?.();
  }
}

/** A number with its decimal comma as a point, as where the comma does not part cells; any other text as it is. */
function withPoint(cell: string): string {
  return cell.replace(/^([+-]?\d+),(\d+(?:e[+-]?\d+)?)$/i, '$1.$2');
}

/** The one of the three that the first line has most of. */
function delimiterOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const counted = [',', ';', '\t'].map((one) => ({ one, count: line.split(one).length }));
  return counted.reduce((most, next) => (next.count > most.count ? next : most)).one;
}

/** The records of JSON lines, objects of any keys: the header are those of the first object. */
export async function* jsonRecords(bytes: AsyncIterable<Buffer>): Records {
  const lines = createInterface({ input: Readable.from(bytes), crlfDelay: Infinity });
  let header: string[] | null = null;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const values = line.length > longestRecord ? null : parseObject(line);
    if (values && !header) yield (header = Object.keys(values));
    yield values && header ? header.map((name) => cellOf(values[name])) : null;
  }
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  // A list or object is no value of a cell, and may be nested deeper than can be written.
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
