import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  getFlags,
  getFlagValue,
  hasDatabase,
  makeServiceOptions,
  type ProgramPaths,
} from '#electron/service-options.ts';

const checkoutPaths: ProgramPaths = { program: '/evoscope', compileCache: '/home/me/compiled' };
const installedPaths: ProgramPaths = {
  program: '/opt/evoscope/resources/app.asar',
  compileCache: '/home/me/compiled',
};
const windowOptions = {
  port: 40_123,
  token: 'random',
  database: 'configured',
  isRecording: false,
} as const;

test.each([
  [['electron', '/evoscope', '--', '--db', 'a.db'], false, ['--db', 'a.db']],
  [['electron', '/evoscope', '--db', 'a.db'], false, ['--db', 'a.db']],
  [['electron', '/evoscope'], false, []],
  [['electron', '--no-sandbox', '/evoscope', '--', '--db', 'a.db'], false, ['--db', 'a.db']],
  [['electron', '/evoscope', '--'], false, []],
  [['evoscope', '--db', 'a.db'], true, ['--db', 'a.db']],
  [['evoscope'], true, []],
])('the flags of %j (installed: %s) are %j', (processArguments, isPackaged, expected) => {
  expect(getFlags(processArguments, isPackaged)).toEqual(expected);
});

test.each([
  [['--db', 'a.db'], 'a.db'],
  [['--db=a=b.db'], 'a=b.db'],
  [['--db', 'a.db', '--db=b.db'], 'b.db'],
  [['--db'], ''],
  [['--database', 'a.db'], undefined],
  [[], undefined],
])('in %j the value of --db is %j', (flags, expected) => {
  expect(getFlagValue(flags, 'db')).toBe(expected);
});

test('a checkout forks its bundle with the port and the token', () => {
  expect(
    makeServiceOptions(checkoutPaths, ['--db', 'a.db'], { PATH: '/bin' }, windowOptions),
  ).toEqual({
    entry: '/evoscope/dist/server/main.js',
    args: ['--db', 'a.db'],
    environment: {
      PATH: '/bin',
      SVC_PORT: '40123',
      SVC_TOKEN: 'random',
      NODE_COMPILE_CACHE: '/home/me/compiled',
      SVC_PAGES_DIR: '/evoscope/dist/renderer',
      SVC_CHOOSE: '*',
      SVC_CHOOSE_POSTGRES: '*',
      SVC_LEGACY: 'refuse',
      SVC_CREATE: '0',
    },
    token: 'random',
  });
});

test('without a configured database, a checkout creates one in the working directory', () => {
  const { environment } = makeServiceOptions(checkoutPaths, [], {}, windowOptions);
  expect(environment.SVC_DB_URL).toBe('jdbc:sqlite:evoscope.db');
  expect(environment).not.toHaveProperty('SVC_CREATE');
});

test('an installed program forks the unpacked bundle, initially without a database', () => {
  expect(makeServiceOptions(installedPaths, [], {}, { ...windowOptions, database: null })).toEqual({
    entry: '/opt/evoscope/resources/app.asar.unpacked/dist/server/main.js',
    args: [],
    environment: {
      SVC_PORT: '40123',
      SVC_TOKEN: 'random',
      NODE_COMPILE_CACHE: '/home/me/compiled',
      SVC_PAGES_DIR: '/opt/evoscope/resources/app.asar/dist/renderer',
      SVC_CHOOSE: '*',
      SVC_CHOOSE_POSTGRES: '*',
      SVC_LEGACY: 'refuse',
      SVC_CREATE: '0',
    },
    token: 'random',
  });
});

describe('a database that was chosen later', () => {
  const flags = ['--db', 'a.db', '--log-level', 'warn', '--db-user=me', '--db-password', 'x'];
  const environment = {
    SVC_DB_URL: 'b.db',
    SVC_DB_PASSWORD_FILE: '/secret',
    SVC_DB_REPLICA_URL: 'postgres://me:x@copy/',
    SVC_TOKEN: 'mine',
  };
  const chosenDatabase = { url: 'jdbc:postgresql:///runs?host=db', user: 'me', password: 's3cret' };

  test('replaces that of flags and variables, without its password in a flag', () => {
    const options = makeServiceOptions(checkoutPaths, flags, environment, {
      ...windowOptions,
      database: chosenDatabase,
    });
    expect(options.args).toEqual(['--log-level', 'warn']);
    expect(options.environment).toMatchObject({
      SVC_DB_URL: 'jdbc:postgresql:///runs?host=db',
      SVC_DB_USER: 'me',
      SVC_DB_PASSWORD: 's3cret',
      SVC_TOKEN: 'mine',
    });
    expect(options.environment).not.toHaveProperty('SVC_DB_PASSWORD_FILE');
    expect(options.environment).not.toHaveProperty('SVC_DB_REPLICA_URL');
  });

  test('removes them if it is null', () => {
    const options = makeServiceOptions(checkoutPaths, flags, environment, {
      ...windowOptions,
      database: null,
    });
    expect(options.args).toEqual(['--log-level', 'warn']);
    expect(Object.keys(options.environment).filter((name) => name.startsWith('SVC_DB'))).toEqual(
      [],
    );
  });
});

test.each([
  [['--db', 'a.db'], {}, true],
  [['--db=a.db'], {}, true],
  [[], { SVC_DB_URL: 'a.db' }, true],
  [[], { SVC_DB_URL_FILE: '/secret' }, true],
  [[], { SVC_DB_URL: '' }, false],
  [['--read-only'], { SVC_DB_USER: 'me' }, false],
])('that flags %j and variables %j name a database is %s', (flags, environment, expected) => {
  expect(hasDatabase(flags, environment)).toBe(expected);
});

describe('the options of the user', () => {
  test('in files that variables name are used', () => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-options-'));
    const file = join(folder, 'token');
    writeFileSync(file, 'a-token-from-a-file\n');
    const environment = { SVC_PORT_FILE: file, SVC_TOKEN_FILE: file, SVC_PAGES_DIR_FILE: file };
    const options = makeServiceOptions(installedPaths, [], environment, windowOptions);
    rmSync(folder, { recursive: true });
    expect(options.token).toBe('a-token-from-a-file');
    expect(options.environment).not.toHaveProperty('SVC_PORT');
    expect(options.environment).not.toHaveProperty('SVC_PAGES_DIR');
  });

  test('in the environment are used; an empty variable counts as unset', () => {
    const environment = {
      SVC_PORT: '8080',
      SVC_TOKEN: 'mine',
      SVC_DB_URL: 'postgres://db/evo',
      SVC_PAGES_DIR: '',
    };
    const options = makeServiceOptions(installedPaths, [], environment, windowOptions);
    expect(options.token).toBe('mine');
    expect(options.environment).toEqual({
      ...environment,
      NODE_COMPILE_CACHE: '/home/me/compiled',
      SVC_PAGES_DIR: '/opt/evoscope/resources/app.asar/dist/renderer',
      SVC_CHOOSE: '*',
      SVC_CHOOSE_POSTGRES: '*',
      SVC_LEGACY: 'refuse',
      SVC_CREATE: '0',
    });
  });

  test('for creating and replacing need no question', () => {
    const environment = { SVC_DB_URL: 'a.db', SVC_LEGACY: 'replace', SVC_CREATE: '1' };
    const options = makeServiceOptions(installedPaths, [], environment, windowOptions);
    expect(options.environment).toMatchObject(environment);
  });

  test('for the token by flag set the token that the window sends', () => {
    const options = makeServiceOptions(
      checkoutPaths,
      ['--token=flagged'],
      { SVC_TOKEN: 'mine' },
      windowOptions,
    );
    expect(options.token).toBe('flagged');
  });
});

test('a service records with the setting, unless a variable disables it or the service is read-only', () => {
  const recording = { ...windowOptions, isRecording: true };
  const getRecord = (flags: string[], variables = {}) =>
    makeServiceOptions(checkoutPaths, flags, variables, recording).environment.SVC_RECORD;
  expect(getRecord([])).toBe('1');
  expect(getRecord([], { SVC_RECORD: '0' })).toBe('0');
  expect(getRecord(['--read-only'])).toBeUndefined();
  expect(getRecord([], { SVC_READ_ONLY: '1' })).toBeUndefined();
  expect(getRecord(['--read-only=0'], { SVC_READ_ONLY: '1' })).toBe('1');
  expect(getRecord([], { SVC_READ_ONLY: 'false' })).toBe('1');
  expect(
    makeServiceOptions(checkoutPaths, [], {}, windowOptions).environment.SVC_RECORD,
  ).toBeUndefined();
});

test('variables of Electron are not passed to the service', () => {
  const environment = { ELECTRON_RUN_AS_NODE: '1', HOME: '/home/me', UNSET: undefined };
  const options = makeServiceOptions(checkoutPaths, [], environment, windowOptions);
  expect(Object.keys(options.environment)).toEqual([
    'HOME',
    'SVC_PORT',
    'SVC_TOKEN',
    'NODE_COMPILE_CACHE',
    'SVC_PAGES_DIR',
    'SVC_CHOOSE',
    'SVC_CHOOSE_POSTGRES',
    'SVC_LEGACY',
    'SVC_DB_URL',
  ]);
});
