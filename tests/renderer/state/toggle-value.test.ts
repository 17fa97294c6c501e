import { expect, test } from 'vitest';
import { toggleValue } from '#renderer/state/toggle-value.ts';

test('a value is removed, and added again at the end', () => {
  expect(toggleValue(['best', 'mean'], 'best')).toEqual(['mean']);
  expect(toggleValue(new Set(['mean']), 'best')).toEqual(['mean', 'best']);
});
