import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNaturally } from '#shared/natural-order.ts';

describe('compareNaturally', () => {
  test('orders numbers within names by value', () => {
    const names = ['variant-1', 'variant-13', 'variant-17', 'variant-5', 'variant-100', 'umda'];
    expect(names.sort(compareNaturally)).toEqual([
      'umda',
      'variant-1',
      'variant-5',
      'variant-13',
      'variant-17',
      'variant-100',
    ]);
    expect(['1e3', '02', '9', '10 b', '10 a'].sort(compareNaturally)).toEqual([
      '1e3',
      '02',
      '9',
      '10 a',
      '10 b',
    ]);
  });

  test('orders fractions by value, and versions part by part', () => {
    const names = [
      'F=0.5',
      'F=0.25',
      'F=0.50',
      'F=1.0',
      'F=0.',
      'v1.10.0',
      'v1.9.0',
      'v1.9',
      'F=0',
    ];
    expect(names.sort(compareNaturally)).toEqual([
      'F=0',
      'F=0.',
      'F=0.25',
      'F=0.5',
      'F=0.50',
      'F=1.0',
      'v1.9',
      'v1.9.0',
      'v1.10.0',
    ]);
  });

  test('orders other characters by code point, and a name before its continuation', () => {
    expect(['es', 'CMA-ES', 'es-2', 'es-', ''].sort(compareNaturally)).toEqual([
      '',
      'CMA-ES',
      'es',
      'es-',
      'es-2',
    ]);
  });

  test('compares numbers that no double represents', () => {
    expect(compareNaturally('x90071992547409930', 'x90071992547409931')).toBeLessThan(0);
  });

  test('is a total order in which only equal texts are equal', () => {
    const name = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'B', '-', '.') });
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(compareNaturally(a, b) === 0).toBe(a === b);
        expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0);
        if (compareNaturally(a, b) <= 0 && compareNaturally(b, c) <= 0)
          expect(compareNaturally(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
