import type * as z from 'zod';
import { csvLines, type RecordKeys } from '#server/formats/csv-table.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { handlers, type Context, type Handler, type HandledName } from '#server/handlers.ts';
import { limitedTo } from '#server/db/identity.ts';
import type { ListId, Page } from '#server/repositories/list.ts';
import { fetchPage, listAllIds, type List } from '#server/records/page.ts';
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
  if ('list' in handler) {
    const list = handler.list(context, input as never);
    return { body: writeAnswer(endpoint, await fetchPage(partOf(input), list)) };
  }
  const { rows, schema, next } = await handler.slice(context, input as never);
  return { body: writeAnswer({ ...endpoint, answer: schema.array() }, rows).slice(1, -1), next };
}

/** Returns the requested page of an endpoint that responds with pages. */
function partOf(input: unknown): Page {
  return (input as { query: Page }).query;
}

function isForCsv(input: unknown): input is CsvInput {
  return typeof input === 'object' && input !== null && 'csv' in input;
}

/** Request for an answer as CSV: which of its tables. */
export interface CsvRequest {
  table: string;
  /** After the first slice of a response: what follows it. */
  rest?: { slice: number; ids: SlicedIds };
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

/** Number of rows of a list that are read at a time; fewer of those that are large or take long to compute. */
const usualRows = 1_024;
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
  if ('list' in handler) {
    const size = rowsAtOnce[name] ?? usualRows;
    const query = { ...input.query, page: 0, size };
    return writeItems(endpoint, input, handler.list(context, { ...input, query } as never), size);
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
  return { body, next: next && { ...next, csv: { ...csv, rest: { slice: 1, ids: noIds } } } };
}

/**
 * Writes a slice of a list. The ids of the whole list are read once, with the first slice: so that every row is written
 * at most once and in its order then, whatever is written to the database meanwhile, and filter and order are evaluated
 * once. Rows that were deleted meanwhile are omitted, and new ones are not in it.
 */
async function writeItems(
  endpoint: Endpoint,
  input: CsvInput,
  list: List<unknown>,
  size: number,
): Promise<CsvSlice> {
  const { slice, ids } = input.csv.rest ?? {
    slice: 0,
    ids: sliceIds(await listAllIds(list), size),
  };
  const items = await list.items(idsOfSlice(ids, slice));
  const page = { items, page: 0, size, total: 0, totalPages: 0 };
  const csv: CsvRequest = { ...input.csv, rest: { slice: slice + 1, ids } };
  return {
    body: linesOf(endpoint.answer, ['items'], input, checkAnswer(endpoint, page)),
    next: slice + 1 < ids.ends.length ? { ...input, csv } : null,
  };
}

/** The ids of a list in slices, as JSON in memory that all threads share. */
interface SlicedIds {
  memory: SharedArrayBuffer;
  /** Where each slice ends, in bytes. */
  ends: readonly number[];
}

const noIds: SlicedIds = { memory: new SharedArrayBuffer(0), ends: [] };

function sliceIds(ids: readonly ListId[], size: number): SlicedIds {
  const encoder = new TextEncoder();
  const slices: Uint8Array[] = [];
  const ends: number[] = [];
  let length = 0;
  for (let start = 0; start < ids.length; start += size) {
    const bytes = encoder.encode(JSON.stringify(ids.slice(start, start + size)));
    slices.push(bytes);
    length += bytes.length;
    ends.push(length);
  }
  const memory = new SharedArrayBuffer(length);
  const packed = new Uint8Array(memory);
  for (const [index, bytes] of slices.entries()) packed.set(bytes, ends[index - 1] ?? 0);
  return { memory, ends };
}

function idsOfSlice({ memory, ends }: SlicedIds, slice: number): ListId[] {
  const end = ends[slice];
  if (end === undefined) return [];
  const bytes = new Uint8Array(memory).slice(ends[slice - 1] ?? 0, end);
  return JSON.parse(new TextDecoder().decode(bytes)) as ListId[];
}

/** Returns the table of an answer as CSV, with its headings unless they were written before. */
function linesOf(
  schema: z.ZodType,
  way: readonly string[],
  { query, csv }: CsvInput,
  answer: unknown,
): string {
  const { headings, rows } = csvLines(schema, way, query as RecordKeys, answer);
  return csv.rest === undefined ? headings + rows : rows;
}
