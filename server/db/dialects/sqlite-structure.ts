import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import type { DatabaseStructure } from '../dialect.ts';
import { missingIdentity, replacedProblem } from '../identity.ts';
import { StartUpError } from '../start-up-error.ts';
import { write, busyTimeoutMillis, type SqliteHandle } from './sqlite-driver.ts';
import { fileIdentity } from './sqlite-files.ts';
import { inspectSqlite } from './sqlite-inspect.ts';

/** How tables are read, created and backed up in SQLite; each is described at {@link DatabaseStructure}. */
export function sqliteStructure(
  reader: () => SqliteHandle,
  writer: () => SqliteHandle,
  file: string,
): DatabaseStructure {
  return {
    columnTypes: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', double: 'DOUBLE' },
    inspect: async () => inspectSqlite(reader()),
    make: async (statements, identity) =>
      executeAll(writer(), statements, () => requireIdentity(file, identity)),
    replace: async (isNeeded, stamp, statements, identity) => {
      const handle = writer();
      const copy = `${file}.legacy-${stamp}.db`;
      // Another process may do the same: a copy gets its name only when no other process can replace the tables any
      // more.
      const partial = `${copy}.${process.pid}`;
      const isStillNeeded = () => isNeeded(inspectSqlite(handle));
      try {
        const version = dataVersion(handle);
        const tables = [...inspectSqlite(handle).columns.keys()];
        if (!isStillNeeded() || !backUp(handle, tables, partial, isStillNeeded)) return undefined;
        // With foreign keys on, dropping a table first deletes its rows, and those that refer to them.
        handle.pragma('foreign_keys = off');
        return write(handle, () => {
          requireIdentity(file, identity);
          if (dataVersion(handle) !== version) {
            if (isStillNeeded()) throw changedMeanwhile(file);
            return undefined;
          }
          if (existsSync(copy)) throw noBackup(`${copy} exists`);
          renameSync(partial, copy);
          for (const table of tables) handle.exec(`drop table ${table}`);
          for (const statement of statements) handle.exec(statement);
          return copy;
        });
      } finally {
        handle.pragma('foreign_keys = on');
        rmSync(partial, { force: true });
      }
    },
  };
}

/** Throws DATABASE_CHANGED if the file at the path does not have this identity, unless the file was to be created. */
function requireIdentity(file: string, identity: string | undefined): void {
  if (identity === undefined || identity === missingIdentity) return;
  if (fileIdentity(file) !== identity) throw replacedProblem();
}

function executeAll(
  handle: SqliteHandle,
  statements: readonly string[],
  requireSame: () => void,
): void {
  write(handle, () => {
    requireSame();
    for (const statement of statements) handle.exec(statement);
  });
}

function changedMeanwhile(file: string): StartUpError {
  return new StartUpError(
    `Another program wrote to ${file} while it was copied: nothing was changed`,
  );
}

/** Returns a number that differs after a write of another connection. */
function dataVersion(handle: SqliteHandle): unknown {
  return handle.pragma('data_version', { simple: true });
}

/** Creates a verified copy of the whole file; returns false if another process has replaced the tables meanwhile. */
function backUp(
  handle: SqliteHandle,
  tables: readonly string[],
  copy: string,
  isStillNeeded: () => boolean,
): boolean {
  try {
    handle.prepare('vacuum into ?').run(copy);
    const counts = tables.map((table) => countRows(handle, table));
    verify(copy, tables, counts);
    makeDurable(copy);
    return true;
  } catch (error) {
    if (!isStillNeeded()) return false;
    throw noBackup(error instanceof Error ? error.message : String(error));
  }
}

/** Syncs the copy to the disk: SQLite does not do this after VACUUM INTO, and the tables will be deleted. */
function makeDurable(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function noBackup(reason: string): StartUpError {
  return new StartUpError(
    `The tables are of an old version of the runner and no backup can be made (${reason}): nothing was changed`,
  );
}

function countRows(handle: SqliteHandle, table: string): unknown {
  return handle.prepare(`select count(*) from "${table}"`).pluck().get();
}

function verify(copy: string, tables: readonly string[], counts: readonly unknown[]): void {
  const handle = new SqliteDatabase(copy, { readonly: true, timeout: busyTimeoutMillis });
  try {
    const verdict = handle.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') throw new Error(`the copy is damaged: ${String(verdict)}`);
    tables.forEach((table, index) => {
      if (countRows(handle, table) !== counts[index]) {
        throw new Error(`the copy of ${table} is not complete`);
      }
    });
  } finally {
    handle.close();
  }
}
