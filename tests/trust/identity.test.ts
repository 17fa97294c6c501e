import { existsSync, renameSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitToIdentity } from '#server/db/identity.ts';
import type { Health } from '#shared/schemas/service.ts';
import { identityHeader } from '#shared/words.ts';
import {
  describeOnEachEngine,
  execute,
  getFile,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestEngine,
  type TestLocation,
} from '#tests/support/databases.ts';
import { countRows, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { olderRunner } from '#tests/support/schemas.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** A database with the same ids as another one, and how it takes the place of that one. */
interface Twin {
  takePlace(): Promise<void>;
  /** What is in it. */
  count(): ReturnType<typeof countRows>;
}

async function fill(url: string): Promise<void> {
  const database = await openTestDatabase(url);
  await insertExperiment(database, 'same');
  await insertRun(database, 'same', 'same-run', { status: 'STOPPED' });
  await insertExperiment(database, 'running');
  await insertRun(database, 'running', 'running-run', { status: 'RUNNING' });
  await database.close();
}

async function makeTwin(engine: TestEngine, location: TestLocation): Promise<Twin> {
  const count = async () => {
    const database = await openTestDatabase(location.url);
    return countRows(database).finally(() => database.close());
  };
  if (engine.name === 'sqlite') {
    const file = getFile(location);
    await fill(`jdbc:sqlite:${file}.twin`);
    const takePlace = async () => {
      for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
      renameSync(`${file}.twin`, file);
    };
    return { takePlace, count };
  }
  const onPlace = (sql: string) => onServer(location.url, (client) => client.query(sql));
  await onPlace('create schema twin');
  const url = new URL(location.url);
  url.searchParams.set('currentSchema', 'twin');
  await fill(url.href);
  return {
    takePlace: async () => {
      await onPlace('alter schema public rename to former; alter schema twin rename to public');
    },
    count,
  };
}

describeOnEachEngine('the identity of a database', (engine) => {
  let location: TestLocation;
  let database: TestDatabase;
  let twin: Twin;

  beforeEach(async () => {
    location = await engine.makeLocation();
    await fill(location.url);
    database = await openTestDatabase(location.url);
    twin = await makeTwin(engine, location);
  });
  afterEach(async () => {
    await database.close();
    await location.remove();
  });

  test('stays the same while rows are written, and for each connection', async () => {
    const before = await database.dialect.readIdentity();
    await insertExperiment(database, 'another');
    const second = await openTestDatabase(location.url, { isReadOnly: true });
    expect(await second.dialect.readIdentity()).toBe(before);
    expect(await database.dialect.readIdentity()).toBe(before);
    expect(before).toMatch(/^[0-9a-f]{16}$/);
    await second.close();
  });

  test('prevents the start of a write transaction after another database has replaced it', async () => {
    const limited = await limitToIdentity(database, await database.dialect.readIdentity());
    await twin.takePlace();
    const before = await twin.count();
    let hasBegun = false;
    const written = limited.dialect.withWriteTransaction(async () => void (hasBegun = true));
    await expect(written).rejects.toMatchObject({ code: 'DATABASE_CHANGED' });
    expect(hasBegun).toBe(false);
    expect(await twin.count()).toEqual(before);
  });

  test('prevents the commit of a write transaction after another database has replaced it', async () => {
    const limited = await limitToIdentity(database, await database.dialect.readIdentity());
    const written = limited.dialect.withWriteTransaction(async () => {
      await twin.takePlace();
    });
    await expect(written).rejects.toMatchObject({ code: 'DATABASE_CHANGED' });
  });

  test('prevents the replacement of old tables in another database', async () => {
    const old = await engine.makeLocation();
    await execute(old, olderRunner);
    const replaced = openTestDatabase(old.url, { legacy: 'replace', identity: 'another' });
    await expect(replaced).rejects.toMatchObject({ code: 'DATABASE_CHANGED' });
    const made = openTestDatabase(old.url, { legacy: 'replace' });
    await (await made).close();
    await old.remove();
  });

  test('prevents the creation of tables in another database', async () => {
    const empty = await engine.makeLocation();
    await execute(empty, ['create table notes (text text)']);
    const made = openTestDatabase(empty.url, { canCreate: true, identity: 'another' });
    await expect(made).rejects.toMatchObject({ code: 'DATABASE_CHANGED' });
    await execute(empty, ['create table runs (text text)']);
    await empty.remove();
  });

  const json = { 'content-type': 'application/json' };
  const writes: Record<string, [path: string, init: RequestInit]> = {
    'a stop of a run': ['/api/runs/running-run/stop', { method: 'POST' }],
    'a stop of an experiment': ['/api/experiments/running/stop', { method: 'POST' }],
    'a settlement': ['/api/runs/running-run/settle', { method: 'POST' }],
    'a deletion': ['/api/experiments/same', { method: 'DELETE' }],
    'the preview of a deletion': ['/api/experiments/same/deletion-preview', { method: 'GET' }],
    'a deletion of several experiments': [
      '/api/experiments/delete-bulk',
      { method: 'POST', headers: json, body: '{"experimentIds":["same"]}' },
    ],
    'a deletion of a campaign': ['/api/coco/campaigns/same', { method: 'DELETE' }],
    'a deletion of a data set': ['/api/datasets/same', { method: 'DELETE' }],
  };

  const sent = async (service: TestService, name: string, identity?: string) => {
    const [path, init] = writes[name] ?? ['', {}];
    const named = identity === undefined ? {} : { [identityHeader]: identity };
    const headers = { ...(init.headers as Record<string, string>), ...named };
    const response = await fetch(service.url + path, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  const withService = async (work: (service: TestService, identity: string) => Promise<void>) => {
    const service = await startService(database);
    try {
      const { databaseIdentity } = await service.get<Health>('/api/health');
      expect(databaseIdentity).toBe(await database.dialect.readIdentity());
      await work(service, databaseIdentity ?? '');
    } finally {
      await service.close();
    }
  };

  test('in a request prevents reads from another database that has replaced it, and writes to it', () =>
    withService(async (service, identity) => {
      await twin.takePlace();
      const before = await twin.count();
      for (const name of Object.keys(writes)) {
        expect(await sent(service, name, identity), name).toMatchObject({
          status: 409,
          body: {
            code: 'DATABASE_CHANGED',
            detail:
              'Another database has replaced the one that the page showed, and the service changed nothing in the new one. Reload to see it',
          },
        });
      }
      expect(await twin.count()).toEqual(before);
      const { databaseIdentity } = await service.get<Health>('/api/health');
      expect(databaseIdentity).not.toBe(identity);
      expect((await sent(service, 'a deletion', databaseIdentity ?? '')).status).toBe(200);
      expect((await sent(service, 'a stop of a run')).status).toBe(200);
    }));

  test('of an import prevents writes to another database that has replaced it', () =>
    withService(async (service, identity) => {
      await twin.takePlace();
      const before = await twin.count();
      const response = await fetch(`${service.url}/api/import`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv', [identityHeader]: identity },
        body: 'problem,algorithm,seed,evaluations,fitness\nsphere,ga,1,10,0.5\n',
      });
      const { importId } = (await response.json()) as { importId: string };
      await expect
        .poll(() => service.get(`/api/import/${importId}`))
        .toMatchObject({ status: 'failed', failure: { code: 'DATABASE_CHANGED', status: 409 } });
      expect(await twin.count()).toEqual(before);
    }));

  if (engine.name === 'postgres') return;

  test('of a removed file causes an error with the reason', () =>
    withService(async (service, identity) => {
      const file = getFile(location);
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
      expect(await sent(service, 'a deletion', identity)).toMatchObject({
        status: 503,
        body: {
          code: 'DATABASE_UNAVAILABLE',
          detail: `The database file ${file} is missing, so the service read and changed nothing. Restore it, then try again`,
        },
      });
      expect(existsSync(file)).toBe(false);
    }));
});
