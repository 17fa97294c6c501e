import { QueryObserver } from '@tanstack/solid-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createQueryClient, toQueryOptions, type DecidedQuery } from '#renderer/api/queries.ts';
import { fetchOutdated, noteChange, wakeQueries } from '#renderer/api/waking.ts';
import { createWaker } from '#renderer/api/waker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

/** A page with queries on the screen, and the times in milliseconds at which each was fetched. */
function createPage() {
  const client = createQueryClient();
  const started = Date.now();
  const show = (
    name: string,
    options: Omit<DecidedQuery<unknown>, 'key' | 'fetchData'>,
    answer: () => Promise<unknown>,
  ) => {
    const fetches: number[] = [];
    const fetchData = () => {
      fetches.push(Date.now() - started);
      return answer();
    };
    const observer = new QueryObserver(
      client,
      toQueryOptions(client, { key: [name], fetchData, ...options }),
    );
    const leave = observer.subscribe(() => undefined);
    return { fetches, observer, leave };
  };
  return { client, show };
}

const answersWith = (data: unknown) => () => Promise.resolve(data);

describe('a change', () => {
  test('fetches a live query on the screen again', async () => {
    const { client, show } = createPage();
    const { fetches } = show('live', { live: true }, answersWith(1));
    await settle();
    await wakeQueries(client);
    expect(fetches).toHaveLength(2);
  });

  test('does not fetch a query that cannot change', async () => {
    const { client, show } = createPage();
    const { fetches } = show('fixed', { live: false }, answersWith(1));
    await settle();
    await wakeQueries(client);
    expect(fetches).toHaveLength(1);
  });

  test.each([
    ['COMPLETED', 1],
    ['RUNNING', 2],
  ])('fetches a query whose data decides by its data (%s: %i)', async (status, count) => {
    const { client, show } = createPage();
    const live = (data: unknown) => (data as { status: string }).status === 'RUNNING';
    const { fetches } = show('run', { live }, answersWith({ status }));
    await settle();
    await wakeQueries(client);
    expect(fetches).toHaveLength(count);
  });

  test('fetches nothing that is no longer on the screen', async () => {
    const { client, show } = createPage();
    const { fetches, leave } = show('left', { live: true }, answersWith(1));
    await settle();
    leave();
    await wakeQueries(client, 'all');
    expect(fetches).toHaveLength(1);
  });

  test('of everything fetches every query on the screen, also with a recent response', async () => {
    const { client, show } = createPage();
    const fixed = show('fixed', { live: false }, answersWith(1));
    const slow = show('slow', { live: true, minimumIntervalMillis: 60_000 }, answersWith(1));
    await settle();
    await wakeQueries(client, 'all');
    expect([fixed.fetches.length, slow.fetches.length]).toEqual([2, 2]);
  });

  test('fetches a failed query again, live or not, but only once', async () => {
    const { client, show } = createPage();
    const { fetches } = show('down', { live: false }, () => Promise.reject(new Error('down')));
    await settle();
    await wakeQueries(client);
    expect(fetches).toHaveLength(2);
    await fetchOutdated(client);
    expect(fetches).toHaveLength(2);
  });

  test('concerns a query that left the screen and is shown again at once', async () => {
    const { client, show } = createPage();
    const first = show('back', { live: true }, answersWith(1));
    await settle();
    first.leave();
    noteChange(client, 'live');
    const second = show('back', { live: true }, answersWith(2));
    await settle();
    expect(second.fetches).toHaveLength(1);
  });

  test('does not concern a query whose fetch began after it', async () => {
    const { client, show } = createPage();
    noteChange(client, 'all');
    const { fetches } = show('young', { live: true, minimumIntervalMillis: 500 }, answersWith(1));
    await settle();
    expect(await fetchOutdated(client)).toBeNull();
    expect(fetches).toHaveLength(1);
  });
});

describe('a fetch that a change meets under way', () => {
  const slowPage = () => {
    const answers: ((data: number) => void)[] = [];
    const { client, show } = createPage();
    const slow = () => new Promise<number>((resolve) => answers.push(resolve));
    const { observer } = show('slow', { live: true }, slow);
    noteChange(client, 'live');
    return { client, answers, observer };
  };

  test('finishes and is then repeated', async () => {
    const { client, answers, observer } = slowPage();
    const woken = fetchOutdated(client);
    expect(answers).toHaveLength(1);
    answers[0]?.(1);
    await settle();
    expect(answers).toHaveLength(2);
    answers[1]?.(2);
    await woken;
    expect(observer.getCurrentResult().data).toBe(2);
  });

  test('is not repeated for a page that was hidden meanwhile', async () => {
    const { client, answers } = slowPage();
    let isShown = true;
    const woken = fetchOutdated(client, () => isShown);
    isShown = false;
    answers[0]?.(1);
    await woken;
    expect(answers).toHaveLength(1);
  });
});

describe('queries with a minimum interval', () => {
  test('wait for the rest of it', async () => {
    const { client, show } = createPage();
    const { fetches } = show('slow', { live: true, minimumIntervalMillis: 500 }, answersWith(1));
    await settle();
    noteChange(client, 'live');
    await vi.advanceTimersByTimeAsync(100);
    expect(await fetchOutdated(client)).toBe(400);
    expect(fetches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(400);
    expect(await fetchOutdated(client)).toBeNull();
    expect(fetches).toEqual([0, 500]);
  });

  test('that cannot change hold nothing back', async () => {
    const { client, show } = createPage();
    show('fixed', { live: false, minimumIntervalMillis: 60_000 }, answersWith(1));
    await settle();
    noteChange(client, 'live');
    expect(await fetchOutdated(client)).toBeNull();
  });

  test.each([
    ['the same interval', [2_000, 2_000]],
    ['different intervals', [2_000, 4_000]],
    ['three of them', [2_000, 3_000, 4_000]],
  ])('(%s) are each fetched once after the last change, and never again', async (_, intervals) => {
    const { client, show } = createPage();
    const waker = createWaker(() => fetchOutdated(client), 1_000);
    // Each response has its own delay, so that no two queries are fetched at the same moment.
    const queries = intervals.map((minimumIntervalMillis, index) =>
      show(`slow ${index}`, { live: true, minimumIntervalMillis }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 40 * (index + 1)));
        return Date.now();
      }),
    );
    for (let change = 0; change < 20; change += 1) {
      await vi.advanceTimersByTimeAsync(300);
      noteChange(client, 'live');
      waker.request();
    }
    const lastChange = 6_000;
    await vi.advanceTimersByTimeAsync(Math.max(...intervals) + 2_000);
    const counts = queries.map(({ fetches }) => fetches.length);
    for (const { fetches } of queries) expect(fetches.at(-1)).toBeGreaterThanOrEqual(lastChange);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(queries.map(({ fetches }) => fetches.length)).toEqual(counts);
    waker.stop();
  });
});
