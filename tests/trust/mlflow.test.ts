import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { listFolder, storeArtifact } from '#server/mlflow/artifacts.ts';
import { makeSqliteLocation, openTestDatabase } from '#tests/support/databases.ts';
import { sendRawRequest, startService, type ServiceOptions } from '#tests/support/test-service.ts';

const token = 'a-token-of-16-chars';
const json = { 'content-type': 'application/json' };
const search = '/mlflow/api/2.0/mlflow/experiments/search';
const create = '/mlflow/api/2.0/mlflow/runs/create';
const models = '/mlflow/api/2.0/mlflow/logged-models';
const inputs = '/mlflow/api/2.0/mlflow/runs/log-inputs';
const undo: (() => Promise<unknown>)[] = [];

async function start(options: ServiceOptions = {}) {
  const location = await makeSqliteLocation();
  const database = await openTestDatabase(location.url);
  const service = await startService(database, {
    isRecording: true,
    isInThisThread: true,
    ...options,
  });
  undo.push(
    () => service.close(),
    () => database.close(),
    () => location.remove(),
  );
  const send = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await sendRawRequest(service, path, { method: 'POST', headers, body });
    return { status: answer.status, body: JSON.parse(answer.body.toString()) as unknown };
  };
  const runs = async () =>
    (await database.kysely.selectFrom('runs').select('run_id').execute()).length;
  return { service, send, runs };
}

afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

test('A client of MLflow without the token, or with a wrong one, reads and writes nothing', async () => {
  const { service, send, runs } = await start({ token });
  const refused = {
    status: 401,
    body: {
      error_code: 'UNAUTHENTICATED',
      message:
        'The token is missing or invalid. Send it as "Authorization: Bearer …", or open a page with ?token=… in the browser',
    },
  };
  for (const path of [search, create, models, inputs, '/mlflow/api/2.0/mlflow/none']) {
    expect(await send(path, json, '{}')).toEqual(refused);
    expect(await send(path, { ...json, authorization: 'Bearer wrong' }, '{}')).toEqual(refused);
  }
  for (const [method, path] of [
    ['GET', `${models}/m-x`],
    ['PATCH', `${models}/m-x`],
    ['DELETE', `${models}/m-x/tags/a`],
  ] as const) {
    expect((await sendRawRequest(service, path, { method })).status, method).toBe(401);
  }
  expect(await runs()).toBe(0);
  const proven = { ...json, authorization: `Bearer ${token}` };
  expect((await send(create, proven, '{}')).status).toBe(200);
  expect(await runs()).toBe(1);
});

test('A request for another host or from another site writes no run of MLflow', async () => {
  const { service, send, runs } = await start();
  const own = `127.0.0.1:${service.port}`;
  expect(await send(create, { ...json, host: `evil.example:${service.port}` }, '{}')).toEqual({
    status: 403,
    body: {
      error_code: 'PERMISSION_DENIED',
      message:
        'The service does not accept this host name; name it in SVC_ALLOWED_HOSTS if it is yours',
    },
  });
  const foreign = { ...json, host: own, origin: 'http://evil.example' };
  expect(await send(create, foreign, '{}')).toEqual({
    status: 403,
    body: {
      error_code: 'PERMISSION_DENIED',
      message:
        'Another site may not change anything here. Send the request from a page of this service or from a program',
    },
  });
  // A form of another site can send this type without a preflight request.
  expect(await send(create, { host: own, 'content-type': 'text/plain' }, '{}')).toEqual({
    status: 415,
    body: { error_code: 'BAD_REQUEST', message: 'The body must be application/json' },
  });
  expect(await runs()).toBe(0);
});

test('A body of MLflow that is too large, too deep or not JSON is refused', async () => {
  const { send, runs } = await start();
  const large = JSON.stringify({ run_name: 'x'.repeat(1_100_000) });
  expect(await send(create, json, large)).toEqual({
    status: 413,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'The body is larger than 1 MiB. Send less at a time',
    },
  });
  expect(await send(create, json, '{"run_name":')).toEqual({
    status: 400,
    body: {
      error_code: 'MALFORMED_REQUEST',
      message: 'The body is not valid JSON. Correct its syntax',
    },
  });
  const deep = `{"tags":${'['.repeat(200)}${']'.repeat(200)}}`;
  expect(await send(create, json, deep)).toEqual({
    status: 400,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'request must have at most 64 levels of nesting',
    },
  });
  expect(await runs()).toBe(0);
});

/** A service with a run, and functions for its artifacts. */
async function startWithRun(options: ServiceOptions = {}) {
  const base = await mkdtemp(join(tmpdir(), 'evoscope-artifacts-'));
  undo.push(() => rm(base, { recursive: true }));
  const artifactsDirectory = join(base, 'results');
  const started = await start({ artifactsDirectory, ...options });
  const { body } = await started.send(create, json, '{}');
  const runId = (body as { run: { info: { run_id: string } } }).run.info.run_id;
  const folder = `/mlflow/api/2.0/mlflow-artifacts/artifacts/0/${runId}/artifacts`;
  const request = async (method: string, path: string, content?: string) => {
    const answer = await sendRawRequest(started.service, path, {
      method,
      ...(content !== undefined && { body: content }),
    });
    const text = answer.body.toString();
    return [answer.status, answer.status === 200 ? text : (JSON.parse(text) as unknown)];
  };
  return { ...started, base, artifactsDirectory, runId, folder, request };
}

test('No path of an artifact leads out of the folder of its run', async () => {
  const { base, folder, runId, request } = await startWithRun();
  await writeFile(join(base, 'secret.txt'), 'secret');
  const invalid = (name: string) => [
    400,
    {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: `path has the invalid part "${name}". Use letters and digits, at most 200 bytes in each part`,
    },
  ];
  for (const [path, name] of [
    ['../../../secret.txt', '..'],
    ['%2e%2e/%2e%2e/%2e%2e/secret.txt', '..'],
    ['..%2F..%2F..%2Fsecret.txt', '../../../secret.txt'],
    ['..%5C..%5Csecret.txt', '..\\..\\secret.txt'],
    ['a//b', ''],
    ['a%00b', 'a\0b'],
    ['.evoscope-part-1', '.evoscope-part-1'],
  ] as const) {
    expect(await request('PUT', `${folder}/${path}`, 'x'), path).toEqual(invalid(name));
    expect(await request('GET', `${folder}/${path}`), path).toEqual(invalid(name));
  }
  const artifacts = folder.slice(0, folder.indexOf('/0/'));
  const absent = { error_code: 'RESOURCE_DOES_NOT_EXIST' };
  for (const path of [
    `0/none/artifacts/a`,
    `1/${runId}/artifacts/a`,
    `0/${runId}/other/a`,
    `0/..%2F${runId}/artifacts/a`,
    `0/${runId}`,
  ]) {
    expect(await request('PUT', `${artifacts}/${path}`, 'x'), path).toMatchObject([404, absent]);
    expect(await request('GET', `${artifacts}/${path}`), path).toMatchObject([404, absent]);
    const listed = `${artifacts}?path=${path}`;
    expect(await request('GET', listed), listed).toMatchObject([404, absent]);
  }
  expect(await readdir(base)).toEqual(['secret.txt']);
});

test('No artifact is read or written through a link', async () => {
  const { base, artifactsDirectory, folder, runId, request } = await startWithRun();
  await writeFile(join(base, 'secret.txt'), 'secret');
  expect(await request('PUT', `${folder}/a/b.txt`, 'one')).toEqual([200, '{}']);
  const own = join(artifactsDirectory, 'runs', runId);
  await symlink(base, join(own, 'out'));
  await symlink(join(base, 'secret.txt'), join(own, 'link.txt'));
  for (const path of ['out/secret.txt', 'link.txt']) {
    expect(await request('GET', `${folder}/${path}`)).toEqual([
      404,
      {
        error_code: 'RESOURCE_DOES_NOT_EXIST',
        message: `The run has no artifact "${path}". Select another artifact`,
      },
    ]);
  }
  expect(await request('PUT', `${folder}/out/secret.txt`, 'x')).toEqual([
    400,
    {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'path needs the folder "out", which is a file or a link: choose another path',
    },
  ]);
  // A link with the name of an artifact is replaced, and what it points to stays.
  expect(await request('PUT', `${folder}/link.txt`, 'two')).toEqual([200, '{}']);
  expect(await readFile(join(base, 'secret.txt'), 'utf8')).toBe('secret');
  expect(await request('GET', `${folder}/link.txt`)).toEqual([200, 'two']);
  expect(await request('PUT', `${folder}/a`, 'x')).toEqual([
    400,
    {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'path must be that of a file, not of a folder',
    },
  ]);
  expect(await request('GET', `${folder}/a/b.txt`)).toEqual([200, 'one']);
});

test('An artifact is a download that no browser shows as a page of the service', async () => {
  const { service, folder, request } = await startWithRun();
  await request('PUT', `${folder}/page.html`, '<script>alert(1)</script>');
  const { headers } = await sendRawRequest(service, `${folder}/page.html`);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
  });
});

test('Artifacts need a folder, recording and the token', async () => {
  const without = await startWithRun({ artifactsDirectory: undefined as never });
  expect(await without.request('PUT', `${without.folder}/a`, 'x')).toEqual([
    404,
    {
      error_code: 'RESOURCE_DOES_NOT_EXIST',
      message:
        'The service has no folder for artifacts: start it with --artifacts-dir (SVC_ARTIFACTS_DIR)',
    },
  ]);
  const off = await start({ isRecording: false });
  const path = '/mlflow/api/2.0/mlflow-artifacts/artifacts/0/x/artifacts/a';
  const refused = await sendRawRequest(off.service, path, { method: 'PUT', body: 'x' });
  expect([refused.status, JSON.parse(refused.body.toString())]).toMatchObject([
    403,
    { error_code: 'FEATURE_DISABLED' },
  ]);
  const guarded = await start({ token });
  expect((await sendRawRequest(guarded.service, path)).status).toBe(401);
});

test('An artifact above a limit leaves nothing behind', async () => {
  const { artifactsDirectory, folder, runId, request } = await startWithRun();
  const limits = { fileBytes: 2_097_152, runBytes: 3_145_728, files: 3, entries: 10 };
  const place = (name: string) => ({ root: artifactsDirectory, runId, names: [name] });
  const store = (name: string, bytes: number) =>
    storeArtifact(place(name), Readable.from([Buffer.alloc(bytes)]), limits);
  await store('a', 2_000_000);
  await store('a', 2_097_152);
  const tooLarge =
    'An artifact may have at most 2 MiB, and all artifacts of a run together 3 MiB. Log smaller files';
  await expect(store('b', 2_097_153)).rejects.toThrow(tooLarge);
  await expect(store('b', 1_100_000)).rejects.toThrow(tooLarge);
  await store('b', 10);
  await store('c', 10);
  await expect(store('d', 10)).rejects.toThrow(
    'A run may have at most 3 artifacts. Log an archive instead',
  );
  expect((await readdir(join(artifactsDirectory, 'runs', runId))).sort()).toEqual(['a', 'b', 'c']);
  expect(await readdir(join(artifactsDirectory, 'runs'))).toEqual([runId]);
  const deep = Array.from({ length: 21 }, () => 'x').join('/');
  expect(await request('PUT', `${folder}/${deep}`, 'x')).toEqual([
    400,
    { error_code: 'INVALID_PARAMETER_VALUE', message: 'path must have at most 20 parts' },
  ]);
});

test('Uploads at the same time are together within the limits of a run', async () => {
  const { artifactsDirectory, runId } = await startWithRun();
  const limits = { fileBytes: 1_000, runBytes: 2_500, files: 100, entries: 100 };
  const outcomes = await Promise.allSettled(
    ['a', 'b', 'c', 'd', 'e'].map((name) =>
      storeArtifact(
        { root: artifactsDirectory, runId, names: [name] },
        Readable.from([Buffer.alloc(1_000)]),
        limits,
      ),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await readdir(join(artifactsDirectory, 'runs', runId))).toHaveLength(2);
});

test('A run with more files and folders than are read gets no further artifact', async () => {
  const { artifactsDirectory, runId } = await startWithRun();
  const limits = { fileBytes: 1_000, runBytes: 1_500, files: 100, entries: 4 };
  const store = (...names: string[]) =>
    storeArtifact(
      { root: artifactsDirectory, runId, names },
      Readable.from([Buffer.alloc(500)]),
      limits,
    );
  await store('a', 'b', 'c');
  await store('d');
  await store('d');
  const tooMany = 'A run may have at most 4 files and folders of artifacts. Log an archive instead';
  for (const names of [['e'], ['e', 'f']]) await expect(store(...names)).rejects.toThrow(tooMany);
  expect((await readdir(join(artifactsDirectory, 'runs', runId))).sort()).toEqual(['a', 'd']);
});

test('An upload to a run that is deleted meanwhile leaves nothing behind', async () => {
  const { artifactsDirectory, runId } = await startWithRun();
  const runs = join(artifactsDirectory, 'runs');
  async function* content() {
    yield Buffer.from('x');
    await rm(join(runs, runId), { recursive: true });
  }
  await expect(
    storeArtifact({ root: artifactsDirectory, runId, names: ['a'] }, content()),
  ).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
    message: 'Another client deleted the run during the upload. Log the artifact to another run',
  });
  expect(await readdir(runs)).toEqual([]);
});

test('A list of artifacts contains no incomplete upload', async () => {
  const { artifactsDirectory, folder, runId, request } = await startWithRun();
  await request('PUT', `${folder}/a.txt`, 'x');
  const path = join(artifactsDirectory, 'runs', runId, '.evoscope-part-1');
  await writeFile(path, 'left by a process that was killed');
  const location = { root: artifactsDirectory, runId, names: [] };
  expect((await listFolder(location)).files.map((file) => file.path)).toEqual(['a.txt']);
});

test('An upload removes the files of uploads whose process was killed, and no newer ones', async () => {
  const { artifactsDirectory, folder, runId, request } = await startWithRun();
  const runs = join(artifactsDirectory, 'runs');
  await request('PUT', `${folder}/a.txt`, 'x');
  for (const name of ['.evoscope-part-1', '.evoscope-part-2'])
    await writeFile(join(runs, name), '');
  await utimes(join(runs, '.evoscope-part-1'), 0, 0);
  await request('PUT', `${folder}/b.txt`, 'x');
  expect((await readdir(runs)).sort()).toEqual(['.evoscope-part-2', runId].sort());
});

test('A path of an artifact that is too long for the file system is refused', async () => {
  const { folder, request } = await startWithRun();
  const longPath = Array.from({ length: 20 }, () => 'x'.repeat(200)).join('/');
  expect(await request('PUT', `${folder}/${longPath}`, 'x')).toEqual([
    400,
    {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'path is too long for the file system: choose a shorter path',
    },
  ]);
});
