import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coverPixels,
  getKeptIndices,
  maximumTracePoints,
  getWindowIndices,
} from '#renderer/charts/drawable.ts';
import { createScale } from '#renderer/charts/scale.ts';
import { swarm } from '#renderer/charts/swarm.ts';

const cell = fc.oneof(
  { weight: 9, arbitrary: fc.double({ noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** Columns of one length, and a limit that leaves at least one bucket. */
const columnsAndLimit = fc
  .record({ count: fc.integer({ min: 1, max: 4 }), length: fc.integer({ min: 1, max: 400 }) })
  .chain(({ count, length }) =>
    fc.record({
      steps: fc.array(fc.integer({ min: 1, max: 1_000_000 }), {
        minLength: length,
        maxLength: length,
      }),
      columns: fc.array(fc.array(cell, { minLength: length, maxLength: length }), {
        minLength: count,
        maxLength: count,
      }),
      limit: fc.integer({ min: 2 + 2 * count, max: 120 }),
    }),
  );

/** One point per whole number of x. */
function kept(columns: (number | null)[][], limit: number): number[] {
  const x = (columns[0] ?? []).map((_, index) => index);
  return getKeptIndices(x, columns, limit, createScale('linear', [0, 1]));
}

function getExtremes(column: readonly (number | null)[]) {
  const finite = column.filter((value) => value !== null && Number.isFinite(value)) as number[];
  return finite.length === 0 ? null : [Math.min(...finite), Math.max(...finite)];
}

describe('getKeptIndices', () => {
  test('keeps every point when there are no more than the limit', () => {
    expect(kept([[3, 1, 2]], 4)).toEqual([0, 1, 2]);
    expect(kept([[3, 1, 2, 9]], 4)).toEqual([0, 1, 2, 3]);
  });

  test('keeps the lowest and highest of each bucket, the first and the last', () => {
    const column = [5, 5, 5, 9, 5, 5, 5, 1, 5, 5, 5, 5];
    expect(kept([column], 6)).toEqual([0, 3, 6, 7, 11]);
  });

  test('keeps a spike of one point among 100 000', () => {
    const column = Array.from({ length: 100_000 }, (_, index) =>
      index === 77_777 ? 1e6 : index % 7,
    );
    const indices = kept([column], maximumTracePoints);
    expect(indices).toContain(77_777);
    expect(indices.length).toBeLessThanOrEqual(maximumTracePoints);
    expect(indices.length).toBeGreaterThan(maximumTracePoints / 2);
  });

  test('keeps the first of equal extremes', () => {
    expect(kept([[0, 7, 7, 7, 7, 0]], 4)).toEqual([0, 1, 5]);
  });

  test('keeps one index of each bucket of a column without values', () => {
    expect(kept([Array.from({ length: 50 }, () => null)], 10)).toEqual([0, 13, 25, 37, 49]);
  });

  test('keeps a gap of one column where another has values', () => {
    const whole = Array.from({ length: 5000 }, (_, index) => index);
    const broken = whole.map((value) => (value >= 1000 && value <= 1500 ? null : value));
    const indices = kept([whole, broken, broken], 500);
    expect(indices.length).toBeLessThanOrEqual(500);
    expect(indices.some((index) => index >= 1000 && index <= 1500)).toBe(true);
    const alone = kept([broken], 500).filter((index) => index >= 1000 && index <= 1500);
    expect(alone.length).toBeGreaterThan(1);
  });

  test('returns no index without columns and for empty columns', () => {
    expect(kept([], 10)).toEqual([]);
    expect(kept([[], []], 10)).toEqual([]);
  });

  test('spends the points on equal lengths of a log axis', () => {
    const x = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const column = x.map((value) => Math.sin(value));
    const below100 = getKeptIndices(x, [column], 202, createScale('log', [1, 10])).filter(
      (index) => index < 100,
    );
    expect(below100.length).toBeGreaterThan(50);
  });

  test('keeps the extremes of points with one x', () => {
    expect(
      getKeptIndices([1, 1, 1, 1, 1, 1], [[0, 4, 9, -2, 3, 0]], 4, createScale('linear', [0, 1])),
    ).toEqual([0, 2, 3, 5]);
  });

  test('never exceeds the limit, rises, and loses no extreme of any column', () => {
    fc.assert(
      fc.property(
        columnsAndLimit,
        fc.constantFrom('linear' as const, 'log' as const),
        ({ steps, columns, limit }, scale) => {
          let last = 0;
          const x = steps.map((step) => (last += step));
          const indices = getKeptIndices(x, columns, limit, createScale(scale, [1, 10]));
          expect(indices.length).toBeLessThanOrEqual(limit);
          expect(indices).toEqual([...new Set(indices)].sort((first, second) => first - second));
          for (const column of columns) {
            const seen = indices.map((index) => column[index] ?? null);
            expect(getExtremes(seen)).toEqual(getExtremes(column));
          }
        },
      ),
    );
  });
});

describe('getWindowIndices', () => {
  test('names the points inside and one more on each side', () => {
    expect(getWindowIndices([0, 1, 2, 3, 4, 5], [1.5, 3])).toEqual([1, 5]);
  });

  test('takes the ends of the window in either order', () => {
    expect(getWindowIndices([0, 1, 2, 3, 4, 5], [3, 1.5])).toEqual([1, 5]);
  });

  test('names everything without a window', () => {
    expect(getWindowIndices([4, 5, 6], undefined)).toEqual([0, 3]);
  });

  test('returns the nearest points if the window is between or outside them', () => {
    expect(getWindowIndices([0, 10], [4, 5])).toEqual([0, 2]);
    expect(getWindowIndices([0, 10, 20], [30, 40])).toEqual([2, 3]);
    expect(getWindowIndices([0, 10, 20], [-9, -5])).toEqual([0, 1]);
  });
});

test('points that would cover each other are put side by side, always in the same way', () => {
  expect(swarm([0.5, 0.515, 0.53], 0.2)).toEqual([0, 0.05, 0]);
  expect(swarm([0.5, 0.5, 0.5], Number.MIN_VALUE)).toEqual([0, 0, 0]);
  expect(swarm([0.1, 0.5, 0.9], 0.18)).toEqual([0, 0, 0]);
  expect(swarm([0.5, 0.5, 0.5], 0.2)).toEqual([0, 0.05, -0.05]);
  const crowd = swarm(
    Array.from({ length: 41 }, () => 0.5),
    0.2,
  );
  const even = swarm(
    Array.from({ length: 10 }, () => 0.5),
    0.2,
  );
  expect(Math.max(...even.map(Math.abs))).toBeLessThanOrEqual(0.2 + 1e-9);
  expect(new Set(crowd).size).toBe(41);
  expect(Math.max(...crowd.map(Math.abs))).toBeLessThanOrEqual(0.2 + 1e-9);
});

describe('coverPixels', () => {
  const axes = {
    x: { scale: createScale('linear', [0, 10]) },
    y: { scale: createScale('linear', [0, 10]) },
  } as Parameters<typeof coverPixels>[1];
  const size = { width: 10, height: 10, thickness: 1 };
  const rows = (x: number[], y: (number | null)[], shape: 'step' | 'line') => {
    const runs = [{ name: 'seed 1', x, y }];
    const mark = { type: 'runs', series: 'a', paletteIndex: 0, runs, shape } as const;
    const { covered, width } = coverPixels(mark, axes, size);
    return Array.from({ length: size.height }, (_, row) =>
      Array.from(covered.slice(row * width, (row + 1) * width), (one) => (one ? '#' : '.')).join(
        '',
      ),
    );
  };

  test('draws a step to the right and then down', () => {
    const drawn = rows([1.5, 5.5, 8.5], [7.5, 3.5, 3.5], 'step');
    expect(drawn.slice(2, 7)).toEqual([
      '.#####....',
      '.....#....',
      '.....#....',
      '.....#....',
      '.....####.',
    ]);
  });

  test('leaves a gap where there is no value, and nothing outside of the area', () => {
    expect(rows([1.5, 3.5, 5.5, 20], [4.5, null, 4.5, 4.5], 'step')[5]).toBe('.....#####');
    expect(rows([-1e9, 1e9], [1e300, 1e300], 'line').join('')).toMatch(/^\.+$/);
  });

  test('draws a line without holes', () => {
    const drawn = rows([0, 9], [0.5, 9.5], 'line');
    for (const row of drawn.slice(1, 9)) expect(row).toContain('#');
    expect(drawn[0]?.endsWith('#.') || drawn[0]?.endsWith('#')).toBe(true);
  });
});
