import {
  json,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import type { z } from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { ProblemError } from '#server/errors.ts';
import { PreparedAnswer } from './prepared-answer.ts';
import { RowStream, sendRows } from './row-stream.ts';
import { readBody, readParams, readQuery } from './validation.ts';

/** Largest body of a request, in bytes. */
const maximumBodyBytes = 1_048_576;

type OutputOf<Shape, Key extends string> =
  Shape extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : unknown;

/** What a handler gets: the request, validated and converted by the endpoint's schemas. */
export interface Input<Shape extends Endpoint> {
  params: OutputOf<Shape, 'params'>;
  query: OutputOf<Shape, 'query'>;
  body: OutputOf<Shape, 'body'>;
}

/** Answers a request, or takes the response over and returns undefined. */
export type Handler<Shape extends Endpoint> = (
  input: Input<Shape>,
  response: Response,
) => Promise<z.input<Shape['answer']> | RowStream | PreparedAnswer | undefined>;

/** An answer that its own schema does not accept: a fault of the service, not of the request. */
export class AnswerError extends Error {
  constructor(endpoint: Endpoint, issues: readonly z.core.$ZodIssue[]) {
    const [first] = issues;
    super(
      `${endpoint.method} ${endpoint.path} answers what its schema does not accept: ` +
        `${first?.path.join('.') || 'answer'} ${first?.message ?? ''}`,
    );
    this.name = 'AnswerError';
  }
}

/**
 * Registers an endpoint: reads path, query and body by its schemas (400 when they do not fit), and sends
 * what the handler returns as its answer schema writes it, in the schema's order and without anything it
 * does not name. An answer that does not fit is never sent: it becomes a logged 500.
 */
export function bindEndpoint<const Shape extends Endpoint>(
  router: Router,
  endpoint: Shape,
  handler: Handler<Shape>,
): void {
  const path = expressPath(endpoint.path);
  const steps: RequestHandler[] = endpoint.body ? [readJson] : [];
  router[endpoint.method](path, ...steps, async (request: Request, response: Response) => {
    const input = {
      params: readParams(endpoint.params, request.params),
      query: readQuery(endpoint.query, request.url),
      body: readBody(endpoint.body, request.body),
    } as Input<Shape>;
    await send(endpoint, response, await handler(input, response));
  });
}

const parseJson = json({ limit: maximumBodyBytes, strict: false, type: () => true });

/** `/api/runs/{runId}` as Express writes it: `/api/runs/:runId`. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

const contentTypes = {
  json: 'application/json; charset=utf-8',
  tex: 'text/x-tex; charset=utf-8',
  html: 'text/html; charset=utf-8',
  events: 'text/event-stream; charset=utf-8',
};

async function send(endpoint: Endpoint, response: Response, answer: unknown): Promise<void> {
  if (answer === undefined) return;
  if (answer instanceof RowStream) return sendRows(response, answer);
  if (answer instanceof PreparedAnswer) {
    response
      .set(answer.headers)
      .type(contentTypes[endpoint.kind ?? 'json'])
      .send(answer.text);
    return;
  }
  const result = endpoint.answer.safeParse(answer);
  if (!result.success) throw new AnswerError(endpoint, result.error.issues);
  if (endpoint.kind === 'html') response.type(contentTypes.html).send(result.data);
  else response.json(result.data);
}

/**
 * Reads a body, if there is one; an absent or empty one stays undefined. Only JSON: a form of another page
 * can send any other type without asking first.
 */
function readJson(request: Request, response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return next();
  if (!request.is('application/json')) {
    throw new ProblemError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  parseJson(request, response, next);
}
