import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCommand, type Config } from '#server/config.ts';
import { formatHelp } from '#server/settings.ts';

function getConfig(flags: string[], environment: Record<string, string> = {}): Config {
  const request = readCommand(flags, environment, '/data');
  if (request.kind !== 'run') throw new Error(JSON.stringify(request));
  return request.config;
}

function getFaults(flags: string[], environment: Record<string, string> = {}): string[] {
  const request = readCommand(flags, environment, '/data');
  if (request.kind !== 'faults') throw new Error(`accepted: ${JSON.stringify(request)}`);
  return request.faults;
}

describe('The configuration', () => {
  test('has a default for everything', () => {
    expect(getConfig([])).toEqual({
      database: { dialect: 'sqlite', file: '/data/evoscope.db', mode: 'rwc', isImmutable: false },
      isDatabaseNamed: false,
      port: 7070,
      host: '127.0.0.1',
      token: undefined,
      allowedHosts: [],
      artifactsDirectory: undefined,
      cacheDirectory: undefined,
      cacheMegabytes: 1024,
      isReadOnly: false,
      isRecording: false,
      canControlByMcp: false,
      logLevel: 'info',
      pagesFolder: undefined,
      traceMegabytes: 256,
      legacy: undefined,
      canCreate: undefined,
      choosingRules: null,
      replica: null,
    });
  });

  test('of a program for one MCP client only reads and takes any port, unless the user decides otherwise', () => {
    const getStdioConfig = (...flags: string[]) =>
      readCommand(flags, {}, '/data', { isForStdio: true });
    const cautiousSettings = { canCreate: false, legacy: 'refuse' };
    expect(getStdioConfig()).toMatchObject({
      config: { ...cautiousSettings, port: 0, isReadOnly: true },
    });
    for (const flag of ['--mcp-control', '--record']) {
      expect(getStdioConfig(flag)).toMatchObject({
        config: { ...cautiousSettings, isReadOnly: false },
      });
    }
    expect(getStdioConfig('--mcp-control', '--read-only')).toMatchObject({
      config: { isReadOnly: true },
    });
    expect(getStdioConfig('--port', '7071')).toMatchObject({ config: { port: 7071 } });
  });

  test.each<[string[], Record<string, string>, boolean]>([
    [['--port', '0'], {}, false],
    [['--db', 'a.db'], {}, true],
    [['--db=a.db'], {}, true],
    [['--db-user', 'me'], {}, false],
    [[], { SVC_DB_URL: 'a.db' }, true],
    [[], { SVC_DB_URL: '' }, false],
    [[], { SVC_DB_URL_FILE: import.meta.filename }, true],
  ])('shows whether %j with %j names a database: %s', (flags, environment, expected) => {
    expect(getConfig(flags, environment).isDatabaseNamed).toBe(expected);
  });

  test('lets users choose databases in a folder, with no database initially unless the user names one', () => {
    const folder = tmpdir();
    const choiceOfFolder = { choosingRules: { folder, servers: [] }, database: null };
    expect(getConfig(['--choose', folder, '--port', '0'])).toMatchObject({
      ...choiceOfFolder,
      port: 0,
    });
    expect(getConfig([`--choose=${folder}`])).toMatchObject(choiceOfFolder);
    expect(getConfig(['--choose', '*'])).toMatchObject({ choosingRules: { folder: null } });
    const flagAtEnd = readCommand(['--port', '0', '--choose'], {}, folder);
    expect(flagAtEnd).toMatchObject({ config: choiceOfFolder });
    const variables = { SVC_CHOOSE: '1', SVC_CHOOSE_POSTGRES: 'db.example, localhost:5433' };
    expect(readCommand(['--db', 'a.db'], variables, folder)).toMatchObject({
      config: {
        database: { dialect: 'sqlite' },
        choosingRules: { folder, servers: ['db.example', 'localhost:5433'] },
      },
    });
    expect(getConfig(['--choose=*', '--choose-postgres', '*']).choosingRules?.servers).toBeNull();
    expect(getConfig([], { SVC_CHOOSE: '0' }).choosingRules).toBeNull();
    expect(getFaults(['--choose', '/no/such/folder'])).toEqual([
      '--choose must name an existing folder',
    ]);
    expect(getFaults(['--choose-postgres', 'a'])).toEqual([
      '--choose-postgres has no effect without --choose (SVC_CHOOSE)',
    ]);
    // The window always names servers, also if the user forbids to choose.
    const variablesOfWindow = { SVC_CHOOSE: '0', SVC_CHOOSE_POSTGRES: '*' };
    expect(getConfig([], variablesOfWindow).choosingRules).toBeNull();
    expect(
      getConfig(['--choose=no'], { ...variablesOfWindow, SVC_CHOOSE: '*' }).choosingRules,
    ).toBeNull();
    expect(getFaults(['--choose=*', '--choose-postgres', 'a b'])).toEqual([
      '--choose-postgres must be hosts separated by commas, or *',
    ]);
  });

  test('is read from variables', () => {
    const environment = {
      SVC_DB_URL: 'jdbc:postgresql://h/d',
      SVC_DB_USER: 'me',
      SVC_DB_PASSWORD: 'secret',
      SVC_PORT: '0',
      SVC_HOST: '0.0.0.0',
      SVC_TOKEN: 'a-token-of-16-chars',
      SVC_ALLOWED_HOSTS: 'a.example, b.example:8080,[::2]:1',
      SVC_ARTIFACTS_DIR: 'files',
      SVC_READ_ONLY: '1',
      SVC_LOG_LEVEL: 'WARN',
      SVC_PAGES_DIR: '/pages',
      SVC_TRACE_MEMORY: '64',
      SVC_CACHE_DIR: 'traces',
      SVC_CACHE_SIZE: '2048',
      SVC_LEGACY: 'refuse',
      SVC_CREATE: '1',
    };
    expect(getConfig([], environment)).toMatchObject({
      database: { host: 'h', user: 'me', password: 'secret' },
      port: 0,
      host: '0.0.0.0',
      token: 'a-token-of-16-chars',
      allowedHosts: ['a.example', 'b.example:8080', '[::2]:1'],
      artifactsDirectory: '/data/files',
      isReadOnly: true,
      logLevel: 'warn',
      pagesFolder: '/pages',
      traceMegabytes: 64,
      cacheDirectory: '/data/traces',
      cacheMegabytes: 2048,
      legacy: 'refuse',
      canCreate: true,
    });
  });

  test('prefers flags to variables, in either syntax, and the last flag of a kind', () => {
    const environment = { SVC_PORT: '1', SVC_DB_URL: 'one.db', SVC_READ_ONLY: 'yes' };
    const flags = ['--port', '2', '--port=3', '--db=two.db', '--read-only=no'];
    expect(getConfig(flags, environment)).toMatchObject({
      port: 3,
      database: { file: '/data/two.db' },
      isReadOnly: false,
    });
    expect(getConfig(['--read-only']).isReadOnly).toBe(true);
  });

  test('ignores empty variables', () => {
    expect(getConfig([], { SVC_PORT: '', SVC_TOKEN: '', SVC_DB_URL: '' }).port).toBe(7070);
  });

  test('accepts an IPv6 address with or without brackets', () => {
    expect(getConfig(['--host', '[::1]']).host).toBe('::1');
    expect(getConfig(['--host', '::1']).host).toBe('::1');
  });
});

describe('A fault', () => {
  test.each([
    [['--port', 'x'], '--port must be a whole number from 0 to 65535'],
    [['--port', '65536'], '--port must be a whole number from 0 to 65535'],
    [['--port', '-1'], '--port must be a whole number from 0 to 65535'],
    [['--port'], '--port needs a value: see --help'],
    [['--db='], '--db needs a value: see --help'],
    [['--db', 'postgres://h/d?sslmode=no'], /^--db: Unknown sslmode "no" in the database URL/],
    [['--colour', 'red'], 'Unknown flag --colour: see --help'],
    [['--constructor'], 'Unknown flag --constructor: see --help'],
    [['stray'], 'Unexpected argument "stray": see --help'],
    [['--host', 'a b'], '--host must be an address or a host name'],
    [['--token', 'a b'], '--token must be at least 16 visible ASCII characters'],
    [['--token', 'only-15-letters'], '--token must be at least 16 visible ASCII characters'],
    [['--log-level', 'loud'], /^--log-level must be one of trace, debug, info/],
    [['--allowed-hosts', 'a,,b'], '--allowed-hosts must be host names separated by commas'],
    [['--read-only=perhaps'], '--read-only must be 1 or 0'],
    [['--record', '--read-only'], '--record has no effect with --read-only: omit one of them'],
    [
      ['--trace-memory', 'much'],
      '--trace-memory must be a whole number of megabytes, at most 65536',
    ],
    [['--cache-size=-1'], '--cache-size must be a whole number of megabytes, at most 65536'],
    [['--legacy', 'keep'], '--legacy must be replace or refuse'],
    [['--choose', `/${'x'.repeat(300)}`], '--choose must name an existing folder'],
  ])('of %j is reported in one sentence', (flags, sentence) => {
    expect(getFaults(flags)).toEqual([
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    ]);
  });

  test('is reported with its variable, together with all others', () => {
    expect(getFaults([], { SVC_PORT: 'x', SVC_READ_ONLY: 'x' })).toEqual([
      'SVC_PORT must be a whole number from 0 to 65535',
      'SVC_READ_ONLY must be 1 or 0',
    ]);
  });

  test('of a recording that cannot write is reported with the names of both settings', () => {
    expect(getFaults(['--record'], { SVC_READ_ONLY: '1' })).toEqual([
      '--record has no effect with SVC_READ_ONLY: omit one of them',
    ]);
    expect(getFaults(['--read-only'], { SVC_RECORD: '1' })).toEqual([
      'SVC_RECORD has no effect with --read-only: omit one of them',
    ]);
    expect(getConfig(['--record', '--read-only=0']).isRecording).toBe(true);
    expect(getConfig(['--read-only'], { SVC_RECORD: '0' }).isReadOnly).toBe(true);
  });

  test('is reported for a file of a value that is missing', () => {
    expect(getFaults([], { SVC_TOKEN_FILE: '/missing/token' })).toEqual([
      'SVC_TOKEN_FILE must name a readable file with the value in its first line',
    ]);
  });

  test.each(['', '\n', '\r\na-token-of-16-chars'])(
    'is reported for a file of a value with an empty first line: %j',
    (content) => {
      const file = join(mkdtempSync(join(tmpdir(), 'evoscope-')), 'token');
      writeFileSync(file, content);
      expect(getFaults([], { SVC_TOKEN_FILE: file })).toEqual([
        'SVC_TOKEN_FILE must name a readable file with the value in its first line',
      ]);
    },
  );

  test.each(['0.0.0.0', '::', '192.168.0.5', 'my-machine.example'])(
    'is reported for listening on %s without a token',
    (host) => {
      expect(getFaults([], { SVC_HOST: host })).toEqual([
        'SVC_HOST allows access from other machines: set a token with SVC_TOKEN or --token',
      ]);
      expect(getConfig(['--host', host, '--token', 'a-token-of-16-chars']).host).toBe(host);
    },
  );

  test('contains neither token nor password', () => {
    const faults = getFaults(['--token', 'sec ret', '--port', 'x'], {
      SVC_DB_URL: 'mysql://me:secret@h/d',
    });
    expect(faults.join()).not.toContain('secret');
    expect(faults.join()).not.toContain('sec ret');
  });
});

describe('A replica', () => {
  const db = 'jdbc:postgresql://main:5433/runs?user=me&password=secret&currentSchema=lab';

  test('has the user, password, database and schemas of its primary unless its URL names others', () => {
    const getReplica = (url: string) =>
      getConfig(['--db', db], { SVC_DB_REPLICA_URL: url }).replica;
    expect(getReplica('jdbc:postgresql://copy/')).toMatchObject({
      host: 'copy',
      port: 5432,
      database: 'runs',
      user: 'me',
      password: 'secret',
      schemas: ['lab'],
    });
    expect(getReplica('postgres://you:other@copy:6000/more?currentSchema=own')).toMatchObject({
      port: 6000,
      database: 'more',
      user: 'you',
      password: 'other',
      schemas: ['own'],
    });
  });

  test('must be a PostgreSQL server, and its primary as well', () => {
    const neededFault = 'SVC_DB_REPLICA_URL needs a PostgreSQL database in SVC_DB_URL or --db';
    const environment = { SVC_DB_REPLICA_URL: 'postgres://copy/runs' };
    expect(getFaults([], environment)).toEqual([neededFault]);
    expect(getFaults(['--db', 'a.db'], environment)).toEqual([neededFault]);
    expect(getFaults(['--choose', tmpdir()], environment)).toEqual([neededFault]);
    expect(getFaults(['--db', 'postgres://main:port/'], environment)).toEqual([
      expect.stringMatching(/^--db: The host in the database URL must be/),
    ]);
    expect(getFaults(['--db', db, '--db-replica', 'a.db'])).toEqual([
      '--db-replica must be the URL of a PostgreSQL database',
    ]);
    expect(getFaults(['--db', db, '--db-replica', 'mysql://me:secret@copy/'])).toEqual([
      expect.stringMatching(/^--db-replica: (?!.*secret)/),
    ]);
  });
});

test('Only loopback addresses need no token', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', '::1'])
    expect(getConfig(['--host', host]).host).toBe(host);
  for (const host of ['127.example.com', '127.999.0.1', '10.0.0.1', '0.0.0.0', '::'])
    expect(getFaults(['--host', host])).toHaveLength(1);
});

test('--help and --version have priority over faults', () => {
  expect(readCommand(['--port', 'x', '--help'], {}, '/')).toEqual({ kind: 'help' });
  expect(readCommand(['--version', '--what'], {}, '/')).toEqual({ kind: 'version' });
});

test('The help names every variable', () => {
  const variables = formatHelp().match(/SVC_\w+(?= )/g);
  expect(variables).toEqual([
    'SVC_DB_URL',
    'SVC_DB_USER',
    'SVC_DB_PASSWORD',
    'SVC_DB_REPLICA_URL',
    'SVC_CHOOSE',
    'SVC_CHOOSE_POSTGRES',
    'SVC_PORT',
    'SVC_HOST',
    'SVC_TOKEN',
    'SVC_ALLOWED_HOSTS',
    'SVC_ARTIFACTS_DIR',
    'SVC_READ_ONLY',
    'SVC_RECORD',
    'SVC_MCP_CONTROL',
    'SVC_LOG_LEVEL',
    'SVC_PAGES_DIR',
    'SVC_TRACE_MEMORY',
    'SVC_CACHE_DIR',
    'SVC_CACHE_SIZE',
    'SVC_LEGACY',
    'SVC_CREATE',
  ]);
});
