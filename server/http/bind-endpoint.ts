import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import type { Input } from '#server/handlers.ts';
import type { PreparedResponse } from '#server/runtime/responses.ts';
import { ProblemError, type FieldFault, parseInput } from '#server/errors.ts';
import { Readable } from 'node:stream';
import { makeFormatQuery, getTableNames } from '#shared/schemas/format.ts';
import { hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { limitSending } from './guards.ts';
import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Request,
  json,
  type NextFunction,
  type RequestHandler,
  type Response,
  type Router,
  text as readText,
} from 'express';

/** A requested table of a response, and its format. */
export interface RequestedTable {
  table: string;
  format: 'csv' | 'parquet';
}

/**
 * Returns a function that reads which table of an endpoint a request selects, and in which format. The parameter
 * `format` of the query selects the format. Without `format`, an `Accept` header selects CSV if it names `text/csv` and
 * prefers it to JSON. The parameter `table` selects one of several tables, by default the first. The function returns
 * undefined for JSON, which is the default format, and for an endpoint without tables. It throws VALIDATION_FAILED for
 * an unknown or repeated `format` and, if the endpoint has several tables, for an unknown or repeated `table`.
 */
export function makeTableReader({
  csv,
}: Endpoint): (request: Request) => RequestedTable | undefined {
  if (csv === undefined) return () => undefined;
  const schema = makeFormatQuery(csv);
  const [firstTable] = getTableNames(csv);
  return (request) => {
    const requestedQuery = readQuery(schema, request.url) as {
      format?: RequestedTable['format'] | 'json';
      table?: string;
    };
    const format = requestedQuery.format ?? (isCsvPreferred(request) ? 'csv' : 'json');
    return format === 'json' ? undefined : { table: requestedQuery.table ?? firstTable, format };
  };
}

function isCsvPreferred(request: Request): boolean {
  const isNamed = /\btext\/csv\b/i.test(request.headers.accept ?? '');
  return isNamed && request.accepts('application/json', 'text/csv') === 'text/csv';
}

const tableTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
};

/**
 * Returns the headers of a table. The name of the file is the last segment of the path that is not a parameter. If the
 * endpoint has several tables, a hyphen and the name of the table follow. The extension is the format.
 */
export function makeTableHeaders(
  { path, csv = {} }: Endpoint,
  { table, format }: RequestedTable,
): Record<string, string> {
  const lastSegment = path.split('/').findLast((segment) => !segment.startsWith('{'));
  const name = getTableNames(csv).length > 1 ? `${lastSegment}-${table}` : lastSegment;
  return {
    'Content-Type': tableTypes[format],
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  };
}

/** Maximum size of a JSON body, in bytes, after decompression. */
export const maximumBodyBytes = 1_048_576;

/**
 * Registers an endpoint that validates path, query and body, and sends the result of `respond`. Invalid input gets the
 * error VALIDATION_FAILED. The response has the content type of the endpoint or of the requested table. A response in
 * one piece has an ETag and, without compression, a length. An error after the first byte closes the connection, so the
 * client does not accept an incomplete response as complete. The service sends no further slices to a client that has
 * disconnected.
 */
export function bindEndpoint<const Shape extends Endpoint>(
  router: Router,
  endpoint: Shape,
  respond: (input: Input<Shape>, response: Response) => Promise<PreparedResponse>,
): void {
  const readTable = makeTableReader(endpoint);
  bindRequest(router, endpoint, async (request, response) => {
    const requestedTable = readTable(request);
    const input = {
      params: readParams(endpoint.params, request.params),
      query: readQuery(endpoint.query, request.url),
      body: readBody(endpoint.body, request.body),
      ...(requestedTable && { csv: requestedTable }),
    } as Input<Shape>;
    if (endpoint.csv) response.vary('Accept');
    const { headers, ...body } = await respond(input, response);
    const tableHeaders = requestedTable && makeTableHeaders(endpoint, requestedTable);
    const allHeaders = { ...headers, ...tableHeaders };
    await sendResponse(endpoint, response, { ...body, headers: allHeaders });
  });
}

/**
 * Registers the handler of a request. Reads the body as JSON, or as a text of lines if the endpoint has `lines`. If the
 * endpoint has `uploads`, the handler itself reads a body that is not JSON. Reads no body if the endpoint has none.
 */
export function bindRequest(router: Router, endpoint: Endpoint, handler: RequestHandler): void {
  const { lines, uploads } = endpoint;
  const readRequest: RequestHandler = lines ? readLines(lines) : uploads ? readJsonOnly : readJson;
  const bodyHandlers: RequestHandler[] = endpoint.body ? [readRequest] : [];
  router[endpoint.method](toExpressPath(endpoint.path), ...bodyHandlers, handler);
}

const parseJson = json({
  limit: maximumBodyBytes,
  strict: false,
  type: () => true,
  verify: requireUtf8,
});

/**
 * Throws MALFORMED_JSON for a body that should be in UTF-8 but contains other bytes, such as texts in Latin-1. The
 * parser would replace each of these bytes with the same character, and different ids would become equal. Does not
 * inspect a body with another charset.
 */
export function requireUtf8(
  _request: IncomingMessage,
  _response: ServerResponse,
  body: Buffer,
  encoding: string,
): void {
  if (!/^utf-?8$/.test(encoding) || isUtf8(body)) return;
  throw new ProblemError(
    'MALFORMED_JSON',
    'The body is not valid UTF-8, so the service changed nothing. Encode it as UTF-8',
  );
}

/** Returns a path in the syntax of Express: `/api/runs/:runId` for `/api/runs/{runId}`. */
export function toExpressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

const contentTypes = {
  json: 'application/json; charset=utf-8',
  tex: 'text/x-tex; charset=utf-8',
  zip: 'application/zip',
  html: 'text/html; charset=utf-8',
  events: 'text/event-stream; charset=utf-8',
};

/**
 * Sends a response with the status of its endpoint, and with the content type of the endpoint unless `headers` contain
 * another one. The status of a response in one piece is 304 if the client has the body. For HEAD, sends no body.
 * Rejects with the error of a later slice; ignores a disconnection of the client.
 */
export async function sendResponse(
  endpoint: Endpoint,
  response: Response,
  { body, headers, nextSlices }: PreparedResponse,
): Promise<void> {
  limitSending(response);
  response.statusCode = endpoint.status ?? 200;
  response.setHeader('Content-Type', contentTypes[endpoint.kind ?? 'json']);
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (nextSlices === undefined) {
    sendWholeBody(response, body);
  } else if (response.req.method === 'HEAD') {
    response.end();
  } else {
    await pipeline(Readable.from(concatenate(body, nextSlices)), response).catch(
      (error: unknown) => {
        if (!isDisconnection(error)) throw error;
      },
    );
  }
}

/**
 * Sends a body with its length and a weak ETag, or 304 if the client has the body. For HEAD, sends only the headers.
 * Unlike `response.send`, it does not copy texts.
 */
function sendWholeBody(response: Response, body: PreparedResponse['body']): void {
  const { req: request } = response;
  response.setHeader('ETag', `W/"${hash('sha1', body, 'base64')}"`);
  if (request.fresh) {
    response.statusCode = 304;
    response.removeHeader('Content-Type');
    response.end();
    return;
  }
  response.setHeader('Content-Length', Buffer.byteLength(body));
  if (request.method === 'HEAD') response.end();
  else response.end(body);
}

async function* concatenate(
  body: PreparedResponse['body'],
  nextSlices: NonNullable<PreparedResponse['nextSlices']>,
) {
  yield body;
  yield* nextSlices;
}

/** Returns whether an error means that a stream closed before its end, for example because the client disconnected. */
export function isDisconnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Maximum number of pending requests of an endpoint with lines. The body of each is in memory. */
const maximumLineRequests = 32;

/**
 * Returns a handler that reads a body of lines as text. It throws UNSUPPORTED_MEDIA_TYPE for another content type and
 * for a request without a body. It throws RECORDING_BUSY while {@link maximumLineRequests} other requests are pending.
 */
function readLines({ type, maximumBytes }: NonNullable<Endpoint['lines']>): RequestHandler {
  const readBodyText = readText({ type, limit: maximumBytes, verify: requireUtf8 });
  let pendingRequestCount = 0;
  return (request, response, next) => {
    if (!request.is(type)) {
      throw new ProblemError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${type}`);
    }
    if (pendingRequestCount >= maximumLineRequests) {
      throw new ProblemError(
        'RECORDING_BUSY',
        'The service is storing other requests, so it stored nothing of this one. Send it again in a second.',
        { headers: { 'Retry-After': '1' } },
      );
    }
    pendingRequestCount += 1;
    response.once('close', () => (pendingRequestCount -= 1));
    readBodyText(request, response, next);
  };
}

/** Reads a JSON body; leaves a body of another type to the endpoint. */
function readJsonOnly(request: Request, response: Response, next: NextFunction): void {
  if (request.is('application/json')) parseJson(request, response, next);
  else next();
}

/**
 * Reads a JSON body. Without a body, `request.body` remains undefined; for an empty body of unknown length, it becomes
 * `{}`. Throws UNSUPPORTED_MEDIA_TYPE for a body of another type, because forms of other sites can send types such as
 * `text/plain` without a preflight request.
 */
export function readJson(request: Request, response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return next();
  if (!request.is('application/json')) {
    throw new ProblemError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  parseJson(request, response, next);
}

/** The parameters of a query string, each with all its values in order; `+` is a space. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the parameters of a query string; none for null. Bytes that are not UTF-8 become U+FFFD. An invalid `%`
 * remains unchanged.
 */
export function parseQuery(text: string | null): QueryValues {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text ?? '')) {
    const previousValues = values.get(name);
    if (previousValues) previousValues.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/**
 * Returns the values of the parameters of a schema: a list of strings for a parameter that can be a list, one string
 * for any other. `faults` names the parameters that occur several times but cannot be a list; `query` contains their
 * first value. Omits absent parameters, and parameters that the schema does not have.
 */
export function selectQuery(
  schema: z.ZodObject,
  values: QueryValues,
): { query: Record<string, string | string[]>; faults: FieldFault[] } {
  const query: Record<string, string | string[]> = {};
  const faults: FieldFault[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const texts = values.get(name);
    if (texts === undefined) continue;
    const isSingle = !canBeList(field);
    if (isSingle && texts.length > 1) faults.push({ path: name, message: 'must occur only once' });
    query[name] = isSingle ? (texts[0] ?? '') : [...texts];
  }
  return { query, faults };
}

function canBeList(field: z.core.$ZodType): boolean {
  return (field as z.ZodType).safeParse([]).success;
}

/**
 * Returns the path parameters of a request; none without a schema. Throws VALIDATION_FAILED for an invalid parameter.
 */
export function readParams(
  schema: z.ZodObject | undefined,
  params: Record<string, unknown>,
): unknown {
  return schema ? parse(schema, params, []) : {};
}

/** Returns the query of a request; empty without a schema. Throws VALIDATION_FAILED with all faults. */
export function readQuery(schema: z.ZodObject | undefined, url: string): unknown {
  if (!schema) return {};
  const start = url.indexOf('?');
  const { query, faults } = selectQuery(
    schema,
    parseQuery(start < 0 ? null : url.slice(start + 1)),
  );
  return parse(schema, query, faults);
}

/**
 * Returns the body of a request; undefined without a schema. Throws VALIDATION_FAILED for an invalid body, and for an
 * absent body that is not optional.
 */
export function readBody(schema: z.ZodType | undefined, body: unknown): unknown {
  return schema ? parse(schema, body, []) : undefined;
}

function parse(schema: z.ZodType, value: unknown, previousFaults: readonly FieldFault[]): unknown {
  return parseInput(schema, value, {
    previousFaults,
    furtherFaults: findNulCharacters(value),
  });
}

/**
 * Returns a fault for each field with a NUL character in its text, or in a text of its list. PostgreSQL cannot store
 * this character, and both databases must behave the same. Does not inspect nested objects, nor a value that is not an
 * object.
 */
function findNulCharacters(value: unknown): FieldFault[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, text]) =>
      [text].flat().some((item) => typeof item === 'string' && item.includes('\0')),
    )
    .map(([path]) => ({ path, message: 'must not contain the NUL character' }));
}
