import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

/** The inspected fields of an operation in the OpenAPI document. */
interface Operation {
  parameters?: { name: string; schema: { default?: unknown } }[];
  requestBody?: { required: boolean };
  responses: Record<string, unknown>;
}

describeOnEachDatabase('The service', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(
      database(),
      'experiments',
      {},
      { experiment_id: 'e2', config_hash: 'e2', algorithm_type: 'pbil', problem_type: 'sphere' },
      { experiment_id: 'e3', config_hash: 'e3', algorithm_type: 'Cga', model_type: ' ' },
    );
    await insert(
      database(),
      'runs',
      { run_id: 'r1', runtime_millis: 5 },
      { run_id: 'r2', runtime_millis: '9007199254740993', status: 'FAILED' },
      { run_id: 't1', experiment_id: 'e2', status: 'RUNNING' },
    );
    await insert(database(), 'coco_campaigns', {});
    await insert(database(), 'coco_trials', { run_id: 't1' }, { run_id: 'gone', repetition: 2 });
    await insert(
      database(),
      'experiment_params',
      { param_path: 'b.x', value_text: '1' },
      { param_path: 'B.x', value_type: 'null' },
      { param_path: 'json', value_type: 'json', value_json: '{}' },
      { experiment_id: 'e2', param_path: 'b.x', value_text: '2' },
    );
  });

  afterAll(() => service.close());

  test('reports its health and its database', async () => {
    const health = await service.get<ResponseBody<'getHealth'>>('/api/health');
    const { name, isReadOnly, schema, dialect } = database();
    expect(health).toEqual({
      status: 'ok',
      version: '0.0.0-test',
      choosing: false,
      dialect: dialect.name,
      schema,
      readOnly: isReadOnly,
      readOnlyReason: null,
      replica: null,
      uptimeMillis: expect.any(Number) as number,
      databaseName: name,
      databaseIdentity: await dialect.readIdentity(),
    });
  });

  test('counts the rows of the database', async () => {
    expect(await service.get('/api/dashboard/summary')).toEqual({
      experimentCount: 3,
      runCount: 3,
      totalRuntimeMillis: 9007199254740996,
      databaseSizeBytes: expect.any(Number) as number,
      databaseFile: database().file,
      runningCount: 1,
      silentCount: 1,
      trialRunCount: 1,
      trialExperimentCount: 1,
      problemCount: 2,
      campaignCount: 1,
      rowsWithoutId: 0,
    });
  });

  test('lists the values of filters, with their numbers of runs', async () => {
    const facets = await service.get<ResponseBody<'getFacets'>>('/api/facets');
    expect(facets).toEqual({
      algorithms: ['Cga', 'pbil', 'umda'],
      models: ['umda-bernoulli'],
      problems: ['onemax', 'sphere'],
      statuses: ['COMPLETED', 'FAILED', 'RUNNING'],
      experimentStatuses: ['PARTIAL', 'RUNNING'],
      suites: ['bbob'],
      campaignStatuses: ['RUNNING'],
      representations: ['bitstring'],
      tags: [],
      experimentTags: [],
      runCounts: {
        algorithms: { Cga: 0, pbil: 1, umda: 2 },
        models: { 'umda-bernoulli': 3 },
        problems: { onemax: 2, sphere: 1 },
        statuses: { COMPLETED: 1, FAILED: 1, RUNNING: 1 },
      },
    });
    const without = await service.get<ResponseBody<'getFacets'>>('/api/facets?trials=exclude');
    expect(without.runCounts.algorithms).toEqual({ Cga: 0, pbil: 0, umda: 2 });
    const only = await service.get<ResponseBody<'getFacets'>>('/api/facets?trials=only');
    expect(only.runCounts.statuses).toEqual({ COMPLETED: 0, FAILED: 0, RUNNING: 1 });
  });

  test('lists the path of each scalar parameter once, by code point', async () => {
    expect(await service.get('/api/param-paths')).toEqual(['B.x', 'b.x']);
  });

  test('shows its API as a page in the style of the others, without resources of other sites', async () => {
    const response = await fetch(`${service.url}/api/docs`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await response.text();
    expect(page).toContain('/api/runs/{runId}/iterations');
    expect(page).toContain('<td>Id of a run, URL-encoded</td>');
    expect(page).not.toMatch(/https?:\/\//);
    expect(page.match(/<h1[ >]/g)).toHaveLength(1);
    const loaded = [...page.matchAll(/<(?:script src|link [^>]*href)="([^"]*)"/g)].map(
      ([, to]) => to,
    );
    expect(loaded).toEqual(['/icon.svg', '/tokens.css', '/first-paint.js']);
  });

  test('describes every parameter', async () => {
    const response = await fetch(`${service.url}/api/openapi.json`);
    const { paths } = (await response.json()) as {
      paths: Record<
        string,
        Record<string, { parameters?: { name: string; description?: string }[] }>
      >;
    };
    const parameters = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap((operation) => operation.parameters ?? []);
    expect(parameters.length).toBeGreaterThan(50);
    expect(parameters.filter(({ description }) => !description)).toEqual([]);
  });

  test('describes defaults of choices, required bodies, and the limit of streams', async () => {
    const { paths } = await service.get<{ paths: Record<string, Record<string, Operation>> }>(
      '/api/openapi.json',
    );
    const getDefault = (path: string, parameter: string) =>
      paths[path]?.['get']?.parameters?.find(({ name }) => name === parameter)?.schema.default;
    expect(getDefault('/api/analysis/problem/{problemType}', 'groupBy')).toBe('algorithm');
    expect(getDefault('/api/analysis/across', 'measure')).toBe('median');
    expect(getDefault('/api/runs', 'sortBy')).toBe('start_time');
    const isBodyRequired = (method: string, path: string) =>
      paths[path]?.[method]?.requestBody?.required;
    expect(isBodyRequired('put', '/api/annotations/{kind}/{subjectId}')).toBe(true);
    expect(isBodyRequired('post', '/api/runs/{runId}/stop')).toBe(false);
    expect(Object.keys(paths['/api/changes']?.['get']?.responses ?? {})).toContain('429');
  });

  test('notifies the clients of its change feed of writes by another connection', async () => {
    const response = await fetch(`${service.url}/api/changes`);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('content-encoding')).toBeNull();
    const changes: ResponseBody<'watchChanges'>[] = [];
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
        changes.push(JSON.parse(data) as ResponseBody<'watchChanges'>);
      }
      if (changes.length >= 2) break;
      await database().dialect.withWriteTransaction(async (transaction) => {
        await transaction
          .insertInto('events')
          .values({ run_id: 'r1', event_type: 'x', payload_json: '{}', created_at: 'x' })
          .execute();
      });
    }
    expect(changes[0]?.running).toBe(1);
    expect(changes[1]?.cursor).not.toBe(changes[0]?.cursor);
  });

  describe('over HTTP', () => {
    const lists = ['/api/runs', '/api/runs/r1', '/api/runs/r1/iterations', '/api/facets'];

    test.each([...lists, '/api/runs/r1/params', '/api/openapi.json', '/api/docs'])(
      'gives %s a weak ETag, and 304 for a request with this ETag',
      async (path) => {
        const gzip = { 'accept-encoding': 'gzip' };
        const first = await sendRawRequest(service, path, { headers: gzip });
        const { etag = '', vary } = first.headers;
        expect(etag).toMatch(/^W\/"/);
        expect(vary).toContain('Accept-Encoding');
        const again = await sendRawRequest(service, path, {
          headers: { ...gzip, 'if-none-match': etag },
        });
        expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, vary]);
        const other = await sendRawRequest(service, path, {
          headers: { 'if-none-match': 'W/"x"' },
        });
        expect(other.status).toBe(200);
      },
    );

    test('responds to HEAD like GET, without the body', async () => {
      for (const path of ['/api/runs', '/api/runs/r1/iterations', '/api/docs', '/api/health']) {
        const got = await sendRawRequest(service, path);
        const head = await sendRawRequest(service, path, { method: 'HEAD' });
        expect([head.status, head.body.length, head.headers['content-type']]).toEqual([
          200,
          0,
          got.headers['content-type'],
        ]);
      }
      expect((await sendRawRequest(service, '/api/changes', { method: 'HEAD' })).status).toBe(200);
      expect((await sendRawRequest(service, '/api/runs/nope', { method: 'HEAD' })).status).toBe(
        404,
      );
    });

    test('compresses responses above 1 KiB with a method that the client accepts', async () => {
      const plain = await sendRawRequest(service, '/api/openapi.json');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.headers.vary).toContain('Accept-Encoding');
      const unpack = { gzip: gunzipSync, br: brotliDecompressSync };
      for (const encoding of ['gzip', 'br'] as const) {
        const headers = { 'accept-encoding': encoding };
        const packed = await sendRawRequest(service, '/api/openapi.json', { headers });
        expect(packed.headers['content-encoding']).toBe(encoding);
        expect(packed.headers.vary).toContain('Accept-Encoding');
        expect(unpack[encoding](packed.body).equals(plain.body)).toBe(true);
        const small = await sendRawRequest(service, '/api/param-paths', { headers });
        expect(small.headers['content-encoding']).toBeUndefined();
      }
    });

    test('requires browsers to revalidate a cached response', async () => {
      expect((await sendRawRequest(service, '/api/runs')).headers['cache-control']).toBe(
        'no-cache',
      );
      const missing = await sendRawRequest(service, '/api/runs/nope');
      expect(missing.headers['cache-control']).toBe('no-store');
    });

    test('lists the methods of a known path, and reports that an unknown one does not exist', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const answer = await sendRawRequest(service, '/api/runs/r1', { method });
        expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
        expect(JSON.parse(answer.body.toString())).toMatchObject({
          code: 'METHOD_NOT_ALLOWED',
          detail: `${method} is not possible here. Use GET, HEAD`,
        });
      }
      for (const path of ['/api', '/api/', '/api/nothing', '/api/runs/a/b/c', '/api//runs']) {
        expect(await service.getProblem(path)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    });

    test('refuses foreign hosts and changes from foreign sites, in this order', async () => {
      const host = await sendRawRequest(service, '/api/health', {
        headers: { host: 'evil.example' },
      });
      expect(JSON.parse(host.body.toString())).toMatchObject({
        status: 403,
        code: 'FORBIDDEN_HOST',
        detail:
          'The service does not accept this host name; name it in SVC_ALLOWED_HOSTS if it is yours',
      });
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const origin = await sendRawRequest(service, '/api/runs', { method: 'DELETE', headers });
      expect(JSON.parse(origin.body.toString())).toMatchObject({
        status: 403,
        code: 'FORBIDDEN_ORIGIN',
        detail:
          'Another site may not change anything here. Send the request from a page of this service or from a program',
      });
      const read = await sendRawRequest(service, '/api/runs', { headers });
      expect(read.status).toBe(200);
      expect(read.headers['access-control-allow-origin']).toBeUndefined();
    });

    test('refuses addresses over 16 KiB', async () => {
      const longest = `/api/runs?x=${'y'.repeat(16_384 - 12)}`;
      expect((await sendRawRequest(service, longest)).status).toBe(200);
      const { status, body } = await sendRawRequest(service, `${longest}y`);
      expect(status).toBe(414);
      expect(JSON.parse(body.toString())).toMatchObject({
        code: 'URI_TOO_LONG',
        detail: 'The URL is longer than 16 KiB. Send fewer parameters',
      });
    });

    test('has problem documents with all members, for the requested path', async () => {
      const { headers, body } = await sendRawRequest(service, '/api/runs/nope?x=1');
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(JSON.parse(body.toString())).toEqual({
        type: 'urn:evoscope:problem:run-not-found',
        title: 'Run not found',
        status: 404,
        detail: 'There is no run with the id "nope". Select another run',
        instance: '/api/runs/nope',
        code: 'RUN_NOT_FOUND',
      });
    });
  });
});
