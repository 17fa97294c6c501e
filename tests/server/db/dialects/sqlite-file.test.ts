import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeFile, connectFile, isCurrent } from '#server/db/dialects/sqlite-file.ts';
import { write, isWrittenByOthers } from '#server/db/dialects/sqlite-driver.ts';
import { buildSqliteIndex } from '#server/db/dialects/sqlite-index-build.ts';
import { LostLogError } from '#server/db/start-up-error.ts';
import { makeSqliteLocation } from '#tests/support/databases.ts';
import type SqliteDatabase from 'better-sqlite3';

let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
let handle: SqliteDatabase.Database;
beforeEach(async () => {
  location = await makeSqliteLocation();
  execute('pragma journal_mode = wal; create table notes (text)');
  handle = connectFile({ file: location.file }, 'write');
});
afterEach(async () => {
  closeFile(handle);
  await location.remove();
});

/** Executes statements in another process, where SQLite shares nothing with this one; returns the notes. */
function execute(sql: string): unknown[] {
  const program = `const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    database.exec(process.argv[2]);
    console.log(JSON.stringify(database.prepare('select text from notes').all().map(({ text }) => text)));
    database.close()`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '-e', program, location.file, sql],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout) as unknown[];
}

const readNotes = () => execute('');

/** Deletes the log after a checkpoint, and makes another program commit a note to a new log. */
function loseLog(): void {
  execute('pragma wal_checkpoint(full)');
  for (const end of ['-wal', '-shm']) rmSync(location.file + end);
  execute("insert into notes values ('theirs')");
  expect(existsSync(`${location.file}-wal`)).toBe(true);
}

const lostMessage =
  'Another program replaced or deleted the database file FILE or its write-ahead log. Try again in a moment';
const getLostMessage = () => lostMessage.replace('FILE', location.file);

describe.skipIf(process.platform === 'win32')(
  'A connection whose log another program deleted',
  () => {
    test('is not current', () => {
      expect(isCurrent(handle)).toBe(true);
      loseLog();
      expect(isCurrent(handle)).toBe(false);
    });

    test('is not current if its path is a link without a log next to it', () => {
      const link = `${location.file}.link`;
      symlinkSync(location.file, link);
      const linkConnection = connectFile({ file: link }, 'read');
      expect(isCurrent(linkConnection)).toBe(true);
      expect(isWrittenByOthers(link)).toBe(false);
      execute("insert into notes values ('theirs')");
      expect(isWrittenByOthers(link)).toBe(true);
      for (const end of ['-wal', '-shm']) rmSync(location.file + end);
      expect(isCurrent(linkConnection)).toBe(false);
      closeFile(linkConnection);
    });

    test('prevents the process from opening another connection that misses pages of that log', () => {
      write(handle, () => handle.exec('create table others (text)'));
      rmSync(`${location.file}-wal`);
      expect(() => connectFile({ file: location.file }, 'write')).toThrow(LostLogError);
    });

    test('writes nothing, and the commit of the other program remains', () => {
      loseLog();
      const insert = () => handle.exec("insert into notes values ('ours')");
      expect(() => write(handle, insert)).toThrow(getLostMessage());
      expect(handle.inTransaction).toBe(false);
      closeFile(handle);
      expect(readNotes()).toEqual(['theirs']);
    });

    test('rolls back a write during which the log was deleted', () => {
      const insert = () => {
        handle.exec("insert into notes values ('ours')");
        loseLogDuringWrite();
      };
      expect(() => write(handle, insert)).toThrow(LostLogError);
      closeFile(handle);
      expect(readNotes()).toEqual(['theirs']);
    });

    /** Does the same while this process has the write lock, which is on the deleted files. */
    function loseLogDuringWrite(): void {
      for (const end of ['-wal', '-shm']) rmSync(location.file + end);
      execute("insert into notes values ('theirs')");
    }

    test.each(['write', 'read'] as const)(
      'prevents the process from opening another one to %s until it is closed',
      (access) => {
        loseLog();
        const open = () => connectFile({ file: location.file }, access);
        expect(open).toThrow(getLostMessage());
        expect(readNotes()).toEqual(['theirs']);
        closeFile(handle);
        handle = open();
        expect(handle.prepare('select text from notes').pluck().all()).toEqual(['theirs']);
      },
    );

    test('does not change the file or delete the other log when it is closed', () => {
      write(handle, () => handle.exec("insert into notes values ('ours')"));
      // Without a checkpoint: the note is lost with the log, but must not appear over newer pages.
      for (const end of ['-wal', '-shm']) rmSync(location.file + end);
      execute("insert into notes values ('theirs')");
      closeFile(handle);
      expect(existsSync(`${location.file}-wal`)).toBe(true);
      expect(readNotes()).toEqual(['theirs']);
      expect(execute('pragma integrity_check')).toEqual(['theirs']);
    });

    test('builds no index', () => {
      loseLog();
      const index = { name: 'idx_notes', table: 'notes' as 'runs', columns: ['text'] };
      const neverQuiet = { harmlessMillis: Infinity, quietMillis: 0 };
      expect(buildSqliteIndex(handle, index, neverQuiet)).toEqual({
        state: 'postponed',
        detail: getLostMessage(),
      });
      closeFile(handle);
      expect(readNotes()).toEqual(['theirs']);
    });
  },
);

test('A connection follows another program that switches the file to a write-ahead log, and writes to it', () => {
  closeFile(handle);
  execute('pragma journal_mode = delete');
  handle = connectFile({ file: location.file }, 'write');
  execute("pragma journal_mode = wal; insert into notes values ('theirs')");
  write(handle, () => handle.exec("insert into notes values ('ours')"));
  expect(isCurrent(handle)).toBe(true);
  expect(readNotes()).toEqual(['theirs', 'ours']);
});

test('The last connection to a file deletes its log when it is closed', () => {
  closeFile(handle);
  expect(existsSync(`${location.file}-wal`)).toBe(false);
  expect(existsSync(`${location.file}-shm`)).toBe(false);
});
