import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startImport, watchImport } from '#renderer/api/imports.ts';

afterEach(() => vi.unstubAllGlobals());

/** A request that gets this response as soon as it is sent. */
function respond(status: number, responseText: string): void {
  class FakeRequest extends EventTarget {
    readonly upload = new EventTarget();
    readonly status = status;
    readonly responseText = responseText;
    open(): void {}
    setRequestHeader(): void {}
    send(): void {
      this.dispatchEvent(new Event('load'));
    }
  }
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
}

function upload(): Promise<string> {
  const source = { file: new File(['a,b'], 'runs.csv') };
  return startImport(source, {}, { onSent: () => {}, signal: new AbortController().signal });
}

test('an upload ends with the id of its import, or with the service’s own code and detail', async () => {
  respond(202, JSON.stringify({ importId: 'i1' }));
  expect(await upload()).toBe('i1');
  respond(409, JSON.stringify({ code: 'IMPORT_RUNNING', detail: 'Another import is running' }));
  await expect(upload()).rejects.toMatchObject({ code: 'IMPORT_RUNNING', status: 409 });
});

test('an upload that a proxy refuses with an HTML page fails with the status', async () => {
  respond(413, '<h1>413 Request Entity Too Large</h1>');
  await expect(upload()).rejects.toMatchObject({
    code: 'INTERNAL',
    detail: 'The service responded with 413 without a reason.',
    status: 413,
  });
});

test.each(['<h1>Accepted</h1>', 'null', '{}'])(
  'an upload fails when the response 202 is %s, which names no import',
  async (text) => {
    respond(202, text);
    await expect(upload()).rejects.toMatchObject({
      code: 'INTERNAL',
      detail: 'The response with status 202 is not from the service. Is there a proxy in between?',
      status: 202,
    });
  },
);

describe('an import whose event stream is refused', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    class RefusedSource extends EventTarget {
      static readonly CLOSED = 2;
      readyState = RefusedSource.CLOSED;
      constructor() {
        super();
        queueMicrotask(() => this.dispatchEvent(new Event('error')));
      }
      close(): void {}
    }
    vi.stubGlobal('EventSource', RefusedSource);
  });
  afterEach(() => void vi.useRealTimers());

  test('ends with the stored result after the errors of a proxy', async () => {
    const result = { dataset: 'live' };
    const responses = [
      new Response('<h1>502 Bad Gateway</h1>', { status: 502 }),
      Response.json({ progress: { phase: 'writing' }, result: null, failure: null }),
      Response.json({ progress: { phase: 'writing' }, result, failure: null }),
    ];
    vi.stubGlobal('fetch', async () => responses.shift());
    const phases: string[] = [];
    const outcome = watchImport('i1', ({ phase }) => phases.push(phase));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await outcome).toEqual({ result });
    expect(phases).toEqual(['writing']);
  });

  test('fails if the service does not store it, and with the reason of any other refusal', async () => {
    const refuse = (code: string, status: number) =>
      vi.stubGlobal('fetch', async () => Response.json({ code, detail: 'Why' }, { status }));
    refuse('IMPORT_NOT_FOUND', 404);
    await expect(watchImport('i1', () => {})).rejects.toMatchObject({
      code: 'IMPORT_NOT_FOUND',
      detail: expect.stringContaining('no longer stores this import') as unknown,
    });
    refuse('UNAUTHORIZED', 401);
    await expect(watchImport('i1', () => {})).rejects.toMatchObject({ detail: 'Why', status: 401 });
  });
});
