import { pipeline, Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { peek } from '../source/bytes.ts';

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
    // What follows an unclosed quote or an endless record cannot be told apart any more.
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
