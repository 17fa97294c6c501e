import { endpoints, type Endpoint } from '#shared/api.ts';
import { limitedTo } from '#server/db/identity.ts';
import { handlers, type Context, type Handler, type HandledName } from '#server/handlers.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { runForCsv, type CsvInput } from './csv-answer.ts';

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
