import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import {
  generateRequests,
  type GeneratedRequest,
  type OpenApiDocument,
} from '#tests/support/generated-requests.ts';
import { countRows, insert, insertRun } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

const expected = [200, 202, 304, 400, 403, 404, 405, 409, 413, 414, 415, 422];

/** A path of a row that the suite stores. */
const storedRow = /^\/api\/[^?]*\/(r1|e1|c1|onemax)\b/;

describeOnEachDatabase('Generated requests', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true, isRecording: true });
    await insert(database(), 'experiments', {});
    await insertRun(database(), 'e1', 'r1', { best_fitness: 1 });
    await insertRun(database(), 'e1', 'r2', { best_fitness: 2 });
    await insert(database(), 'coco_campaigns', {});
    await insert(database(), 'coco_optimizer_configs', {});
    await insert(database(), 'coco_trials', { run_id: 'r1' });
    await insert(database(), 'iterations', { iteration: 1 });
    await insert(database(), 'events', {});
    await insert(database(), 'experiment_params', { param_path: 'a.b', value_text: 'c' });
  });

  afterAll(() => service.close());

  /** Sends requests, and returns the number of responses 200 about a stored row. */
  async function send(requests: fc.Arbitrary<GeneratedRequest>, count: number): Promise<number> {
    let rowResponses = 0;
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, headers: given, body = '' }) => {
        // Without its length the body of a GET would be parsed as a separate request, which it is not.
        const headers = { ...given, 'content-length': String(Buffer.byteLength(body)) };
        const init = { method, headers, body };
        const answer = await sendRawRequest(service, path, init);
        expect(expected).toContain(answer.status);
        if (answer.status === 200 && storedRow.test(path)) rowResponses += 1;
        if (answer.status < 400 || method === 'HEAD') return;
        const said = answer.body.toString();
        expect(said).not.toMatch(/select [^.]* from |sqlite|node_modules|\.ts:\d|syntax error/i);
        expect(JSON.parse(said)).toMatchObject({ status: answer.status });
      }),
      // `interruptAfterTimeLimit` would let the property pass when a request hangs.
      { numRuns: count, timeout: 15_000, endOnFailure: true },
    );
    expect(service.logEntries.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    return rowResponses;
  }

  test('change nothing by a GET, never fail, never hang, and never reveal internals', async () => {
    const document = await service.get<OpenApiDocument>('/api/openapi.json');
    const before = await countRows(database());
    const isRead = ({ method }: GeneratedRequest) => method === 'GET' || method === 'HEAD';
    const rowResponses = await send(generateRequests(document).filter(isRead), 200);
    expect(rowResponses).toBeGreaterThan(30);
    expect(await countRows(database())).toEqual(before);
    await send(generateRequests(document), 150);
  }, 60_000);
});
