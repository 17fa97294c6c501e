import { createMemo, createRoot } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { readPreference, writePreference } from '#renderer/state/preferences.ts';

afterEach(() => vi.unstubAllGlobals());

test('a reader of a preference follows its changes, such as a reset of the columns of a table', () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
  writePreference('columns.runs', 'run,best');
  createRoot((dispose) => {
    const columns = createMemo(() => readPreference('columns.runs'));
    expect(columns()).toBe('run,best');
    writePreference('columns.runs', null);
    expect(columns()).toBeNull();
    dispose();
  });
});
