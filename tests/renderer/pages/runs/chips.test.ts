import { expect, test } from 'vitest';
import { chipsOf } from '#renderer/pages/runs/chips.ts';
import { parseView } from '#renderer/pages/runs/filters.ts';

test('each filter that is on has one chip, in the order of the filter bar', () => {
  const view = parseView({ maxBest: '5', status: 'FAILED', q: 'onemax' });
  expect(chipsOf(view)).toEqual([
    { name: 'q', text: 'search: onemax' },
    { name: 'status', text: 'status: FAILED' },
    { name: 'maxBest', text: 'best ≤ 5' },
  ]);
  expect(chipsOf(parseView({}))).toEqual([]);
});
