import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import type { ImportState } from '#shared/schemas/import.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { importThrough, sendImport } from '#tests/support/imports.ts';
import { describeOnEachDatabase, openTestDatabase } from '#tests/support/databases.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const top = mkdtempSync(join(tmpdir(), 'evoscope-watch-api-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(top, 'folder-'));
});
const append = (text: string) => appendFileSync(join(folder, 'IOHprofiler_f1_DIM2.dat'), text);

type Address = Pick<TestService, 'url'>;

async function startWatch(service: Address, query = ''): Promise<string> {
  const { status, body } = await sendImport(service, { path: folder }, `watch=true&${query}`);
  expect(body).toEqual({ importId: expect.any(String) as string });
  expect(status).toBe(202);
  return String(body['importId']);
}

async function getState({ url }: Address, importId: string): Promise<ImportState | undefined> {
  const response = await fetch(`${url}/api/import`);
  const states = (await response.json()) as ImportState[];
  return states.find((state) => state.importId === importId);
}

async function stop({ url }: Address, importId: string): Promise<ImportState> {
  const response = await fetch(`${url}/api/import/${importId}`, { method: 'DELETE' });
  return (await response.json()) as ImportState;
}

describeOnEachDatabase('a folder that the service watches', (database) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(database());
  });
  afterAll(() => service.close());

  test('is listed with its state, and its rows are shown until it is stopped', async () => {
    const importId = await startWatch(service, 'name=live');
    await expect
      .poll(() => getState(service, importId), { timeout: 20_000 })
      .toMatchObject({ source: folder, status: 'running', watch: { files: 0, problem: null } });
    append('evaluations raw_y\n1 5\n3 4\n');
    await expect
      .poll(() => getState(service, importId), { timeout: 20_000 })
      .toMatchObject({ watch: { runs: 1, running: 1, addedRuns: 1, addedRows: 2, notes: [] } });
    const runs = await service.get<ResponseBody<'listRuns'>>('/api/runs?status=RUNNING');
    expect(runs.items).toMatchObject([{ status: 'RUNNING', bestFitness: 4 }]);
    const file = findArchive('coco-gen-mixint')!;
    expect(await importThrough(service, { file }, 'name=mixed')).toMatchObject({ status: 'done' });
    const ended = await stop(service, importId);
    expect(ended).toMatchObject({
      status: 'done',
      result: { dataset: 'live', campaigns: [{ runs: 1 }] },
      failure: null,
      watch: { running: 0 },
    });
    expect(await getState(service, importId)).toEqual(ended);
  });

  test('sends events of its state', async () => {
    const importId = await startWatch(service);
    const response = await fetch(`${service.url}/api/import/${importId}/events`);
    append('evaluations raw_y\n1 5\n');
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      const text = decoder.decode(chunk);
      expect(text).toMatch(/^event: watch\ndata: \{"/);
      if (text.includes('"addedRows":1')) break;
    }
    await stop(service, importId);
  });

  test('has the problem in its state while it is missing, and continues', async () => {
    append('evaluations raw_y\n1 5\n');
    const importId = await startWatch(service);
    await expect
      .poll(() => getState(service, importId), { timeout: 20_000 })
      .toMatchObject({ watch: { runs: 1 } });
    renameSync(folder, `${folder}-moved`);
    await expect
      .poll(() => getState(service, importId), { timeout: 20_000 })
      .toMatchObject({
        status: 'running',
        watch: {
          problem: `The folder ${folder} no longer exists. Watching continues when it exists again.`,
        },
      });
    renameSync(`${folder}-moved`, folder);
    await expect
      .poll(() => getState(service, importId), { timeout: 20_000 })
      .toMatchObject({ watch: { problem: null } });
    expect(await stop(service, importId)).toMatchObject({ status: 'done' });
  });

  test('fails with a message if there is no such folder', async () => {
    rmSync(folder, { recursive: true });
    const importId = await startWatch(service);
    await expect
      .poll(() => getState(service, importId), { timeout: 20_000 })
      .toMatchObject({
        status: 'failed',
        failure: {
          code: 'SOURCE_UNREADABLE',
          detail: `There is no accessible folder at ${folder}. Correct the path, or grant access`,
        },
      });
  });

  test('is watched only once', async () => {
    const importId = await startWatch(service);
    expect(await sendImport(service, { path: `${folder}/.` }, 'watch=true')).toMatchObject({
      status: 409,
      body: {
        code: 'IMPORT_RUNNING',
        detail: `The service already watches "${folder}". Stop watching it first`,
      },
    });
    await stop(service, importId);
  });

  test.each([
    ['dryRun=true', 'dryRun is not possible with watch'],
    ['replace=true', 'replace is not possible with watch'],
    ['budget=9', 'budget is not possible with watch'],
    ['kind=table', 'kind must not be table: a watch cannot read tables'],
  ])('is refused with %s', async (query, detail) => {
    const { status, body } = await sendImport(service, { path: folder }, `watch=true&${query}`);
    expect(status).toBe(400);
    expect(body['detail']).toContain(detail);
  });

  test('is refused if it is not a path', async () => {
    const file = findArchive('coco-gen-mixint')!;
    for (const sent of [{ file }, { sample: true as const }]) {
      const { status, body } = await sendImport(service, sent, 'watch=true');
      expect(status).toBe(400);
      expect(body['detail']).toContain('watch needs the path of a folder');
    }
    const relative = await sendImport(service, { path: 'exdata' }, 'watch=true');
    expect(relative.body['detail']).toContain('path must be an absolute path');
  });

  test('is refused by a read-only database', async () => {
    const readAccess = async () => ({ isReadOnly: true, reason: null });
    const readOnly = await startService({ ...database(), readAccess });
    const { status, body } = await sendImport(readOnly, { path: folder }, 'watch=true');
    await readOnly.close();
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'READ_ONLY' });
  });
});

test('at most four folders are watched at the same time', async () => {
  const database = await openTestDatabase(':memory:');
  const service = await startService(database);
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    folder = mkdtempSync(join(top, 'folder-'));
    ids.push(await startWatch(service));
  }
  expect(await sendImport(service, { path: top }, 'watch=true')).toMatchObject({
    status: 409,
    body: {
      detail: 'The service watches 4 folders, which is the limit. Stop watching one of them',
    },
  });
  for (const id of ids) await stop(service, id);
  await service.close();
  await database.close();
});

test('a watched folder ends with a message when another database is opened', async () => {
  for (const name of ['one.db', 'two.db']) writeFileSync(join(top, name), '');
  const place = join(top, 'one.db');
  const process = spawnService(['--choose', top, '--db', place, '--port', '0']);
  const service = { url: parseAddress(await process.readyLine) };
  const importId = await startWatch(service);
  append('evaluations raw_y\n1 5\n');
  await expect
    .poll(() => getState(service, importId), { timeout: 20_000 })
    .toMatchObject({ watch: { running: 1 } });
  const opened = await fetch(`${service.url}/api/databases/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `jdbc:sqlite:${join(top, 'two.db')}`, create: true }),
  });
  expect(opened.status).toBe(200);
  expect(await getState(service, importId)).toMatchObject({
    status: 'failed',
    watch: { addedRows: 1 },
    failure: {
      code: 'DATABASE_CHANGED',
      detail:
        'Watching ended, because the service opened another database. The rows are in one.db; open it to see them',
    },
  });
  process.child.kill('SIGTERM');
  expect(await process.exitCode).toBe(0);
});
