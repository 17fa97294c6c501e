import { once } from 'node:events';
import type { Response } from 'express';
import type { z } from 'zod';

/** How much of an answer is gathered before it is known to be long, in characters. */
const gatheredLength = 262_144;

/** An answer that is an array too long to hold: rows as they come, each checked against `schema`. */
export class RowStream {
  readonly rows: AsyncIterable<unknown>;
  readonly schema: z.ZodType;

  constructor(schema: z.ZodType, rows: AsyncIterable<unknown>) {
    this.schema = schema;
    this.rows = rows;
  }
}

/**
 * Sends the rows as one JSON array, never ahead of the client, and stops reading them when it goes away.
 * An array of up to {@link gatheredLength} characters goes out like any other answer, with length and
 * ETag. An error before the first byte is thrown; one after it breaks the connection, so that nobody takes
 * the part for the whole.
 */
export async function sendRows(response: Response, stream: RowStream): Promise<void> {
  let text = '[';
  let isStreaming = false;
  let separator = '';
  for await (const row of stream.rows) {
    if (isGone(response)) return;
    text += `${separator}${JSON.stringify(stream.schema.parse(row))}`;
    separator = ',';
    if (text.length < gatheredLength) continue;
    if (!isStreaming) response.type('json');
    isStreaming = true;
    await write(response, text);
    text = '';
    if (response.req.method === 'HEAD') break;
  }
  if (isStreaming) response.end(`${text}]`);
  else response.type('json').send(`${text}]`);
}

async function write(response: Response, text: string): Promise<void> {
  if (response.write(text) || isGone(response)) return;
  const closed = new AbortController();
  const stop = (): void => closed.abort();
  response.once('close', stop);
  try {
    await once(response, 'drain', { signal: closed.signal });
  } catch (error) {
    if (!closed.signal.aborted) throw error;
  } finally {
    response.off('close', stop);
  }
}

function isGone(response: Response): boolean {
  return response.destroyed || response.writableEnded || response.closed;
}
