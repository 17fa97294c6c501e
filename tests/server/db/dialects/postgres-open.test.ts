import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makePostgresLocation,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startFakePooler } from '#tests/support/fake-pooler.ts';
import { iterationScalars } from '#server/db/auxiliary-indexes.ts';
import { classifyPostgresFailure } from '#server/db/dialects/postgres.ts';
import { toOpeningFailure } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { findFreePort } from '#build/start/free-port.ts';
import { startPostgresServer } from '#tests/support/embedded-postgres.ts';

const pendingRequest = {
  scope: 'run',
  target_id: 'r',
  action: 'STOP',
  requested_at: '2026-11-21T10:00:00Z',
  status: 'PENDING',
};

/** Returns the URL with the change. */
function changeUrl(url: string, change: (parts: URL) => void): string {
  const parsedUrl = new URL(url);
  change(parsedUrl);
  return parsedUrl.href;
}

let location: TestLocation;
beforeAll(async () => {
  location = await makePostgresLocation();
});
afterAll(() => location.remove());

describe('A PostgreSQL database', () => {
  test('is opened with a limit for statements and at most 10 connections', async () => {
    const database = await openTestDatabase(location.url);
    const timeout = await sql`show statement_timeout`.execute(database.kysely);
    expect(timeout.rows).toEqual([{ statement_timeout: '30s' }]);
    await onServer(location.url, async (client) => {
      const countConnections = async () => {
        const { rows } = await client.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
           where datname = current_database() and application_name = 'evoscope'`,
        );
        return rows[0]?.count;
      };
      await client.query('select pg_advisory_lock(1)');
      const waitingQueries = Array.from({ length: 25 }, () =>
        sql`select pg_advisory_xact_lock_shared(1)`.execute(database.kysely),
      );
      await expect.poll(countConnections).toBe(10);
      expect(await countConnections()).toBe(10);
      await client.query('select pg_advisory_unlock(1)');
      await Promise.all(waitingQueries);
    });
    await database.close();
  });

  test('has write transactions without timeouts of the server, which see committed rows for any default of the server', async () => {
    const { pathname } = new URL(location.url);
    const setDefault = (change: string) =>
      onServer(location.url, (client) =>
        client.query(`alter database ${pathname.slice(1)} ${change}`),
      );
    await setDefault(`set default_transaction_isolation = 'serializable'`);
    await setDefault(`set idle_in_transaction_session_timeout = 100`);
    const database = await openTestDatabase(location.url);
    const settings = await database.dialect.withWriteTransaction((transaction) =>
      sql`select current_setting('statement_timeout') as timeout, current_setting('transaction_isolation') as isolation,
        current_setting('idle_in_transaction_session_timeout') as idle_timeout`.execute(
        transaction,
      ),
    );
    expect(settings.rows).toEqual([
      { timeout: '0', isolation: 'read committed', idle_timeout: '0' },
    ]);
    await database.close();
    await setDefault('reset default_transaction_isolation');
    await setDefault('reset idle_in_transaction_session_timeout');
  });

  test('has reads that make no serializable transaction of a runner fail', async () => {
    const serializableLocation = await makePostgresLocation();
    const { url } = serializableLocation;
    await onServer(url, (client) =>
      client.query(
        `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = 'serializable'`,
      ),
    );
    const database = await openTestDatabase(url);
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'r1');
    await onServer(url, async (runner) => {
      await runner.query('begin; select * from runs');
      await onServer(url, (otherRunner) => otherRunner.query('update runs set iterations = 1'));
      await sql`select * from runs left join iterations using (run_id)`.execute(database.kysely);
      await runner.query(
        `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
          values ('r1', 0, 1, 0, 0, 0, '2026-11-21T10:00:00Z')`,
      );
      expect((await runner.query('commit')).command).toBe('COMMIT');
    });
    await database.close();
    await serializableLocation.remove();
  });

  test('returns exact numbers and finds texts with backslashes for any default of the server', async () => {
    const { pathname } = new URL(location.url);
    const setDefaults = (values: string[]) =>
      onServer(location.url, async (client) => {
        for (const [index, name] of ['extra_float_digits', 'standard_conforming_strings'].entries())
          await client.query(`alter database ${pathname.slice(1)} set ${name} = ${values[index]}`);
      });
    await setDefaults(['0', 'off']);
    const database = await openTestDatabase(location.url);
    const { dialect } = database;
    const { rows } = await sql`select 0.1::float8 + 0.2::float8 as number,
      ${dialect.containsText(sql<string>`${'é\\a'}::text`, 'É\\')} as ignores_case,
      ${dialect.containsText(sql<string>`${'a\\b%'}::text`, 'A\\B%')} as is_contained`.execute(
      database.kysely,
    );
    expect(rows).toEqual([{ number: 0.1 + 0.2, ignores_case: true, is_contained: true }]);
    await database.close();
    await setDefaults(['default', 'default']);
  });

  test('is opened by a JDBC URL, with the schema of the URL', async () => {
    await onServer(location.url, async (client) => {
      await client.query('create schema "my ""runs"" \\ here"');
    });
    const { host, username, password, pathname } = new URL(location.url);
    const url =
      `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}` +
      `&currentSchema=${encodeURIComponent('my "runs" \\ here')}`;
    const database = await openTestDatabase(url);
    expect(database.schema).toBe('my "runs" \\ here');
    expect(database.name).toBe(pathname.slice(1));
    await database.kysely.insertInto('control_requests').values(pendingRequest).execute();
    const rows = await onServer(location.url, (client) =>
      client.query('select target_id from "my ""runs"" \\ here".control_requests'),
    );
    expect(rows.rows).toEqual([{ target_id: 'r' }]);
    await database.close();
  });

  test('fails reads instead of hiding rows after a row-level security policy was created', async () => {
    const filteredLocation = await makePostgresLocation();
    await (await openTestDatabase(filteredLocation.url)).close();
    const role = `filtered_${Date.now()}`;
    await onServer(filteredLocation.url, async (client) => {
      await client.query(`create role ${role} login password 'filtered'`);
      await client.query(`grant select on all tables in schema public to ${role}`);
    });
    const database = await openTestDatabase(
      changeUrl(filteredLocation.url, (parsedUrl) => {
        parsedUrl.username = role;
        parsedUrl.password = 'filtered';
      }),
    );
    await onServer(filteredLocation.url, (client) =>
      client.query('alter table runs enable row level security'),
    );
    const reading = database.kysely.selectFrom('runs').selectAll().execute();
    const error = await reading.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      explanation:
        'A row-level security policy hides rows of table "runs" from the database user. Remove it, or use another user',
    });
    expect(database.dialect.classifyFailure(error)).toBe('forbidden');
    await database.close();
    await onServer(filteredLocation.url, (client) => client.query(`drop owned by ${role}`));
    await filteredLocation.remove();
    await onServer(location.url, (client) => client.query(`drop role ${role}`));
  });

  test('of a user who may only read is opened read-only', async () => {
    await (await openTestDatabase(location.url)).close();
    const role = `reader_${Date.now()}`;
    await onServer(location.url, async (client) => {
      await client.query(`create role ${role} login password 'reader'`);
      await client.query(`grant select on all tables in schema public to ${role}`);
    });
    const url = changeUrl(location.url, (parsedUrl) => {
      parsedUrl.username = role;
      parsedUrl.password = 'reader';
    });
    const database = await openTestDatabase(url);
    expect(database.isReadOnly).toBe(true);
    expect(await database.kysely.selectFrom('runs').selectAll().execute()).toEqual([]);
    await database.close();
    await onServer(location.url, async (client) => {
      await client.query(`drop owned by ${role}`);
      await client.query(`drop role ${role}`);
    });
  });
});

const getMessage = (url: string) =>
  openTestDatabase(url).then(
    (database) => database.close().then(() => 'opened'),
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('A connection pooler that ignores the settings of the service', () => {
  const cause =
    /^StartUpError: A connection pooler in front of postgres: .* ignores settings of the service: /;
  const remedy =
    /\. Connect to PostgreSQL directly, or set them with ALTER ROLE for the database user$/;

  test('is refused if the tables would be those of another schema', async () => {
    const url = changeUrl(location.url, (parsedUrl) =>
      parsedUrl.searchParams.set('currentSchema', 'other'),
    );
    await onServer(location.url, (client) => client.query('create schema other'));
    await (await openTestDatabase(url)).close();
    const pooler = await startFakePooler(url);
    const message = await getMessage(pooler.url);
    expect(message).toMatch(cause);
    expect(message).toContain(': search_path = "other".');
    expect(message).toMatch(remedy);
    const database = new URL(location.url).pathname.slice(1);
    await onServer(location.url, (client) =>
      client.query(`alter database ${database} set search_path = other, public`),
    );
    expect(await getMessage(pooler.url)).toBe('opened');
    await onServer(location.url, (client) =>
      client.query(`alter database ${database} reset search_path`),
    );
    await pooler.close();
  });

  test('is refused if numbers would be rounded and texts end at a backslash', async () => {
    const roundingLocation = await makePostgresLocation();
    const name = new URL(roundingLocation.url).pathname.slice(1);
    await onServer(location.url, async (client) => {
      await client.query(`alter database ${name} set extra_float_digits = 0`);
      await client.query(`alter database ${name} set standard_conforming_strings = off`);
    });
    const pooler = await startFakePooler(roundingLocation.url);
    expect(await getMessage(pooler.url)).toContain(
      ': extra_float_digits = 1; standard_conforming_strings = on.',
    );
    expect(await getMessage(roundingLocation.url)).toBe('opened');
    await pooler.close();
    await roundingLocation.remove();
  });

  test('uses indexes but builds none, because the settings of a build could reach other programs', async () => {
    const indexedLocation = await makePostgresLocation();
    const pooler = await startFakePooler(indexedLocation.url);
    const build = async (url: string) => {
      const { dialect, close } = await openTestDatabase(url);
      const outcome = await dialect.buildIndex(iterationScalars, new AbortController().signal);
      await close();
      return outcome;
    };
    expect(await build(pooler.url)).toEqual({
      state: 'failed',
      detail:
        'a connection pooler may pass the settings of a build on to other programs; let the service connect to PostgreSQL directly once',
    });
    expect(await build(indexedLocation.url)).toMatchObject({ state: 'built' });
    expect(await build(pooler.url)).toMatchObject({ state: 'existing' });
    await pooler.close();
    await indexedLocation.remove();
  });
});

describe('The error for a PostgreSQL database that cannot be opened explains', () => {
  test('a connection pooler that refuses the settings of the service', async () => {
    const pooler = await startFakePooler(location.url, true);
    expect(await getMessage(pooler.url)).toMatch(
      /^StartUpError: The connection pooler of postgres: .* refuses the settings of the service: unsupported startup parameter: options\. Add options to ignore_startup_parameters of PgBouncer, or connect to PostgreSQL directly$/,
    );
    await pooler.close();
  });

  test('a version of PostgreSQL that is too old', async () => {
    const port = await findFreePort();
    const proxy = createServer((socket) => {
      const upstream = connect(Number(new URL(location.url).port), '127.0.0.1');
      socket.pipe(upstream);
      socket.once('close', () => upstream.destroy());
      upstream.on('data', (data) =>
        socket.write(data.toString('latin1').replace(/\b1[3-9]00\d\d\b/, '120022'), 'latin1'),
      );
    }).listen(port, '127.0.0.1');
    const url = changeUrl(location.url, (parsedUrl) => {
      parsedUrl.port = String(port);
    });
    expect(await getMessage(url)).toMatch(
      /^StartUpError: The server of postgres: .* is PostgreSQL 12, which is too old: use PostgreSQL 13 or later$/,
    );
    proxy.close();
  });

  test('no server', async () => {
    const port = await findFreePort();
    expect(await getMessage(`postgres://me:secret@127.0.0.1:${port}/d`)).toBe(
      `StartUpError: The PostgreSQL server of postgres: 127.0.0.1:${port}/d does not respond: ECONNREFUSED. Check the host and the port`,
    );
  });

  test('a host that does not exist', async () => {
    expect(await getMessage('postgres://me:secret@host.invalid/d')).toMatch(
      /^StartUpError: The PostgreSQL server of postgres: host\.invalid:5432\/d does not respond: E[A-Z_]+\. Check the host and the port$/,
    );
  });

  // The server does not support SSL. With `allow`, the service could try it after the refusal.
  test.each(['disable', 'allow'])('a wrong password with sslmode=%s', async (sslMode) => {
    const urlWithWrongPassword = changeUrl(location.url, (parsedUrl) => {
      parsedUrl.password = 'wrong';
      parsedUrl.searchParams.set('sslmode', sslMode);
    });
    expect(await getMessage(urlWithWrongPassword)).toMatch(
      /^StartUpError: The PostgreSQL server of postgres: .* refused access: password authentication failed for user "postgres"\. Check the user and the password$/,
    );
  });

  test('no password', async () => {
    const urlWithoutPassword = changeUrl(location.url, (parsedUrl) => (parsedUrl.password = ''));
    expect(await getMessage(urlWithoutPassword)).not.toContain('opened');
  });

  test('an unknown database', async () => {
    const url = changeUrl(location.url, (parsedUrl) => (parsedUrl.pathname = '/nowhere'));
    expect(await getMessage(url)).toMatch(
      /^StartUpError: Unknown database: database "nowhere" does not exist \(postgres: .*\/nowhere\)\. Create it, or name another database$/,
    );
  });

  test('an unknown schema', async () => {
    const url = changeUrl(location.url, (parsedUrl) =>
      parsedUrl.searchParams.set('currentSchema', 'nowhere'),
    );
    expect(await getMessage(url)).toMatch(
      /^StartUpError: The schema "nowhere" does not exist in postgres: .*: create it, or name another schema$/,
    );
  });

  test('a lack of required encryption', async () => {
    const url = changeUrl(location.url, (parsedUrl) =>
      parsedUrl.searchParams.set('sslmode', 'require'),
    );
    expect(await getMessage(url)).toMatch(
      /^StartUpError: .* The server does not support SSL connections\. Check sslmode and sslrootcert in the database URL$/,
    );
  });

  test('a certificate file that cannot be read', async () => {
    const url = changeUrl(location.url, (parsedUrl) => {
      parsedUrl.searchParams.set('sslmode', 'verify-full');
      parsedUrl.searchParams.set('sslrootcert', '/nowhere/ca.pem');
    });
    expect(await getMessage(url)).toBe(
      'StartUpError: The certificate file /nowhere/ca.pem is not readable: check sslrootcert in the database URL',
    );
  });
});

test('Encryption is preferred but not required unless the URL requires it', async () => {
  const url = changeUrl(location.url, (parsedUrl) => parsedUrl.searchParams.delete('sslmode'));
  const database = await openTestDatabase(url);
  expect(await database.kysely.selectFrom('runs').selectAll().execute()).toEqual([]);
  await database.close();
});

test('Opening does not wait for other transactions, even if one has locked all tables', async () => {
  await (await openTestDatabase(location.url)).close();
  await onServer(location.url, async (client) => {
    await client.query('begin; lock table runs, iterations, events in access exclusive mode');
    const start = performance.now();
    await (await openTestDatabase(location.url)).close();
    expect(performance.now() - start).toBeLessThan(5_000);
    await client.query('rollback');
  });
});

describe.each(['LATIN1', 'SQL_ASCII'])('A PostgreSQL database with the encoding %s', (encoding) => {
  const name = `encoded_${encoding.toLowerCase()}_${Date.now()}`;
  let database: TestDatabase;
  beforeAll(async () => {
    await onServer(location.url, (client) =>
      client.query(`create database ${name} template template0 encoding '${encoding}' locale 'C'`),
    );
    database = await openTestDatabase(
      changeUrl(location.url, (parsedUrl) => {
        parsedUrl.pathname = `/${name}`;
      }),
    );
  });
  afterAll(async () => {
    await database.close();
    await onServer(location.url, (client) => client.query(`drop database ${name}`));
  });

  test('ignores the case of letters with accents', async () => {
    const { dialect } = database;
    const text = sql<string>`${'xéx'}::text`;
    const query = sql`select ${dialect.containsText(text, 'É')} as same_letter, ${dialect.containsText(text, 'È')} as other_letter,
      ${dialect.equalsText(text, 'XÉX')} as same_text, ${dialect.equalsText(text, 'XÈX')} as other_text`;
    const { rows } = await query.execute(database.kysely);
    expect(rows).toEqual([
      { same_letter: true, other_letter: false, same_text: true, other_text: false },
    ]);
  });

  test('stores a character or names it in an error', async () => {
    const query = sql`select length(${'日∞'}::text) > 0 as is_stored`.execute(database.kysely);
    if (encoding === 'SQL_ASCII') expect((await query).rows).toEqual([{ is_stored: true }]);
    else {
      await expect(query).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message:
          'The encoding of the PostgreSQL database has no character "日". Remove it, or use a database with the encoding UTF8',
      });
    }
  });
});

test('A write fails as busy after waiting 10 s for the lock of another transaction', async () => {
  const database = await openTestDatabase(location.url);
  await onServer(location.url, async (client) => {
    await client.query('begin; lock table control_requests');
    const writeAttempt = database.dialect.withWriteTransaction((transaction) =>
      transaction.insertInto('control_requests').values(pendingRequest).execute(),
    );
    const error = await writeAttempt.catch((reason: unknown) => reason);
    expect(database.dialect.classifyFailure(error)).toBe('busy');
    await client.query('rollback');
  });
  await database.close();
});

test('A query fails as busy after waiting 10 s for a connection that other queries use', async () => {
  const database = await openTestDatabase(location.url, { maximumConnections: 1 });
  const slowQuery = sql`select pg_sleep(10.5)`.execute(database.kysely);
  const error = await sql`select 1`.execute(database.kysely).catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(error)).toBe('busy');
  await slowQuery;
  await database.close();
});

test('A statement timeout is busy, and a division by zero is neither busy nor unavailable', async () => {
  const database = await openTestDatabase(location.url);
  const slowTransaction = database.kysely.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 50`.execute(transaction);
    await sql`select pg_sleep(5)`.execute(transaction);
  });
  const error = await slowTransaction.catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(error)).toBe('busy');
  const divisionError = await sql`select 1 / 0`
    .execute(database.kysely)
    .catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(divisionError)).toBe('other');
  expect(database.dialect.classifyFailure('text')).toBe('other');
  await database.close();
});

test.each(['23503', '23001'])(
  'A violation of a foreign key is recognised by the code %s, of which PostgreSQL 18 uses the second for RESTRICT',
  async (code) => {
    const database = await openTestDatabase(location.url);
    const error = await sql
      .raw(`do $$ begin raise exception using errcode = '${code}'; end $$`)
      .execute(database.kysely)
      .catch((reason: unknown) => reason);
    expect(database.dialect.isReferenceError(error)).toBe(true);
    await database.close();
  },
);

test('A server that ends while its tables are inspected gives an error for the user', async () => {
  const port = await findFreePort();
  const proxy = createServer((socket) => {
    const upstream = connect(Number(new URL(location.url).port), '127.0.0.1');
    upstream.pipe(socket);
    socket.once('close', () => upstream.destroy());
    socket.on('data', (data) => {
      if (data.includes('pg_inherits')) socket.destroy();
      else upstream.write(data);
    });
  }).listen(port, '127.0.0.1');
  const url = changeUrl(location.url, (parsedUrl) => {
    parsedUrl.port = String(port);
  });
  const error = await openTestDatabase(url).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartUpError);
  expect(error).toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(
      /^The PostgreSQL server of .* does not respond: Connection terminated unexpectedly\./,
    ),
  });
  proxy.close();
});

test('A request whose thread cannot open the database again has the reason if the database was changed', async () => {
  const changedLocation = await makePostgresLocation();
  const { url } = changedLocation;
  await (await openTestDatabase(url)).close();
  await onServer(url, async (client) => {
    await client.query(
      `create function f() returns trigger language plpgsql as 'begin return new; end'`,
    );
    await client.query('create trigger t after update on runs for each row execute function f()');
  });
  const source = parseDatabaseUrl(url, { workingDirectory: tmpdir() });
  const getFailure = (reason: unknown) => toOpeningFailure(reason as StartUpError, source);
  expect(await openTestDatabase(url).catch(getFailure)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringMatching(
      /^A trigger "t" on "runs" is not the runner's .* Remove it, or choose another database$/,
    ),
  });
  await changedLocation.remove();
  expect(await openTestDatabase('postgres://me@127.0.0.1:1/d').catch(getFailure)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: 'The database does not respond; try again in a moment',
  });
});

test('A query after the database was dropped fails with the reason', async () => {
  const droppedLocation = await makePostgresLocation();
  const database = await openTestDatabase(droppedLocation.url);
  await droppedLocation.remove();
  const query = sql`select 1`;
  await query.execute(database.kysely).catch(() => {});
  const error = await query.execute(database.kysely).catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(error)).toBe('forbidden');
  expect(error).toMatchObject({
    explanation: expect.stringMatching(
      /^The PostgreSQL server refused access: database ".*" does not exist\. Check the database, the user and the password$/,
    ),
  });
  await database.close();
});

test('A query after the end of the connections fails as unavailable', async () => {
  const database = await openTestDatabase(location.url);
  await database.close();
  const error = await sql`select 1`.execute(database.kysely).catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(error)).toBe('unavailable');
});

test.each([
  ['55000', 'lost connection to parallel worker', 'unavailable'],
  ['55000', 'database "d" is not currently accepting connections', 'unavailable'],
  ['55000', 'other', 'other'],
  ['XX001', 'invalid page in block 1 of relation base/5/16384', 'unavailable'],
  ['25P04', 'terminating connection due to transaction timeout', 'busy'],
])('An error with the code %s and the message "%s" is %s', async (code, message, kind) => {
  const database = await openTestDatabase(location.url);
  const error = await sql
    .raw(`do $$ begin raise exception '${message}' using errcode = '${code}'; end $$`)
    .execute(database.kysely)
    .catch((reason: unknown) => reason);
  expect(database.dialect.classifyFailure(error)).toBe(kind);
  await database.close();
});

test('A sequence behind the rows, which another program has copied, is recognised and explained', async () => {
  const copiedLocation = await makePostgresLocation();
  const database = await openTestDatabase(copiedLocation.url);
  const addEvent = () =>
    database.kysely
      .insertInto('events')
      .values({ event_type: 'a', payload_json: '{}', created_at: '2026-11-21T10:00:00Z' })
      .execute();
  await addEvent();
  await sql`select setval('events_id_seq', 1, false)`.execute(database.kysely);
  const error = await addEvent().catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    explanation: `The next id of table "events" is already in use, because its sequence is behind its rows. Run SELECT setval(pg_get_serial_sequence('events', 'id'), max(id)) FROM events, then try again`,
  });
  expect(database.dialect.classifyFailure(error)).toBe('unavailable');
  await sql
    .raw(`SELECT setval(pg_get_serial_sequence('events', 'id'), max(id)) FROM events`)
    .execute(database.kysely);
  await addEvent();
  await database.close();
  await copiedLocation.remove();
});

test('A connection lost in the middle of a transaction fails that transaction and nothing else', async () => {
  const database = await openTestDatabase(location.url);
  const uncaughtErrors: unknown[] = [];
  const addError = (error: unknown) => void uncaughtErrors.push(error);
  process.on('uncaughtException', addError);
  const writeAttempt = database.dialect.withWriteTransaction(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
      transaction,
    );
    await onServer(location.url, async (client) => {
      const pid = [rows[0]?.pid];
      await client.query('select pg_terminate_backend($1)', pid);
      const findSession = () => client.query('select 1 from pg_stat_activity where pid = $1', pid);
      await expect.poll(async () => (await findSession()).rows).toEqual([]);
    });
    await sql`select 1`.execute(transaction);
  });
  await expect(writeAttempt).rejects.toThrow();
  await sql`select 1`.execute(database.kysely);
  process.off('uncaughtException', addError);
  expect(uncaughtErrors).toEqual([]);
  await database.close();
});

describe('When the server stops', () => {
  test('queries fail as unavailable until it is running again, then succeed without a restart of the service', async () => {
    const server = await startPostgresServer();
    let database: TestDatabase | undefined;
    try {
      database = await openTestDatabase(server.url);
      const { kysely, dialect } = database;
      const listRuns = () => kysely.selectFrom('runs').selectAll().execute();
      const runningQuery = sql`select pg_sleep(20)`
        .execute(kysely)
        .catch((reason: unknown) => reason);
      expect(await listRuns()).toEqual([]);
      const snapshotKey = await dialect.readSnapshotKey();
      await server.stop();
      expect(dialect.classifyFailure(await runningQuery)).toBe('unavailable');
      for (const attempt of [
        listRuns(),
        dialect.readChangeCursor(),
        dialect.readDatabaseSizeBytes(),
      ]) {
        const error = await attempt.catch((reason: unknown) => reason);
        expect(dialect.classifyFailure(error)).toBe('unavailable');
      }
      await server.start();
      expect(await listRuns()).toEqual([]);
      // Another server, or one from a backup, may have the same numbers of transactions with other rows.
      expect(await dialect.readSnapshotKey()).not.toBe(snapshotKey);
      await dialect.withWriteTransaction((transaction) =>
        transaction.insertInto('control_requests').values(pendingRequest).execute(),
      );
    } finally {
      await database?.close();
      await server.remove();
    }
  });
});

test('a server without its socket is unavailable', async () => {
  const client = new pg.Client({ host: join(tmpdir(), 'no such folder') });
  const error = await client.connect().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(classifyPostgresFailure(error)).toBe('unavailable');
});
