import { lstat, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A directory that could not be looked at or removed, and why. */
export interface ArtifactFailure {
  directory: string;
  reason: string;
}

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
  const candidates =
    runsDirectory === null
      ? []
      : [...new Set(runIds)].filter(isPlainSegment).map((id) => join(runsDirectory, id));
  const present = await Promise.all(candidates.map((path) => orFailure(path, lstat(path))));
  return { directories: candidates.filter((_, at) => present[at]?.isDirectory()), failures };
}

/**
 * Removes the artifact directories of the runs with all they hold, and nothing else: links inside are
 * removed, not followed. Best effort: one that `remove` rejects is reported and leaves the others to go.
 */
export async function removeArtifactDirectories(
  root: string,
  runIds: string[],
  remove: (directory: string) => Promise<void> = removeTree,
): Promise<{ removed: number; failures: ArtifactFailure[] }> {
  const { directories, failures } = await findArtifactDirectories(root, runIds);
  let removed = 0;
  for (const directory of directories) {
    try {
      await remove(directory);
      removed += 1;
    } catch (error) {
      failures.push({ directory, reason: reasonOf(error) });
    }
  }
  return { removed, failures };
}

function removeTree(directory: string): Promise<void> {
  return rm(directory, { recursive: true });
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
