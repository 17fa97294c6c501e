import { describe, expect, test } from 'vitest';
import { chipsOf, trialsChip } from '#renderer/pages/runs/chips.ts';
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

describe('trialsChip', () => {
  test('says how many trials are left out and offers them', () => {
    expect(trialsChip('exclude', 48)).toMatchObject({
      text: '48 COCO trials left out',
      next: 'include',
    });
    expect(trialsChip('exclude', 1)?.text).toBe('1 COCO trial left out');
  });

  test('is absent where the database holds none', () => {
    expect(trialsChip('exclude', 0)).toBeNull();
    expect(trialsChip('exclude', undefined)).toBeNull();
  });

  test('is removable when trials are shown', () => {
    expect(trialsChip('include', 48)).toMatchObject({
      text: 'COCO trials included',
      next: undefined,
      isHint: false,
    });
    expect(trialsChip('only', 0)?.text).toBe('only COCO trials');
  });
});
