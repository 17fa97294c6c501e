import { mkdtemp, open, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs `work` with the descriptor of a temporary file that holds the bytes, packed as they are: the directory
 * of a zip stands at its end, so that it cannot be read as a stream. Where the system allows it the file has
 * no name while it is open, so that nothing is left of it even when the process is killed.
 */
export async function* withSpooled<Item>(
  bytes: AsyncIterable<Buffer>,
  work: (descriptor: number) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const folder = await mkdtemp(join(tmpdir(), 'evoscope-import-'));
  const path = join(folder, 'archive.zip');
  try {
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path).catch(() => {});
      for await (const chunk of bytes) await file.write(chunk);
      yield* work(file.fd);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
