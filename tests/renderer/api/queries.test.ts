import { QueryObserver } from '@tanstack/solid-query';
import { expect, test, vi } from 'vitest';
import { createQueryClient, wakeQueries } from '#renderer/api/queries.ts';

/** Puts a query on the screen and counts its fetches. */
async function watched(live: unknown, data: unknown, minimumIntervalMillis?: number) {
  const client = createQueryClient();
  let fetches = 0;
  const observer = new QueryObserver(client, {
    queryKey: ['thing'],
    queryFn: () => {
      fetches += 1;
      return Promise.resolve(data);
    },
    meta: { live, minimumIntervalMillis },
  });
  const leave = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().isSuccess).toBe(true));
  return { client, leave, count: () => fetches };
}

test('a change fetches a live query on the screen again', async () => {
  const { client, count, leave } = await watched(true, 1);
  await wakeQueries(client);
  expect(count()).toBe(2);
  leave();
});

test('a change leaves alone what cannot change', async () => {
  const { client, count, leave } = await watched(false, 1);
  await wakeQueries(client);
  expect(count()).toBe(1);
  leave();
});

test('a query may decide by its data: a finished run is not fetched again', async () => {
  const isRunning = (held: unknown) => (held as { status: string }).status === 'RUNNING';
  const finished = await watched(isRunning, { status: 'COMPLETED' });
  await wakeQueries(finished.client);
  expect(finished.count()).toBe(1);
  finished.leave();
  const running = await watched(isRunning, { status: 'RUNNING' });
  await wakeQueries(running.client);
  expect(running.count()).toBe(2);
  running.leave();
});

test('a page that comes back fetches everything it shows', async () => {
  const { client, count, leave } = await watched(false, 1);
  await wakeQueries(client, true);
  expect(count()).toBe(2);
  leave();
});

test('what is no longer on the screen is not fetched', async () => {
  const { client, count, leave } = await watched(true, 1);
  leave();
  await wakeQueries(client, true);
  expect(count()).toBe(1);
});

/** Puts a live query on the screen whose fetches are answered by the test. */
function slow() {
  const client = createQueryClient();
  const answers: ((data: number) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['slow'],
    queryFn: () => new Promise<number>((resolve) => answers.push(resolve)),
    meta: { live: true },
  });
  return { client, answers, observer, leave: observer.subscribe(() => undefined) };
}

test('a fetch that a change meets under way is not repeated for a page that was hidden meanwhile', async () => {
  const { client, answers, leave } = slow();
  let isShown = true;
  const woken = wakeQueries(client, false, () => isShown);
  isShown = false;
  answers[0]?.(1);
  await woken;
  expect(answers).toHaveLength(1);
  leave();
});

test('a fetch that a change meets under way is let finish and then repeated', async () => {
  const { client, answers, observer, leave } = slow();
  const woken = wakeQueries(client);
  expect(answers).toHaveLength(1);
  answers[0]?.(1);
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(2);
  await woken;
  expect(observer.getCurrentResult().data).toBe(2);
  leave();
});

test('what failed is tried again with the next change, live or not', async () => {
  const client = createQueryClient();
  let fetches = 0;
  const observer = new QueryObserver(client, {
    queryKey: ['once'],
    queryFn: () => {
      fetches += 1;
      return fetches === 1 ? Promise.reject(new Error('down')) : Promise.resolve('up');
    },
    meta: { live: false },
  });
  const leave = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(observer.getCurrentResult().isError).toBe(true));
  await wakeQueries(client);
  expect(observer.getCurrentResult().data).toBe('up');
  leave();
});

test('a dear query is left out while its answer is young, and the answer says for how long', async () => {
  const { client, count, leave } = await watched(true, 1, 500);
  const waitMillis = await wakeQueries(client);
  expect(count()).toBe(1);
  expect(waitMillis).toBeGreaterThan(0);
  expect(waitMillis).toBeLessThanOrEqual(500);
  await vi.waitFor(async () => expect(await wakeQueries(client)).toBeNull());
  expect(count()).toBe(2);
  leave();
});

test('a page that comes back fetches a dear query too, however young its answer', async () => {
  const { client, count, leave } = await watched(true, 1, 60_000);
  expect(await wakeQueries(client, true)).toBeNull();
  expect(count()).toBe(2);
  leave();
});

test('a dear query that cannot change holds nothing back', async () => {
  const { client, leave } = await watched(false, 1, 60_000);
  expect(await wakeQueries(client)).toBeNull();
  leave();
});
