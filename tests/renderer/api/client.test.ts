import { afterEach, describe, expect, test, vi } from 'vitest';
import { call, getEndpointUrl } from '#renderer/api/client.ts';

describe('getEndpointUrl', () => {
  test('encodes ids in the path and omits names without a value', () => {
    const url = getEndpointUrl('listIterations', {
      params: { runId: 'a/b c' },
      query: { fields: 'scalars', after: 0, limit: undefined },
    });
    expect(url).toBe('/api/runs/a%2Fb%20c/iterations?fields=scalars&after=0');
  });

  test('is the bare path when every filter is empty', () => {
    expect(getEndpointUrl('listRuns', { query: { q: '', status: undefined } })).toBe('/api/runs');
  });
});

describe('call', () => {
  afterEach(() => vi.unstubAllGlobals());

  function answer(response: Response): void {
    vi.stubGlobal('fetch', () => Promise.resolve(response));
  }

  test('returns the body of a response', async () => {
    answer(Response.json({ items: [], total: 0 }));
    expect(await call('listRuns')).toEqual({ items: [], total: 0 });
  });

  test('throws the service’s own code and detail', async () => {
    const body = { code: 'RUN_NOT_FOUND', detail: 'There is no run x', status: 404 };
    answer(Response.json(body, { status: 404 }));
    await expect(call('getRun', { params: { runId: 'x' } })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      detail: 'There is no run x',
      status: 404,
    });
  });

  test('throws INTERNAL with the status if an error response is no problem document', async () => {
    answer(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await expect(call('getHealth')).rejects.toMatchObject({
      code: 'INTERNAL',
      detail: 'The service responded with 502 without a reason.',
    });
  });

  test('throws a ProblemError for a response that is not JSON, such as the page of a proxy, or that is incomplete', async () => {
    answer(new Response('<h1>Sign in</h1>', { status: 200 }));
    await expect(call('getHealth')).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'INTERNAL',
      detail: 'The response with status 200 is not from the service. Is there a proxy in between?',
    });
    const broken = new ReadableStream({
      start: (controller) => controller.error(new TypeError('network error')),
    });
    answer(new Response(broken));
    await expect(call('getHealth')).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'UNREACHABLE',
    });
  });

  test('throws an AbortError if the call is cancelled during its response', async () => {
    const abort = new AbortController();
    const pending = new ReadableStream({
      start: (controller) =>
        abort.signal.addEventListener('abort', () => controller.error(abort.signal.reason)),
    });
    answer(new Response(pending));
    const called = call('getHealth', { signal: abort.signal });
    abort.abort();
    await expect(called).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('throws UNREACHABLE if there is no response', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(call('getHealth')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      detail: 'The service does not respond. Is it still running?',
    });
  });

  test('throws an AbortError if the call was cancelled before it started', async () => {
    const abort = new AbortController();
    abort.abort();
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('gone', 'AbortError')));
    await expect(call('getHealth', { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
