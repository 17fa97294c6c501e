import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWaker } from '#renderer/state/waker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('wakes at once, and makes one wake of all requests inside the gap', async () => {
  const wake = vi.fn(() => Promise.resolve());
  const waker = createWaker(wake, 1000);
  waker.request('live');
  expect(wake).toHaveBeenCalledTimes(1);
  waker.request('live');
  waker.request('live');
  await vi.advanceTimersByTimeAsync(999);
  expect(wake).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(wake).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(wake).toHaveBeenCalledTimes(2);
});

test('never wakes twice at a time: a change during a slow wake is fetched after it', async () => {
  const finish: (() => void)[] = [];
  const wake = vi.fn(() => new Promise<void>((resolve) => finish.push(resolve)));
  const waker = createWaker(wake, 10);
  waker.request('live');
  waker.request('live');
  await vi.advanceTimersByTimeAsync(5000);
  expect(wake).toHaveBeenCalledTimes(1);
  finish[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(wake).toHaveBeenCalledTimes(2);
});

test('goes on after a wake that failed, and "all" is not lost to a later "live"', async () => {
  const wake = vi.fn(() => Promise.reject(new Error('no')));
  const waker = createWaker(wake, 10);
  waker.request('live');
  waker.request('all');
  waker.request('live');
  await vi.advanceTimersByTimeAsync(10);
  expect(wake.mock.calls).toEqual([['live'], ['all']]);
});

test('does nothing more once it is stopped', async () => {
  const wake = vi.fn(() => Promise.resolve());
  const waker = createWaker(wake, 10);
  waker.request('live');
  waker.request('live');
  waker.stop();
  waker.request('live');
  await vi.advanceTimersByTimeAsync(1000);
  expect(wake).toHaveBeenCalledTimes(1);
});
