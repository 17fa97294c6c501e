import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roundedTo } from '#renderer/charts/rounded.ts';

test('A value is rounded to 1, 2 or 5 times a power of ten, as fine as the resolution', () => {
  expect(roundedTo(36.7283, 0.07)).toBe(36.7);
  expect(roundedTo(36.7283, 0.15)).toBe(36.8);
  expect(roundedTo(36.7283, 0.3)).toBe(36.5);
  expect(roundedTo(-0.00123456, 1e-5)).toBe(-0.00123);
  expect(roundedTo(0.30000000000000004, 0.1)).toBe(0.3);
  expect(roundedTo(5, 0)).toBe(5);
});

test('No value moves by more than two and a half times the resolution', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-4, max: 1e4, noNaN: true }),
      (value, resolution) => {
        expect(Math.abs(roundedTo(value, resolution) - value)).toBeLessThanOrEqual(
          1.2501 * resolution,
        );
      },
    ),
  );
});
