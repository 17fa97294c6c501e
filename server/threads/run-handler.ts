import type { z } from 'zod';
import type { EndpointName } from '#shared/addresses.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { handlers, type Context, type Handler } from '#server/handlers.ts';

/** An answer that was checked and written where it was computed, to be sent on as it is. */
export interface WrittenAnswer {
  /** Of a slice: its rows as JSON, separated by commas, without brackets. Long ones are bytes of UTF-8. */
  body: string | Uint8Array<ArrayBuffer>;
  /** Of a slice: the input that asks for the rows that follow, null when there are none. */
  next?: unknown;
}

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

/** Runs the handler of an endpoint in this thread and writes what it answers; throws what it throws. */
export async function runHandler(
  context: Context,
  name: EndpointName,
  input: unknown,
): Promise<WrittenAnswer> {
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  if ('run' in handler) {
    return { body: writeAnswer(endpoint, await handler.run(context, input as never)) };
  }
  const { rows, schema, next } = await handler.slice(context, input as never);
  return { body: writeAnswer({ ...endpoint, answer: schema.array() }, rows).slice(1, -1), next };
}

/**
 * The answer as the text that is sent: JSON as the endpoint's schema writes it, in the schema's order and
 * without anything it does not name; of the other kinds the text itself. Throws an {@link AnswerError}.
 */
export function writeAnswer(endpoint: Endpoint, answer: unknown): string {
  const { success, data, error } = endpoint.answer.safeParse(answer);
  if (!success) throw new AnswerError(endpoint, error.issues);
  return endpoint.kind === 'html' || endpoint.kind === 'tex' ? String(data) : JSON.stringify(data);
}
