import { read } from 'node:fs';
import { promisify } from 'node:util';

const chunkBytes = 256 * 1024;

/** The bytes of an open file from its beginning; it stays open, as no stream of it would leave it. */
export async function* descriptorBytes(descriptor: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await promisify(read)(descriptor, chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/**
 * The first bytes of a stream, at least `length` unless it is shorter, and the whole stream with them; an error
 * in those first bytes is thrown by the stream. A caller that does not read it to its end must call its `return`.
 */
export async function peek(
  bytes: AsyncIterable<Buffer>,
  length: number,
): Promise<{ head: Buffer; whole: AsyncIterableIterator<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const steps: (() => Promise<IteratorResult<Buffer>>)[] = [];
  const chunks: Buffer[] = [];
  while (sizeOf(chunks) < length && steps.length === chunks.length) {
    const step = iterator.next();
    steps.push(() => step);
    const { done, value } = await step.catch(() => ({ done: true, value: undefined }) as const);
    if (!done) chunks.push(value);
  }
  const next = () => (steps.shift() ?? (() => iterator.next()))();
  const whole: AsyncIterableIterator<Buffer> = {
    next,
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => whole,
  };
  return { head: Buffer.concat(chunks), whole };
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0);
}

/** All bytes of a stream; null where they are more than `maximum`, with the rest unread. */
export async function readAll(
  bytes: AsyncIterable<Buffer>,
  maximum: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maximum) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
