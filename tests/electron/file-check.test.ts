import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileCheck } from '#electron/file-check.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a file exists if it can be accessed', async () => {
  const hasFile = createFileCheck(async (file) => {
    if (file !== 'a.db') throw new Error('ENOENT');
  });
  expect(await hasFile('a.db')).toBe(true);
  expect(await hasFile('b.db')).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('a file on a drive that does not respond counts as existing after two seconds, and is accessed only once', async () => {
  const drive = Promise.withResolvers<void>();
  const access = vi.fn(() => drive.promise);
  const hasFile = createFileCheck(access);
  const checks = [hasFile('a.db'), hasFile('a.db')];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.all(checks)).toEqual([true, true]);
  const lateCheck = hasFile('a.db');
  expect(access).toHaveBeenCalledOnce();
  drive.reject(new Error('ENOENT'));
  expect(await lateCheck).toBe(false);
  expect(await hasFile('a.db')).toBe(false);
  expect(access).toHaveBeenCalledTimes(2);
});
