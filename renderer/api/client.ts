import { addresses, type EndpointName } from '#shared/addresses.ts';
import type { ResponseBody, endpoints } from '#shared/api.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { Health } from '#shared/schemas/service.ts';
import { databaseHeader } from '#shared/words.ts';
import type * as z from 'zod';
import {
  makeDatabaseHeaders,
  makeIdentityHeaders,
  isOfShownDatabase,
  noteIdentity,
} from './opened-database.ts';
import { ProblemError } from '#renderer/state/problem-error.ts';
import { noteServiceTime } from '#renderer/state/service-clock.ts';

type Endpoint<Name extends EndpointName> = (typeof endpoints)[Name];

/** Value of a query parameter; a list repeats the parameter. */
export type QueryValue = string | number | boolean | undefined | readonly string[];

/**
 * Query of an endpoint in the renderer: every name is optional, undefined and '' are omitted; a list repeats the name.
 */
export type QueryOf<Name extends EndpointName> =
  Endpoint<Name> extends { query: infer Query extends z.ZodType }
    ? { readonly [Key in keyof z.input<Query>]?: QueryValue }
    : undefined;

type ParamsOf<Name extends EndpointName> =
  Endpoint<Name> extends { params: infer Params extends z.ZodType } ? z.input<Params> : undefined;

type BodyOf<Name extends EndpointName> =
  Endpoint<Name> extends { body: infer Body extends z.ZodType } ? z.input<Body> : undefined;

/** Options of a call besides the name of its endpoint. */
export interface CallOptions<Name extends EndpointName> {
  params?: ParamsOf<Name>;
  query?: QueryOf<Name>;
  /** Sent as JSON. */
  body?: BodyOf<Name>;
  /** Whether it is for exactly the database that the page shows; always true for methods other than GET. */
  isExact?: boolean;
  signal?: AbortSignal;
}

/**
 * Returns the response of the endpoint with this name. Throws {@link ProblemError} with the service's code and detail,
 * with `UNREACHABLE` without a complete response, and an AbortError when `signal` cancels the call. Never settles when
 * another database responds: the page is then left.
 */
export async function call<Name extends EndpointName>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<ResponseBody<Name>> {
  const response = await fetchResponse(name, options, 'application/json');
  const body = await readBody<ResponseBody<Name>>(response.json(), response, options.signal);
  if (name === 'getHealth') noteIdentity((body as Health).databaseIdentity);
  return body;
}

/** Returns the file of an endpoint and its name; throws as {@link call} does. */
export async function callFile<Name extends EndpointName>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<{ text: string; fileName: string | null }> {
  const response = await fetchResponse(name, options, '*/*');
  const disposition = response.headers.get('content-disposition') ?? '';
  const fileName = /filename="([^"]+)"/.exec(disposition)?.[1] ?? null;
  return { text: await readBody(response.text(), response, options.signal), fileName };
}

/**
 * Returns a table of an endpoint's response as CSV, as the service names and writes it; throws as {@link call} does.
 */
export async function callTable<Name extends EndpointName>(
  name: Name,
  table: string,
  { query, ...options }: CallOptions<Name>,
): Promise<string> {
  const tableQuery: unknown = { ...query, format: 'csv', table };
  const response = await fetchResponse(
    name,
    { ...options, query: tableQuery as QueryOf<Name> },
    '*/*',
  );
  return readBody(response.text(), response, options.signal);
}

async function fetchResponse<Name extends EndpointName>(
  name: Name,
  options: CallOptions<Name>,
  accept: string,
): Promise<Response> {
  const method = addresses[name].method.toUpperCase();
  const response = await request(getEndpointUrl(name, options), {
    method,
    headers: {
      accept,
      ...makeDatabaseHeaders(),
      ...((options.isExact || method !== 'GET') && makeIdentityHeaders()),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  });
  noteServiceTime(response);
  // The page is being left: until then it keeps its content.
  if (!isOfShownDatabase(response.headers.get(databaseHeader))) return new Promise(() => {});
  if (!response.ok) throw await readProblemError(response);
  return response;
}

/**
 * Returns path and query of a call, e.g. `/api/runs/a%2Fb/iterations?after=3`. Query names without a value (undefined
 * or '') are omitted, so that equal filters give equal URLs; a list repeats its name.
 */
export function getEndpointUrl<Name extends EndpointName>(
  name: Name,
  options: CallOptions<Name>,
): string {
  const params: Record<string, unknown> = options.params ?? {};
  const path = addresses[name].path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries<QueryValue>(options.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '') search.append(key, String(one));
    }
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw makeUnreachable();
  }
}

function makeUnreachable(): ProblemError {
  return new ProblemError('UNREACHABLE', 'The service does not respond. Is it still running?', 0);
}

/** Returns the body of a response; see {@link call} for its errors. */
async function readBody<Body>(
  body: Promise<Body>,
  { status }: Response,
  signal: AbortSignal | undefined,
): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    if (signal?.aborted) throw error;
    if (!(error instanceof SyntaxError)) throw makeUnreachable();
    throw makeForeignResponse(status);
  }
}

/** Creates the error of a successful response that the service did not write, such as the page of a proxy. */
export function makeForeignResponse(status: number): ProblemError {
  const detail = `The response with status ${status} is not from the service. Is there a proxy in between?`;
  return new ProblemError('INTERNAL', detail, status);
}

async function readProblemError(response: Response): Promise<ProblemError> {
  const body = (await response.json().catch(() => null)) as Partial<ProblemDocument> | null;
  if (typeof body?.code === 'string' && typeof body.detail === 'string') {
    return new ProblemError(body.code, body.detail, response.status, body);
  }
  const detail = `The service responded with ${response.status} without a reason.`;
  return new ProblemError('INTERNAL', detail, response.status);
}
