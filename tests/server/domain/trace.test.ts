import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  getBestAt,
  getBest,
  getChartPoints,
  getFirstHit,
  getFirstHits,
  hasReached,
  getTrace,
} from '#server/domain/trace.ts';

type Point = [evaluations: number, fitness: number];

const directions = ['min', 'max'] as const;
const smallNumber = fc.integer({ min: -20, max: 20 });
const fitness = fc.oneof(smallNumber, fc.constantFrom(NaN, Infinity, -Infinity));
const anyPoints = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fitness));
const pairs = (points: readonly Point[]) => Float64Array.from(points.flat());

/** Returns every point with a value in the order of the trace, with the best so far. */
function bestSoFar(points: readonly Point[], direction: 'min' | 'max'): Point[] {
  const orderedPoints = points
    .filter(([, value]) => Number.isFinite(value))
    .toSorted((a, b) => a[0] - b[0]);
  return orderedPoints.map(([evaluations], index) => {
    const values = orderedPoints.slice(0, index + 1).map(([, value]) => value);
    return [evaluations, getBest(values, direction)!];
  });
}

describe.each(directions)('getTrace, for fitness to be %simised,', (direction) => {
  test('returns the improvements of the best so far for any order of evaluations', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const trace = getTrace(pairs(points), direction);
        const bestPoints = bestSoFar(points, direction);
        const improvements = bestPoints.filter(
          ([, best], index) => best !== bestPoints[index - 1]?.[1],
        );
        expect(Array.from(trace.best)).toEqual(improvements.map(([, best]) => best));
        expect(Array.from(trace.evaluations)).toEqual(
          improvements.map(([evaluations]) => evaluations),
        );
        expect(trace.end).toBe(bestPoints.at(-1)?.[0] ?? 0);
        expect(trace.usedEvaluations).toBe(
          Math.max(0, ...points.map(([evaluations]) => evaluations)),
        );
      }),
    );
  });

  test('returns a trace with the first hits and best so far of all points', () => {
    const anyRequest = fc.tuple(
      fc.array(smallNumber),
      fc.uniqueArray(fc.integer({ min: 0, max: 40 })),
    );
    fc.assert(
      fc.property(anyPoints, anyRequest, (points, [targets, unordered]) => {
        const budgets = unordered.toSorted((a, b) => a - b);
        const trace = getTrace(pairs(points), direction);
        const bestPoints = bestSoFar(points, direction);
        for (const target of targets) {
          const hit = bestPoints.find(([, best]) => hasReached(best, target, direction));
          expect(getFirstHit(trace, target)).toBe(hit?.[0] ?? null);
        }
        expect([...getBestAt(trace, budgets)]).toEqual(
          budgets.map(
            (budget) => bestPoints.findLast(([evaluations]) => evaluations <= budget)?.[1] ?? NaN,
          ),
        );
      }),
    );
  });

  test('equals the trace of its improvements', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const trace = getTrace(pairs(points), direction);
        const improvements = Array.from(trace.evaluations, (x, at): Point => [x, trace.best[at]!]);
        const secondTrace = getTrace(pairs(improvements), direction);
        expect([secondTrace.evaluations, secondTrace.best]).toEqual([
          trace.evaluations,
          trace.best,
        ]);
      }),
    );
  });
});

describe('getTrace of iterations whose evaluations decrease', () => {
  const points: Point[] = [
    [100, 9],
    [200, NaN],
    [100, 7],
    [150, 8],
    [50, 6],
  ];

  test('adds those before each restart if the run was resumed', () => {
    const trace = getTrace(pairs(points), 'min', { isResumed: true });
    expect([...trace.evaluations]).toEqual([100, 300, 400]);
    expect([...trace.best]).toEqual([9, 7, 6]);
    expect(trace).toMatchObject({ end: 400, usedEvaluations: 400, isDecreasing: true });
  });

  test('sorts them if the run was not resumed', () => {
    const trace = getTrace(pairs(points), 'min');
    expect([...trace.evaluations]).toEqual([50]);
    expect(trace).toMatchObject({ end: 150, usedEvaluations: 200, isDecreasing: true });
  });

  test('differs from that of ascending evaluations, which are unchanged in a resumed run', () => {
    const ascendingPairs = pairs(points.toSorted((a, b) => a[0] - b[0]));
    const trace = getTrace(ascendingPairs, 'min', { isResumed: true });
    expect(trace).toEqual(getTrace(ascendingPairs, 'min'));
    expect(trace.isDecreasing).toBe(false);
  });
});

test('hasReached is true for a fitness that equals the target', () => {
  expect(hasReached(3, 3, 'min')).toBe(true);
  expect(hasReached(3, 3, 'max')).toBe(true);
  expect(hasReached(4, 3, 'min')).toBe(false);
  expect(hasReached(2, 3, 'max')).toBe(false);
});

test('getTrace returns an empty trace without iterations, which reaches no target', () => {
  const trace = getTrace(new Float64Array(), 'min');
  expect(trace).toMatchObject({ end: 0, usedEvaluations: 0 });
  expect(getFirstHit(trace, Infinity)).toBeNull();
  expect([...getBestAt(trace, [1, 2])]).toEqual([NaN, NaN]);
  expect(getChartPoints(trace, 10, [])).toEqual([]);
});

test('getBest returns null without values', () => {
  expect(getBest([], 'min')).toBeNull();
  expect([getBest([2, 1, 3], 'min'), getBest([2, 1, 3], 'max')]).toEqual([1, 3]);
});

describe('getChartPoints', () => {
  const fallingPoints = Array.from({ length: 100 }, (_, index): Point => [index, 100 - index]);
  const trace = getTrace(pairs([...fallingPoints, [150, 50]]), 'min');

  test('returns all improvements and the end if they are at most the requested number', () => {
    const allPoints = getChartPoints(trace, 100, []);
    expect(allPoints).toHaveLength(101);
    expect(allPoints.at(-1)).toEqual({ x: 150, y: 1 });
  });

  test.each([2, 3, 7, 50, 99])(
    'returns about %i points, with the first, the last and the required ones',
    (maximumPoints) => {
      const thinnedPoints = getChartPoints(trace, maximumPoints, [41]);
      expect(thinnedPoints.length).toBeLessThanOrEqual(maximumPoints + 2);
      expect(thinnedPoints[0]).toEqual({ x: 0, y: 100 });
      expect(thinnedPoints.slice(-2)).toEqual([
        { x: 99, y: 1 },
        { x: 150, y: 1 },
      ]);
      expect(thinnedPoints).toContainEqual({ x: 41, y: 59 });
    },
  );
});

test('getFirstHits returns the first hit of each target, in both directions', () => {
  const targets = fc.array(smallNumber).map((values) => values.toSorted((a, b) => b - a));
  fc.assert(
    fc.property(anyPoints, targets, fc.constantFrom(...directions), (points, sorted, direction) => {
      const trace = getTrace(pairs(points), direction);
      expect([...getFirstHits(trace, sorted)]).toEqual(
        sorted.map((target) => getFirstHit(trace, target) ?? Infinity),
      );
    }),
  );
});
