import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listDatabaseFiles, toUrl } from '#server/runtime/choices.ts';
import { runTask } from '#server/runtime/tasks.ts';
import type {
  CurrentDatabase,
  DatabaseChoices,
  InspectionResult,
} from '#shared/schemas/databases.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { Health } from '#shared/schemas/service.ts';
import {
  makePostgresLocation,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { execute } from '#tests/support/databases.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { olderRunner } from '#tests/support/schemas.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

interface ResponseBody<Body> {
  status: number;
  body: Body;
  database: string | null;
}

let folder: string;
let service: ServiceProcess;
let url: string;
let postgres: TestLocation;

async function ask<Body>(
  path: string,
  headers: Record<string, string> = {},
): Promise<ResponseBody<Body>> {
  return toResponse(await fetch(url + path, { headers }));
}

async function send<Body>(path: string, body: object): Promise<ResponseBody<Body>> {
  const headers = { 'content-type': 'application/json' };
  return toResponse(
    await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
}

async function toResponse<Body>(response: Response): Promise<ResponseBody<Body>> {
  const { status, headers } = response;
  const body = (await response.json()) as Body;
  return { status, body, database: headers.get('x-evoscope-database') };
}

const open = (body: object) => send<CurrentDatabase & ProblemDocument>('/api/databases/open', body);
const inspect = async (body: object) =>
  (await send<InspectionResult>('/api/databases/test', body)).body;
const at = (name: string) => join(folder, name);

/** All files of the folder with their contents, except those of the open database, to which the service adds indexes. */
function folderState(served?: string): string[] {
  const names = readdirSync(folder).filter(
    (name) => served === undefined || !name.startsWith(served),
  );
  return names.map((name) => {
    const sum = createHash('sha256').update(readFileSync(at(name)));
    return `${name} ${sum.digest('hex')}`;
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-choosing-'));
  postgres = await makePostgresLocation();
  const database = await openTestDatabase(postgres.url);
  await insertExperiment(database, 'e1');
  await insertRun(database, 'e1', 'only-in-postgres');
  await database.close();
  writeSampleFile(at('sample.db'));
  const place = (name: string) => ({ url: `jdbc:sqlite:${at(name)}`, remove: async () => {} });
  await execute(place('legacy.db'), olderRunner);
  await execute(place('others.db'), ['create table studies (study_id integer)']);
  writeFileSync(at('notes.db'), 'a text that is no database at all');
  writeFileSync(at('empty.db'), '');
  const { host } = new URL(postgres.url);
  service = spawnService(['--choose', folder, '--choose-postgres', host, '--port', '0']);
  url = parseAddress(await service.readyLine);
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.exitCode;
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('A service that can choose databases', () => {
  test('has no database initially, reports it, and still describes itself', async () => {
    expect(await service.readyLine).toMatch(/^Evoscope ready at http:\S+ \(no database yet\)$/);
    const health = await ask<Health>('/api/health');
    expect(health).toMatchObject({
      status: 200,
      database: 'none',
      body: { status: 'ok', dialect: null, databaseName: null, choosing: true },
    });
    expect((await ask('/api/openapi.json')).status).toBe(200);
    const runs = await ask<ProblemDocument>('/api/runs');
    expect(runs).toMatchObject({
      status: 409,
      body: { code: 'NO_DATABASE', detail: 'No database is open: choose a database first' },
    });
    expect((await send<ProblemDocument>('/api/import', { sample: true })).body.code).toBe(
      'NO_DATABASE',
    );
    expect((await ask<ProblemDocument>('/api/nothing')).status).toBe(404);
  });

  test('lists the SQLite files of its folder, and nothing else', async () => {
    symlinkSync('/etc/hosts', at('link.db'));
    const { body } = await ask<DatabaseChoices>('/api/databases');
    expect(body).toMatchObject({ current: null, folder, recent: [], sample: null });
    const files = body.files.map(({ file }) => file).sort();
    expect(files).toEqual(['empty.db', 'legacy.db', 'others.db', 'sample.db']);
    expect(body.files.find(({ file }) => file === 'sample.db')?.sizeBytes).toBeGreaterThan(10_000);
    rmSync(at('link.db'));
  });

  test('describes the content of a file in words, and changes nothing', async () => {
    const before = folderState();
    expect(await inspect({ file: 'sample.db' })).toMatchObject({ verdict: 'runner', runs: 159 });
    expect((await inspect({ file: 'sample.db' })).message).toMatch(
      /^sample\.db is a database of the runner: \d+ experiments, 159 runs$/,
    );
    expect(await inspect({ file: 'empty.db' })).toMatchObject({
      verdict: 'empty',
      message: 'empty.db is empty: it has no tables yet',
    });
    expect(await inspect({ file: 'new.db' })).toMatchObject({
      verdict: 'missing',
      message: 'new.db does not exist yet',
    });
    expect(await inspect({ file: 'legacy.db' })).toMatchObject({ verdict: 'legacy' });
    expect((await inspect({ file: 'legacy.db' })).message).toMatch(
      /^legacy\.db has tables of an old version of the runner with \d+ runs?$/,
    );
    expect(await inspect({ file: 'others.db' })).toMatchObject({
      verdict: 'others',
      message: 'others.db has tables of another program, and none of the runner’s',
    });
    expect(await inspect({ file: 'notes.db' })).toMatchObject({
      verdict: 'refused',
      field: 'file',
      message: 'notes.db is not a SQLite database: choose another file',
    });
    expect(folderState()).toEqual(before);
  });

  test('gives no number of old runs that the database user may not read', async () => {
    const location = await makePostgresLocation();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await execute(location, [...olderRunner, `create role ${role} login password 'role'`]);
    const address = new URL(location.url);
    Object.assign(address, { username: role, password: 'role' });
    const getMessage = async () => (await inspect({ url: address.href })).message;
    expect(await getMessage()).toMatch(/ has tables of an old version of the runner$/);
    await execute(location, ['alter table runs add extra text']);
    expect(await getMessage()).toMatch(
      / has a table "runs" that may be an old runner’s, or another program’s$/,
    );
    await execute(location, [`grant select on all tables in schema public to ${role}`]);
    expect(await getMessage()).toMatch(/, or another program’s, with \d+ runs?$/);
    await execute(location, [`drop owned by ${role}`, `drop role ${role}`]);
    await location.remove();
  });

  test('reports a database of the runner without one of its indexes', async () => {
    copyFileSync(at('sample.db'), at('partial.db'));
    await execute({ url: `jdbc:sqlite:${at('partial.db')}`, remove: async () => {} }, [
      'drop index idx_runs_experiment_id',
    ]);
    expect(await inspect({ file: 'partial.db' })).toMatchObject({
      verdict: 'runner',
      message: 'partial.db is a database of the runner. Some of its tables or indexes are missing',
    });
    rmSync(at('partial.db'));
  });

  test('refuses files outside its folder by any path', async () => {
    symlinkSync(tmpdir(), at('way-out'));
    const places = [
      { file: '../elsewhere.db' },
      { file: '/etc/passwd' },
      { file: 'way-out/a.db' },
      { file: '.' },
      { url: 'jdbc:sqlite:/tmp/elsewhere.db' },
      { url: 'file:../elsewhere.db' },
    ];
    for (const place of places) {
      expect((await open(place)).body, JSON.stringify(place)).toMatchObject({
        code: 'FORBIDDEN_PATH',
        detail: 'This service uses only files in its folder: choose a path in this folder',
      });
    }
    expect((await open({ url: ':memory:' })).body.errors).toEqual([
      { path: 'url', message: 'must be a file or a PostgreSQL server, not a database in memory' },
    ]);
    rmSync(at('way-out'));
  });

  test('connects only to the allowed servers', async () => {
    const form = { host: 'db.example', database: 'd' };
    expect((await open({ postgres: form })).body).toMatchObject({
      status: 403,
      code: 'FORBIDDEN_SERVER',
    });
    const other = new URL(postgres.url);
    other.port = '1';
    expect((await open({ url: other.href })).body.code).toBe('FORBIDDEN_SERVER');
  });

  test('reads the file of a certificate only for users who can choose any file', () => {
    const location = { url: 'postgres://db.example/runs?sslmode=verify-ca&sslrootcert=/ca.pem' };
    expect(() => toUrl(location, { folder, servers: null })).toThrow(
      'This service accepts no certificate file: remove sslrootcert from the URL',
    );
    expect(toUrl(location, { folder: null, servers: null })).toMatchObject({
      sslRootCertificate: '/ca.pem',
    });
  });

  test('inspects no more files than its limit, also in one folder', async () => {
    const { files } = await listDatabaseFiles(folder, 2);
    expect(files.length).toBeLessThanOrEqual(2);
  });

  test('requires a confirmation before it creates anything, and changes nothing until then', async () => {
    const before = folderState();
    expect((await open({ file: 'new.db' })).body).toMatchObject({
      status: 409,
      code: 'CREATE_NEEDED',
      detail: 'new.db does not exist yet. Create a new database?',
    });
    expect((await open({ file: 'empty.db' })).body.code).toBe('CREATE_NEEDED');
    expect((await open({ file: 'others.db' })).body.code).toBe('TABLES_OF_OTHERS');
    const legacy = (await open({ file: 'legacy.db' })).body;
    expect(legacy.code).toBe('LEGACY_SCHEMA');
    expect(legacy.detail).toMatch(
      /The service can replace them by empty ones of the current version after a backup: a copy of the whole file/,
    );
    expect((await open({ file: 'notes.db' })).body).toMatchObject({
      status: 422,
      code: 'DATABASE_REFUSED',
      errors: [{ path: 'file', message: 'notes.db is not a SQLite database: choose another file' }],
    });
    expect(folderState()).toEqual(before);
    expect((await ask<ProblemDocument>('/api/runs')).body.code).toBe('NO_DATABASE');
  });

  test('switches from SQLite to PostgreSQL and back, and reports it to requests for the other', async () => {
    const first = await open({ file: 'sample.db' });
    expect(first).toMatchObject({
      status: 200,
      body: { name: 'sample.db', dialect: 'sqlite', place: at('sample.db'), readOnly: false },
    });
    const runs = await ask<{ total: number }>('/api/runs');
    expect(runs).toMatchObject({ status: 200, database: first.body.id, body: { total: 159 } });

    const second = await open({ url: postgres.url });
    expect(second).toMatchObject({ status: 200, body: { dialect: 'postgres' } });
    const other = await ask<{ items: { runId: string }[] }>('/api/runs');
    expect(other.body.items.map(({ runId }) => runId)).toEqual(['only-in-postgres']);
    expect(other.database).toBe(second.body.id);
    const stale = await ask<ProblemDocument>('/api/runs', { 'X-Evoscope-Database': first.body.id });
    expect(stale).toMatchObject({
      status: 409,
      database: second.body.id,
      body: {
        code: 'DATABASE_CHANGED',
        detail: 'The service has opened another database. Reload, then try again',
      },
    });
    expect((await ask<Health>('/api/health')).body).toMatchObject({ dialect: 'postgres' });

    const back = await open({ file: 'sample.db' });
    expect(back.body.id).toBe(first.body.id);
    expect((await ask<{ total: number }>('/api/runs')).body.total).toBe(159);
    const { recent } = (await ask<DatabaseChoices>('/api/databases')).body;
    expect(recent.map(({ dialect }) => dialect)).toEqual(['sqlite', 'postgres']);
    expect(JSON.stringify(recent)).not.toMatch(/password/);
  });

  test('notifies clients of the change feed, and ends their stream', async () => {
    await open({ file: 'sample.db' });
    const stream = await fetch(`${url}/api/changes`);
    const id = (await open({ url: postgres.url })).body.id;
    const text = await stream.text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { database: string },
    );
    expect(events.at(-1)?.database).toBe(id);
    expect(events[0]?.database).not.toBe(id);
  });

  test('retains the open database if another one cannot be opened', async () => {
    await open({ file: 'sample.db' });
    const closed = new URL(postgres.url);
    closed.pathname = '/no_such_database';
    expect((await open({ url: closed.href })).body).toMatchObject({
      code: 'DATABASE_REFUSED',
      errors: [{ path: 'postgres.database' }],
    });
    expect((await ask<{ total: number }>('/api/runs')).body.total).toBe(159);
  });

  test('creates and replaces nothing in a database with another identity', async () => {
    await open({ file: 'sample.db' });
    const refused = {
      status: 409,
      code: 'DATABASE_CHANGED',
      detail:
        'Another program replaced or deleted the database to confirm, so the service changed nothing. Open it again',
    };
    const permissions = { create: true, legacy: 'replace' };
    const original = readFileSync(at('legacy.db'));
    for (const file of ['new.db', 'legacy.db']) {
      const { databaseIdentity: identity } = (await open({ file })).body;
      expect(identity).toEqual(expect.any(String));
      const isThere = existsSync(at(file));
      if (isThere) renameSync(at(file), `${at(file)}.away`);
      if (isThere)
        expect((await open({ file, ...permissions, identity })).body).toMatchObject(refused);
      writeFileSync(at(file), original);
      const before = folderState('sample.db');
      expect((await open({ file, ...permissions, identity })).body).toMatchObject(refused);
      expect(folderState('sample.db')).toEqual(before);
      rmSync(at(file));
      if (isThere) renameSync(`${at(file)}.away`, at(file));
    }
    const { databaseIdentity: identity } = (await open({ file: 'others.db' })).body;
    expect((await open({ file: 'others.db', create: true, identity })).status).toBe(200);
  });

  test('creates a database with the permission', async () => {
    expect((await open({ file: 'new.db', create: true })).status).toBe(200);
    expect((await ask<{ total: number }>('/api/runs')).body.total).toBe(0);
    expect((await open({ file: 'legacy.db', legacy: 'replace' })).status).toBe(200);
    expect(
      readdirSync(folder).filter((name) => /^legacy\.db\.legacy-.*\.db$/.test(name)),
    ).toHaveLength(1);
  });

  test.skipIf(process.platform !== 'linux')(
    'refuses to create sample data in a folder that a link has replaced',
    async () => {
      symlinkSync(folder, at('link'));
      const program = new URL('../../../server/runtime/prepare-worker.ts', import.meta.url);
      const creation = runTask(program, { kind: 'sample', file: at('link/tour.db') });
      await expect(creation).rejects.toMatchObject({
        code: 'DATABASE_REFUSED',
        message: `The path of the folder ${at('link')} now leads through a link: choose the file again`,
      });
      rmSync(at('link'));
    },
  );

  test('creates sample data only in a new file, and opens it', async () => {
    expect(
      (await send<ProblemDocument>('/api/databases/sample', { file: 'sample.db' })).body,
    ).toMatchObject({
      status: 409,
      code: 'FILE_EXISTS',
      detail: 'A file with this name already exists: choose another name',
    });
    expect(
      (await send<ProblemDocument>('/api/databases/sample', { file: 'missing/tour.db' })).body,
    ).toMatchObject({
      code: 'DATABASE_REFUSED',
      detail: 'The service cannot create the file (ENOENT): check its folder',
    });
    const made = send<CurrentDatabase>('/api/databases/sample', { file: 'tour.db' });
    await expect
      .poll(async () => (await ask<DatabaseChoices>('/api/databases')).body.sample?.totalRuns)
      .toBeGreaterThan(10);
    expect((await made).body).toMatchObject({ name: 'tour.db' });
    const summary = await ask<{ campaignCount: number; runCount: number }>(
      '/api/dashboard/summary',
    );
    expect(summary.body.campaignCount).toBe(1);
    expect(summary.body.runCount).toBeGreaterThan(700);
  });
});

test('A folder that is a link lists a recent file by its path in the folder', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'evoscope-linked-folder-'));
  const [realFolder, link] = [join(parent, 'real'), join(parent, 'link')];
  mkdirSync(realFolder);
  symlinkSync(realFolder, link);
  writeSampleFile(join(realFolder, 'sample.db'));
  const linkedService = spawnService(['--choose', link, '--port', '0']);
  try {
    const address = `${parseAddress(await linkedService.readyLine)}/api/databases`;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ file: 'sample.db' });
    expect((await fetch(`${address}/open`, { method: 'POST', headers, body })).status).toBe(200);
    const choices = (await (await fetch(address)).json()) as DatabaseChoices;
    expect(choices.recent).toMatchObject([{ dialect: 'sqlite', file: 'sample.db' }]);
  } finally {
    linkedService.child.kill('SIGTERM');
    await linkedService.exitCode;
    rmSync(parent, { recursive: true, force: true });
  }
});
