import type * as z from 'zod';
import { csvLine } from '#shared/csv.ts';
import { csvTable, type RecordKeys } from '#server/formats/csv-table.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { handlers, type Context, type Handler, type HandledName } from '#server/handlers.ts';
import { limitedTo } from '#server/db/identity.ts';
import { writeAnswer, checkAnswer } from '#server/write-answer.ts';

/** An answer that was checked and written where it was computed, to be sent on as it is. */
export interface WrittenAnswer {
  /**
   * Of a slice: its rows as JSON, separated by commas, without brackets; of CSV their lines. Bytes of UTF-8 where it is
   * long or will be cached.
   */
  body: string | Uint8Array<ArrayBuffer>;
  /** Of a slice: the input that asks for the rows that follow, null when there are none. */
  next?: unknown;
  /** Of an answer that will be cached: whether it was made of cached results only. */
  isHit?: boolean;
}

/**
 * Runs the handler of an endpoint in this thread and writes what it answers. Where an identity is given, it reads and
 * writes the database with this identity only; see {@link limitedTo}. Throws what these throw.
 */
export async function runHandler(
  service: Context,
  name: HandledName,
  input: unknown,
  identity?: string,
): Promise<WrittenAnswer> {
  const context =
    identity === undefined
      ? service
      : { ...service, database: await limitedTo(service.database, identity) };
  const written = await (isForCsv(input)
    ? runForCsv(context, name, input)
    : writeOutcome(context, name, input));
  if (!handlers[name].cached) return written;
  const body = new TextEncoder().encode(written.body);
  return { ...written, body, isHit: context.memo.isHit };
}

async function writeOutcome(
  context: Context,
  name: HandledName,
  input: unknown,
): Promise<{ body: string; next?: object | null }> {
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  if ('run' in handler)
    return { body: writeAnswer(endpoint, await handler.run(context, input as never)) };
  const { rows, schema, next } = await handler.slice(context, input as never);
  return { body: writeAnswer({ ...endpoint, answer: schema.array() }, rows).slice(1, -1), next };
}

function isForCsv(input: unknown): input is CsvInput {
  return typeof input === 'object' && input !== null && 'csv' in input;
}

/** Request for an answer as CSV: which of its tables. */
export interface CsvRequest {
  table: string;
  /** Of a list after its first slice: where the slice before began, and what identifies its rows. */
  after?: { offset: number; ids: readonly unknown[] };
}

/** An input that asks for CSV. */
export interface CsvInput {
  query: Readonly<Record<string, unknown>>;
  csv: CsvRequest;
}

/** A part of a table as CSV, the first with its headings; `next` asks for the one after it, null after the last. */
export interface CsvSlice {
  body: string;
  next?: object | null;
}

/** Rows of a list that are read at a time; of those that are large, or take long to make, fewer. */
const usualRows = 2_048;
const rowsAtOnce: Partial<Record<HandledName, number>> = { listEvents: 256, listExperiments: 256 };

/** Runs the handler of an endpoint in this thread and writes the requested table of its answer, or a slice of it. */
export async function runForCsv(
  context: Context,
  name: HandledName,
  input: CsvInput,
): Promise<CsvSlice> {
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  const way = endpoint.csv?.[input.csv.table] ?? [];
  if ('slice' in handler) {
    return writeSlice(endpoint, input, await handler.slice(context, input as never));
  }
  if (way[0] === 'items') {
    const offset = nextOffset(input.csv, rowsAtOnce[name] ?? usualRows);
    const size = rowsAtOnce[name] ?? usualRows;
    const query = { ...input.query, offset, size };
    const page = await handler.run(context, { ...input, query } as never);
    return writePage(endpoint, input, { offset, size, page });
  }
  const answer = checkAnswer(endpoint, await handler.run(context, input as never));
  return { body: linesOf(endpoint.answer, way, input, answer) };
}

interface Slice {
  rows: unknown[];
  schema: z.ZodType;
  next: object | null;
}

function writeSlice(endpoint: Endpoint, input: CsvInput, { rows, schema, next }: Slice): CsvSlice {
  const { csv } = input;
  const answer = schema.array();
  const body = linesOf(answer, [], input, checkAnswer({ ...endpoint, answer }, rows));
  return { body, next: next && { ...next, csv: { ...csv, after: { offset: 0, ids: [] } } } };
}

/**
 * Where a slice of a list begins: an eighth of the slice before it is read again, by which the rows that follow are
 * found although others have come or gone meanwhile.
 */
function nextOffset({ after }: CsvRequest, size: number): number {
  return after === undefined ? 0 : after.offset + size - size / 8;
}

interface ListPart {
  offset: number;
  size: number;
  page: unknown;
}

/** The rows of a slice that come after those of the slice before; throws where none of those is found again. */
function writePage(
  endpoint: Endpoint,
  input: CsvInput,
  { offset, size, page }: ListPart,
): CsvSlice {
  const { items, ...envelope } = checkAnswer(endpoint, page) as { items: object[] };
  const ids = items.map((item) => Object.values(item)[0] as unknown);
  const sent = new Set(input.csv.after?.ids);
  const last = ids.findLastIndex((id) => sent.has(id));
  if (sent.size > 0 && last < 0) throw new Error('The list has changed too much while it was read');
  const rest = { ...envelope, items: items.slice(last + 1) };
  const csv: CsvRequest = { ...input.csv, after: { offset, ids } };
  return {
    body: linesOf(endpoint.answer, ['items'], input, rest),
    next: items.length < size ? null : { ...input, csv },
  };
}

/** The table of an answer, with its headings unless they were written before. */
function linesOf(
  schema: z.ZodType,
  way: readonly string[],
  { query, csv }: CsvInput,
  answer: unknown,
): string {
  const table = csvTable(schema, way, query as RecordKeys);
  const lines = csv.after === undefined ? [csvLine(table.headings)] : [];
  for (const row of table.rowsOf(answer)) lines.push(csvLine(row));
  return lines.join('');
}
