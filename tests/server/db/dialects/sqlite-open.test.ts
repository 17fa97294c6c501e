import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  rmSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspectDatabase } from '#server/db/inspect.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { makeSqliteLocation, openTestDatabase } from '#tests/support/databases.ts';
import { openInProcess } from '#tests/support/opener.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';

let location: Awaited<ReturnType<typeof makeSqliteLocation>>;

beforeEach(async () => {
  location = await makeSqliteLocation();
});
afterEach(async () => {
  chmodSync(location.folder, 0o755);
  await location.remove();
});

const pendingRequest = {
  scope: 'run',
  target_id: 'r',
  action: 'STOP',
  requested_at: '2026-11-21T10:00:00Z',
  status: 'PENDING',
};

describe('A SQLite file', () => {
  test('is opened with a write-ahead log, a busy timeout, foreign keys and normal durability', async () => {
    const database = await openTestDatabase(location.url);
    const read = async (pragma: string) => {
      const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(pragma)}`.execute(
        database.kysely,
      );
      return Object.values(rows[0] ?? {})[0];
    };
    expect(await read('journal_mode')).toBe('wal');
    expect(await read('busy_timeout')).toBe(10_000);
    expect(await read('foreign_keys')).toBe(1);
    expect(await read('synchronous')).toBe(1);
    expect(database.name).toBe('test.db');
    expect(database.schema).toBe('main');
    await database.close();
  });

  test('can be written to after a write that failed because the file was missing for a moment', async () => {
    // The second opening creates no tables, so the first write opens the connection.
    await (await openTestDatabase(location.url)).close();
    const database = await openTestDatabase(location.url);
    const write = () =>
      database.dialect.withWriteTransaction((transaction) =>
        transaction.insertInto('control_requests').values(pendingRequest).execute(),
      );
    renameSync(location.file, `${location.file}.moved`);
    await expect(write()).rejects.toThrow();
    renameSync(`${location.file}.moved`, location.file);
    await write();
    const requests = await database.kysely.selectFrom('control_requests').selectAll().execute();
    expect(requests).toHaveLength(1);
    await database.close();
  });

  test('of another program retains its journal mode when it is refused', async () => {
    const foreignDatabase = new SqliteDatabase(location.file);
    foreignDatabase.exec('create table runs (run_uuid text, experiment_id integer)');
    foreignDatabase.close();
    await expect(openTestDatabase(location.url)).rejects.toThrow(/no column "run_id"/);
    const reopenedDatabase = new SqliteDatabase(location.file);
    expect(reopenedDatabase.pragma('journal_mode', { simple: true })).toBe('delete');
    reopenedDatabase.close();
  });

  test.each([
    [
      'text that is no database',
      'this is a text file, long enough to be read as a header'.repeat(40),
    ],
    ['a picture', `\x89PNG\r\n\x1a\n${'\0'.repeat(2000)}`],
  ])('that is %s is refused and stays', async (_title, content) => {
    writeFileSync(location.file, content);
    await expect(openTestDatabase(location.url)).rejects.toThrow(
      `${location.file} is not a SQLite database: choose another file`,
    );
    expect(readFileSync(location.file, 'utf8')).toBe(content);
  });

  test('that is damaged is refused with its name', async () => {
    writeSampleFile(location.file);
    const bytes = readFileSync(location.file);
    writeFileSync(location.file, bytes.fill(0x5a, 100, 4096));
    await expect(openTestDatabase(location.url)).rejects.toThrow(
      `The database ${location.file} is damaged: restore it from a backup, or choose another file`,
    );
  });

  test('with a journal to roll back is opened for writing, unless it is too large to inspect a copy', async () => {
    await (await openTestDatabase(location.url)).close();
    const [crashedFile, openFile] = ['crashed.db', 'open.db'].map((name) =>
      join(location.folder, name),
    ) as [string, string];
    const runner = new SqliteDatabase(location.file);
    runner.pragma('journal_mode = delete');
    copyFileSync(location.file, openFile);
    const reader = await openTestDatabase(openFile, { isReadOnly: true });
    runner.pragma('cache_size = 2');
    runner.exec(`begin; insert into events (event_type, payload_json, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 100)
      select 'x', hex(randomblob(2000)), 'x' from n`);
    for (const suffix of ['', '-journal']) {
      copyFileSync(location.file + suffix, crashedFile + suffix);
      copyFileSync(location.file + suffix, openFile + suffix);
    }
    runner.exec('rollback');
    runner.close();
    const { size } = statSync(crashedFile);
    truncateSync(crashedFile, 268_435_457);
    await expect(openTestDatabase(crashedFile)).rejects.toThrow(
      new StartUpError(
        `A program ended while it wrote to the database ${crashedFile}, which is too large to inspect in this state: open it once with another SQLite program to restore it`,
      ),
    );
    truncateSync(crashedFile, size);
    // Without write permission, its unfinished changes must not appear as if they were complete.
    await expect(openTestDatabase(crashedFile, { isReadOnly: true })).rejects.toThrow(
      new StartUpError(
        `A program ended while it wrote to the database ${crashedFile}, and SQLite cannot undo its unfinished changes without write permission: open it once with write permission`,
      ),
    );
    const error: unknown = await reader.kysely
      .selectFrom('events')
      .selectAll()
      .execute()
      .catch((failure: unknown) => failure);
    expect(reader.dialect.classifyFailure(error)).toBe('unavailable');
    await reader.close();
    const database = await openTestDatabase(crashedFile);
    expect(await database.kysely.selectFrom('events').selectAll().execute()).toEqual([]);
    await database.close();
  });

  test('that is empty becomes a new database', async () => {
    writeFileSync(location.file, '');
    const database = await openTestDatabase(location.url);
    expect(await database.kysely.selectFrom('runs').selectAll().execute()).toEqual([]);
    await database.close();
  });

  test('that is empty and without write permission is inspected as read-only', async () => {
    writeFileSync(location.file, '');
    const inspect = () =>
      inspectDatabase(parseDatabaseUrl(location.url, { workingDirectory: '/' }));
    expect(await inspect()).toMatchObject({ state: null, isReadOnly: false });
    chmodSync(location.file, 0o444);
    expect(await inspect()).toMatchObject({ state: null, isReadOnly: true });
  });

  test('in a folder that does not exist is refused', async () => {
    const file = join(location.folder, 'nowhere', 'a.db');
    await expect(openTestDatabase(file)).rejects.toThrow(
      `The folder ${join(location.folder, 'nowhere')} of the database does not exist: create it, or choose another path`,
    );
  });

  test('that is a folder is refused', async () => {
    mkdirSync(location.file);
    await expect(openTestDatabase(location.url)).rejects.toThrow(
      `The database ${location.file} is a folder: choose a file`,
    );
  });

  test.skipIf(process.platform === 'win32')(
    'that is a pipe is refused without being read',
    async () => {
      execFileSync('mkfifo', [location.file]);
      const url = {
        dialect: 'sqlite',
        file: location.file,
        mode: 'rwc',
        isImmutable: false,
      } as const;
      await expect(async () => inspectDatabase(url)).rejects.toThrow(
        `The database ${location.file} is a pipe or a device: choose a file`,
      );
    },
  );

  test('that does not exist is created unless that was excluded', async () => {
    const message = `The database file ${location.file} does not exist: check the path, or choose another file`;
    await expect(openTestDatabase(`file:${location.file}?mode=rw`)).rejects.toThrow(message);
    await expect(openTestDatabase(`file:${location.file}?mode=ro`)).rejects.toThrow(message);
    await expect(openTestDatabase(location.url, { isReadOnly: true })).rejects.toThrow(message);
    expect(readdirSync(location.folder)).toEqual([]);
    const messages: string[] = [];
    await (await openTestDatabase(location.url, { notify: (text) => messages.push(text) })).close();
    expect(messages).toEqual([`Created a new database: ${location.file}`]);
  });

  test('cannot be created in a folder without write permission', async () => {
    chmodSync(location.folder, 0o555);
    await expect(openTestDatabase(location.url)).rejects.toThrow(
      `The service cannot create the database file ${location.file} without write permission for its folder. Grant it, or choose another path`,
    );
  });

  test('with a name of special characters is opened, by path and by URI', async () => {
    const file = join(location.folder, 'a b%20#?é.db');
    await (await openTestDatabase(file)).close();
    expect(existsSync(file)).toBe(true);
    const uri = `file:${encodeURI(file).replace('#', '%23').replace('?', '%3F')}`;
    const database = await openTestDatabase(`${uri}?mode=ro`);
    expect(database.isReadOnly).toBe(true);
    await database.close();
  });
});

describe('Without write permission a SQLite file is opened read-only', () => {
  beforeEach(() => writeSampleFile(location.file));

  test('if the file has none', async () => {
    chmodSync(location.file, 0o444);
    const database = await openTestDatabase(location.url);
    expect(database.isReadOnly).toBe(true);
    expect(await database.kysely.selectFrom('runs').select('run_id').execute()).toHaveLength(159);
    const writeAttempt = database.dialect.withWriteTransaction((transaction) =>
      transaction.deleteFrom('events').execute(),
    );
    await expect(writeAttempt).rejects.toThrow(/readonly/);
    await database.close();
  });

  test('if its folder has none, although no program has its log open', async () => {
    new SqliteDatabase(location.file).pragma('journal_mode = wal');
    chmodSync(location.file, 0o444);
    chmodSync(location.folder, 0o555);
    const opener = await openInProcess(location.url, { isUnprivileged: true });
    expect(opener.firstLine).toBe('{"isReadOnly":true,"ertColumn":"edaf_ert","name":"test.db"}');
    expect(await opener.countRuns()).toBe(159);
    await opener.close();
    expect(readdirSync(location.folder)).toEqual(['test.db']);
  });

  test('and closed after it was deleted, without an error', async () => {
    new SqliteDatabase(location.file).pragma('journal_mode = wal');
    chmodSync(location.folder, 0o555);
    const opener = await openInProcess(location.url, { isUnprivileged: true });
    expect(await opener.countRuns()).toBe(159);
    rmSync(location.file);
    expect(await opener.close()).toBeNull();
  });

  test('and shows later writes of another program with permission', async () => {
    const writer = new SqliteDatabase(location.file);
    writer.pragma('journal_mode = wal');
    writer.close();
    chmodSync(location.folder, 0o555);
    const opener = await openInProcess(location.url, { isUnprivileged: true });
    expect(await opener.countRuns()).toBe(159);
    chmodSync(location.folder, 0o755);
    const laterWriter = new SqliteDatabase(location.file);
    laterWriter.exec(
      "insert into runs select 'new', experiment_id, seed, status, start_time, null, null, null, null, null, null, null, null, null from runs limit 1",
    );
    expect(await opener.countRuns()).toBe(160);
    laterWriter.close();
    expect(await opener.countRuns()).toBe(160);
    await opener.close();
  });

  test('unless its log contains changes that only a writer can read', async () => {
    const writer = new SqliteDatabase(location.file);
    writer.pragma('journal_mode = wal');
    writer.exec('delete from events');
    const log = readFileSync(`${location.file}-wal`);
    writer.close();
    writeFileSync(`${location.file}-wal`, log);
    chmodSync(location.folder, 0o555);
    const opener = await openInProcess(location.url, { isUnprivileged: true });
    expect(opener.firstLine).toBe(
      `failed: The database file ${location.file} has changes in its write-ahead log that SQLite cannot read without write permission: open it once with write permission`,
    );
    await opener.close();
  });

  test('and is refused without read permission', async () => {
    chmodSync(location.file, 0o000);
    chmodSync(location.folder, 0o755);
    const opener = await openInProcess(location.url, { isUnprivileged: true });
    expect(opener.firstLine).toBe(
      `failed: The service has no permission to read the database file ${location.file}: grant it, or choose another file`,
    );
    await opener.close();
  });
});

test.each(['.', 'inner'])(
  'A folder without permission to enter it or its parent is named in the error, for example %s',
  async (name) => {
    const folder = join(location.folder, name);
    mkdirSync(folder, { recursive: true });
    writeSampleFile(join(folder, 'test.db'));
    chmodSync(location.folder, 0o600);
    const opener = await openInProcess(`jdbc:sqlite:${join(folder, 'test.db')}`, {
      isUnprivileged: true,
    });
    expect(opener.firstLine).toBe(
      `failed: The service has no permission to enter the folder ${folder} of the database: grant it, or choose another path`,
    );
    await opener.close();
  },
);

test('A path that is too long for SQLite is named in the error', async () => {
  const folder = join(location.folder, 'a'.repeat(250), 'b'.repeat(250), 'c'.repeat(50));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'test.db');
  const message = `SQLite cannot open the database file ${file}: choose a shorter path, or check the disk`;
  await expect(openTestDatabase(`jdbc:sqlite:${file}`)).rejects.toThrow(message);
  writeFileSync(file, '');
  await expect(openTestDatabase(`jdbc:sqlite:${file}`)).rejects.toThrow(message);
});

describe('While another program holds the write lock', () => {
  test('reading and opening succeed, and a write waits without blocking the process', async () => {
    const database = await openTestDatabase(location.url);
    const runner = new SqliteDatabase(location.file);
    runner.exec('begin immediate');
    const start = performance.now();
    let isWritten = false;
    const writeAttempt = database.dialect
      .withWriteTransaction((transaction) =>
        transaction.insertInto('control_requests').values(pendingRequest).execute(),
      )
      .then(() => (isWritten = true));
    await (await openTestDatabase(location.url)).close();
    const runs = await database.kysely.selectFrom('runs').selectAll().execute();
    expect(runs).toEqual([]);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(isWritten).toBe(false);
    runner.exec('commit');
    await writeAttempt;
    runner.close();
    await database.close();
  });

  test('writes fail after 10 s, also those that wait for another write, and nothing is written', async () => {
    const database = await openTestDatabase(location.url);
    const runner = new SqliteDatabase(location.file);
    runner.exec('begin immediate');
    const write = () =>
      database.dialect.withWriteTransaction((transaction) =>
        transaction.insertInto('control_requests').values(pendingRequest).execute(),
      );
    const start = performance.now();
    const results = await Promise.allSettled([write(), write(), write()]);
    expect(performance.now() - start).toBeGreaterThan(9_900);
    expect(performance.now() - start).toBeLessThan(15_000);
    for (const result of results) {
      expect(result.status).toBe('rejected');
      const reason = result.status === 'rejected' ? (result.reason as unknown) : undefined;
      expect(database.dialect.classifyFailure(reason)).toBe('busy');
    }
    runner.exec('commit');
    runner.close();
    expect(await database.kysely.selectFrom('control_requests').selectAll().execute()).toEqual([]);
    await write();
    expect(await database.kysely.selectFrom('control_requests').selectAll().execute()).toHaveLength(
      1,
    );
    await database.close();
  });
});

test('A full disk is reported as a database that cannot write, and the transaction is rolled back', async () => {
  const database = await openTestDatabase(location.url);
  const failingWrite = database.dialect.withWriteTransaction(async (transaction) => {
    await sql`pragma max_page_count = 60`.execute(transaction);
    await transaction.insertInto('control_requests').values(pendingRequest).execute();
    await transaction
      .insertInto('events')
      .values({
        run_id: null,
        event_type: 'x',
        payload_json: 'x'.repeat(1_000_000),
        created_at: 'x',
      })
      .execute();
  });
  const error = await failingWrite.catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(error)).toBe('unavailable');
  expect((error as Error).message).toContain('full');
  expect(await database.kysely.selectFrom('control_requests').selectAll().execute()).toEqual([]);
  await database.close();
});

describe('A database in memory', () => {
  test('can be read and written, and its cursor follows its own changes', async () => {
    const database = await openTestDatabase(':memory:');
    const cursorBefore = await database.dialect.readChangeCursor();
    expect(await database.dialect.readChangeCursor()).toBe(cursorBefore);
    await database.dialect.withWriteTransaction((transaction) =>
      transaction.insertInto('control_requests').values(pendingRequest).execute(),
    );
    expect(await database.dialect.readChangeCursor()).not.toBe(cursorBefore);
    const requests = await database.kysely.selectFrom('control_requests').selectAll().execute();
    expect(requests).toHaveLength(1);
    expect(database.name).toBe(':memory:');
    await database.close();
  });

  test('creates no file', async () => {
    const filesBefore = readdirSync(tmpdir()).filter((name) => name.includes('memory'));
    await (await openTestDatabase('jdbc:sqlite:file:x?mode=memory')).close();
    expect(readdirSync(tmpdir()).filter((name) => name.includes('memory'))).toEqual(filesBefore);
  });
});
