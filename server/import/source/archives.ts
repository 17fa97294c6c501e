import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { fromFd, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { ImportRefused } from '#server/import/refusal.ts';
import { type Entry, insidePath, type Reading, tooLarge } from './entry.ts';

/** Kinds of content by their first bytes; `other` is any that no archive begins with. */
export type ContentKind = 'zip' | 'gzip' | 'tar' | 'unreadable-archive' | 'other';

/** How many of the first bytes {@link contentKind} looks at. */
export const headLength = 512;

const signatures: [ContentKind, string][] = [
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['gzip', '1f8b'],
  ['unreadable-archive', '377abcaf271c'],
  ['unreadable-archive', '526172211a07'],
  ['unreadable-archive', 'fd377a585a00'],
  ['unreadable-archive', '425a68'],
  ['unreadable-archive', '28b52ffd'],
];

/** What the content is by its first 512 bytes or more; `unreadable-archive`: 7z, rar, xz, bzip2 or zstandard. */
export function contentKind(head: Buffer): ContentKind {
  const begins = head.subarray(0, 8).toString('hex');
  const signed = signatures.find(([, signature]) => begins.startsWith(signature));
  if (signed) return signed[0];
  return isTarHeader(head) ? 'tar' : 'other';
}

/** Whether the checksum of a tar header fits, which tars without the `ustar` mark have too. */
function isTarHeader(head: Buffer): boolean {
  if (head.length < headLength) return false;
  const stated = parseInt(head.toString('latin1', 148, 156).replaceAll('\0', ' ').trim(), 8);
  const sum = head
    .subarray(0, headLength)
    .reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  return sum === stated && sum > 8 * 32;
}

/** Whether a file is an archive by its name. */
export function isArchiveName(name: string): boolean {
  return /\.(zip|tar|tgz|gz|7z|rar|xz|txz|bz2|tbz2?|zst)$/i.test(name);
}

/** The name of a data set or file without what says how it is packed: `DIRECT.tar.gz` is `DIRECT`. */
export function unpackedName(name: string): string {
  return name.replace(/\.(tgz|zip|tar|(tar\.)?(gz|bz2|xz|zst)|7z|rar)$/i, '') || name;
}

/** Text of benchmarks packs 5 to 30 times; what unpacks to more than this many times its size is made to harm. */
const largestRatio = 200;
/** So much unpacks whatever its ratio. */
const harmlessBytes = 64 * 2 ** 20;

/** Throws ARCHIVE_TOO_LARGE where `packed` bytes have unpacked to more than data of benchmarks ever do. */
export function checkRatio(packed: number, unpacked: number): void {
  if (unpacked > harmlessBytes && unpacked > packed * largestRatio)
    tooLarge(`it unpacks to more than ${largestRatio} times its size`);
}

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
    throw gzipRefusal(error);
  } finally {
    unpacked.destroy();
  }
}

function gzipRefusal(error: unknown): unknown {
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
      const path = tarPath(file, reading);
      if (path !== null)
        yield { path, modifiedAt: file.header.mtime ?? new Date(0), bytes: tarContent(file) };
      file.resume();
    }
  } catch (error) {
    throw tarRefusal(error);
  } finally {
    archive.destroy();
  }
  await fed.promise;
  if (failure) throw tarRefusal(failure);
}

function tarPath({ header }: TarEntry, { notes }: Reading): string | null {
  if (header.type === 'directory') return null;
  const path = insidePath(header.name);
  const isFile = header.type === 'file' || header.type === 'contiguous-file';
  if (path !== null && isFile) return path;
  const detail = path === null ? 'its name leads out of the archive' : 'a link or a device';
  notes.add('ARCHIVE_ENTRY_REFUSED', { file: header.name, detail });
  return null;
}

async function* tarContent(file: TarEntry): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file) yield chunk;
  } catch (error) {
    throw tarRefusal(error);
  }
}

function tarRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefused) return error;
  if (/end of data|prematurely|premature close/i.test(error.message)) return truncated();
  if (/header|format/i.test(error.message))
    return new ImportRefused('ARCHIVE_UNREADABLE', 'The tar archive is damaged: it cannot be read');
  return error;
}

/**
 * The files of a zip that is open as `descriptor`, in the order of its directory; the descriptor stays open.
 * Links, encrypted files and names that lead out of it are noted and left closed. Throws
 * {@link ImportRefused}: ARCHIVE_TRUNCATED, ARCHIVE_UNREADABLE (also where entries overlap), ARCHIVE_TOO_LARGE.
 */
export async function* zipEntries(descriptor: number, reading: Reading): AsyncGenerator<Entry> {
  const archive = await openZip(descriptor);
  reading.meter.countEntries(archive.entryCount);
  const unpacked = { packedBytes: archive.fileSize, bytes: 0 };
  const files: ZipEntry[] = [];
  for (let file = await nextFile(archive); file !== null; file = await nextFile(archive)) {
    reading.signal.throwIfAborted();
    files.push(file);
  }
  refuseOverlaps(files);
  for (const file of files) {
    const path = zipPath(file, reading);
    if (path === null) continue;
    const bytes = zipContent(archive, file, unpacked, reading.onBytes);
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

function openZip(descriptor: number): Promise<ZipFile> {
  // Names are decoded here: the package ends at the first name that leads out.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  return new Promise((resolve, reject) => {
    fromFd(descriptor, options, (error: Error | null, archive?: ZipFile) => {
      if (archive) resolve(archive);
      else reject(zipRefusal(error));
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
    archive.once('error', (error) => settle(() => reject(zipRefusal(error))));
    archive.readEntry();
  });
}

function zipPath(file: ZipEntry, { notes }: Reading): string | null {
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

async function* zipContent(
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
    throw zipRefusal(error);
  }
  onBytes(file.compressedSize);
}

function zipRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefused) return error;
  if (/end of central directory|unexpected EOF/i.test(error.message)) return truncated();
  return new ImportRefused('ARCHIVE_UNREADABLE', 'The zip archive is damaged: it cannot be read');
}
