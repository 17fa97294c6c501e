import { fromFd, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { ImportRefused } from '../refusal.ts';
import { type Entry, type Reading, insidePath } from './entry.ts';
import { truncated, checkRatio } from './bytes.ts';

/**
 * The files of a zip that is open as `descriptor`, in the order of its directory; the descriptor stays open.
 * Links, encrypted files and names that lead out of it are noted and left closed. Throws
 * {@link ImportRefused}: ARCHIVE_TRUNCATED, ARCHIVE_UNREADABLE (also where entries overlap), ARCHIVE_TOO_LARGE.
 */
export async function* zipEntries(descriptor: number, reading: Reading): AsyncGenerator<Entry> {
  const archive = await openArchive(descriptor);
  reading.meter.countEntries(archive.entryCount);
  const unpacked = { packedBytes: archive.fileSize, bytes: 0 };
  const files: ZipEntry[] = [];
  for (let file = await nextFile(archive); file !== null; file = await nextFile(archive)) {
    reading.signal.throwIfAborted();
    files.push(file);
  }
  refuseOverlaps(files);
  for (const file of files) {
    const path = acceptedPath(file, reading);
    if (path === null) continue;
    const bytes = contentOf(archive, file, unpacked, reading.onBytes);
    yield { path, modifiedAt: file.getLastModDate({ timezone: 'UTC' }), bytes };
  }
}

/** Bytes of the header before each entry, its name excepted. */
const localHeaderBytes = 30;

/** Entries that share bytes unpack to far more than the archive holds, and no program writes them. */
function refuseOverlaps(files: readonly ZipEntry[]): void {
  let end = 0;
  for (const file of files.toSorted(
    (one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  )) {
    if (file.relativeOffsetOfLocalHeader < end)
      throw new ImportRefused(
        'ARCHIVE_UNREADABLE',
        'The zip archive has entries that overlap: it is not read',
      );
    end =
      file.relativeOffsetOfLocalHeader +
      localHeaderBytes +
      file.fileNameLength +
      file.compressedSize;
  }
}

function openArchive(descriptor: number): Promise<ZipFile> {
  // Names are decoded here: the package ends at the first name that leads out.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  return new Promise((resolve, reject) => {
    fromFd(descriptor, options, (error: Error | null, archive?: ZipFile) => {
      if (archive) resolve(archive);
      else reject(refusalOf(error));
    });
  });
}

function nextFile(archive: ZipFile): Promise<ZipEntry | null> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      archive.removeAllListeners();
      act();
    };
    archive.once('entry', (file: ZipEntry) => settle(() => resolve(file)));
    archive.once('end', () => settle(() => resolve(null)));
    archive.once('error', (error) => settle(() => reject(refusalOf(error))));
    archive.readEntry();
  });
}

function acceptedPath(file: ZipEntry, { notes }: Reading): string | null {
  const name = nameOf(file);
  if (name.endsWith('/')) return null;
  const path = insidePath(name);
  if (path === null) return refuse('its name leads out of the archive');
  if (isLinkOrDevice(file)) return refuse('a link or a device');
  return file.canDecodeFileData() ? path : refuse('encrypted, or packed in an unusual way');

  function refuse(detail: string): null {
    notes.add('ARCHIVE_ENTRY_REFUSED', { file: name, detail });
    return null;
  }
}

/** The name as UTF-8, or as Latin-1 where it is none. */
function nameOf({ fileName }: ZipEntry): string {
  const bytes = fileName as unknown as Buffer;
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? bytes.toString('latin1') : text;
}

/** On Unix the upper half of the attributes holds the mode, whose type of file is neither none nor regular. */
function isLinkOrDevice({ versionMadeBy, externalFileAttributes }: ZipEntry): boolean {
  const type = (externalFileAttributes >>> 28) & 0o17;
  return versionMadeBy >>> 8 === 3 && type !== 0 && type !== 0o10;
}

async function* contentOf(
  archive: ZipFile,
  file: ZipEntry,
  unpacked: { packedBytes: number; bytes: number },
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await archive.openReadStreamPromise(file)) {
      const bytes = chunk as Buffer;
      unpacked.bytes += bytes.length;
      checkRatio(unpacked.packedBytes, unpacked.bytes);
      yield bytes;
    }
  } catch (error) {
    throw refusalOf(error);
  }
  onBytes(file.compressedSize);
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefused) return error;
  if (/end of central directory|unexpected EOF/i.test(error.message)) return truncated();
  return new ImportRefused('ARCHIVE_UNREADABLE', 'The zip archive is damaged: it cannot be read');
}
