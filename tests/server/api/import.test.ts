import { connect } from 'node:net';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import type { ImportState } from '#shared/schemas/import.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { beginUpload, importThrough, readEvents, sendImport } from '#tests/support/imports.ts';
import { countRows } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';
import { unpack } from '#tests/support/unpack.ts';

const mixed = findArchive('coco-gen-mixint')!;
const folder = mkdtempSync(join(tmpdir(), 'evoscope-import-api-'));
const benchmark = makeBenchmark({ functions: 6 });
const inputs = await unpack(findArchive('bad-inputs')!);
afterAll(() => {
  for (const { remove } of [benchmark, inputs]) remove();
  rmSync(folder, { recursive: true });
});

const spooled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('evoscope-import-'));

describeOnEachDatabase('an import through the service', (database) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(database());
  });
  afterAll(() => service.close());

  test('stores the runs of an uploaded archive, as its result states, and leaves no temporary file', async () => {
    const before = spooled();
    const state = await importThrough(service, { file: mixed }, 'name=mixed');
    expect(state).toMatchObject({
      source: 'mixed',
      dryRun: false,
      status: 'done',
      failure: null,
      result: {
        dataset: 'mixed',
        campaigns: [{ suite: 'bbob-mixint', optimizers: 1, experiments: 10, runs: 50 }],
        skipped: 0,
        notes: [],
      },
    });
    const { campaignId } = state.result!.campaigns[0]!;
    const path = `/api/coco/campaigns/${campaignId}`;
    expect(await service.get(path)).toMatchObject({ name: 'mixed', status: 'COMPLETED' });
    expect(await service.get(`${path}/trials?size=200`)).toMatchObject({ total: 50 });
    expect(spooled()).toEqual(before);
  });

  test('one that was killed misses what it has elsewhere, in its list and in its grid; a whole one misses nothing', async () => {
    const file = findArchive('coco-gen-batches')!;
    const { result } = await importThrough(service, { file }, 'name=batches');
    const { campaignId } = result!.campaigns[0]!;
    const list = await service.get<ResponseBody<'listCampaigns'>>('/api/coco/campaigns');
    const counted = list.items.map(({ name, trials, expectedTrials }) => [
      name,
      trials,
      expectedTrials,
    ]);
    expect(counted).toEqual(
      expect.arrayContaining([
        ['batches', 67, 90],
        ['mixed', 50, 50],
      ]),
    );
    const path = `/api/coco/campaigns/${campaignId}`;
    expect(await service.get(path)).toMatchObject({ trials: 67, expectedTrials: 90 });
    // Its logger wrote each improvement: no note states that hits are known only to a generation.
    expect(await service.get(`${path}/ecdf`)).toMatchObject({
      pairs: 67 * 51,
      notes: [{ code: 'IMPORTED_RESOLUTION' }],
    });
    const grid = await service.get<ResponseBody<'getCompleteness'>>(`${path}/completeness`);
    expect(grid.planSource).toBe('data');
    expect(grid.cells.map(({ expected }) => expected)).toEqual(Array(6).fill(15));
  });

  test('sent once more, or by its path, it changes nothing', async () => {
    const before = await countRows(database());
    for (const sent of [{ file: mixed }, { path: mixed }]) {
      const state = await importThrough(service, sent, 'name=mixed');
      expect(state.result).toMatchObject({ skipped: 50, extended: 0 });
    }
    expect(await countRows(database())).toEqual(before);
  });

  test('reports in a dry run the rows that it would write, and writes nothing', async () => {
    const before = await countRows(database());
    const state = await importThrough(
      service,
      { path: join(inputs.folder, 'bad/01-good') },
      'dryRun=true',
    );
    expect(state).toMatchObject({ dryRun: true, status: 'done', result: { dataset: '01-good' } });
    expect(state.result!.campaigns[0]!.runs).toBeGreaterThan(0);
    expect(await countRows(database())).toEqual(before);
  });

  test('reads an uploaded zip and an uploaded table by their types', async () => {
    const zip = await importThrough(
      service,
      { file: join(inputs.folder, 'bad/archives/nested.zip'), type: 'application/zip' },
      'name=zipped',
    );
    expect(zip.result).toMatchObject({ dataset: 'zipped', campaigns: [{ experiments: 1 }] });
    const table = join(folder, 'a.csv');
    writeFileSync(table, 'algorithm,problem,seed,evaluations,best\nA,p,1,1,5\nA,p,1,9,2\n');
    const { result } = await importThrough(
      service,
      { file: table, type: 'text/csv; charset=utf-8' },
      'name=table&direction=min',
    );
    expect(result).toMatchObject({ campaigns: [{ campaignId: null, runs: 1, iterations: 2 }] });
  });

  test('refuses other values under the same name, and replaces the stored ones if requested', async () => {
    const before = await countRows(database());
    const edited = makeBenchmark({ functions: 1, dimensions: [2], instances: 2 });
    await importThrough(service, { path: edited.folder }, 'name=edited');
    edited.remove();
    const longer = makeBenchmark({ functions: 1, dimensions: [2], instances: 2, rows: 60 });
    const state = await importThrough(service, { path: longer.folder }, 'name=edited');
    expect(state).toMatchObject({
      status: 'failed',
      result: null,
      failure: {
        code: 'IMPORT_CONFLICT',
        status: 409,
        detail: expect.stringMatching(
          /^"edited" exists with other values \(imp-.*\): replace it, or give another name$/,
        ) as string,
      },
    });
    const replaced = await importThrough(
      service,
      { path: longer.folder },
      'name=edited&replace=true',
    );
    longer.remove();
    expect(replaced).toMatchObject({ status: 'done', result: { skipped: 0 } });
    expect((await countRows(database()))['runs']).toBeGreaterThan(before['runs'] ?? 0);
  });

  test.each([
    [
      'FORMAT_UNKNOWN',
      422,
      findArchive('coco-gen-toy')!,
      /^The source has no data in a known format/,
    ],
    [
      'PAYLOAD_TOO_LARGE',
      413,
      join(inputs.folder, 'bad/archives/bomb.zip'),
      /^The source is too large: it unpacks to more than 200 times its size\. Unpack it, and import the folder$/,
    ],
    ['SOURCE_UNREADABLE', 422, '/nothing/there', /^There is no file or folder at /],
  ])('%s is what became of an import', async (code, status, path, detail) => {
    const { failure } = await importThrough(service, { path });
    expect(failure).toMatchObject({ code, status, notes: expect.any(Array) as unknown });
    expect(failure!.detail).toMatch(detail);
  });

  test('reports its progress, and the service responds meanwhile', async () => {
    const { body } = await sendImport(service, { path: benchmark.folder }, 'name=benchmark');
    const importId = String(body['importId']);
    const events = readEvents(service, importId);
    const second = await sendImport(service, { path: mixed });
    expect(second).toMatchObject({
      status: 409,
      body: {
        code: 'IMPORT_RUNNING',
        detail: 'An import of "benchmark" is running: wait until it is done, or cancel it',
      },
    });
    expect(await service.get('/api/health')).toMatchObject({ status: 'ok' });
    const seen = await events;
    expect(seen.at(-1)).toMatchObject({ event: 'done', data: { dataset: 'benchmark' } });
    const progress = seen.filter(({ event }) => event === 'progress').map(({ data }) => data);
    expect(new Set(progress.map(({ phase }) => phase))).toEqual(new Set(['reading', 'writing']));
    const rows = progress.map((data) => Number(data['rows']));
    expect(rows).toEqual(rows.toSorted((a, b) => a - b));
    // The number of reports depends on the duration: a large import has small steps (import-large.test.ts).
    expect(new Set(rows).size).toBeGreaterThan(1);
    expect(await readEvents(service, importId)).toEqual(seen.slice(-1));
    const [newest] = await service.get<ImportState[]>('/api/import');
    expect(newest).toMatchObject({ importId, status: 'done' });
  });

  test('cancelled while it is written, nothing of it is there', async () => {
    const before = await countRows(database());
    const { body } = await sendImport(service, { path: benchmark.folder }, 'name=cancelled');
    const path = `/api/import/${String(body['importId'])}`;
    await expect
      .poll(async () => (await service.get<ImportState>(path)).progress.rows, { interval: 5 })
      .toBeGreaterThan(0);
    const answer = await fetch(service.url + path, { method: 'DELETE' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      status: 'failed',
      failure: {
        code: 'IMPORT_CANCELLED',
        detail: 'The import was cancelled and changed nothing',
      },
    });
    expect(await countRows(database())).toEqual(before);
    const again = await fetch(service.url + path, { method: 'DELETE' });
    expect(await again.json()).toMatchObject({ failure: { code: 'IMPORT_CANCELLED' } });
  });

  test('does not wait for the upload of another import, which leaves nothing when its connection ends', async () => {
    const before = spooled();
    const socket = await beginUpload(service.port);
    const other = await importThrough(service, { path: '/nothing/there' });
    expect(other.failure).toMatchObject({ code: 'SOURCE_UNREADABLE' });
    expect(await service.get('/api/import')).not.toContainEqual(
      expect.objectContaining({ source: 'upload' }),
    );
    socket.destroy();
    await expect.poll(spooled).toEqual(before);
  });

  test.each([
    ['a type that holds no data', { headers: { 'content-type': 'image/png' } }, 415],
    ['no type', {}, 415],
    [
      'an encoding',
      { headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' }, body: 'x' },
      415,
    ],
    ['no path', { headers: { 'content-type': 'application/json' }, body: '{}' }, 400],
    [
      'a path that is not absolute',
      { headers: { 'content-type': 'application/json' }, body: '{"path":"data"}' },
      400,
    ],
    [
      'a path for someone behind a proxy',
      {
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.0.0.1' },
        body: '{"path":"/data"}',
      },
      403,
    ],
    ...['forwarded', 'x-forwarded-for'].map((name): [string, object, number] => [
      `a path for someone behind a proxy with an empty header ${name}`,
      {
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': '10.0.0.1',
          [name]: '',
        },
        body: '{"path":"/data"}',
      },
      403,
    ]),
  ])('%s is refused in words', async (_what, options, status) => {
    const answer = await sendRawRequest(service, '/api/import', { method: 'POST', ...options });
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(String(answer.body)).toContain(
        'Only clients on the machine of the service can import a path: upload the archive instead',
      );
    else expect(String(answer.body)).not.toContain('Invalid input');
  });

  test('refuses a body above the maximum size before it arrives', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `POST /api/import HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n` +
        'Content-Type: application/gzip\r\nContent-Length: 5000000000\r\n\r\n',
    );
    const answer = (await socket.toArray()).join('');
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
    expect(answer).toContain('An upload may have at most 4096 MiB. Upload it in parts');
  });

  test('of data without targets has a note in each analysis at the targets that come from the data', async () => {
    const file = join(folder, 'no-targets.csv');
    const header = 'algorithm,problem,instance,dimension,direction,evaluations,best';
    writeFileSync(file, [header, 'ES,PBO-1,1,16,max,3,10', 'DE,PBO-1,1,16,max,5,12'].join('\n'));
    const { result } = await importThrough(service, { file, type: 'text/csv' }, 'name=no-targets');
    const { result: bbobResult } = await importThrough(service, { file: mixed }, 'name=mixed');
    const sbox = join(folder, 'sbox');
    mkdirSync(sbox, { recursive: true });
    const index = 'suite = "sbox-cost", funcId = 1, DIM = 2, Precision = 1.000e-08, algId = "A"';
    writeFileSync(join(sbox, 'x.info'), `${index}\n%\nd.dat, 1:2|5`);
    writeFileSync(
      join(sbox, 'd.dat'),
      '% f evaluations | best noise-free fitness - Fopt\n1 3\n2 1\n',
    );
    const { result: sboxResult } = await importThrough(service, { path: sbox }, 'name=sbox');
    const readNotes = async (campaignId: string | null, part: string) => {
      const path = `/api/coco/campaigns/${campaignId}/${part}`;
      const { notes } = await service.get<ResponseBody<'getEcdf'>>(path);
      return notes.filter(({ code }) => code === 'TARGETS_FROM_DATA').map((note) => note.message);
    };
    const { campaignId, suite } = result!.campaigns[0]!;
    expect(suite).toBe('PBO');
    for (const part of ['erts', 'ecdf', 'tests']) {
      expect(await readNotes(campaignId, part), part).toEqual([
        'The imported data state no targets. Each target is the best value of its function and dimension in the data set: ' +
          'results are exploratory, because the targets come from the data.',
      ]);
      const query = part === 'tests' ? 'target=11' : 'targets=11';
      expect(await readNotes(campaignId, `${part}?${query}`), part).toEqual([]);
      for (const { campaigns } of [bbobResult!, sboxResult!])
        expect(await readNotes(campaigns[0]!.campaignId, part), part).toEqual([]);
    }
  });

  test('of solved trials without budgets has intervals of ERTs from 15 trials on, with their assumption', async () => {
    const file = join(folder, 'solved.csv');
    const header = 'algorithm,problem,instance,dimension,direction,evaluations,best';
    const rows = Array.from({ length: 15 }, (_, index) =>
      ['ES', 'DE']
        .slice(index === 0 ? 1 : 0)
        .map((name) => `${name},PBO-1,${index + 1},16,max,${100 + index},12`),
    );
    writeFileSync(file, [header, ...rows.flat()].join('\n'));
    const { result } = await importThrough(service, { file, type: 'text/csv' }, 'name=solved');
    const path = `/api/coco/campaigns/${result!.campaigns[0]!.campaignId}/erts`;
    const erts = await service.get<ResponseBody<'listErts'>>(path);
    const intervals = erts.rows.map(({ optimizerId, trials, ertMoverInterval }) => [
      optimizerId,
      trials,
      ertMoverInterval,
    ]);
    expect(intervals).toEqual([
      ['DE', 15, { lower: expect.any(Number) as number, upper: expect.any(Number) as number }],
      ['ES', 14, null],
    ]);
    const message =
      '1 interval of an ERT assumes that every trial succeeds, because all trials of the cell reached the target and their budget is unknown.';
    expect(erts.notes.map((note) => note.message)).toContain(message);
    const { notes } = await service.get<ResponseBody<'listErts'>>(`${path}?optimizer=ES`);
    expect(notes.map((note) => note.message)).not.toContain(message);
  });

  test('is not found if its id is unknown', async () => {
    for (const [method, path] of [
      ['GET', '/api/import/nobody'],
      ['GET', '/api/import/nobody/events'],
      ['DELETE', '/api/import/nobody'],
    ] as const) {
      expect(await service.getProblem(path, { method })).toMatchObject({
        code: 'IMPORT_NOT_FOUND',
        detail:
          'There is no import with the id "nobody"; the service stores the last 20. Import again',
      });
    }
  });

  test('is refused by a read-only service', async () => {
    const readAccess = async () => ({ isReadOnly: true, reason: null });
    const readOnly = await startService({ ...database(), readAccess });
    const { status, body } = await sendImport(readOnly, { file: mixed });
    await readOnly.close();
    expect([status, body['code']]).toEqual([409, 'READ_ONLY']);
    expect(body['detail']).toBe(
      'The database is open read-only, so the service cannot import anything. Open the database with write access',
    );
  });
});
