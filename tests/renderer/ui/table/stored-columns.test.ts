import { createMemo, createRoot } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { readStoredColumns, storeColumns } from '#renderer/ui/table/stored-columns.ts';

afterEach(() => vi.unstubAllGlobals());

test('a table without columns in its URL follows a reset of its stored columns', () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
  storeColumns('runs', 'run,best');
  createRoot((dispose) => {
    const columns = createMemo(() => readStoredColumns('runs'));
    expect(columns()).toBe('run,best');
    storeColumns('runs', null);
    expect(columns()).toBeNull();
    dispose();
  });
});
