import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { fromFd, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { ImportRefusal } from '#server/import/refusal.ts';
import { type Entry, toInsidePath, type ReadContext, throwTooLargeError } from './entry.ts';

/** Kinds of content by their first bytes. `other` is not an archive of a known format. */
export type ContentKind = 'zip' | 'gzip' | 'tar' | 'unsupported-archive' | 'other';

/** Number of first bytes that {@link detectContentKind} reads. */
export const headLength = 512;

const signatures: [ContentKind, string][] = [
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['gzip', '1f8b'],
  ['unsupported-archive', '377abcaf271c'],
  ['unsupported-archive', '526172211a07'],
  ['unsupported-archive', 'fd377a585a00'],
  ['unsupported-archive', '425a68'],
  ['unsupported-archive', '28b52ffd'],
];

/**
 * Returns the kind of content by its first {@link headLength} bytes, or by all bytes if there are fewer.
 * `unsupported-archive` means 7z, rar, xz, bzip2 or zstandard.
 */
export function detectContentKind(head: Buffer): ContentKind {
  const firstBytes = head.subarray(0, 8).toString('hex');
  const signatureEntry = signatures.find(([, signature]) => firstBytes.startsWith(signature));
  if (signatureEntry) return signatureEntry[0];
  return isTarHeader(head) ? 'tar' : 'other';
}

/**
 * Returns whether the checksum of a tar header is correct. Tars without the `ustar` mark also have a checksum. Returns
 * false for fewer than 512 bytes and for zeros.
 */
function isTarHeader(head: Buffer): boolean {
  if (head.length < headLength) return false;
  const checksum = parseInt(head.toString('latin1', 148, 156).replaceAll('\0', ' ').trim(), 8);
  const sum = head
    .subarray(0, headLength)
    .reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  return sum === checksum && sum > 8 * 32;
}

/** Returns whether a name or path has the extension of an archive or compressed file. */
export function isArchiveName(name: string): boolean {
  return /\.(zip|tar|tgz|gz|7z|rar|xz|txz|bz2|tbz2?|zst)$/i.test(name);
}

/**
 * Returns a name or path without the extension of an archive, such as `DIRECT` for `DIRECT.tar.gz`. Returns `name`
 * unchanged if nothing would remain.
 */
export function getUnpackedName(name: string): string {
  return name.replace(/\.(tgz|txz|tbz2?|zip|tar|(tar\.)?(gz|bz2|xz|zst)|7z|rar)$/i, '') || name;
}

/** Maximum compression ratio. Benchmark data have ratios of 5 to 30; a much larger ratio indicates a zip bomb. */
const maximumRatio = 200;
/** Maximum unpacked size that {@link checkRatio} accepts with any ratio, in bytes. */
const harmlessBytes = 64 * 2 ** 20;

/** Throws ARCHIVE_TOO_LARGE if `unpackedBytes` exceeds both 64 MiB and 200 times `packedBytes`. */
export function checkRatio(packedBytes: number, unpackedBytes: number): void {
  if (unpackedBytes > harmlessBytes && unpackedBytes > packedBytes * maximumRatio)
    throwTooLargeError(
      `it unpacks to more than ${maximumRatio} times its size`,
      'Unpack it, and import the folder',
    );
}

/**
 * Yields the unpacked bytes of gzip. Throws {@link ImportRefusal}: ARCHIVE_TRUNCATED if the packed bytes end early,
 * ARCHIVE_UNREADABLE if they are damaged, and ARCHIVE_TOO_LARGE if their compression ratio is too large, see
 * {@link checkRatio}. Throws the errors of `packedChunks` unchanged.
 */
export async function* gunzip(packedChunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedBytes = 0;
  let unpackedBytes = 0;
  async function* countChunks() {
    for await (const chunk of packedChunks) {
      packedBytes += chunk.length;
      yield chunk;
    }
  }
  const gunzipStream = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(countChunks()), gunzipStream, () => {});
  try {
    for await (const chunk of gunzipStream) {
      const bytes = chunk as Buffer;
      unpackedBytes += bytes.length;
      checkRatio(packedBytes, unpackedBytes);
      yield bytes;
    }
  } catch (error) {
    throw toGzipRefusal(error);
  } finally {
    gunzipStream.destroy();
  }
}

function toGzipRefusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return makeTruncatedError();
  if (code === 'Z_DATA_ERROR')
    return new ImportRefusal(
      'ARCHIVE_UNREADABLE',
      'The archive is damaged. Create or download it again',
    );
  return error;
}

/** Returns the error of an archive that ends early. */
export function makeTruncatedError(): ImportRefusal {
  return new ImportRefusal(
    'ARCHIVE_TRUNCATED',
    'The archive ends early, for example after an incomplete download. Create or download it again',
  );
}

/**
 * Options that accept V7 tars, which have no `ustar` mark, because archives with data of early loggers have this
 * format. The types of the package lack the option.
 */
const tarOptions: object = { allowUnknownFormat: true };

type TarEntry = Awaited<
  ReturnType<ReturnType<ReturnType<typeof extract>[typeof Symbol.asyncIterator]>['next']>
>['value'];

/**
 * Yields the files of a tar in archive order. Skips folders without a note. Skips links, devices and names that
 * {@link toInsidePath} refuses, with notes. Throws {@link ImportRefusal}: ARCHIVE_TRUNCATED if the tar ends early,
 * ARCHIVE_UNREADABLE if it is damaged, and ARCHIVE_TOO_LARGE if the source has too many entries. Throws other errors of
 * `bytes` unchanged.
 */
export async function* readTarEntries(
  bytes: AsyncIterable<Buffer>,
  context: ReadContext,
): AsyncGenerator<Entry> {
  const archive = extract(tarOptions);
  let failure: Error | null | undefined;
  const inputEnd = Promise.withResolvers<void>();
  pipeline(Readable.from(bytes), archive, (error) => {
    failure = error;
    inputEnd.resolve();
  });
  try {
    for await (const file of archive) {
      context.meter.countEntries(1);
      const path = toTarPath(file, context);
      if (path !== null)
        yield { path, modifiedAt: file.header.mtime ?? new Date(0), bytes: readTarContent(file) };
      file.resume();
    }
  } catch (error) {
    throw toTarRefusal(error);
  } finally {
    archive.destroy();
  }
  await inputEnd.promise;
  if (failure) throw toTarRefusal(failure);
}

function toTarPath({ header }: TarEntry, { notes }: ReadContext): string | null {
  if (header.type === 'directory') return null;
  const path = toInsidePath(header.name);
  const isFile = header.type === 'file' || header.type === 'contiguous-file';
  if (path !== null && isFile) return path;
  const detail = path === null ? 'its name leads out of the archive' : 'a link or a device';
  notes.add('ARCHIVE_ENTRY_REFUSED', { file: header.name, detail });
  return null;
}

async function* readTarContent(file: TarEntry): AsyncGenerator<Buffer> {
  // If the reader stopped early, `for await` would destroy the file and therefore the whole archive.
  const chunks = file[Symbol.asyncIterator]();
  try {
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) yield step.value;
  } catch (error) {
    throw toTarRefusal(error);
  }
}

function toTarRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefusal) return error;
  if (/end of data|prematurely|premature close/i.test(error.message)) return makeTruncatedError();
  if (/header|format/i.test(error.message))
    return new ImportRefusal(
      'ARCHIVE_UNREADABLE',
      'The tar archive is damaged. Create or download it again',
    );
  return error;
}

/**
 * Yields the files of a zip that is open as `descriptor`, in the order of its directory. Leaves the descriptor open.
 * Skips folders without a note. Skips with notes: links, devices, files that are encrypted or have an unsupported
 * compression, and names that {@link toInsidePath} refuses. This function and the bytes of the files throw
 * {@link ImportRefusal}:
 * - ARCHIVE_TRUNCATED: the zip ends early
 * - ARCHIVE_UNREADABLE: the zip is damaged, strongly encrypted or unreadable, or its entries overlap
 * - ARCHIVE_TOO_LARGE: the source has too many entries, or the compression ratio of the zip is too large
 *
 * Throws the reason of `context.signal` if the signal is aborted while this function reads the directory. Afterwards,
 * the caller checks the signal.
 */
export async function* readZipEntries(
  descriptor: number,
  context: ReadContext,
): AsyncGenerator<Entry> {
  const archive = await openZip(descriptor);
  context.meter.countEntries(archive.entryCount);
  const sizes = { packedBytes: archive.fileSize, unpackedBytes: 0 };
  const files: ZipEntry[] = [];
  for (let file = await readNextFile(archive); file !== null; file = await readNextFile(archive)) {
    context.signal.throwIfAborted();
    files.push(file);
  }
  refuseOverlaps(files);
  for (const file of files) {
    const path = toZipPath(file, context);
    if (path === null) continue;
    const bytes = readZipContent(archive, file, sizes, context.onBytes);
    yield { path, modifiedAt: file.getLastModDate({ timezone: 'UTC' }), bytes };
  }
}

/** Size in bytes of the header before each file, without the file name and the extra field. */
const localHeaderBytes = 30;

/** Throws ARCHIVE_UNREADABLE if entries share bytes, as in zip bombs. */
function refuseOverlaps(files: readonly ZipEntry[]): void {
  let end = 0;
  for (const file of files.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (file.relativeOffsetOfLocalHeader < end)
      throw new ImportRefusal(
        'ARCHIVE_UNREADABLE',
        'The zip archive has entries that overlap. Create or download it again',
      );
    end =
      file.relativeOffsetOfLocalHeader +
      localHeaderBytes +
      file.fileNameLength +
      file.compressedSize;
  }
}

function openZip(descriptor: number): Promise<ZipFile> {
  // `getName` decodes the names, because the package would stop at the first name that leads out of the archive.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  return new Promise((resolve, reject) => {
    fromFd(descriptor, options, (error: Error | null, archive?: ZipFile) => {
      if (archive) resolve(archive);
      else reject(toZipRefusal(error));
    });
  });
}

function readNextFile(archive: ZipFile): Promise<ZipEntry | null> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      archive.removeAllListeners();
      act();
    };
    archive.once('entry', (file: ZipEntry) => settle(() => resolve(file)));
    archive.once('end', () => settle(() => resolve(null)));
    archive.once('error', (error) => settle(() => reject(toZipRefusal(error))));
    archive.readEntry();
  });
}

function toZipPath(file: ZipEntry, { notes }: ReadContext): string | null {
  const name = getName(file);
  if (name.endsWith('/')) return null;
  const path = toInsidePath(name);
  if (path === null) return skip('its name leads out of the archive');
  if (isLinkOrDevice(file)) return skip('a link or a device');
  return file.canDecodeFileData() ? path : skip('encrypted, or with an unsupported compression');

  function skip(detail: string): null {
    notes.add('ARCHIVE_ENTRY_REFUSED', { file: name, detail });
    return null;
  }
}

/** Decodes a name as UTF-8, or as Latin-1 if it is not valid UTF-8 or contains U+FFFD. */
function getName({ fileName }: ZipEntry): string {
  const bytes = fileName as unknown as Buffer;
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? bytes.toString('latin1') : text;
}

/**
 * Returns whether an entry is a link or a device; false for entries that were not written on Unix. The upper half of
 * the attributes is the file mode. For a link or a device, the type in the mode is neither 0 nor that of a regular
 * file.
 */
function isLinkOrDevice({ versionMadeBy, externalFileAttributes }: ZipEntry): boolean {
  const type = (externalFileAttributes >>> 28) & 0o17;
  return versionMadeBy >>> 8 === 3 && type !== 0 && type !== 0o10;
}

async function* readZipContent(
  archive: ZipFile,
  file: ZipEntry,
  sizes: { packedBytes: number; unpackedBytes: number },
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await archive.openReadStreamPromise(file)) {
      const bytes = chunk as Buffer;
      sizes.unpackedBytes += bytes.length;
      checkRatio(sizes.packedBytes, sizes.unpackedBytes);
      yield bytes;
    }
  } catch (error) {
    throw toZipRefusal(error);
  }
  onBytes(file.compressedSize);
}

function toZipRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefusal) return error;
  if (/end of central directory|unexpected EOF/i.test(error.message)) return makeTruncatedError();
  return new ImportRefusal(
    'ARCHIVE_UNREADABLE',
    'The zip archive is damaged. Create or download it again',
  );
}
