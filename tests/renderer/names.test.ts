import { expect, test } from 'vitest';
import { getShortId } from '#renderer/names.ts';

test('64 hex characters are shown as the first 8, any other id whole', () => {
  expect(getShortId('0a45ee50'.repeat(8))).toBe('0a45ee50');
  expect(getShortId('onemax40-cga-r03')).toBe('onemax40-cga-r03');
  expect(getShortId('g'.repeat(64))).toBe('g'.repeat(64));
});
