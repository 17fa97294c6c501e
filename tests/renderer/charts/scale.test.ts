import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createScale, roundTo } from '#renderer/charts/scale.ts';

test('a zoom stretches the range around its middle on the screen and keeps its direction', () => {
  expect(createScale('linear', [0, 10]).zoom(0.5)).toEqual([2.5, 7.5]);
  expect(createScale('linear', [10, 0]).zoom(2)).toEqual([15, -5]);
  const [low, high] = createScale('log', [1, 10_000]).zoom(0.5);
  expect(low).toBeCloseTo(10, 9);
  expect(high).toBeCloseTo(1000, 9);
});

test('a range is moved by no more than it must to contain a value', () => {
  const range = [0, 10] as const;
  expect(createScale('linear', range).moveTo(4)).toBe(range);
  expect(createScale('linear', range).moveTo(12).map(Math.round)).toEqual([2, 12]);
  expect(createScale('linear', [5, 1]).moveTo(0)).toEqual([4, 0]);
  expect(createScale('log', [10, 100]).moveTo(1).map(Math.round)).toEqual([1, 10]);
});

test('a value has its place between both ends, and what has no logarithm is at the lower edge', () => {
  expect(createScale('linear', [0, 100]).at(25)).toBe(0.25);
  expect(createScale('log', [10, 1000]).at(100)).toBeCloseTo(0.5);
  expect(createScale('linear', [3, -1]).at(0)).toBe(0.75);
  expect(createScale('log', [1, 10]).at(-1)).toBe(0);
  expect(createScale('log', [1, 10]).onAxis(0)).toBe(1);
  expect(createScale('linear', [1, 10]).onAxis(0)).toBe(0);
  expect(createScale('log', [1, 10]).onAxis(null)).toBeNull();
});

test('the value at a place is the one that is drawn there', () => {
  const kinds = fc.constantFrom('linear' as const, 'log' as const);
  const end = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  // A range that is short relative to its ends has too few floating-point numbers for three digits.
  const sizes = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      kinds,
      end,
      sizes,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (kind, low, size, at) => {
        const scale = createScale(kind, [low, low * (1 + size)]);
        expect(scale.at(scale.invert(at))).toBeCloseTo(at, 3);
      },
    ),
  );
});

describe('ticks', () => {
  const room = { axis: 'x', pixels: 300, fontPixels: 11 } as const;

  test('are two or more also on a short axis, because one label states no distance', () => {
    const short = { axis: 'y', pixels: 100, fontPixels: 11 } as const;
    const labels = createScale('linear', [11, 29])
      .ticks(short)
      .map(({ label }) => label);
    expect(labels).toEqual(['15', '20', '25']);
    expect(createScale('linear', [11, 29]).ticks({ ...short, pixels: 12 })).toHaveLength(1);
  });

  test('are at the only values that have one, or at the categories', () => {
    const known = createScale('linear', [2, 40], { ticks: [2, 5, 40] });
    expect(known.ticks(room).map(({ label }) => label)).toEqual(['2', '5', '40']);
    const names = createScale('linear', [-0.5, 1.5], { names: ['umda', 'pbil'] });
    expect(names.kind).toBe('category');
    expect(names.ticks(room).map(({ label }) => label)).toEqual(['umda', 'pbil']);
  });

  test('name each row that has room', () => {
    const names = Array.from({ length: 100 }, (_, row) => `bit ${row}`);
    const rows = createScale('linear', [99.5, -0.5], { names });
    const labels = rows.ticks({ axis: 'y', pixels: 250, fontPixels: 11 }).map(({ label }) => label);
    expect(labels.slice(0, 3)).toEqual(['bit 0', 'bit 10', 'bit 20']);
  });
});

test('A value is rounded to 1, 2 or 5 times a power of ten, as fine as the resolution', () => {
  expect(roundTo(36.7283, 0.07)).toBe(36.7);
  expect(roundTo(36.7283, 0.15)).toBe(36.8);
  expect(roundTo(36.7283, 0.3)).toBe(36.5);
  expect(roundTo(-0.00123456, 1e-5)).toBe(-0.00123);
  expect(roundTo(0.30000000000000004, 0.1)).toBe(0.3);
  expect(roundTo(5, 0)).toBe(5);
});

test('No value moves by more than two and a half times the resolution', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-4, max: 1e4, noNaN: true }),
      (value, resolution) => {
        expect(Math.abs(roundTo(value, resolution) - value)).toBeLessThanOrEqual(
          1.2501 * resolution,
        );
      },
    ),
  );
});
