import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budgetCrossOf, targetEcdf, withRestarts } from '#server/stats/target-ecdf.ts';
import { stepValueAt } from '#server/stats/ecdf.ts';

const trial = (dimension: number, hits: number[], budget: number) =>
  Object.freeze({ dimension, hits: Float64Array.from(hits), budget });

/** Each trial is a cell, and all have the same targets. */
const ecdfOf = (trials: readonly ReturnType<typeof trial>[], budget: number) =>
  targetEcdf(trials, { budget, cells: trials.length, targets: trials[0]?.hits.length ?? 0 });

describe('a runtime ECDF over targets', () => {
  const trials = [trial(2, [10, 20, Infinity], 100), trial(10, [50, 100, 200], 400)];

  test('counts pairs of a trial and a target, in evaluations over the dimension', () => {
    expect(ecdfOf(trials, 50)).toMatchObject({
      pairs: 6,
      solvedPairs: 5,
      points: [
        { x: 5, y: 2 / 6 },
        { x: 10, y: 4 / 6 },
        { x: 20, y: 5 / 6 },
      ],
    });
  });

  test('crosses at the median budget of the trials that missed a target', () => {
    expect(budgetCrossOf(trials)).toBe(50);
    expect(budgetCrossOf([...trials, trial(1, [Infinity], 10)])).toBe(30);
    expect(budgetCrossOf(trials.slice(1))).toBeNull();
  });

  test('has no points and no area without trials, or when nothing is solved', () => {
    expect(ecdfOf([], 10)).toEqual({ pairs: 0, solvedPairs: 0, points: [], area: 0 });
    expect(ecdfOf([trial(1, [Infinity], 9)], 10)).toMatchObject({ points: [], area: 0 });
  });

  test('has the area of its steps over the logarithm of x from 1 to the budget', () => {
    const hit = fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.constant(Infinity));
    const some = fc.array(fc.tuple(fc.constantFrom(2, 5, 10), fc.array(hit, { maxLength: 9 })));
    fc.assert(
      fc.property(some, fc.double({ min: 1.5, max: 5000, noNaN: true }), (rows, budget) => {
        const all = rows.map(([dimension, hits]) => trial(dimension, [...hits, Infinity], 3000));
        const targets = all.reduce((sum, { hits }) => sum + hits.length, 0) / (all.length || 1);
        const { points, area } = targetEcdf(all, { budget, cells: all.length, targets });
        const inside = points.map(({ x }) => x).filter((x) => x > 1 && x < budget);
        const edges = [1, ...inside, budget];
        const plain = edges
          .slice(1)
          .map((end, index) => {
            const start = edges[index] ?? 1;
            return stepValueAt(points, start) * (Math.log10(end) - Math.log10(start));
          })
          .reduce((sum, part) => sum + part, 0);
        expect(area).toBeCloseTo(plain / Math.log10(budget), 10);
      }),
    );
  });

  test('counts each cell once, however many trials it has, and cells without a trial as unsolved', () => {
    const half = (hit: number) => ({ ...trial(1, [hit], 100), weight: 0.5 });
    const weighted = [half(10), half(40), trial(1, [20], 100)];
    const { points, pairs, solvedPairs, area } = targetEcdf(weighted, {
      budget: 100,
      cells: 4,
      targets: 1,
    });
    expect(points).toEqual([
      { x: 10, y: 0.125 },
      { x: 20, y: 0.375 },
      { x: 40, y: 0.5 },
    ]);
    expect({ pairs, solvedPairs }).toEqual({ pairs: 3, solvedPairs: 3 });
    const below = (hit: number) => 1 - Math.log(hit) / Math.log(100);
    expect(area).toBeCloseTo((0.5 * below(10) + 0.5 * below(40) + below(20)) / 4, 12);
  });

  test('is the share at the budget where that leaves no room for an area', () => {
    expect(ecdfOf([trial(10, [5, 20], 30)], 1).area).toBe(0.5);
    expect(ecdfOf([trial(10, [5, 20], 30)], 0.4).area).toBe(0);
  });

  test('of very many steps sends those that are apart, each with its own value', () => {
    const hits = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const { points } = ecdfOf([trial(1, hits, 20_000)], 20_000);
    expect(points.length).toBeLessThan(600);
    expect(points.length).toBeGreaterThan(300);
    for (const { x, y } of points) expect(y).toBe(x / 20_000);
    expect(points.at(-1)).toEqual({ x: 20_000, y: 1 });
  });
});

describe('simulated restarts', () => {
  const trials = [
    trial(1, [10, Infinity, Infinity], 100),
    trial(1, [20, 50, Infinity], 200),
    trial(1, [Infinity, Infinity, Infinity], 300),
  ];

  test('solve every target that any trial solved, after whole trials that missed it', () => {
    const extended = withRestarts(trials, 'seed');
    expect(extended.map(({ hits }) => hits[2])).toEqual([Infinity, Infinity, Infinity]);
    expect(extended.map(({ hits }) => hits[0]).slice(0, 2)).toEqual([10, 20]);
    for (const index of [0, 2]) {
      const spent = (extended[index]?.hits[1] ?? 0) - 50 - (trials[index]?.budget ?? 0);
      expect(spent % 100).toBe(0);
      expect(spent).toBeGreaterThanOrEqual(0);
    }
  });

  test('are the same for the same seed, and leave the trials as they were', () => {
    expect(withRestarts(trials, 'a')).toEqual(withRestarts(trials, 'a'));
    expect(trials[0]?.hits[1]).toBe(Infinity);
    expect(withRestarts([], 'a')).toEqual([]);
  });

  test('take as long on average as the theory says: half of the trials solve', () => {
    const half = Array.from({ length: 2_000 }, (_, index) =>
      trial(1, [index % 2 === 0 ? 10 : Infinity], 100),
    );
    const extended = withRestarts(half, 'mean').map(({ hits }) => hits[0] ?? NaN);
    const unsolved = extended.filter((hit) => hit > 10);
    const mean = unsolved.reduce((sum, hit) => sum + hit, 0) / unsolved.length;
    expect(mean).toBeGreaterThan(190);
    expect(mean).toBeLessThan(230);
  });
});
