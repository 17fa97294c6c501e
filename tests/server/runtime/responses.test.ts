import { describe, expect, it, vi } from 'vitest';
import { Responses } from '#server/runtime/responses.ts';
import type { WrittenResponse } from '#server/runtime/run-handler.ts';
import type { Threads } from '#server/runtime/threads.ts';

/** Creates responses with threads whose response is the number of computations, padded to `length` characters. */
function makeResponses({ maximumBytes = 100_000, length = 10, isHit = false } = {}) {
  const state = { snapshot: 'first', computed: 0 };
  const threads: Partial<Threads> = {
    readState: async () => state.snapshot,
    run: async (): Promise<WrittenResponse> => {
      state.computed += 1;
      const body = String(state.computed).padEnd(length, '.');
      return { body: new TextEncoder().encode(body), isHit };
    },
  };
  const responses = new Responses(threads as Threads, maximumBytes);
  const request = async (experimentId: string) => {
    const { body, headers } = await responses.respond('analyseExperiment', {
      params: { experimentId },
    });
    const status = headers?.['Cache-Status']?.replace('Evoscope; ', '');
    return `${Number.parseInt(Buffer.from(body as Uint8Array).toString(), 10)} ${status}`;
  };
  return { state, responses, request };
}

describe('The responses of analyses', () => {
  it('are computed once for a state of the database', async () => {
    const { state, request } = makeResponses();
    expect([await request('e1'), await request('e1'), await request('e2')]).toEqual([
      '1 fwd=miss',
      '1 hit',
      '2 fwd=miss',
    ]);
    state.snapshot = 'second';
    expect([await request('e1'), await request('e1')]).toEqual(['3 fwd=miss', '3 hit']);
  });

  it('are computed once for requests at the same time, but again for another state', async () => {
    const { state, request } = makeResponses();
    const firstRequests = [request('e1'), request('e1')];
    state.snapshot = 'second';
    const responsesOfAll = await Promise.all([...firstRequests, request('e1')]);
    expect(responsesOfAll.slice(0, 2)).toEqual(['1 fwd=miss', '1 hit']);
    expect(responsesOfAll[2]).toBe('2 fwd=miss');
  });

  it('are a hit if the thread had all results in its cache', async () => {
    expect(await makeResponses({ isHit: true }).request('e1')).toBe('1 hit');
  });

  it('are computed again if they were evicted, are too large or were cleared', async () => {
    const evictingResponses = makeResponses({ maximumBytes: 6_000, length: 2_000 });
    for (const id of ['e1', 'e2', 'e1', 'e3']) await evictingResponses.request(id);
    expect([await evictingResponses.request('e1'), await evictingResponses.request('e2')]).toEqual([
      '1 hit',
      '4 fwd=miss',
    ]);
    const largeResponses = makeResponses({ maximumBytes: 5_000, length: 6_000 });
    expect([await largeResponses.request('e1'), await largeResponses.request('e1')]).toEqual([
      '1 fwd=miss',
      '2 fwd=miss',
    ]);
    const { responses, request } = makeResponses();
    await request('e1');
    responses.clear();
    expect(await request('e1')).toBe('2 fwd=miss');
  });
});

it('A list in slices is valid JSON if its first slices are empty, as those of runs without iterations', async () => {
  const slices = ['', '', '{"best":1}', '', '{"best":2}'];
  const run = async (_name: unknown, input: unknown): Promise<WrittenResponse> => {
    const { slice = 0 } = input as { slice?: number };
    const nextInput = slice + 1 < slices.length ? { slice: slice + 1 } : null;
    return { body: slices[slice]!, nextInput };
  };
  const responses = new Responses({ run } as Partial<Threads> as Threads, 1);
  const { body, nextSlices } = await responses.respond('exportTraces', {});
  const texts = [body];
  for await (const text of nextSlices!) texts.push(text as string);
  expect(JSON.parse(texts.join(''))).toEqual([{ best: 1 }, { best: 2 }]);
});

it('Slices that do not depend on each other are computed at the same time, four at most, and sent in their order', async () => {
  const pendingSlices = new Map<number, PromiseWithResolvers<void>>();
  const largestPendingCounts: number[] = [];
  const inputs = Array.from({ length: 7 }, (_, slice) => ({ slice }));
  const run = async (_name: unknown, input: unknown): Promise<WrittenResponse> => {
    const { slice = 0 } = input as { slice?: number };
    const pending = Promise.withResolvers<void>();
    if (slice > 0) {
      pendingSlices.set(slice, pending);
      largestPendingCounts.push(pendingSlices.size);
      await pending.promise;
    }
    return {
      body: `{"slice":${slice}}`,
      nextInput: inputs[slice + 1] ?? null,
      laterInputs: inputs.slice(1),
    };
  };
  const responses = new Responses({ run } as Partial<Threads> as Threads, 1);
  const { body, nextSlices } = await responses.respond('exportTraces', {});
  const texts = [body];
  const reading = (async () => {
    for await (const text of nextSlices!) texts.push(text as string);
  })();
  for (const slice of [4, 2, 1, 5, 3, 6]) {
    await vi.waitFor(() => expect(pendingSlices.has(slice)).toBe(true));
    pendingSlices.get(slice)?.resolve();
    pendingSlices.delete(slice);
  }
  await reading;
  expect(JSON.parse(texts.join(''))).toEqual(inputs);
  expect(Math.max(...largestPendingCounts)).toBe(4);
});
