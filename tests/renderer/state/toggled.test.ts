import { expect, test } from 'vitest';
import { toggled } from '#renderer/state/toggled.ts';

test('a value is removed, and added again at the end', () => {
  expect(toggled(['best', 'mean'], 'best')).toEqual(['mean']);
  expect(toggled(new Set(['mean']), 'best')).toEqual(['mean', 'best']);
});
