import { pipeline, Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { ImportRefused } from '../refusal.ts';
import { type Entry, type Reading, insidePath } from './entry.ts';
import { truncated } from './bytes.ts';

/** Archives of early loggers' data are V7 tars, which lack the `ustar` mark. The package's types lack the option. */
const tarOptions: object = { allowUnknownFormat: true };

type TarEntry = Awaited<
  ReturnType<ReturnType<ReturnType<typeof extract>[typeof Symbol.asyncIterator]>['next']>
>['value'];

/**
 * The files of a tar, in its order. Links, devices and names that lead out of it are noted and left closed.
 * Throws {@link ImportRefused}: ARCHIVE_TRUNCATED where it ends early, ARCHIVE_UNREADABLE where it is damaged.
 */
export async function* tarEntries(
  bytes: AsyncIterable<Buffer>,
  reading: Reading,
): AsyncGenerator<Entry> {
  const archive = extract(tarOptions);
  let failure: Error | null | undefined;
  const fed = Promise.withResolvers<void>();
  pipeline(Readable.from(bytes), archive, (error) => {
    failure = error;
    fed.resolve();
  });
  try {
    for await (const file of archive) {
      reading.meter.countEntries(1);
      const path = acceptedPath(file, reading);
      if (path !== null)
        yield { path, modifiedAt: file.header.mtime ?? new Date(0), bytes: contentOf(file) };
      file.resume();
    }
  } catch (error) {
    throw refusalOf(error);
  } finally {
    archive.destroy();
  }
  await fed.promise;
  if (failure) throw refusalOf(failure);
}

function acceptedPath({ header }: TarEntry, { notes }: Reading): string | null {
  if (header.type === 'directory') return null;
  const path = insidePath(header.name);
  const isFile = header.type === 'file' || header.type === 'contiguous-file';
  if (path !== null && isFile) return path;
  const detail = path === null ? 'its name leads out of the archive' : 'a link or a device';
  notes.add('ARCHIVE_ENTRY_REFUSED', { file: header.name, detail });
  return null;
}

async function* contentOf(file: TarEntry): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file) yield chunk;
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefused) return error;
  if (/end of data|prematurely|premature close/i.test(error.message)) return truncated();
  if (/header|format/i.test(error.message))
    return new ImportRefused('ARCHIVE_UNREADABLE', 'The tar archive is damaged: it cannot be read');
  return error;
}
