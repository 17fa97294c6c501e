import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { DatabaseChoices } from '#shared/schemas/databases.ts';
import { isSqliteFile } from '#server/db/dialects/sqlite-inspect.ts';

/** Folders within folders that are looked into, and the most entries that are. */
const deepest = 3;
const mostEntries = 5_000;
/** Most files that are listed. */
const mostListed = 200;

const databaseName = /\.(db3?|sqlite3?)$/i;

type DatabaseFile = DatabaseChoices['files'][number];

/**
 * The SQLite files in a folder and the folders in it, newest first, and how many were left out; links and hidden
 * entries are passed over, as is what cannot be read. An empty file counts when it is named like a database.
 */
export async function listDatabaseFiles(
  folder: string,
): Promise<{ files: DatabaseFile[]; leftOut: number }> {
  const paths = await listFiles(folder);
  const found: (DatabaseFile | null)[] = [];
  for (const path of paths) found.push(await describeFile(folder, path));
  const files = found
    .filter((file) => file !== null)
    .sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1));
  return { files: files.slice(0, mostListed), leftOut: Math.max(0, files.length - mostListed) };
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  let folders = [folder];
  for (let depth = 0; depth < deepest && folders.length > 0; depth += 1) {
    const inside: string[] = [];
    for (const one of folders) {
      if (files.length >= mostEntries) return files;
      for (const entry of await readdir(one, { withFileTypes: true }).catch(() => [])) {
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        if (entry.isDirectory()) inside.push(join(one, entry.name));
        else if (entry.isFile()) files.push(join(one, entry.name));
      }
    }
    folders = inside;
  }
  return files;
}

async function describeFile(folder: string, path: string): Promise<DatabaseFile | null> {
  try {
    const { size, mtime } = await stat(path);
    // SQLite reads in this thread, which has requests to answer.
    await giveWay();
    const isDatabase = size === 0 ? databaseName.test(path) : isSqliteFile(path);
    if (!isDatabase) return null;
    return { file: relative(folder, path), sizeBytes: size, changedAt: mtime.toISOString() };
  } catch {
    return null;
  }
}
