import { constants, type Stats } from 'node:fs';
import { lstat, mkdtemp, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

/** A directory that could not be looked at or removed, and why. */
export interface ArtifactFailure {
  directory: string;
  reason: string;
}

/** How the folders begin into which directories are taken before they are removed. */
const privateName = '.evoscope-removing-';
/** No directory takes so long to be removed. */
const leftBehindAfterMillis = 3_600_000;

/**
 * The directories `<root>/runs/<runId>` that exist and really lie inside the root. A run id that is not one
 * plain path segment has none, whatever it spells; neither has one whose directory is a link, nor any run when
 * `<root>/runs` leads out of the root. A missing root gives none. What is there and cannot be read is a failure.
 */
export async function findArtifactDirectories(
  root: string,
  runIds: string[],
): Promise<{ directories: string[]; failures: ArtifactFailure[] }> {
  const failures: ArtifactFailure[] = [];
  const orFailure = <Found>(directory: string, found: Promise<Found>): Promise<Found | null> =>
    found.catch((error: unknown) => {
      if (!isMissing(error)) failures.push({ directory, reason: reasonOf(error) });
      return null;
    });
  const runsDirectory = await orFailure(join(root, 'runs'), realRunsDirectory(root));
  if (runsDirectory === null) return { directories: [], failures };
  // There may be far more runs than directories.
  const names = new Set(await orFailure(runsDirectory, readdir(runsDirectory)));
  const candidates = [...new Set(runIds)]
    .filter((id) => isPlainSegment(id) && names.has(id))
    .map((id) => join(runsDirectory, id));
  const present = await Promise.all(candidates.map((path) => orFailure(path, lstat(path))));
  return { directories: candidates.filter((_, at) => present[at]?.isDirectory()), failures };
}

/**
 * Removes the artifact directories of the runs with all they hold, and nothing else: links inside are
 * removed, not followed. Each is first taken into a folder of this call, so that no other program can put a link in its
 * place meanwhile, and put back when it is not the directory that was found. Best effort: one that `remove`
 * rejects is reported and leaves the others to go.
 */
export async function removeArtifactDirectories(
  root: string,
  runIds: string[],
  remove: (directory: string) => Promise<void> = removeTree,
): Promise<{ removed: number; failures: ArtifactFailure[] }> {
  const { directories, failures } = await findArtifactDirectories(root, runIds);
  const [first] = directories;
  if (first === undefined) return { removed: 0, failures };
  let removed = 0;
  const attempt = async (directory: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => void failures.push({ directory, reason: reasonOf(error) }));
  await attempt(dirname(first), () =>
    withDirectory(dirname(first), async (runs) => {
      for (const name of await leftBehind(runs)) {
        await attempt(join(dirname(first), name), () => removeLeftBehind(join(runs, name)));
      }
      await withPrivateFolder(runs, async (folder) => {
        for (const directory of directories) {
          const origin = join(runs, basename(directory));
          await attempt(directory, async () => {
            const place = await take(origin, folder);
            await remove(place).catch(async (error: unknown) => {
              await rename(place, origin);
              throw error;
            });
            removed += 1;
          });
        }
      });
    }),
  );
  return { removed, failures };
}

/** Runs `work` with a folder that only this user can enter, which is there as long. */
async function withPrivateFolder(
  parent: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(parent, privateName));
  try {
    await withDirectory(folder, work);
  } finally {
    await rmdir(folder);
  }
}

/**
 * Moves a directory into a folder, under the name of {@link identityOf}, and returns its place; what is there
 * instead by then stays where it is.
 */
async function take(directory: string, folder: string): Promise<string> {
  const found = await lstat(directory);
  if (!found.isDirectory()) throw new Error('It is no directory any more');
  const place = join(folder, identityOf(found));
  await rename(directory, place);
  const moved = await lstat(place);
  if (identityOf(moved) === identityOf(found) && moved.isDirectory()) return place;
  await rename(place, directory);
  throw new Error('Another directory was put in its place');
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}-${ino}`;
}

/** Private folders of calls that were killed. Younger ones may be another process's that is at work. */
async function leftBehind(runs: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(runs)) {
    if (!name.startsWith(privateName)) continue;
    // One that goes away meanwhile is another process's.
    const found = await lstat(join(runs, name)).catch(() => null);
    if (found === null || Date.now() - found.mtimeMs < leftBehindAfterMillis) continue;
    const isOurs = found.uid === (process.getuid?.() ?? found.uid);
    if (isOurs && (found.mode & 0o077) === 0) names.push(name);
  }
  return names;
}

/**
 * Continues the work of a call that was killed: removes what is in its folder under its own identity,
 * which no other program can have put there.
 */
async function removeLeftBehind(directory: string): Promise<void> {
  await withDirectory(directory, async (folder) => {
    for (const entry of await readdir(folder)) {
      const place = join(folder, entry);
      if (identityOf(await lstat(place)) === entry) await removeTree(place);
    }
  });
  await rmdir(directory);
}

/** Removes a directory with all in it. Each one is held open while it is emptied, so that no link leads elsewhere. */
async function removeTree(directory: string): Promise<void> {
  await withDirectory(directory, async (held) => {
    for (const entry of await readdir(held, { withFileTypes: true })) {
      const path = join(held, entry.name);
      await (entry.isDirectory() ? removeTree(path) : unlink(path));
    }
  });
  await rmdir(directory);
}

/**
 * Runs `work` with a path that stays that of this very directory, whatever is put in its place: that of the open
 * directory on Linux, elsewhere the path itself. Rejects when it is a link.
 */
async function withDirectory(path: string, work: (held: string) => Promise<void>): Promise<void> {
  if (process.platform !== 'linux') return work(path);
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const directory = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await work(`/proc/self/fd/${directory.fd}`);
  } finally {
    await directory.close();
  }
}

async function realRunsDirectory(root: string): Promise<string | null> {
  const realRoot = await realpath(root);
  const runsDirectory = await realpath(join(realRoot, 'runs'));
  return runsDirectory.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
    ? runsDirectory
    : null;
}

/** Separators of both kinds count, since a database may come from another system. */
function isPlainSegment(runId: string): boolean {
  return runId !== '' && runId !== '.' && runId !== '..' && !/[/\\\0:]/.test(runId);
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(String(error.code))
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
