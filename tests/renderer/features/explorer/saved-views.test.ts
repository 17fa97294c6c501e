import { afterEach, expect, test, vi } from 'vitest';
import {
  createSavedViews,
  isCurrentView,
  parseViews,
  saveView,
  getSearchOfView,
} from '#renderer/features/explorer/saved-views.ts';
import { parseColumns } from '#renderer/ui/table/columns.ts';

afterEach(() => vi.unstubAllGlobals());

test('stored views are read, and invalid ones are omitted', () => {
  const storedViews = [
    { name: 'Failed', search: '?status=FAILED' },
    { name: 'All', search: '' },
  ];
  expect(parseViews(JSON.stringify(storedViews))).toEqual(storedViews);
  expect(parseViews(JSON.stringify([null, 3, { name: 'x' }, ...storedViews]))).toEqual(storedViews);
  for (const text of [null, '', '{', '{"name":"x"}', 'null']) expect(parseViews(text)).toEqual([]);
});

test('a view of the same name is replaced; names are in order', () => {
  const views = saveView([{ name: 'run 10', search: '?a=1' }], { name: 'run 9', search: '?b=1' });
  expect(views.map(({ name }) => name)).toEqual(['run 9', 'run 10']);
  expect(saveView(views, { name: 'run 9', search: '' })[0]).toEqual({ name: 'run 9', search: '' });
});

test('a view stores filters, sort and chosen columns, but no page', () => {
  expect(getSearchOfView('?status=FAILED&page=3&sort=-best&cols=run', ['run'])).toBe(
    '?status=FAILED&sort=-best&cols=run',
  );
  expect(getSearchOfView('?page=3', ['run', 'best'])).toBe('?cols=run%2Cbest');
});

test('a view without chosen columns opens with the default ones', () => {
  const columns = new URLSearchParams(getSearchOfView('?status=FAILED', null)).get('cols');
  expect(columns).toBe('default');
  expect(parseColumns(columns)).toBeNull();
});

test.each([
  ['?status=FAILED&cols=run', '?status=FAILED&cols=run', true],
  ['?status=FAILED', '?status=FAILED&cols=run', true],
  ['', '?cols=default', true],
  ['?cols=best', '?cols=run', false],
  ['?status=FAILED', '?cols=run', false],
])('the view %j is the current one with %j: %s', (view, search, expected) => {
  expect(isCurrentView(view, search)).toBe(expected);
});

/** Replaces the storage of the browser; null for a browser without any. */
function stubStorage(stored: Map<string, string> | null): void {
  const storage = stored && {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  };
  vi.stubGlobal('localStorage', storage ?? undefined);
}

test('a view that another window deletes does not come back', () => {
  stubStorage(new Map());
  const [one, other] = [createSavedViews('runs'), createSavedViews('runs')];
  one.save({ name: 'A', search: '?a=1' });
  other.remove('A');
  one.save({ name: 'B', search: '?b=1' });
  expect(one.views().map(({ name }) => name)).toEqual(['B']);
});

test.each([
  ['stored', new Map<string, string>()],
  ['not stored, where the browser has no storage', null],
])('a view is added to those of other windows, and %s', (_, stored) => {
  stubStorage(stored);
  const [one, other] = [createSavedViews('runs'), createSavedViews('runs')];
  one.save({ name: 'A', search: '?a=1' });
  one.save({ name: 'B', search: '?b=1' });
  other.save({ name: 'C', search: '?c=1' });
  one.remove('A');
  const names = [one, other].map(({ views }) => views().map(({ name }) => name));
  expect(names).toEqual(
    stored
      ? [
          ['B', 'C'],
          ['A', 'B', 'C'],
        ]
      : [['B'], ['C']],
  );
});
