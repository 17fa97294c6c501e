import { endpoints, type Answer, type EndpointName } from '#shared/api.ts';
import type { Problem, ProblemCode } from '#shared/schemas/error.ts';
import type { z } from 'zod';

type Endpoint<Name extends EndpointName> = (typeof endpoints)[Name];

type Sent = string | number | boolean | undefined;

/** The query of an endpoint as the pages write it: each name optional, undefined and '' left out. */
export type QueryOf<Name extends EndpointName> =
  Endpoint<Name> extends { query: infer Query extends z.ZodType }
    ? { readonly [Key in keyof z.input<Query>]?: Sent }
    : undefined;

type ParamsOf<Name extends EndpointName> =
  Endpoint<Name> extends { params: infer Params extends z.ZodType } ? z.input<Params> : undefined;

/** What a call carries beside the name of its endpoint. */
export interface CallOptions<Name extends EndpointName> {
  params?: ParamsOf<Name>;
  query?: QueryOf<Name>;
  signal?: AbortSignal;
}

/** `UNREACHABLE` is ours: no answer at all came back. */
export type FailureCode = ProblemCode | 'UNREACHABLE';

/** An error answer of the service, or that there was none; `detail` is a sentence for the user. */
export class ProblemError extends Error {
  readonly code: FailureCode;
  readonly detail: string;
  readonly status: number;

  constructor(code: FailureCode, detail: string, status: number) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.detail = detail;
    this.status = status;
  }
}

/**
 * The answer of the endpoint with this name. Throws {@link ProblemError} with the service's code and
 * detail, with `UNREACHABLE` when nothing answers, and an AbortError when `signal` cancels the call.
 */
export async function call<Name extends EndpointName>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Answer<Name>> {
  const response = await request(endpointUrl(name, options), {
    method: endpoints[name].method.toUpperCase(),
    headers: { accept: 'application/json' },
    ...(options.signal && { signal: options.signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Answer<Name>;
}

/**
 * Path and query of a call, e.g. `/api/runs/a%2Fb/iterations?after=3`. Query names without a value
 * (undefined or '') are left out, so that equal filters make equal addresses.
 */
export function endpointUrl<Name extends EndpointName>(
  name: Name,
  options: CallOptions<Name>,
): string {
  const params: Record<string, unknown> = options.params ?? {};
  const path = endpoints[name].path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries<Sent>(options.query ?? {})) {
    if (value !== undefined && value !== '') search.set(key, String(value));
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ProblemError('UNREACHABLE', 'The service does not answer. Is it still running?', 0);
  }
}

async function problemOf(response: Response): Promise<ProblemError> {
  const body = (await response.json().catch(() => null)) as Partial<Problem> | null;
  if (typeof body?.code === 'string' && typeof body.detail === 'string') {
    return new ProblemError(body.code, body.detail, response.status);
  }
  const detail = `The service answered ${response.status} without saying why.`;
  return new ProblemError('INTERNAL', detail, response.status);
}
