import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { maximumDocumentBytes, type StoredDocument } from '#server/db/documents.ts';
import { limitToIdentity } from '#server/db/identity.ts';
import { openDatabase } from '#server/db/open.ts';
import { tableNames } from '#server/db/tables.ts';
import { saveAnnotation } from '#server/services/annotations.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import { identityHeader } from '#shared/words.ts';
import {
  describeOnEachEngine,
  execute,
  getFile,
  makePostgresLocation,
  makeSqliteLocation,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { olderRunner } from '#tests/support/schemas.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';
import { startService } from '#tests/support/test-service.ts';

const content = { displayName: 'A', tags: [], note: 'kept', isBaseline: false };
const algorithm = (id: string) => ({ kind: 'algorithm', id }) as const;

async function fill(url: string): Promise<TestDatabase> {
  const database = await openTestDatabase(url);
  await insertExperiment(database, 'e1');
  await insertRun(database, 'e1', 'r1');
  return database;
}

const documentsIn = (database: TestDatabase) => database.dialect.documents.read();

const services: ServiceProcess[] = [];
async function start(...flags: string[]): Promise<{ service: ServiceProcess; address: string }> {
  const service = spawnService(['--port', '0', '--log-level', 'error', ...flags]);
  services.push(service);
  return { service, address: parseAddress(await service.readyLine) };
}
afterEach(async () => {
  for (const { child, exitCode } of services.splice(0)) {
    child.kill('SIGKILL');
    await exitCode;
  }
});

/** Starts a service in this thread, until the end of the test. */
async function serve(database: TestDatabase): Promise<string> {
  const service = await startService(database, { isInThisThread: true });
  onTestFinished(() => service.close());
  return service.url;
}

async function put(address: string, path: string, body: object, headers = {}) {
  const response = await fetch(`${address}/api/annotations/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    body: (await response.json()) as Annotation & { detail: string },
  };
}

describeOnEachEngine('notes', (engine) => {
  const why = engine.name === 'postgres' ? whySkipped : '';
  let location: TestLocation;
  let database: TestDatabase;

  beforeEach(async () => {
    location = await engine.makeLocation();
    database = await fill(location.url);
  });
  afterEach(async () => {
    await database.close();
    await location.remove();
  });

  test.skipIf(why)(
    `of two services that save at the same time are all stored, including the first one${why}`,
    { timeout: 60_000 },
    async () => {
      const addresses = await Promise.all(
        [1, 2].map(async () => (await start('--db', location.url)).address),
      );
      const saved = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          put(addresses[index % 2]!, `algorithm/a${index}`, {
            version: null,
            note: `note ${index}`,
          }),
        ),
      );
      expect(saved.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect((await documentsIn(database)).length).toBe(20);
      const { version } = saved[0]!.body;
      const rivals = await Promise.all(
        addresses.map((address, index) =>
          put(address, 'algorithm/a0', { version, note: `rival ${index}` }),
        ),
      );
      expect(new Set(rivals.map(({ status }) => status))).toEqual(new Set([200, 409]));
    },
  );

  test.skipIf(why)(
    `are complete after a service is killed while it saves${why}`,
    { timeout: 60_000 },
    async () => {
      const filler = 'x'.repeat(9_000);
      await database.dialect.withWriteTransaction((transaction) =>
        database.dialect.documents.replace(transaction, () =>
          Array.from({ length: 200 }, (_, index): StoredDocument => ({
            ...algorithm(`f${index}`),
            version: '1',
            value: { ...content, note: filler },
          })),
        ),
      );
      const acknowledged: string[] = [];
      for (let kill = 0; kill < (engine.name === 'sqlite' ? 2 : 1); kill += 1) {
        const { service, address } = await start('--db', location.url);
        const { promise: someAreSaved, resolve } = Promise.withResolvers<void>();
        const saving = (async () => {
          for (let number = 0; ; number += 1) {
            const id = `n${kill}-${number}`;
            // Throws once the service is killed.
            const { status } = await put(address, `algorithm/${id}`, { version: null, note: 'n' });
            if (status === 200) acknowledged.push(id);
            if (number === 4) resolve();
          }
        })().catch(() => {});
        await someAreSaved;
        await new Promise((resume) => setTimeout(resume, 20 * Math.random()));
        service.child.kill('SIGKILL');
        await Promise.all([service.exitCode, saving]);
        const stored = new Set((await documentsIn(database)).map(({ id }) => id));
        expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      }
      await saveAnnotation(database, algorithm('after'), { version: null, ...content });
      const left = engine.name === 'sqlite' ? readdirSync(dirname(getFile(location))) : [];
      expect(left.filter((name) => name.endsWith('.new'))).toEqual([]);
    },
  );

  test('are saved only into the database whose rows the page shows', async () => {
    const address = await serve(database);
    const headers = { [identityHeader]: 'another' };
    const refused = await put(address, 'run/r1', { version: null, note: 'x' }, headers);
    expect(refused).toMatchObject({ status: 409, body: { code: 'DATABASE_CHANGED' } });
    expect(await documentsIn(database)).toEqual([]);
    const limited = await limitToIdentity(database, await database.dialect.readIdentity());
    await saveAnnotation(limited, { kind: 'run', id: 'r1' }, { version: null, ...content });
    expect(await documentsIn(database)).toHaveLength(1);
  });

  test('of a read-only database can be read, and changes are refused with the reason', async () => {
    await saveAnnotation(database, algorithm('a'), { version: null, ...content });
    const { version } = (await documentsIn(database))[0]!;
    const readOnly = await openTestDatabase(location.url, { isReadOnly: true });
    expect(await documentsIn(readOnly)).toHaveLength(1);
    await expect(saveAnnotation(readOnly, algorithm('a'), { version, ...content })).rejects.toThrow(
      'The database is open read-only, so the service cannot change anything. Open the database with write access',
    );
    await readOnly.close();
  });

  test('do not make a database count as another program’s, and remain when old tables are replaced', async () => {
    await saveAnnotation(database, algorithm('a'), { version: null, ...content });
    await database.close();
    await execute(
      location,
      tableNames.toReversed().map((table) => `drop table ${table}`),
    );
    database = await openTestDatabase(location.url);
    expect(await documentsIn(database)).toHaveLength(1);
    await database.close();
    await execute(location, [
      'drop table run_objectives',
      'drop table iterations',
      'drop table checkpoints',
      'drop table runs',
      ...olderRunner,
    ]);
    database = await openTestDatabase(location.url, { legacy: 'replace' });
    expect(await documentsIn(database)).toHaveLength(1);
  });
});

describe('the file of the notes of a SQLite database', () => {
  let location: Awaited<ReturnType<typeof makeSqliteLocation>>;
  let database: TestDatabase;
  let file: string;

  beforeEach(async () => {
    location = await makeSqliteLocation();
    database = await fill(location.url);
    file = `${location.file}.evoscope.json`;
  });
  afterEach(async () => {
    await database.close();
    await location.remove();
  });

  const save = (target = database) =>
    saveAnnotation(target, algorithm('a'), { version: null, ...content });
  const refusal = (reason: string) =>
    `Evoscope cannot read notes and display names, and changed nothing: test.db.evoscope.json ${reason}. Move or repair it, then try again`;

  test.each([
    ['is damaged', '{"format":"evoscope-documents-1","documents":[{'],
    ['is damaged', ''],
    ['does not have the format of this version of Evoscope', '{"notes":[]}'],
    ['does not have the format of this version of Evoscope', '[]'],
    [
      'does not have the format of this version of Evoscope',
      '{"format":"evoscope-documents-1","documents":[{"kind":1}]}',
    ],
    ['is larger than any file that Evoscope writes', ' '.repeat(2 * maximumDocumentBytes + 1)],
  ])('that %s is refused and unchanged', async (reason, text) => {
    writeFileSync(file, text);
    await expect(documentsIn(database)).rejects.toThrow(refusal(reason));
    await expect(save()).rejects.toThrow(refusal(reason));
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test('that is a link, a pipe or a folder is refused, and nothing is written through it', async () => {
    const target = join(location.folder, 'target.json');
    writeFileSync(target, 'theirs');
    symlinkSync(target, file);
    await expect(save()).rejects.toThrow(refusal('is a symbolic link'));
    expect([readFileSync(target, 'utf8'), lstatSync(file).isSymbolicLink()]).toEqual([
      'theirs',
      true,
    ]);
    rmSync(file);
    symlinkSync(join(location.folder, 'nothing'), file);
    await expect(save()).rejects.toThrow(refusal('is a symbolic link'));
    rmSync(file);
    mkdirSync(file);
    await expect(save()).rejects.toThrow(refusal('is not a file'));
    rmSync(file, { recursive: true });
    symlinkSync(target, `${file}.new`);
    await save();
    expect(readFileSync(target, 'utf8')).toBe('theirs');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('does not prevent runs and analyses from being shown while it is damaged', async () => {
    writeFileSync(file, '{');
    const address = await serve(database);
    const status = async (path: string) => (await fetch(address + path)).status;
    expect(await status('/api/runs?q=r1&tag=a')).toBe(200);
    expect(await status('/api/facets')).toBe(200);
    expect(await status('/api/analysis/problem/onemax')).toBe(200);
    expect(await status('/api/experiments/e1/deletion-preview')).toBe(200);
    const response = await fetch(`${address}/api/annotations`);
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: 'DOCUMENTS_UNREADABLE', detail: refusal('is damaged') },
    ]);
    const deleted = await fetch(`${address}/api/experiments/e1`, { method: 'DELETE' });
    expect([deleted.status, readFileSync(file, 'utf8')]).toEqual([200, '{']);
  });

  test('in a folder that cannot be opened counts as unreadable', async () => {
    const moved = `${location.folder}-moved`;
    renameSync(location.folder, moved);
    writeFileSync(location.folder, '');
    onTestFinished(() => rmSync(moved, { recursive: true }));
    await expect(documentsIn(database)).rejects.toThrow(
      /^Evoscope cannot read notes .* that the service cannot open \(ENOTDIR\)/,
    );
  });

  test('is not followed through a link in the path', async () => {
    const inner = join(location.folder, 'inner');
    const outside = join(location.folder, 'outside');
    mkdirSync(inner);
    mkdirSync(outside);
    const url = {
      dialect: 'sqlite',
      file: join(inner, 'own.db'),
      mode: 'rwc',
      isImmutable: false,
      isRealPathRequired: true,
    } as const;
    const own = await openDatabase(url);
    renameSync(inner, join(location.folder, 'moved'));
    symlinkSync(outside, inner);
    await expect(own.dialect.documents.read()).rejects.toThrow('replaced or deleted');
    expect(readdirSync(outside)).toEqual([]);
    await own.close();
  });

  test('is next to the file that a link to the database names', async () => {
    const link = join(location.folder, 'link.db');
    symlinkSync(location.file, link);
    await save();
    const linked = await openTestDatabase(`jdbc:sqlite:${link}`);
    expect(await documentsIn(linked)).toHaveLength(1);
    await linked.close();
    expect(existsSync(`${link}.evoscope.json`)).toBe(false);
  });

  test('is not created for a database in memory, which reports it', async () => {
    const memory = await openTestDatabase(':memory:');
    await expect(save(memory)).rejects.toThrow(
      'A database in memory stores no notes. Open a database file to save them',
    );
    await memory.close();
  });

  test('is not written into a folder without write permission', async () => {
    await database.close();
    chmodSync(location.folder, 0o555);
    database = await openTestDatabase(location.url);
    await expect(save()).rejects.toThrow(
      'so the service cannot change anything. Open the database with write access',
    );
    chmodSync(location.folder, 0o755);
  });
});

describe('the table of the notes of a PostgreSQL database', () => {
  let location: TestLocation;
  let database: TestDatabase;

  beforeEach(async () => {
    location = await makePostgresLocation();
    database = await fill(location.url);
  });
  afterEach(async () => {
    await database.close();
    await location.remove();
  });

  const run = (...statements: string[]) =>
    onServer(location.url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const save = () => saveAnnotation(database, algorithm('a'), { version: null, ...content });

  test('of another program is refused and unchanged, and does not prevent deletions', async () => {
    await run('create table evoscope_documents (id integer)');
    const refusal = 'the table "evoscope_documents" belongs to another program';
    await expect(documentsIn(database)).rejects.toThrow(refusal);
    await expect(save()).rejects.toThrow(refusal);
    expect(await database.dialect.readChangeCursor()).toEqual(expect.any(String));
    const address = await serve(database);
    const deleted = await fetch(`${address}/api/experiments/e1`, { method: 'DELETE' });
    expect(await deleted.json()).toMatchObject({ deleted: true, annotationsDeleted: 0 });
  });

  test('is read only in the runner’s schema', async () => {
    await save();
    await run('create schema runner');
    const url = new URL(location.url);
    url.searchParams.set('currentSchema', 'runner,public');
    const other = await openTestDatabase(url.href);
    expect(await documentsIn(other)).toEqual([]);
    await saveAnnotation(other, algorithm('b'), { version: null, ...content });
    expect((await documentsIn(other)).map(({ id }) => id)).toEqual(['b']);
    await other.close();
    expect((await documentsIn(database)).map(({ id }) => id)).toEqual(['a']);
  });

  test('is changed with the deletion in one transaction', async () => {
    await saveAnnotation(database, { kind: 'run', id: 'r1' }, { version: null, ...content });
    await run(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    await run(
      'create trigger refuse before delete on evoscope_documents for each row execute function refuse()',
    );
    const address = await serve(database);
    const deleted = await fetch(`${address}/api/experiments/e1`, { method: 'DELETE' });
    expect(deleted.status).toBe(500);
    expect((await fetch(`${address}/api/runs/r1`)).status).toBe(200);
    await run('drop trigger refuse on evoscope_documents');
    const again = await fetch(`${address}/api/experiments/e1`, { method: 'DELETE' });
    expect(await again.json()).toMatchObject({ annotationsDeleted: 1 });
  });
});
