import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWaker } from '#renderer/api/waker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nothingLater = () => Promise.resolve<number | null>(null);

describe('A waker', () => {
  test('works at once, and once for all requests inside the interval', async () => {
    const work = vi.fn(nothingLater);
    const waker = createWaker(work, 1000);
    waker.request();
    expect(work).toHaveBeenCalledTimes(1);
    waker.request();
    waker.request();
    await vi.advanceTimersByTimeAsync(999);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(work).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('never works twice at a time: a request during slow work is done after it', async () => {
    const finish: (() => void)[] = [];
    const work = vi.fn(() => new Promise<null>((resolve) => finish.push(() => resolve(null))));
    const waker = createWaker(work, 10);
    waker.request();
    waker.request();
    await vi.advanceTimersByTimeAsync(5000);
    expect(work).toHaveBeenCalledTimes(1);
    finish[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('continues after work that failed', async () => {
    const work = vi.fn(() => Promise.reject(new Error('no')));
    const waker = createWaker(work, 10);
    waker.request();
    waker.request();
    await vi.advanceTimersByTimeAsync(10);
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('works again after the time that the work returned, once', async () => {
    const work = vi.fn(nothingLater).mockResolvedValueOnce(3000);
    const waker = createWaker(work, 1000);
    waker.request();
    await vi.advanceTimersByTimeAsync(2999);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(work).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('does nothing more once it is stopped', async () => {
    const work = vi.fn(nothingLater).mockResolvedValueOnce(100);
    const waker = createWaker(work, 10);
    waker.request();
    waker.request();
    waker.stop();
    waker.request();
    await vi.advanceTimersByTimeAsync(1000);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
