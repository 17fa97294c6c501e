import { afterEach, expect, test } from 'vitest';
import { makeSqlitePlace, openTestDatabase } from '#tests/support/databases.ts';
import { rawRequest, startService, type ServiceOptions } from '#tests/support/test-service.ts';

const token = 'a-token-of-16-chars';
const json = { 'content-type': 'application/json' };
const search = '/mlflow/api/2.0/mlflow/experiments/search';
const create = '/mlflow/api/2.0/mlflow/runs/create';
const undo: (() => Promise<unknown>)[] = [];

async function start(options: ServiceOptions = {}) {
  const place = await makeSqlitePlace();
  const database = await openTestDatabase(place.url);
  const service = await startService(database, { recording: true, ...options });
  undo.push(
    () => service.close(),
    () => database.close(),
    () => place.remove(),
  );
  const send = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await rawRequest(service, path, { method: 'POST', headers, body });
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
  const { send, runs } = await start({ token });
  const refused = {
    status: 401,
    body: {
      error_code: 'UNAUTHENTICATED',
      message: 'Send the token as "Authorization: Bearer …"',
    },
  };
  for (const path of [search, create, '/mlflow/api/2.0/mlflow/none']) {
    expect(await send(path, json, '{}')).toEqual(refused);
    expect(await send(path, { ...json, authorization: 'Bearer wrong' }, '{}')).toEqual(refused);
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
      message: 'This host name is not allowed; name it in SVC_ALLOWED_HOSTS if it is yours',
    },
  });
  const foreign = { ...json, host: own, origin: 'http://evil.example' };
  expect(await send(create, foreign, '{}')).toEqual({
    status: 403,
    body: {
      error_code: 'PERMISSION_DENIED',
      message: 'Another site may not change anything here',
    },
  });
  // A form of another site can send this type without a preflight request.
  expect(await send(create, { host: own, 'content-type': 'text/plain' }, '{}')).toEqual({
    status: 415,
    body: { error_code: 'BAD_REQUEST', message: 'The body must be application/json' },
  });
  expect(await runs()).toBe(0);
});

test('A body of MLflow that is too large, too deep or no JSON is refused', async () => {
  const { send, runs } = await start();
  const large = JSON.stringify({ run_name: 'x'.repeat(1_100_000) });
  expect(await send(create, json, large)).toEqual({
    status: 413,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'The body is larger than 1 MiB',
    },
  });
  expect(await send(create, json, '{"run_name":')).toEqual({
    status: 400,
    body: { error_code: 'MALFORMED_REQUEST', message: 'The body is not valid JSON' },
  });
  const deep = `{"tags":${'['.repeat(200)}${']'.repeat(200)}}`;
  expect(await send(create, json, deep)).toEqual({
    status: 400,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'request is refused: The record is nested more than 64 levels deep',
    },
  });
  expect(await runs()).toBe(0);
});
