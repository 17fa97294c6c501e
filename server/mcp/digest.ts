import { maximumResultBytes } from '#shared/mcp.ts';
import { countBytes } from './marked-text.ts';

/**
 * A value in a result: a text of this service, a marked stored text, a number, a boolean, null, or a list or object of
 * such values. Results omit undefined members.
 */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Value[]
  | { readonly [key: string]: Value };

/** Rows of a response under one name. {@link writeDigestPart} creates rows only until they fill a result. */
export interface Section {
  name: string;
  count: number;
  getRow: (index: number) => Value;
}

/** The content of a response for results of tools. */
export interface Digest {
  /** Values of the response as a whole. Every part of a result contains them, unless the request has `hasOnlyNotes`. */
  facts: Record<string, Value>;
  notes: readonly string[];
  /** Statements on the conclusions that the response does not support. */
  limits: readonly string[];
  /** The rows. Each part of a result contains some of them. */
  sections: readonly Section[];
  /** Only for a page of a list: number of rows of the list before the page, and number of all rows of the list. */
  page?: { rowsBefore: number; total: number };
}

/** A digest with the rows from a position on, as many as a result can contain. */
export interface DigestPart extends Pick<Digest, 'facts' | 'notes' | 'limits'> {
  rows: (readonly [section: string, row: Value])[];
  /** Number of rows of the whole response, or of the whole list if the response is a page. */
  total: number;
}

/** Returns a section with a row for each item. */
export function makeSection<Item>(
  name: string,
  items: readonly Item[],
  toRow: (item: Item, index: number) => Value,
): Section {
  const getRow = (index: number): Value => {
    const item = items[index];
    return item === undefined ? null : toRow(item, index);
  };
  return { name, count: items.length, getRow };
}

/** Maximum size of a row in bytes. A hint replaces a longer row. */
const maximumRowBytes = 1_800;
const longRowHint = 'This row is too long for a result. Open the link to see it.';

/**
 * Returns a {@link DigestPart} as JSON, with the rows from `start` on, as many as a result can contain. For a page,
 * `start` is a position in the whole list.
 */
export function writeDigestPart({ page, sections, ...digest }: Digest, start: number): string {
  const count = sections.reduce((sum, section) => sum + section.count, 0);
  const { rowsBefore, total } = page ?? { rowsBefore: 0, total: count };
  const rows = [...takeRows(sections, Math.max(0, start - rowsBefore))];
  return JSON.stringify({ ...digest, rows, total } satisfies DigestPart);
}

/** Yields the rows from `start` on until they fill a result. */
function* takeRows(
  sections: readonly Section[],
  start: number,
): Generator<DigestPart['rows'][number]> {
  let bytes = 0;
  let rowsBefore = 0;
  for (const { name, count, getRow } of sections) {
    for (let index = Math.max(0, start - rowsBefore); index < count; index += 1) {
      const row = getRow(index);
      const size = countBytes(row);
      bytes += Math.min(size, maximumRowBytes);
      if (bytes > maximumResultBytes) return;
      yield [name, size > maximumRowBytes ? longRowHint : row];
    }
    rowsBefore += count;
  }
}

/** Rounds a number to 4 significant digits. Returns null, NaN and the infinities unchanged. */
export function round(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}
