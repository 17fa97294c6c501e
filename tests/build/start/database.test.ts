import Database from 'better-sqlite3';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspectDatabase, getSampleDatabase } from '#build/start/database.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-start-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const experiment = {
  experiment_id: 'e',
  config_hash: 'h',
  schema_version: '3',
  algorithm_type: 'umda',
  model_type: 'bernoulli',
  problem_type: 'onemax',
  representation_type: 'bitstring',
  selection_type: 'truncation',
  replacement_type: 'elitist',
  stopping_type: 'max-iterations',
  config_yaml: '',
  config_json: '{}',
  created_at: '2026-01-01T00:00:00Z',
};
const run = {
  run_id: 'r',
  experiment_id: 'e',
  seed: 1,
  status: 'RUNNING',
  start_time: '2026-01-01T00:00:00Z',
};

const namedOptions = { isNamed: true, isReadOnly: false };
const parseUrl = (text: string) => parseDatabaseUrl(text, { workingDirectory: directory });
const inspect = (text: string) => inspectDatabase(parseUrl(text), directory, namedOptions);

describeOnEachDatabase('the content of a database with tables', (database) => {
  const inspectOpenDatabase = () =>
    inspectDatabase(parseUrl(database().url), directory, namedOptions);

  test('is empty without runs', async () => {
    expect(await inspectOpenDatabase()).toMatchObject({
      content: 'empty',
      isNamed: true,
      isReadOnly: false,
    });
  });

  test('is filled with one run', async () => {
    await database().kysely.insertInto('experiments').values(experiment).execute();
    await database().kysely.insertInto('runs').values(run).execute();
    expect((await inspectOpenDatabase()).content).toBe('filled');
  });

  test('is read-only if the user requests it', async () => {
    const options = { isNamed: false, isReadOnly: true };
    const facts = await inspectDatabase(parseUrl(database().url), directory, options);
    expect(facts).toMatchObject({ content: 'filled', isNamed: false, isReadOnly: true });
  });
});

describe('the content of a SQLite file', () => {
  test('is missing if the service would create the file, and creates nothing', async () => {
    expect(await inspect('new.db')).toEqual({
      name: 'new.db',
      argument: 'new.db',
      content: 'missing',
      ...namedOptions,
    });
    expect(existsSync(join(directory, 'new.db'))).toBe(false);
  });

  test('is unknown if the file is missing and must not be created', async () => {
    expect((await inspect('sqlite:new.db?mode=rw')).content).toBe('unknown');
  });

  test('is unknown if the file is missing and the service creates no file', async () => {
    const options = { ...namedOptions, canCreate: false };
    expect((await inspectDatabase(parseUrl('new.db'), directory, options)).content).toBe('unknown');
  });

  test('is empty next to the tables of another program if the service adds its tables', async () => {
    const file = join(directory, 'other.db');
    new Database(file).exec('CREATE TABLE other (x)').close();
    const options = { ...namedOptions, canCreate: true };
    expect((await inspectDatabase(parseUrl(file), directory, options)).content).toBe('empty');
  });

  test('is empty for a file without bytes', async () => {
    writeFileSync(join(directory, 'bytes.db'), '');
    expect((await inspect('bytes.db')).content).toBe('empty');
  });

  test.each(['mode=ro', 'immutable=1'])(
    'is read-only with %s, also for a file without bytes',
    async (parameter) => {
      writeFileSync(join(directory, 'bytes.db'), '');
      expect((await inspect(`sqlite:bytes.db?${parameter}`)).isReadOnly).toBe(true);
    },
  );

  test.skipIf(process.getuid?.() === 0)(
    'is read-only for a file without bytes that may not be written',
    async () => {
      writeFileSync(join(directory, 'bytes.db'), '', { mode: 0o444 });
      expect((await inspect('bytes.db')).isReadOnly).toBe(true);
    },
  );

  test('is unknown for a file that is not a database, which stays unchanged', async () => {
    const file = join(directory, 'notes.txt');
    writeFileSync(file, 'notes\n'.repeat(400));
    expect((await inspect('notes.txt')).content).toBe('unknown');
    expect(readFileSync(file, 'utf8')).toBe('notes\n'.repeat(400));
  });

  test('is unknown for tables of an old runner, which stay unchanged', async () => {
    const file = join(directory, 'legacy.db');
    const database = new Database(file);
    database.exec('CREATE TABLE runs (run_id TEXT PRIMARY KEY, status TEXT)');
    database.exec("INSERT INTO runs VALUES ('old', 'COMPLETED')");
    database.close();
    copyFileSync(file, `${file}.before`);
    expect((await inspect('legacy.db')).content).toBe('unknown');
    const reopenedDatabase = new Database(file, { readonly: true });
    expect(reopenedDatabase.prepare('SELECT * FROM runs').all()).toEqual([
      { run_id: 'old', status: 'COMPLETED' },
    ]);
    reopenedDatabase.close();
  });

  test('is unknown for a database in memory', async () => {
    expect((await inspect(':memory:')).content).toBe('unknown');
  });
});

test('a file outside the working directory is named by its absolute path', async () => {
  const { name } = await inspect(join(tmpdir(), 'evoscope-nowhere', 'x.db'));
  expect(name).toBe(join(tmpdir(), 'evoscope-nowhere', 'x.db'));
});

test('a PostgreSQL server that does not respond has unknown content and a name without credentials', async () => {
  expect(await inspect('postgres://me:secret@127.0.0.1:1/evo')).toEqual({
    name: 'postgres: 127.0.0.1:1/evo',
    argument: null,
    content: 'unknown',
    ...namedOptions,
  });
});

describe('the database for the sample runner', () => {
  test('is the absolute file', () => {
    expect(getSampleDatabase(parseUrl('jdbc:sqlite:a b.db'))).toEqual({
      url: join(directory, 'a b.db'),
      environment: {},
    });
  });

  test.each([
    'postgres://me:s3cret@db.example:6543/my%20runs?sslmode=require&currentSchema=a,b',
    'jdbc:postgresql://[::1]/runs?user=me&password=s3cret&sslmode=disable',
    'postgres:///runs?host=/var/run/postgresql',
  ])('is the same server, with separate credentials: %s', (text) => {
    const url = parseUrl(text);
    const target = getSampleDatabase(url);
    expect(target.url).not.toMatch(/s3cret|me@|user=/);
    const reparsedTarget = parseDatabaseUrl(target.url, {
      workingDirectory: '/',
      user: target.environment.SVC_DB_USER,
      password: target.environment.SVC_DB_PASSWORD,
    });
    expect(reparsedTarget).toEqual(url);
  });
});
