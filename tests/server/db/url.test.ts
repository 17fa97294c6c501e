import { describe, expect, test } from 'vitest';
import { StartUpError } from '#server/db/start-up-error.ts';
import { describeDatabase, parseDatabaseUrl } from '#server/db/url.ts';

const defaults = { workingDirectory: '/data' };

function parseSqliteUrl(url: string) {
  return parseDatabaseUrl(url, defaults);
}

function getMessage(url: string): string {
  try {
    parseDatabaseUrl(url, defaults);
  } catch (error) {
    if (error instanceof StartUpError) return error.message;
  }
  throw new Error(`${url} was accepted`);
}

describe('A SQLite URL', () => {
  test.each([
    ['jdbc:sqlite:/data/a.db', '/data/a.db'],
    ['jdbc:sqlite:relative.db', '/data/relative.db'],
    ['JDBC:SQLite:relative.db', '/data/relative.db'],
    ['jdbc:sqlite:a.db?busy_timeout=10000&journal_mode=WAL', '/data/a.db'],
    ['jdbc:sqlite:file:/data/a%20b.db?cache=shared', '/data/a b.db'],
    ['jdbc:sqlite:file:a.db#fragment', '/data/a.db'],
    ['file:///data/a.db', '/data/a.db'],
    ['file://localhost/data/a.db', '/data/a.db'],
    ['sqlite:a.db', '/data/a.db'],
    ['sqlite:///data/a.db', '/data/a.db'],
    ['runs/a.db', '/data/runs/a.db'],
    ['/data/what?.db', '/data/what?.db'],
    ['  /data/a.db  ', '/data/a.db'],
    ['/data/höhe.db', '/data/höhe.db'],
  ])('%s names the file %s', (url, file) => {
    expect(parseSqliteUrl(url)).toEqual({
      dialect: 'sqlite',
      file,
      mode: 'rwc',
      isImmutable: false,
    });
  });

  test.each([
    ':memory:',
    'sqlite::memory:',
    'jdbc:sqlite::memory:',
    'file::memory:',
    'jdbc:sqlite:file:name?mode=memory&cache=shared',
  ])('%s is a database in memory', (url) => {
    expect(parseSqliteUrl(url)).toMatchObject({ file: ':memory:' });
  });

  test('uses its parameters for the mode of opening a file', () => {
    expect(parseSqliteUrl('file:/a.db?mode=ro')).toMatchObject({ mode: 'ro', isImmutable: false });
    expect(parseSqliteUrl('jdbc:sqlite:file:/a.db?mode=RW&immutable=1')).toMatchObject({
      mode: 'rw',
      isImmutable: true,
    });
  });
});

describe('A PostgreSQL URL', () => {
  const plainLocation = {
    dialect: 'postgres',
    host: 'db.example',
    port: 5432,
    database: 'runs',
    user: undefined,
    password: undefined,
    sslMode: 'prefer',
    sslRootCertificate: undefined,
    schemas: [],
  };

  test.each([
    ['jdbc:postgresql://db.example/runs', {}],
    ['postgres://db.example/runs', {}],
    ['PostgreSQL://db.example:5433/runs', { port: 5433 }],
    ['jdbc:postgresql://[2001:db8::1]:5433/runs', { host: '2001:db8::1', port: 5433 }],
    ['postgresql://[::1]/runs', { host: '::1' }],
    ['jdbc:postgresql:runs', { host: 'localhost' }],
    ['jdbc:postgresql://db.example/', { database: undefined }],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/runs', { host: '/var/run/postgresql' }],
    ['postgresql:///runs?host=/var/run/postgresql', { host: '/var/run/postgresql' }],
    ['postgres://db.example/a%2Fb%20c', { database: 'a/b c' }],
    ['jdbc:postgresql://db.example/runs?sslmode=disable', { sslMode: 'disable' }],
    ['jdbc:postgresql://db.example/runs?ssl=true', { sslMode: 'verify-full' }],
    [
      'postgres://db.example/runs?sslmode=VERIFY-CA&sslrootcert=/ca.pem',
      { sslMode: 'verify-ca', sslRootCertificate: '/ca.pem' },
    ],
    [
      'jdbc:postgresql://db.example/runs?currentSchema=first,%20second',
      { schemas: ['first', 'second'] },
    ],
    [
      'jdbc:postgresql://db.example/runs?user=me&password=a%26b+c%2B',
      { user: 'me', password: 'a&b c+' },
    ],
    ['postgres://db.example/runs?password=a+b', { password: 'a+b' }],
    [
      'postgres://db.example/runs?sslMode=require&currentschema=first',
      { sslMode: 'require', schemas: ['first'] },
    ],
    [
      'postgres://db.example/runs?application_name=me&connect_timeout=3&reWriteBatchedInserts=true',
      {},
    ],
    [
      'postgres://db.example/runs?target_session_attrs=any&channel_binding=prefer&sslcert=&sslrootcert=',
      {},
    ],
    ['postgres://db.example/runs?gssencmode=disable&replication=false', {}],
    ['postgres://me:p%40ss:word@db.example/runs', { user: 'me', password: 'p@ss:word' }],
    ['postgres://me@db.example/runs', { user: 'me' }],
  ])('%s is read as it is written', (url, part) => {
    expect(parseDatabaseUrl(url, defaults)).toEqual({ ...plainLocation, ...part });
  });

  test('uses the default user and password if it has none', () => {
    const otherDefaults = { ...defaults, user: 'other', password: 'secret' };
    expect(parseDatabaseUrl('jdbc:postgresql://h/d', otherDefaults)).toMatchObject({
      user: 'other',
      password: 'secret',
    });
    expect(parseDatabaseUrl('postgres://me:mine@h/d', otherDefaults)).toMatchObject({
      user: 'me',
      password: 'mine',
    });
  });
});

describe('A URL that cannot be used', () => {
  test.each([
    [
      '',
      'The database URL is empty: use jdbc:sqlite:<file>, jdbc:postgresql://<host>/<database> or the path of a SQLite file',
    ],
    ['jdbc:sqlite:', 'The database URL names no file: add the path of a SQLite file'],
    ['a\0b', 'The database path contains a NUL character: remove it'],
    [
      'file:%zz.db',
      'The path in the database URL is not correctly percent-encoded: write % as %25',
    ],
    ['file:a.db?mode=wild', 'Unknown mode "wild" in the database URL: use ro, rw, rwc or memory'],
    [
      'jdbc:mysql://root:secret@h/d',
      'Unsupported database URL "jdbc:mysql:…": use jdbc:sqlite:<file>, jdbc:postgresql://<host>/<database> or the path of a SQLite file',
    ],
    [
      'mongodb://root:secret@h/d',
      'Unsupported database URL "mongodb:…": use jdbc:sqlite:<file>, jdbc:postgresql://<host>/<database> or the path of a SQLite file',
    ],
    ['postgres://h1,h2/d', 'The database URL names several hosts: give the one to use'],
    [
      'postgres://me:secret@h:99999/d',
      'The host in the database URL must be host, host:port or [IPv6]:port with a port from 1 to 65535',
    ],
    [
      'postgres://2001:db8::1/d',
      'The host in the database URL must be host, host:port or [IPv6]:port with a port from 1 to 65535',
    ],
    [
      'postgres://me:%zz@h/d',
      'The password in the database URL is not correctly percent-encoded: write % as %25',
    ],
    ...['options=-c%20search_path%3Druns', 'search_path=runs', 'schema=runs'].map((parameter) => [
      `postgres://h/d?${parameter}`,
      `The service does not support the parameter "${parameter.split('=')[0]}" in the database URL: replace it by currentSchema, which names the schemas`,
    ]),
    ...[
      'sslcert=/c.pem',
      'sslkey=/k.pem',
      'sslcrl=/c.crl',
      'sslcrldir=/c',
      'sslfactory=org.F',
      'sslhostnameverifier=org.V',
      'sslcertmode=require',
      'sslnegotiation=direct',
      'ssl_min_protocol_version=TLSv1.3',
      'ssl_max_protocol_version=TLSv1.2',
      'requiressl=1',
      'channel_binding=require',
      'channelBinding=require',
      'gssencmode=require',
      'gssEncMode=require',
      'require_auth=scram-sha-256',
      'requireAuth=scram-sha-256',
      'requirepeer=postgres',
      'hostaddr=10.0.0.1',
      'service=runs',
      'passfile=/p',
      'socketFactory=org.F',
      'target_session_attrs=read-write',
      'targetServerType=primary',
      'replication=database',
    ].map((parameter) => [
      `postgres://h/d?${parameter}`,
      `The service does not support the parameter "${parameter.split('=')[0]}" in the database URL: remove it`,
    ]),
    [
      'postgres://h/d?sslmode=require&sslrootcert=/ca.pem',
      'sslrootcert has no effect with sslmode=require in the database URL: use verify-full or verify-ca, or remove sslrootcert',
    ],
    [
      'postgres://h/d?sslrootcert=/ca.pem',
      'sslrootcert has no effect with sslmode=prefer in the database URL: use verify-full or verify-ca, or remove sslrootcert',
    ],
    [
      'postgres://h/d?sslmode=maybe',
      'Unknown sslmode "maybe" in the database URL: use one of disable, allow, prefer, require, verify-ca, verify-full',
    ],
  ])('%j is refused with a sentence that shows no password', (url, message) => {
    expect(getMessage(url)).toBe(message);
    expect(message).not.toContain('secret');
  });
});

test('A database is described without its credentials', () => {
  const describeUrl = (url: string) => describeDatabase(parseDatabaseUrl(url, defaults));
  expect(describeUrl('a.db')).toBe('sqlite: /data/a.db');
  expect(describeUrl(':memory:')).toBe('sqlite: :memory:');
  expect(describeUrl('postgres://me:secret@h:5433/d')).toBe('postgres: h:5433/d');
  expect(describeUrl('postgres://[::1]/d')).toBe('postgres: [::1]:5432/d');
});
