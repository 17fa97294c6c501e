import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportRefused } from '../refusal.ts';
import { checkRatio } from './meter.ts';

/**
 * The unpacked bytes. Throws {@link ImportRefused}: ARCHIVE_TRUNCATED where the packed ones end early,
 * ARCHIVE_UNREADABLE where they are damaged, ARCHIVE_TOO_LARGE where they unpack to far more than data do.
 */
export async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedBytes = 0;
  let unpackedBytes = 0;
  async function* counted() {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  }
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(counted()), unpacked, () => {});
  try {
    for await (const chunk of unpacked) {
      const bytes = chunk as Buffer;
      unpackedBytes += bytes.length;
      checkRatio(packedBytes, unpackedBytes);
      yield bytes;
    }
  } catch (error) {
    throw refusalOf(error);
  } finally {
    unpacked.destroy();
  }
}

function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return truncated();
  if (code === 'Z_DATA_ERROR')
    return new ImportRefused('ARCHIVE_UNREADABLE', 'The archive is damaged: it cannot be unpacked');
  return error;
}

/** The refusal of an archive that ends early. */
export function truncated(): ImportRefused {
  return new ImportRefused(
    'ARCHIVE_TRUNCATED',
    'The archive ends early, as after a download that broke off',
  );
}
