import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { rawRequest, startService, type TestService } from '#tests/support/test-service.ts';

const operations = Object.values<Endpoint>(endpoints).filter(({ kind }) => kind !== 'events');

const nasty = fc.constantFrom(
  '',
  "'",
  '"; drop table runs; --',
  '%',
  '_',
  '\\',
  '[',
  '*',
  '../../etc/passwd',
  '%00',
  '\0',
  '\u2028',
  '{"$gt":""}',
  '1e309',
  '-0',
  '9223372036854775808',
  '-9223372036854775809',
  '9007199254740992',
  '1'.repeat(400),
  'NaN',
  '__proto__',
  'constructor',
  'r1',
  '2026-02-30',
  '9999-12-31T23:59:59-14:00',
  '0000-01-01',
  '\ud800',
);

const value = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 60 }), fc.string());

/** Encoded as a URL wants it, or as it is, which only a broken client sends. */
const encoded = fc.tuple(value, fc.boolean()).map(([text, isRaw]) => {
  const wellFormed = text.toWellFormed();
  return isRaw
    ? wellFormed.replace(/[^\x21-\x7e]|[?#]/gu, (character) => encodeURIComponent(character))
    : encodeURIComponent(wellFormed);
});

const request = fc.constantFrom(...operations).chain((operation) => {
  const names = [...Object.keys(operation.query?.shape ?? {}), 'unknown', '__proto__'];
  return fc.record({
    path: fc
      .array(encoded, { minLength: 2, maxLength: 2 })
      .map(([one = '', other = '']) =>
        operation.path.replace('{id}', other || '1').replace(/\{\w+\}/, () => one || 'r1'),
      ),
    query: fc.array(fc.tuple(fc.constantFrom(...names), encoded), { maxLength: 6 }),
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'PUT'),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      { cookie: 'evoscope-token=%' },
      { 'if-none-match': '*' },
      { 'content-type': 'application/json', 'content-length': '0' },
      { 'accept-encoding': 'br;q=x, gzip;q=2' },
      { range: 'bytes=0-1' },
      { expect: '100-continue' },
    ),
  });
});

describeOnEachDatabase('Hostile requests', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database());
    await insert(database(), 'experiments', {});
    await insert(database(), 'runs', { run_id: 'r1', best_fitness: 1 });
    await insert(database(), 'iterations', { iteration: 1 });
    await insert(database(), 'events', {});
    await insert(database(), 'experiment_params', { param_path: 'a.b', value_text: 'c' });
  });

  afterAll(() => service.close());

  test('never fail, never hang, and never say what is behind', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ path, query, method, headers }) => {
        const text = query.map(([name, item]) => `${name}=${item}`).join('&');
        const answer = await rawRequest(service, `${path}?${text}`, { method, headers });
        expect([200, 304, 400, 404, 405, 409, 414, 415]).toContain(answer.status);
        const body = answer.body.toString();
        if (answer.status >= 400 && method !== 'HEAD') {
          expect(body).not.toMatch(/select |sqlite|node_modules|\.ts:\d|syntax error/i);
          expect(JSON.parse(body)).toMatchObject({ status: answer.status });
        }
      }),
      { numRuns: 600, interruptAfterTimeLimit: 25_000 },
    );
    const failures = service.logged.filter(({ level }) => Number(level) >= 50);
    expect(failures).toEqual([]);
  }, 60_000);
});
