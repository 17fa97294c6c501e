import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary file that no other user can read, open until it is removed. */
export interface SpooledFile {
  descriptor: number;
  size: number;
  remove: () => Promise<void>;
}

/**
 * Puts bytes, packed as they are, into a temporary file. Where the system allows it the file has no name while it
 * is open, so that nothing is left of it even when the process is killed. Nothing is left of it either when `bytes`
 * throws.
 */
export async function spool(bytes: AsyncIterable<Buffer>): Promise<SpooledFile> {
  const folder = await mkdtemp(join(tmpdir(), 'evoscope-import-'));
  const forget = () => rm(folder, { recursive: true, force: true });
  const file = await open(join(folder, 'source'), 'wx+', 0o600);
  const remove = async () => {
    await file.close();
    await forget();
  };
  await forget().catch(() => {});
  let size = 0;
  try {
    for await (const chunk of bytes) size += (await file.write(chunk)).bytesWritten;
  } catch (error) {
    await remove();
    throw error;
  }
  return { descriptor: file.fd, size, remove };
}

/**
 * Runs `work` with the descriptor of a temporary file that holds the bytes: the directory of a zip is at its
 * end, so that it cannot be read as a stream.
 */
export async function* withSpooled<Item>(
  bytes: AsyncIterable<Buffer>,
  work: (descriptor: number) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const file = await spool(bytes);
  try {
    yield* work(file.descriptor);
  } finally {
    await file.remove();
  }
}
