import { endpoints, type Endpoint } from '#shared/api.ts';
import { KeptAnswer, type AnswerPart } from '#server/analysis/kept-answer.ts';
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

/** Runs the handler of an endpoint in this thread and writes what it answers; throws what it throws. */
export async function runHandler(
  context: Context,
  name: HandledName,
  input: unknown,
): Promise<WrittenAnswer> {
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
