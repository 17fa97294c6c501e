import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isForeign, isOwnTable, type SchemaState } from '../ownership.ts';
import { StartUpError } from '../start-up-error.ts';
import { tableNames } from '../tables.ts';
import {
  toStartUpError,
  closeFile,
  connectFile,
  readSchemaTable,
  resolveFile,
  getSqliteCode,
  type AccessMode,
  type FileLocation,
  type SqliteHandle,
} from './sqlite-file.ts';

/** An entry of the schema table that does not belong to SQLite itself. */
interface Entry {
  type: 'table' | 'view' | 'index' | 'trigger';
  name: string;
  /** The table or view that an index or trigger belongs to; for a table or view, its own name. */
  target: string;
  sql: string | null;
}

/** Returns the facts of {@link SchemaState} about an open database. */
export function inspectSqlite(handle: SqliteHandle): SchemaState {
  const entries = handle
    .prepare<[], Entry>(
      `select type, lower(name) as name, lower(tbl_name) as target, sql from sqlite_schema
       where name not like 'sqlite\\_%' escape '\\'`,
    )
    .all();
  const relations = entries.filter(({ type }) => type === 'table' || type === 'view');
  const ownRelations = relations.filter(({ name }) => isOwnTable(name));
  const references = relations
    .filter(({ name }) => isForeign(name))
    .flatMap(createReferenceLister(handle));
  return {
    columns: new Map(
      ownRelations.filter(isTable).map(({ name }) => [name, getColumns(handle, name)]),
    ),
    indexes: new Set(entries.filter(({ type }) => type === 'index').map(({ name }) => name)),
    nonTables: new Map(
      ownRelations
        .filter((entry) => !isTable(entry))
        .map(({ name, type }) => [name, type === 'view' ? 'view' : 'virtual table']),
    ),
    hooks: [
      ...entries
        .filter(({ type, target }) => type === 'trigger' && isOwnTable(target))
        .map(({ name, target }) => `trigger "${name}" on "${target}"`),
      ...references
        .filter(({ hasAction }) => hasAction)
        .map(({ source, target }) => `table "${source}" on "${target}"`),
    ],
    dependentNames: [
      ...references.map(({ source }) => `table "${source}"`),
      ...entries.filter(hasOwnTableName).map(({ type, name }) => `${type} "${name}"`),
    ],
    unreadableTables: [],
    unreadableColumns: [],
    hasOtherTables: relations.some(({ name }) => !isOwnTable(name)),
    runnerSchema: null,
  };
}

/**
 * Returns the number of runs and the number of experiments. The number of experiments is null unless `hasExperiments`
 * is true.
 */
export function countSqlite(
  handle: SqliteHandle,
  tablesToCount: { hasExperiments: boolean },
): { experiments: number | null; runs: number } {
  const count = (table: string) =>
    handle.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0;
  return {
    experiments: tablesToCount.hasExperiments ? count('experiments') : null,
    runs: count('runs'),
  };
}

function isTable({ type, sql }: Entry): boolean {
  return type === 'table' && !/^\s*create\s+virtual\b/i.test(sql ?? '');
}

function getColumns(handle: SqliteHandle, table: string): string[] {
  const namesQuery = handle
    .prepare<[string], string>('select name from pragma_table_info(?)')
    .pluck();
  return namesQuery.all(table);
}

/**
 * Returns a function that lists the foreign keys from a table to our tables. A key with several columns occurs once per
 * column. `hasAction` is true if deleting our rows changes or deletes rows of the table `source`.
 */
function createReferenceLister(handle: SqliteHandle) {
  const keysQuery = handle.prepare<[string], { target: string; action: string }>(
    'select lower("table") as target, on_delete as action from pragma_foreign_key_list(?)',
  );
  return ({ name }: Entry) =>
    keysQuery
      .all(name)
      .filter(({ target }) => isOwnTable(target))
      .map(({ target, action }) => ({
        source: name,
        target,
        hasAction: /^(cascade|set)/i.test(action),
      }));
}

const ownTableNames = new RegExp(String.raw`\b(${tableNames.join('|')})\b`, 'i');

/**
 * Returns whether an entry is a view or trigger whose text contains the name of one of our tables as a word, in any
 * case.
 */
function hasOwnTableName({ type, sql }: Entry): boolean {
  return (type === 'view' || type === 'trigger') && ownTableNames.test(sql ?? '');
}

/** Reads the requested facts about a database. The caller closes the handle. */
export type Inspect<Result> = (handle: SqliteHandle) => Result;

/** Inspects a file; see {@link inspectWithoutChange}. Throws the same errors, converted by {@link toStartUpError}. */
export function inspectFile<Result>(location: FileLocation, inspect: Inspect<Result>): Result {
  try {
    return inspectWithoutChange(location, inspect);
  } catch (error) {
    throw toStartUpError(error, location.file);
  }
}

/**
 * Inspects a file without changing a byte of it or creating a file next to it. A normal opening of a file in WAL mode
 * could do both. Inspects a copy if there is a log with content but no index of the log, or if SQLite must roll back a
 * journal. {@link maximumCopyBytes} states the exception for large files. Throws the errors of {@link connectFile},
 * {@link inspectCopy}, `inspect` and the file system.
 */
function inspectWithoutChange<Result>(location: FileLocation, inspect: Inspect<Result>): Result {
  const file = resolveFile(location.file);
  const [log, journal] = [`${file}-wal`, `${file}-journal`].map(getSize);
  if (isWriteAheadLogged(location)) {
    if (log === undefined || !existsSync(`${file}-shm`)) {
      return log ? inspectCopy(location, inspect) : inspectWith(location, 'immutable', inspect);
    }
  } else if (journal) {
    return inspectWithJournal(location, inspect);
  }
  return inspectWith(location, 'read', inspect);
}

/** Returns whether a file is empty or starts like a SQLite database; false if it is unreadable. Takes no lock. */
export function isSqliteFile(file: string): boolean {
  try {
    inspectWith({ file }, 'immutable', readSchemaTable);
    return true;
  } catch (error) {
    return !/^SQLITE_(NOTADB|CANTOPEN|IOERR|PERM)/.test(getSqliteCode(error) ?? 'SQLITE_NOTADB');
  }
}

function inspectWithJournal<Result>(location: FileLocation, inspect: Inspect<Result>): Result {
  try {
    return inspectWith(location, 'read', inspect);
  } catch (error) {
    if (!getSqliteCode(error)?.startsWith('SQLITE_READONLY')) throw error;
    return inspectCopy(location, inspect, 'write');
  }
}

function inspectWith<Result>(
  location: FileLocation,
  access: AccessMode,
  inspect: Inspect<Result>,
): Result {
  const handle = connectFile(location, access);
  try {
    handle.pragma('trusted_schema = off');
    return inspect(handle);
  } finally {
    closeFile(handle);
  }
}

/**
 * Maximum size of a file to copy, because copying needs memory for the whole file. The service inspects a larger file
 * with a log directly, although SQLite may create the index of the log. It refuses a larger file with a journal that
 * SQLite must roll back.
 */
const maximumCopyBytes = 268_435_456;

/**
 * Inspects a copy of the file. SQLite applies a copy of the log or journal to it. Inspects a file above {@link
 * maximumCopyBytes} directly, or throws a {@link StartUpError} if the copy needs write access.
 */
function inspectCopy<Result>(
  location: FileLocation,
  inspect: Inspect<Result>,
  access: AccessMode = 'read',
): Result {
  if ((getSize(location.file) ?? 0) > maximumCopyBytes) {
    if (access === 'write') throw makeUnfinishedError(location.file);
    return inspectWith(location, 'read', inspect);
  }
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-inspect-'));
  try {
    const copy = join(folder, 'copy');
    writeFileSync(
      copy,
      inspectWith(location, 'immutable', (handle) => handle.serialize()),
    );
    for (const suffix of ['-wal', '-journal'])
      copyIfFile(resolveFile(location.file) + suffix, copy + suffix);
    return inspectWith({ file: copy }, access, inspect);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeUnfinishedError(file: string): StartUpError {
  return new StartUpError(
    `A program ended while it wrote to the database ${file}, which is too large to inspect in this state: open it once with another SQLite program to restore it`,
  );
}

/** Copies a log or journal, on which SQLite has no locks; does nothing if it is missing or not a regular file. */
function copyIfFile(file: string, copy: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) copyFileSync(file, copy);
}

/** Returns whether the header of the file requires a write-ahead log. */
function isWriteAheadLogged(location: FileLocation): boolean {
  return inspectWith(location, 'unlocked', (handle) => {
    try {
      readSchemaTable(handle);
      return false;
    } catch (error) {
      // SQLite refuses to open the write-ahead log of such a file without locks.
      if (getSqliteCode(error) === 'SQLITE_CANTOPEN') {
        assertHeader(location);
        return true;
      }
      if (/^SQLITE_(BUSY|READONLY)/.test(getSqliteCode(error) ?? '')) return false;
      throw error;
    }
  });
}

/**
 * Throws SQLITE_NOTADB for a file that does not start like a database, even if it has a log, because SQLite would
 * restore pages from the log of a previous file.
 */
function assertHeader(location: FileLocation): void {
  try {
    inspectWith(location, 'immutable', readSchemaTable);
  } catch (error) {
    if (getSqliteCode(error) === 'SQLITE_NOTADB') throw error;
  }
}

/** Returns the size of a file in bytes; undefined if it is missing. */
function getSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
