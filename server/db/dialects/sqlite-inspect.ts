import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  closeSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { isForeign, isOurs, type SchemaState } from '../ownership.ts';
import { tableNames } from '../tables.ts';
import { busyTimeoutMillis, sqliteCode, type SqliteHandle } from './sqlite-driver.ts';

/** An entry of the catalogue that is not SQLite's own. */
interface Entry {
  type: 'table' | 'view' | 'index' | 'trigger';
  name: string;
  /** The table that an index or trigger is on. */
  target: string;
  sql: string | null;
}

/** What stands in an open database; see {@link SchemaState}. */
export function inspectSqlite(handle: SqliteHandle): SchemaState {
  const entries = handle
    .prepare<[], Entry>(
      `select type, lower(name) as name, lower(tbl_name) as target, sql from sqlite_schema
       where name not like 'sqlite\\_%' escape '\\'`,
    )
    .all();
  const relations = entries.filter(({ type }) => type === 'table' || type === 'view');
  const ours = relations.filter(({ name }) => isOurs(name));
  const references = relations.filter(({ name }) => isForeign(name)).flatMap(referencesOf(handle));
  return {
    columns: new Map(ours.filter(isTable).map(({ name }) => [name, columnsOf(handle, name)])),
    indexes: new Set(entries.filter(({ type }) => type === 'index').map(({ name }) => name)),
    impostors: new Map(
      ours
        .filter((entry) => !isTable(entry))
        .map(({ name, type }) => [name, type === 'view' ? 'view' : 'virtual table']),
    ),
    hooks: [
      ...entries
        .filter(({ type, target }) => type === 'trigger' && isOurs(target))
        .map(({ name, target }) => `trigger "${name}" on "${target}"`),
      ...references
        .filter(({ acts }) => acts)
        .map(({ source, target }) => `table "${source}" on "${target}"`),
    ],
    dependents: [
      ...references.map(({ source }) => `table "${source}"`),
      ...entries.filter(mentionsOurs).map(({ type, name }) => `${type} "${name}"`),
    ],
    unreadable: [],
    hasOthers: relations.some(({ name }) => !isOurs(name)),
  };
}

/** How many runs there are, and experiments where they are to be counted. */
export function countSqlite(
  handle: SqliteHandle,
  asked: { experiments: boolean },
): { experiments: number | null; runs: number } {
  const count = (table: string) =>
    handle.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0;
  return { experiments: asked.experiments ? count('experiments') : null, runs: count('runs') };
}

function isTable({ type, sql }: Entry): boolean {
  return type === 'table' && !/^\s*create\s+virtual\b/i.test(sql ?? '');
}

function columnsOf(handle: SqliteHandle, table: string): string[] {
  const names = handle.prepare<[string], string>('select name from pragma_table_info(?)').pluck();
  return names.all(table);
}

/** The keys of a table that refer to ours; `acts` when deleting our rows changes or deletes its own. */
function referencesOf(handle: SqliteHandle) {
  const keys = handle.prepare<[string], { target: string; action: string }>(
    'select lower("table") as target, on_delete as action from pragma_foreign_key_list(?)',
  );
  return ({ name }: Entry) =>
    keys
      .all(name)
      .filter(({ target }) => isOurs(target))
      .map(({ target, action }) => ({
        source: name,
        target,
        acts: /^(cascade|set)/i.test(action),
      }));
}

const ourNames = new RegExp(String.raw`\b(${tableNames.join('|')})\b`, 'i');

/** Whether a view or trigger names a table of ours anywhere in its text. */
function mentionsOurs({ type, sql }: Entry): boolean {
  return (type === 'view' || type === 'trigger') && ourNames.test(sql ?? '');
}

/** What is to be found out about a database; the handle is closed then. */
export type Look<Found> = (handle: SqliteHandle) => Found;

/**
 * What a look finds in a file, without changing a byte of it or leaving a file beside it, which merely
 * opening one in WAL mode would. What a log or journal beside it holds, with nobody there to have it open, is
 * looked at in a copy. Throws what SQLite throws.
 */
export function peekSqlite<Found>(file: string, look: Look<Found>): Found {
  const [log, journal] = [`${file}-wal`, `${file}-journal`].map(sizeOf);
  if (isWriteAheadLogged(file)) {
    if (log === undefined || !existsSync(`${file}-shm`)) {
      return log ? inCopy(file, look) : lookInto(`${pathToFileURL(file).href}?immutable=1`, look);
    }
  } else if (journal) {
    return peekUnderJournal(file, look);
  }
  return lookInto(file, look);
}

function peekUnderJournal<Found>(file: string, look: Look<Found>): Found {
  try {
    return lookInto(file, look);
  } catch (error) {
    if (!sqliteCode(error)?.startsWith('SQLITE_READONLY')) throw error;
    return inCopy(file, look, false);
  }
}

function lookInto<Found>(path: string, look: Look<Found>, readonly = true): Found {
  const handle = new SqliteDatabase(path, {
    readonly,
    fileMustExist: true,
    timeout: busyTimeoutMillis,
  });
  try {
    handle.pragma('trusted_schema = off');
    return look(handle);
  } finally {
    handle.close();
  }
}

/** A larger file is looked at where it is, though a file may appear beside it. */
const largestCopyBytes = 1_073_741_824;

/** Looks into a copy of the file with its log or journal, for which SQLite then does what it must. */
function inCopy<Found>(file: string, look: Look<Found>, readonly = true): Found {
  if (statSync(file).size > largestCopyBytes) return lookInto(file, look);
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-look-'));
  try {
    for (const end of ['', '-wal', '-journal']) {
      if (existsSync(file + end)) copyFileSync(file + end, join(folder, `copy${end}`));
    }
    return lookInto(join(folder, 'copy'), look, readonly);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the header says that the file is used with a write-ahead log. */
function isWriteAheadLogged(file: string): boolean {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return header[18] === 2 && header[19] === 2;
}

/** Bytes of a file; undefined when it is not there. */
function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
