import { expect, test } from 'vitest';
import { parseViews, saveView, searchOfView } from '#renderer/features/explorer/saved-views.ts';

test('views are read as they were kept, and what is none is left out', () => {
  const kept = [
    { name: 'Failed', search: '?status=FAILED' },
    { name: 'All', search: '' },
  ];
  expect(parseViews(JSON.stringify(kept))).toEqual(kept);
  expect(parseViews(JSON.stringify([null, 3, { name: 'x' }, ...kept]))).toEqual(kept);
  for (const text of [null, '', '{', '{"name":"x"}', 'null']) expect(parseViews(text)).toEqual([]);
});

test('a view of the same name is replaced; names stand in order', () => {
  const views = saveView([{ name: 'run 10', search: '?a=1' }], { name: 'run 9', search: '?b=1' });
  expect(views.map(({ name }) => name)).toEqual(['run 9', 'run 10']);
  expect(saveView(views, { name: 'run 9', search: '' })[0]).toEqual({ name: 'run 9', search: '' });
});

test('a view keeps filters, sort and columns, but no page', () => {
  expect(searchOfView('?status=FAILED&page=3&sort=-best')).toBe('?status=FAILED&sort=-best');
  expect(searchOfView('?page=3')).toBe('');
});
