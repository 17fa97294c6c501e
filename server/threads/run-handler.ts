import { endpoints, type Endpoint } from '#shared/api.ts';
import { KeptAnswer, type AnswerPart } from '#server/analysis/kept-answer.ts';
import { limitedTo } from '#server/db/identity.ts';
import { handlers, type Context, type Handler, type HandledName } from '#server/handlers.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { runForCsv, type CsvInput } from './csv-answer.ts';

/** An answer that was checked and written where it was computed, to be sent on as it is. */
export interface WrittenAnswer {
  /** In place of a body: texts that the shared memory keeps. */
  kept?: { parts: readonly AnswerPart[]; wasThere: boolean };
  /**
   * Of a slice: its rows as JSON, separated by commas, without brackets; of CSV their lines. Long ones are bytes of
   * UTF-8.
   */
  body: string | Uint8Array<ArrayBuffer>;
  /** Of a slice: the input that asks for the rows that follow, null when there are none. */
  next?: unknown;
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
  if (isForCsv(input)) return runForCsv(context, name, input);
  const endpoint: Endpoint = endpoints[name];
  const handler = handlers[name] as unknown as Handler<'listIterations'>;
  if ('run' in handler) {
    const answer = await handler.run(context, input as never);
    if (answer instanceof KeptAnswer) {
      const { parts, wasThere } = answer;
      return { body: '', kept: { parts, wasThere } };
    }
    return { body: writeAnswer(endpoint, answer) };
  }
  const { rows, schema, next } = await handler.slice(context, input as never);
  return { body: writeAnswer({ ...endpoint, answer: schema.array() }, rows).slice(1, -1), next };
}

function isForCsv(input: unknown): input is CsvInput {
  return typeof input === 'object' && input !== null && 'csv' in input;
}
