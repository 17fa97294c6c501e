import { execFileSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { isWrittenByOthers } from '#server/db/dialects/sqlite-driver.ts';
import { makeSqliteLocation, openTestDatabase } from '#tests/support/databases.ts';

describe('isWrittenByOthers', () => {
  let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
  let database: Database;

  beforeEach(async () => {
    location = await makeSqliteLocation();
    database = await openTestDatabase(location.url);
  });
  afterEach(async () => {
    await database.close();
    await location.remove();
  });

  const statement =
    "insert into events (event_type, payload_json, created_at) values ('x', '{}', '')";

  /** Writes one row in another process; the row contains no time. */
  const writeElsewhere = (laterStatement = '') => {
    const program = `const database = new (require('better-sqlite3'))(${JSON.stringify(location.file)});
      database.exec(${JSON.stringify(`${statement};${laterStatement}`)});`;
    execFileSync(process.execPath, ['-e', program]);
  };

  const writeHere = () =>
    database.dialect.withWriteTransaction((transaction) => sql.raw(statement).execute(transaction));

  /** Makes the last write older. */
  const setAge = (seconds: number) => {
    const time = Date.now() / 1_000 - seconds;
    utimesSync(`${location.file}-wal`, time, time);
  };

  test('is false for a new database and after writes of this process', async () => {
    expect(database.dialect.isWrittenByOthers()).toBe(false);
    await writeHere();
    expect(database.dialect.isWrittenByOthers()).toBe(false);
  });

  test('is true for 10 s after a write of another process, also if this process writes meanwhile', async () => {
    writeElsewhere();
    expect(database.dialect.isWrittenByOthers()).toBe(true);
    setAge(9);
    expect(database.dialect.isWrittenByOthers()).toBe(true);
    await writeHere();
    expect(database.dialect.isWrittenByOthers()).toBe(true);
    writeElsewhere();
    setAge(11);
    expect(database.dialect.isWrittenByOthers()).toBe(false);
  });

  test.each([false, true])(
    'during a transaction that does not fit in the cache states whether another process wrote before it: %s',
    async (hasOtherWrite) => {
      await writeHere();
      if (hasOtherWrite) writeElsewhere();
      const { size } = statSync(`${location.file}-wal`);
      const isWritten = await database.dialect.withWriteTransaction(async (transaction) => {
        await sql`insert into events (event_type, payload_json, created_at)
          select 'x', hex(zeroblob(2048)), '' from json_each(${JSON.stringify(Array(2_000).fill(0))})`.execute(
          transaction,
        );
        return database.dialect.isWrittenByOthers();
      });
      expect(statSync(`${location.file}-wal`).size).toBeGreaterThan(size);
      expect(isWritten).toBe(hasOtherWrite);
    },
  );

  test('is true after another process has written and emptied the write-ahead log', async () => {
    await writeHere();
    writeElsewhere('pragma wal_checkpoint(truncate)');
    expect(statSync(`${location.file}-wal`).size).toBe(0);
    expect(database.dialect.isWrittenByOthers()).toBe(true);
    setAge(11);
    expect(database.dialect.isWrittenByOthers()).toBe(false);
  });

  test('is false after a write of another thread of this process', async () => {
    const program = `
      const { workerData } = require('node:worker_threads');
      (async () => {
        const { openDatabase } = await import(workerData.open);
        const { sql } = await import('kysely');
        const database = await openDatabase(workerData.source);
        await database.dialect.withWriteTransaction((transaction) => sql.raw(workerData.statement).execute(transaction));
        await database.close();
      })();`;
    const open = new URL('../../../../server/db/open.ts', import.meta.url).href;
    const workerData = { open, source: database.location, statement };
    await once(new Worker(program, { eval: true, workerData }), 'exit');
    const { rows } = await sql`select 1 from events`.execute(database.kysely);
    expect(rows).toHaveLength(1);
    expect(database.dialect.isWrittenByOthers()).toBe(false);
  });

  test('uses the time of the file without a write-ahead log, and is false without a file', async () => {
    await database.close();
    const handle = new SqliteDatabase(location.file);
    handle.pragma('journal_mode = delete');
    handle.close();
    expect(existsSync(`${location.file}-wal`)).toBe(false);
    writeElsewhere();
    expect(isWrittenByOthers(location.file)).toBe(true);
    const { atime } = statSync(location.file);
    utimesSync(location.file, atime, new Date(Date.now() - 11_000));
    expect(isWrittenByOthers(location.file)).toBe(false);
    expect(isWrittenByOthers(`${location.file}-missing`)).toBe(false);
    database = await openTestDatabase(location.url);
  });
});
