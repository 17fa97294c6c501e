import type * as z from 'zod';
import { formatCsvLines, makeTypedTable, type RecordKeys } from '#server/formats/csv-table.ts';
import type { ParquetState } from '#server/formats/parquet.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import type { Database } from '#server/db/database.ts';
import { handlers, type Context, type Handler, type HandledName } from '#server/handlers.ts';
import { limitToIdentity } from '#server/db/identity.ts';
import type { ListId, PageRequest } from '#server/repositories/list.ts';
import { fetchPage, listAllIds, type List } from '#server/records/page.ts';
import { listRunningRecordings } from '#server/services/runs.ts';
import { writeResponse, checkResponse } from '#server/write-response.ts';

/** A serialised response, or a serialised slice of one. */
export interface WrittenResponse {
  /**
   * The whole response, or the rows of a slice. A slice of JSON has commas between the rows and no brackets; a slice of
   * CSV consists of lines. The text is in bytes of UTF-8 if the service caches the response, or if the text is long and
   * comes from another thread. A binary slice and Parquet are in bytes of their formats.
   */
  body: string | Uint8Array<ArrayBuffer>;
  /** Input of the slice after this one; null after the last slice, undefined for a whole response. */
  nextInput?: unknown;
  /**
   * Inputs of all slices after the first one. Threads can compute several of these slices at the same time. Only a
   * first slice has these inputs. They are undefined if a slice depends on the previous one.
   */
  laterInputs?: readonly unknown[];
  /** Whether a response to cache used intermediate results, and its request computed none of them. */
  isHit?: boolean;
  /** Whether a response to cache can change without a change of the database. */
  isTimeDependent?: boolean;
}

/**
 * Runs the handler of an endpoint in this thread and serialises its response. With an identity, limits the handler to
 * the database with this identity; see {@link limitToIdentity}. Throws the errors of the handler and of {@link
 * limitToIdentity}, and a {@link ResponseError}.
 */
export async function runHandler(
  service: Context,
  name: HandledName,
  input: unknown,
  identity?: string,
): Promise<WrittenResponse> {
  const context =
    identity === undefined
      ? service
      : { ...service, database: await limitToIdentity(service.database, identity) };
  const response = await (isForCsv(input)
    ? runForCsv(context, name, input)
    : isForDigest(input)
      ? runForDigest(context, name, input)
      : runForJson(context, name, input));
  if (!handlers[name].cacheMode) return response;
  const body =
    typeof response.body === 'string' ? new TextEncoder().encode(response.body) : response.body;
  const { isHit, isTimeDependent } = context.memo;
  return { ...response, body, isHit, isTimeDependent };
}

async function runForJson(
  context: Context,
  name: HandledName,
  input: unknown,
): Promise<{ body: WrittenResponse['body']; nextInput?: object | null }> {
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  if ('makeBinarySlice' in handler) {
    const { bytes, nextInput } = await handler.makeBinarySlice(context, input as never);
    return { body: bytes, nextInput };
  }
  if ('run' in handler)
    return { body: writeResponse(endpoint, await handler.run(context, input as never)) };
  if ('list' in handler) {
    const list = handler.list(context, input as never);
    return { body: writeResponse(endpoint, await fetchPage(getPageRequest(input), list)) };
  }
  const { rows, schema, nextInput } = await handler.makeSlice(context, input as never);
  return {
    body: writeResponse({ ...endpoint, response: schema.array() }, rows).slice(1, -1),
    nextInput,
  };
}

/** Returns the requested page of an endpoint that responds with pages. */
function getPageRequest(input: unknown): PageRequest {
  return (input as { query: PageRequest }).query;
}

function isForCsv(input: unknown): input is CsvInput {
  return typeof input === 'object' && input !== null && 'csv' in input;
}

/** An input that requests a part of a digest for the result of a tool: the rows from `start` on. */
interface DigestInput {
  digest: { start: number };
}

function isForDigest(input: unknown): input is DigestInput {
  return typeof input === 'object' && input !== null && 'digest' in input;
}

/** Runs the handler of an endpoint in this thread and returns a part of the digest of its response. */
async function runForDigest(
  context: Context,
  name: HandledName,
  input: DigestInput,
): Promise<{ body: string }> {
  // Few services have such clients, and each thread compiles the code that it loads.
  const { digestResponse } = await import('#server/mcp/digests.ts');
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  const response =
    'list' in handler
      ? await fetchPage(getPageRequest(input), handler.list(context, input as never))
      : 'run' in handler && (await handler.run(context, input as never));
  return { body: digestResponse(name, checkResponse(endpoint, response), input.digest.start) };
}

/** A request for a response as CSV or Parquet. */
export interface CsvRequest {
  /** Name of the table in the response. */
  table: string;
  /** Format of the response; `csv` by default. */
  format?: 'csv' | 'parquet';
  /**
   * Position of a later slice in a list, with the ids of the list; undefined for the first slice. `file` is the state
   * of a Parquet file.
   */
  nextSlice?: { slice: number; ids: SlicedIds; file?: ParquetState };
}

/** An input that requests CSV or Parquet. */
export interface CsvInput {
  query: Readonly<Record<string, unknown>>;
  csv: CsvRequest;
}

/**
 * A slice of a table, as CSV or as bytes of a Parquet file. The first slice of CSV begins with the headings.
 * `nextInput` is the input of the next slice; null after the last slice, and undefined for a whole table.
 */
export interface CsvSlice {
  body: WrittenResponse['body'];
  nextInput?: (object & { csv: CsvRequest }) | null;
  /** Inputs of all later slices; see {@link WrittenResponse.laterInputs}. */
  laterInputs?: readonly unknown[];
}

/**
 * Number of rows of a list in one slice. Lists of rows that are large or take long to compute have fewer. With more
 * rows, more objects would outlive the memory for new objects, and garbage collection would take longer.
 */
const defaultRowsPerSlice = 512;
const rowsPerSlice: Partial<Record<HandledName, number>> = {
  listEvents: 256,
  listExperiments: 256,
};

/**
 * Runs the handler of an endpoint in this thread and returns the requested table of its response, or a slice of it.
 * Throws the errors of the handler, a {@link ResponseError}, and an Error for an endpoint with a binary response.
 */
export async function runForCsv(
  context: Context,
  name: HandledName,
  input: CsvInput,
): Promise<CsvSlice> {
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  const path = endpoint.csv?.[input.csv.table] ?? [];
  if ('makeSlice' in handler) {
    return writeSlice(endpoint, input, await handler.makeSlice(context, input as never));
  }
  if ('list' in handler) {
    const size = rowsPerSlice[name] ?? defaultRowsPerSlice;
    const query = { ...input.query, page: 0, size };
    return writeItems(endpoint, input, handler.list(context, { ...input, query } as never), size);
  }
  if (!('run' in handler)) throw new Error(`${name} has no tables`);
  const response = checkResponse(endpoint, await handler.run(context, input as never));
  const { body } = await writeTable(endpoint.response, path, input, response, null);
  return { body };
}

interface Slice {
  rows: unknown[];
  schema: z.ZodType;
  nextInput: object | null;
}

function writeSlice(
  endpoint: Endpoint,
  input: CsvInput,
  { rows, schema, nextInput }: Slice,
): Promise<CsvSlice> {
  const { csv } = input;
  const response = schema.array();
  const followingInput = nextInput && {
    ...nextInput,
    csv: { ...csv, nextSlice: { slice: 1, ids: noIds } },
  };
  return writeTable(
    response,
    [],
    input,
    checkResponse({ ...endpoint, response }, rows),
    followingInput,
  );
}

/**
 * Writes a slice of a list. Reads the ids of the whole list once, with the first slice. The database therefore applies
 * filter and order only once. The table contains each row at most once, in the order at that time, although other
 * programs write to the database. The table omits rows that other programs add or delete meanwhile.
 */
async function writeItems(
  endpoint: Endpoint,
  input: CsvInput,
  list: List<unknown>,
  size: number,
): Promise<CsvSlice> {
  const { slice, ids } = input.csv.nextSlice ?? {
    slice: 0,
    ids: sliceIds(await listAllIds(list), size),
  };
  const items = await list.listItems(getIdsOfSlice(ids, slice));
  const page = { items, page: 0, size, total: 0, totalPages: 0 };
  const makeInput = (nextSlice: number) =>
    nextSlice < ids.ends.length
      ? { ...input, csv: { ...input.csv, nextSlice: { slice: nextSlice, ids } } }
      : null;
  const response = checkResponse(endpoint, page);
  const writtenSlice = await writeTable(
    endpoint.response,
    ['items'],
    input,
    response,
    makeInput(slice + 1),
  );
  // Each part of a Parquet file needs the state after the previous part.
  return slice > 0 || input.csv.format === 'parquet'
    ? writtenSlice
    : { ...writtenSlice, laterInputs: ids.ends.slice(1).map((_, index) => makeInput(index + 1)) };
}

/** The ids of a list in slices, as JSON in memory that all threads share. */
interface SlicedIds {
  memory: SharedArrayBuffer;
  /** The end of each slice, in bytes. */
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
  const idsAsBytes = new Uint8Array(memory);
  for (const [index, bytes] of slices.entries()) idsAsBytes.set(bytes, ends[index - 1] ?? 0);
  return { memory, ends };
}

function getIdsOfSlice({ memory, ends }: SlicedIds, slice: number): ListId[] {
  const end = ends[slice];
  if (end === undefined) return [];
  const bytes = new Uint8Array(memory).slice(ends[slice - 1] ?? 0, end);
  return JSON.parse(new TextDecoder().decode(bytes)) as ListId[];
}

/** Writes the table of a response, as CSV with the headings only in the first slice, or as a part of a Parquet file. */
async function writeTable(
  schema: z.ZodType,
  path: readonly string[],
  { query, csv }: CsvInput,
  response: unknown,
  nextInput: NonNullable<CsvSlice['nextInput']> | null,
): Promise<CsvSlice> {
  if (csv.format !== 'parquet') {
    const { headings, rows } = formatCsvLines(schema, path, query as RecordKeys, response);
    return { body: csv.nextSlice === undefined ? headings + rows : rows, nextInput };
  }
  // Few requests need this module, and each thread compiles the code that it loads.
  const { makeParquetPart } = await import('#server/formats/parquet.ts');
  const { columns, rows } = makeTypedTable(schema, path, query as RecordKeys, response);
  const partOptions = { previousState: csv.nextSlice?.file, isLast: nextInput === null };
  const { bytes, state } = makeParquetPart(columns, rows, partOptions);
  const nextSlice = nextInput && { slice: 0, ids: noIds, ...nextInput.csv.nextSlice, file: state };
  return {
    body: bytes,
    nextInput: nextInput && {
      ...nextInput,
      csv: { ...nextInput.csv, ...(nextSlice && { nextSlice }) },
    },
  };
}

/** A property of the state of the database; see {@link readState}. */
export type StateName =
  'readChangeCursor' | 'readSnapshotKey' | 'readIdentity' | 'listRunningRecordings';

/**
 * Returns a property of the state of the database; see {@link DatabaseDialect}. The result of `listRunningRecordings`
 * is JSON.
 */
export async function readState(database: Database, state: StateName): Promise<string> {
  return state === 'listRunningRecordings'
    ? JSON.stringify(await listRunningRecordings(database))
    : database.dialect[state]();
}
