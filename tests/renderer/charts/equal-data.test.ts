import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isEqualData } from '#renderer/charts/equal-data.ts';

test('a copy of any data is equal to it, and other data are not', () => {
  const data = fc.jsonValue();
  fc.assert(
    fc.property(data, data, (one, other) => {
      expect(isEqualData(one, structuredClone(one))).toBe(true);
      expect(isEqualData(one, other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});

test('no number equals itself, a missing key is not an undefined one, and a list is no object', () => {
  expect(isEqualData({ x: [NaN, Infinity] }, { x: [NaN, Infinity] })).toBe(true);
  expect(isEqualData({ a: undefined }, { b: undefined })).toBe(false);
  expect(isEqualData([], {})).toBe(false);
  expect(isEqualData(null, {})).toBe(false);
});
