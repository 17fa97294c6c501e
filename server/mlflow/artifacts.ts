import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, realpath, rename, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError, truncate, makeValidationError } from '#server/errors.ts';
import {
  listAbandonedEntries,
  listArtifactFiles,
  openArtifactFile,
} from '#server/services/artifact-directories.ts';
import { TaskQueues } from '#server/services/task-queues.ts';

/** Limits of the artifacts of a run. */
export interface ArtifactLimits {
  /** Maximum size of one file. */
  fileBytes: number;
  /** Maximum size of all files of a run together. */
  runBytes: number;
  /** Maximum number of files. */
  files: number;
  /**
   * Maximum number of files and folders together, because each upload and each request for a list reads all of them.
   */
  entries: number;
}

/** Limits of the artifacts of each run. */
export const defaultLimits: ArtifactLimits = {
  fileBytes: 100 * 1_048_576,
  runBytes: 1_024 * 1_048_576,
  files: 1_000,
  entries: 10_000,
};

/** Maximum number of parts of a path. */
const maximumDepth = 20;

/**
 * Queues of the last steps of uploads, one queue for each run, because the limits apply to all artifacts of a run
 * together.
 */
const completions = new TaskQueues();

/** Prefix of the names of incomplete files. These files are next to the folders of the runs. */
const temporaryPrefix = '.evoscope-part-';

/**
 * An artifact of a run, or a folder of artifacts. `root` is the folder for the artifacts of all runs. `names` are the
 * parts of the path below the folder of the run (see {@link requirePlainNames}); empty for the folder of the run.
 */
export interface ArtifactLocation {
  root: string;
  runId: string;
  names: readonly string[];
}

/**
 * Throws VALIDATION_FAILED unless a path has at most {@link maximumDepth} parts and all parts are plain names. Such a
 * path cannot lead out of its folder. A plain name has 1 to 200 bytes, and no slash, backslash or control character. It
 * is not `.` or `..`, and does not start with the prefix of incomplete files. On Windows, it also has no character that
 * Windows forbids, and no point or space at the end.
 */
export function requirePlainNames(names: readonly string[]): void {
  const isPlain = (name: string) =>
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[/\\\p{Cc}]/u.test(name) &&
    !(process.platform === 'win32' && /[:*?"<>|]|[. ]$/.test(name)) &&
    !name.startsWith(temporaryPrefix) &&
    Buffer.byteLength(name) <= 200;
  const invalidName = names.find((name) => !isPlain(name));
  if (invalidName === undefined && names.length <= maximumDepth) return;
  const message =
    invalidName === undefined
      ? `must have at most ${maximumDepth} parts`
      : `has the invalid part "${truncate(invalidName)}". Use letters and digits, at most 200 bytes in each part`;
  throw makeValidationError([{ path: 'path', message }]);
}

/**
 * Stores an artifact atomically, and returns the path of its file. Replaces an artifact with the same path. Throws
 * PAYLOAD_TOO_LARGE above a limit or on a full disk, and READ_ONLY without permission to write. Throws RUN_NOT_FOUND if
 * another client deletes the folder of the artifact meanwhile. Throws VALIDATION_FAILED if a folder in the path is a
 * file or a link, if the path is the path of a folder, or if it is too long for the file system. Throws the errors of
 * `content` and other errors of the system.
 */
export async function storeArtifact(
  { root, runId, names }: ArtifactLocation,
  content: AsyncIterable<Buffer>,
  limits = defaultLimits,
): Promise<string> {
  const paths = names.map((_name, index) => names.slice(0, index + 1).join('/'));
  const availableBytes = await getAvailableBytes({ root, runId, names }, limits, paths);
  const folder = await makeFolders(root, ['runs', runId, ...names.slice(0, -1)]);
  const runsFolder = await makeFolders(root, ['runs']);
  await removeAbandonedFiles(runsFolder);
  const temporaryFile = join(runsFolder, `${temporaryPrefix}${randomUUID()}`);
  const file = join(folder, names.at(-1) ?? '');
  try {
    // A stream that opens a file itself could create the file after this function has failed and deleted it.
    const handle = await open(temporaryFile, 'wx', 0o600);
    await pipeline(
      limitChunks(content, availableBytes, limits),
      handle.createWriteStream(),
    ).finally(() => handle.close());
    const { size } = await lstat(temporaryFile);
    await completions.run(join(root, 'runs', runId), async () => {
      // Other uploads may have ended meanwhile.
      if (size > (await getAvailableBytes({ root, runId, names }, limits, paths.slice(-1))))
        throw makeTooLargeError(limits);
      await rename(temporaryFile, file).catch(throwRenameError);
    });
    return file;
  } catch (error) {
    await unlink(temporaryFile).catch(() => {});
    throw toReadableError(error);
  }
}

/**
 * Removes incomplete files that have not changed for an hour, because the processes that wrote them were killed.
 * Ignores failures.
 */
async function removeAbandonedFiles(runsFolder: string): Promise<void> {
  const entries = await listAbandonedEntries(runsFolder, temporaryPrefix).catch(() => []);
  for (const { name, status } of entries)
    if (status.isFile()) await unlink(join(runsFolder, name)).catch(() => {});
}

/**
 * Returns the maximum size of an artifact in bytes, in addition to the other artifacts of its run; negative if the
 * other artifacts exceed their limit. `paths` contains the path of the file and, before the upload creates the folders,
 * the paths of the folders. Throws PAYLOAD_TOO_LARGE if the run would have too many files, or too many files and
 * folders.
 */
async function getAvailableBytes(
  { root, runId, names }: ArtifactLocation,
  limits: ArtifactLimits,
  paths: readonly string[],
): Promise<number> {
  const { files, entryCount } = await listArtifacts(root, runId, limits.entries);
  const newPaths = paths.filter(
    (path) => !files.some((file) => `${file.path}/`.startsWith(`${path}/`)),
  );
  if (entryCount + newPaths.length > limits.entries)
    throw new ProblemError(
      'PAYLOAD_TOO_LARGE',
      `A run may have at most ${limits.entries} files and folders of artifacts. Log an archive instead`,
    );
  const otherFiles = files.filter(({ path }) => path !== names.join('/'));
  if (otherFiles.length >= limits.files)
    throw new ProblemError(
      'PAYLOAD_TOO_LARGE',
      `A run may have at most ${limits.files} artifacts. Log an archive instead`,
    );
  const usedBytes = otherFiles.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.min(limits.fileBytes, limits.runBytes - usedBytes);
}

/**
 * Returns the files of a run. Omits incomplete files, which earlier versions stored in the folder of the run, but
 * includes them in `entryCount`; see {@link listArtifactFiles}.
 */
async function listArtifacts(root: string, runId: string, maximumEntries = defaultLimits.entries) {
  const { files, entryCount } = await listArtifactFiles(root, runId, maximumEntries);
  const artifacts = files.filter(({ path }) => !basename(path).startsWith(temporaryPrefix));
  return { files: artifacts, entryCount };
}

function makeTooLargeError({ fileBytes, runBytes }: ArtifactLimits): ProblemError {
  const [fileMiB, runMiB] = [fileBytes, runBytes].map((bytes) => Math.floor(bytes / 1_048_576));
  const message = `An artifact may have at most ${fileMiB} MiB, and all artifacts of a run together ${runMiB} MiB. Log smaller files`;
  return new ProblemError('PAYLOAD_TOO_LARGE', message, { headers: { Connection: 'close' } });
}

async function* limitChunks(
  chunks: AsyncIterable<Buffer>,
  availableBytes: number,
  limits: ArtifactLimits,
) {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > availableBytes) throw makeTooLargeError(limits);
    yield chunk;
  }
}

/**
 * Creates the root and the nested folders `names` below it, unless they exist, and returns the path of the last folder.
 * Throws VALIDATION_FAILED if one of `names` is a file or a link, and the errors of {@link toReadableError}.
 */
async function makeFolders(root: string, names: readonly string[]): Promise<string> {
  try {
    await mkdir(root, { recursive: true });
    let folder = await realpath(root);
    for (const name of names) {
      folder = join(folder, name);
      await mkdir(folder, { mode: 0o700 }).catch(ignoreExistingFolder);
      if (!(await lstat(folder)).isDirectory()) throw makeNotFolderError(name);
    }
    return folder;
  } catch (error) {
    throw toReadableError(error);
  }
}

function ignoreExistingFolder(error: unknown): void {
  if (getCode(error) !== 'EEXIST') throw error;
}

function throwRenameError(error: unknown): never {
  if (getCode(error) !== 'ENOENT') throw error;
  throw new ProblemError(
    'RUN_NOT_FOUND',
    'Another client deleted the run during the upload. Log the artifact to another run',
  );
}

function makeNotFolderError(name: string): ProblemError {
  const message = `needs the folder "${truncate(name)}", which is a file or a link: choose another path`;
  return makeValidationError([{ path: 'path', message }]);
}

/** Returns an error that states how the user can fix a failed file operation. Returns other errors unchanged. */
function toReadableError(error: unknown): unknown {
  switch (getCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new ProblemError(
        'PAYLOAD_TOO_LARGE',
        'The disk of the artifacts is full. Free some space, then log the artifact again',
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ProblemError(
        'READ_ONLY',
        'The service cannot write to the folder of artifacts. Name another folder with --artifacts-dir.',
      );
    case 'ENAMETOOLONG':
      return makeValidationError([
        { path: 'path', message: 'is too long for the file system: choose a shorter path' },
      ]);
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENOTEMPTY':
      return makeValidationError([
        { path: 'path', message: 'must be that of a file, not of a folder' },
      ]);
    default:
      return error;
  }
}

function getCode(error: unknown): unknown {
  return (Object(error) as { code?: unknown }).code;
}

/**
 * Returns the content of an artifact as a stream, and its size in bytes. Throws NOT_FOUND if the run has no such
 * artifact, and the error of the system if the service cannot open the file.
 */
export async function openArtifact({
  root,
  runId,
  names,
}: ArtifactLocation): Promise<{ bytes: number; content: Readable }> {
  const handle = await openArtifactFile(root, runId, names);
  if (handle === null) {
    const path = truncate(names.join('/'));
    throw new ProblemError(
      'NOT_FOUND',
      `The run has no artifact "${path}". Select another artifact`,
    );
  }
  const { size } = await handle.stat();
  return { bytes: size, content: handle.createReadStream() };
}

/**
 * Returns the folders and then the files directly in a folder of artifacts, as MLflow writes them. Omits folders
 * without files. The list is empty for a file, and for a missing folder.
 */
export async function listFolder({ root, runId, names }: ArtifactLocation) {
  const { files } = await listArtifacts(root, runId);
  const prefix = names.map((name) => `${name}/`).join('');
  const descendants = files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, bytes }) => ({ path: path.slice(prefix.length), bytes }));
  const folders = new Set(
    descendants
      .filter(({ path }) => path.includes('/'))
      .map(({ path }) => path.split('/', 1)[0] ?? ''),
  );
  return {
    files: [
      ...[...folders].map((path) => ({ path, is_dir: true })),
      ...descendants
        .filter(({ path }) => !path.includes('/'))
        .map(({ path, bytes }) => ({ path, is_dir: false, file_size: bytes })),
    ],
  };
}
