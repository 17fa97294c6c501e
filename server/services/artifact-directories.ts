import { constants, type Stats } from 'node:fs';
import {
  lstat,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rmdir,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

/** A directory that the service cannot read or remove, and the reason. */
export interface ArtifactFailure {
  directory: string;
  reason: string;
}

/** Prefix of the names of the private folders into which a removal moves directories first. */
const privatePrefix = '.evoscope-removing-';
/**
 * Time without a change after which an entry belongs to a killed process. No removal takes so long, and an upload
 * changes its file more often.
 */
const abandonmentMillis = 3_600_000;

/**
 * Returns the real paths of the directories `<root>/runs/<runId>`, in the order of `runIds`, without duplicates. A run
 * has none if its id is not a plain path segment, or if the entry is missing or not a directory, such as a link. No run
 * has one if `<root>/runs` is missing, or if it is a link to a folder that is not inside the root. Returns a failure
 * for each existing path whose status or entries the service needs but cannot read.
 */
export async function findArtifactDirectories(
  root: string,
  runIds: string[],
): Promise<{ directories: string[]; failures: ArtifactFailure[] }> {
  const failures: ArtifactFailure[] = [];
  const catchFailure = <Result>(
    directory: string,
    result: Promise<Result>,
  ): Promise<Result | null> =>
    result.catch((error: unknown) => {
      if (!isMissing(error)) failures.push({ directory, reason: getReason(error) });
      return null;
    });
  const runsDirectory = await catchFailure(join(root, 'runs'), resolveRunsDirectory(root));
  if (runsDirectory === null) return { directories: [], failures };
  // Reads all names first, because there may be far more runs than directories.
  const names = new Set(await catchFailure(runsDirectory, readdir(runsDirectory)));
  const candidates = [...new Set(runIds)]
    .filter((id) => isPlainSegment(id) && names.has(id))
    .map((id) => join(runsDirectory, id));
  const statuses = await Promise.all(candidates.map((path) => catchFailure(path, lstat(path))));
  return { directories: candidates.filter((_, index) => statuses[index]?.isDirectory()), failures };
}

/**
 * Deletes the artifact directories of the runs with their content. Deletes links inside without following them. Moves
 * each directory into a private folder first, because another user could replace it by a link meanwhile. Moves the
 * directory back if `remove` fails, and moves back another file that has replaced it. If there are directories to
 * delete, also completes the deletions of killed processes of this user that have not continued for an hour (not on
 * Windows). Returns the number of deleted directories of the runs, and the failures. The failure of one directory does
 * not prevent the deletion of the others.
 */
export async function deleteArtifactDirectories(
  root: string,
  runIds: string[],
  remove: (directory: string) => Promise<void> = removeTree,
): Promise<{ deletedDirectories: number; failures: ArtifactFailure[] }> {
  const { directories, failures } = await findArtifactDirectories(root, runIds);
  const [firstDirectory] = directories;
  if (firstDirectory === undefined) return { deletedDirectories: 0, failures };
  let count = 0;
  const attempt = async (directory: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => void failures.push({ directory, reason: getReason(error) }));
  await attempt(dirname(firstDirectory), () =>
    useDirectory(dirname(firstDirectory), async (runsPath) => {
      for (const name of await listAbandonedFolders(runsPath)) {
        await attempt(join(dirname(firstDirectory), name), () =>
          removeAbandonedFolder(join(runsPath, name)),
        );
      }
      await usePrivateFolder(runsPath, async (folder) => {
        for (const directory of directories) {
          const origin = join(runsPath, basename(directory));
          await attempt(directory, async () => {
            const movedPath = await moveAway(origin, folder);
            await remove(movedPath).catch(async (error: unknown) => {
              await rename(movedPath, origin);
              throw error;
            });
            count += 1;
          });
        }
      });
    }),
  );
  return { deletedDirectories: count, failures };
}

/** A file of a run: its path below the directory of the run, with slashes, and its size. */
export interface ArtifactFile {
  path: string;
  bytes: number;
}

/**
 * Returns the files of a run by path; none if {@link findArtifactDirectories} finds no directory or fails to read one.
 * Omits links and all other entries that are not files. Inspects at most `maximumEntries` entries of any kind;
 * `entryCount` is larger if there are more. Throws the error of the system if it cannot read a directory of the run.
 */
export async function listArtifactFiles(
  root: string,
  runId: string,
  maximumEntries: number,
): Promise<{ files: ArtifactFile[]; entryCount: number }> {
  const { directories } = await findArtifactDirectories(root, [runId]);
  const files: ArtifactFile[] = [];
  let entryCount = 0;
  const visit = async (directory: string, prefix: string): Promise<void> =>
    useDirectory(directory, async (openedPath) => {
      for (const entry of await readdir(openedPath, { withFileTypes: true })) {
        entryCount += 1;
        if (entryCount > maximumEntries) return;
        const entryPath = join(openedPath, entry.name);
        const path = `${prefix}${entry.name}`;
        if (entry.isDirectory()) await visit(entryPath, `${path}/`);
        else if (entry.isFile()) {
          const status = await lstat(entryPath).catch(ignoreMissing);
          if (status) files.push({ path, bytes: status.size });
        }
      }
    }).catch(ignoreMissing);
  for (const directory of directories) await visit(directory, '');
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, entryCount };
}

/**
 * Opens a file of a run for reading. Returns null if the file is missing, or if the entry is not a file. `names` are
 * the parts of its path, which the caller has checked. On Linux, follows no links inside the directory of the run. On
 * other systems, follows links to folders there, and on Windows also links to files. The caller closes the file. Throws
 * the error of the system if it cannot open the file or a folder on its path.
 */
export async function openArtifactFile(
  root: string,
  runId: string,
  names: readonly string[],
): Promise<FileHandle | null> {
  const [directory] = (await findArtifactDirectories(root, [runId])).directories;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const openIn = async (folder: string, [name = '', ...furtherNames]: readonly string[]) => {
    let file: FileHandle | undefined;
    await useDirectory(folder, async (openedPath) => {
      const entryPath = join(openedPath, name);
      file =
        furtherNames.length === 0
          ? await open(entryPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
          : await openIn(entryPath, furtherNames);
    });
    return file;
  };
  const isAbsent = (error: unknown) =>
    isMissing(error) ||
    /^(?:ELOOP|EISDIR|ENXIO)$/.test(String((Object(error) as { code?: unknown }).code));
  const handle =
    directory === undefined
      ? undefined
      : await openIn(directory, names).catch((error: unknown) => {
          if (!isAbsent(error)) throw error;
          return undefined;
        });
  if (handle === undefined || (await handle.stat()).isFile()) return handle ?? null;
  await handle.close();
  return null;
}

/**
 * Runs `work` with a new folder that only this user can enter, then removes the folder. Rejects if `work` rejects, or
 * if the folder is not empty.
 */
async function usePrivateFolder(
  parent: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(parent, privatePrefix));
  try {
    await useDirectory(folder, work);
  } finally {
    await rmdir(folder);
  }
}

/**
 * Moves a directory into a folder, under the name that {@link getIdentity} returns, and returns its new path. Throws an
 * Error if there is another kind of file at the path. If another file has replaced the directory meanwhile, moves that
 * file back and throws an Error.
 */
async function moveAway(directory: string, folder: string): Promise<string> {
  const status = await lstat(directory);
  if (!status.isDirectory()) throw new Error('It is no longer a directory');
  const movedPath = join(folder, getIdentity(status));
  await rename(directory, movedPath);
  const movedEntry = await lstat(movedPath);
  if (getIdentity(movedEntry) === getIdentity(status) && movedEntry.isDirectory()) return movedPath;
  await rename(movedPath, directory);
  throw new Error('Another program replaced it');
}

function getIdentity({ dev, ino }: Stats): string {
  return `${dev}-${ino}`;
}

/**
 * Returns the names of the private folders of killed processes of this user; none on Windows. Omits folders to which
 * other users have access, and newer folders, which may belong to a running process.
 */
async function listAbandonedFolders(runsPath: string): Promise<string[]> {
  const entries = await listAbandonedEntries(runsPath, privatePrefix);
  return entries.flatMap(({ name, status }) => {
    const hasSameUser = status.uid === (process.getuid?.() ?? status.uid);
    return hasSameUser && (status.mode & 0o077) === 0 ? [name] : [];
  });
}

/**
 * Returns the entries of a folder with this prefix that are so old that they belong to a killed process; in any order,
 * empty if there is none. Throws the error of the system if it cannot read the folder.
 */
export async function listAbandonedEntries(
  folder: string,
  prefix: string,
): Promise<{ name: string; status: Stats }[]> {
  const entries: { name: string; status: Stats }[] = [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    // Another process may have removed the entry.
    const status = await lstat(join(folder, name)).catch(() => null);
    if (status !== null && Date.now() - status.mtimeMs >= abandonmentMillis)
      entries.push({ name, status });
  }
  return entries;
}

/**
 * Completes the removal that a killed process started. Removes only the directories in its folder that have the names
 * of {@link moveAway}. Rejects with the error of the system if there are other entries.
 */
async function removeAbandonedFolder(directory: string): Promise<void> {
  await useDirectory(directory, async (folder) => {
    for (const entry of await readdir(folder)) {
      const entryPath = join(folder, entry);
      if (getIdentity(await lstat(entryPath)) === entry) await removeTree(entryPath);
    }
  });
  await rmdir(directory);
}

/**
 * Removes a directory with its content, and follows no links inside. Uses each directory through {@link useDirectory}.
 */
async function removeTree(directory: string): Promise<void> {
  await useDirectory(directory, async (openedPath) => {
    for (const entry of await readdir(openedPath, { withFileTypes: true })) {
      const path = join(openedPath, entry.name);
      await (entry.isDirectory() ? removeTree(path) : unlink(path));
    }
  });
  await rmdir(directory);
}

/**
 * Runs `work` with a path to this directory. On Linux, this is the path of its open descriptor, which leads to the
 * directory even if another file replaces it; rejects with the error of the system if `path` is a link. On other
 * systems, it is `path` itself.
 */
async function useDirectory(
  path: string,
  work: (openedPath: string) => Promise<void>,
): Promise<void> {
  if (process.platform !== 'linux') return work(path);
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const directoryHandle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await work(`/proc/self/fd/${directoryHandle.fd}`);
  } finally {
    await directoryHandle.close();
  }
}

async function resolveRunsDirectory(root: string): Promise<string | null> {
  const realRoot = await realpath(root);
  const runsDirectory = await realpath(join(realRoot, 'runs'));
  return runsDirectory.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
    ? runsDirectory
    : null;
}

/** Returns whether a run id is one path segment on every system, because a database may come from another system. */
function isPlainSegment(runId: string): boolean {
  return runId !== '' && runId !== '.' && runId !== '..' && !/[/\\\0:]/.test(runId);
}

/** Throws the error unless another program may have removed or replaced the file or directory meanwhile. */
function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(String(error.code))
  );
}

function getReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
