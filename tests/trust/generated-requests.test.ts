import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import {
  generateRequests,
  type GeneratedRequest,
  type OpenApiDocument,
} from '#tests/support/generated-requests.ts';
import { countRows, insert } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

const expected = [200, 202, 304, 400, 403, 404, 405, 409, 413, 414, 415];

describeOnEachDatabase('Generated requests', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(database(), 'experiments', {});
    await insert(database(), 'runs', { run_id: 'r1', best_fitness: 1 });
    await insert(database(), 'iterations', { iteration: 1 });
    await insert(database(), 'events', {});
    await insert(database(), 'experiment_params', { param_path: 'a.b', value_text: 'c' });
  });

  afterAll(() => service.close());

  async function send(requests: fc.Arbitrary<GeneratedRequest>, count: number): Promise<void> {
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, headers: given, body = '' }) => {
        // Without its length the body of a GET would be parsed as a separate request, which it is not.
        const headers = { ...given, 'content-length': String(Buffer.byteLength(body)) };
        const init = { method, headers, body };
        const answer = await sendRawRequest(service, path, init);
        expect(expected).toContain(answer.status);
        if (answer.status < 400 || method === 'HEAD') return;
        const said = answer.body.toString();
        expect(said).not.toMatch(/select |sqlite|node_modules|\.ts:\d|syntax error/i);
        expect(JSON.parse(said)).toMatchObject({ status: answer.status });
      }),
      { numRuns: count, interruptAfterTimeLimit: 20_000 },
    );
    expect(service.logEntries.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  }

  test('change nothing by a GET, never fail, never hang, and never reveal internals', async () => {
    const document = await service.get<OpenApiDocument>('/api/openapi.json');
    const before = await countRows(database());
    const isRead = ({ method }: GeneratedRequest) => method === 'GET' || method === 'HEAD';
    await send(generateRequests(document).filter(isRead), 300);
    expect(await countRows(database())).toEqual(before);
    await send(generateRequests(document), 200);
  }, 60_000);
});
