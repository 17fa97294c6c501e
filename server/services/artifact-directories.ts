import { lstat, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** What became of the artifact directories of some runs. */
export interface ArtifactRemoval {
  removed: number;
  /** Directories that are still there, with why. */
  failures: { directory: string; reason: string }[];
}

/**
 * The directories `<root>/runs/<runId>` that exist and really lie inside the root. A run id that is not one
 * plain path segment has none, whatever it spells; neither has one whose directory is a link, nor any run when
 * `<root>/runs` leads out of the root. A missing root gives none.
 */
export async function findArtifactDirectories(root: string, runIds: string[]): Promise<string[]> {
  const runsDirectory = await realRunsDirectory(root);
  if (runsDirectory === null) return [];
  const candidates = [...new Set(runIds)]
    .filter(isPlainSegment)
    .map((id) => join(runsDirectory, id));
  const present = await Promise.all(candidates.map(isRealDirectory));
  return candidates.filter((_, index) => present[index]);
}

/**
 * Removes the artifact directories of the runs with all they hold, and nothing else: links inside are
 * removed, not followed. Best effort: one that `remove` rejects is reported and leaves the others to go.
 */
export async function removeArtifactDirectories(
  root: string,
  runIds: string[],
  remove: (directory: string) => Promise<void> = removeTree,
): Promise<ArtifactRemoval> {
  const removal: ArtifactRemoval = { removed: 0, failures: [] };
  for (const directory of await findArtifactDirectories(root, runIds)) {
    try {
      await remove(directory);
      removal.removed += 1;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      removal.failures.push({ directory, reason });
    }
  }
  return removal;
}

function removeTree(directory: string): Promise<void> {
  return rm(directory, { recursive: true });
}

async function realRunsDirectory(root: string): Promise<string | null> {
  try {
    const realRoot = await realpath(root);
    const runsDirectory = await realpath(join(realRoot, 'runs'));
    return runsDirectory.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)
      ? runsDirectory
      : null;
  } catch {
    return null;
  }
}

/** Separators of both kinds count, since a database may come from another system. */
function isPlainSegment(runId: string): boolean {
  return runId !== '' && runId !== '.' && runId !== '..' && !/[/\\\0:]/.test(runId);
}

async function isRealDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}
