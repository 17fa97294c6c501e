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
  const ordered = points
    .filter(([, value]) => Number.isFinite(value))
    .toSorted((one, other) => one[0] - other[0]);
  return ordered.map(([evaluations], index) => {
    const values = ordered.slice(0, index + 1).map(([, value]) => value);
    return [evaluations, getBest(values, direction)!];
  });
}

describe.each(directions)('getTrace, for fitness to be %simised,', (direction) => {
  test('returns the improvements of the best so far for any order of evaluations', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const trace = getTrace(pairs(points), direction);
        const whole = bestSoFar(points, direction);
        const improved = whole.filter(([, best], index) => best !== whole[index - 1]?.[1]);
        expect(Array.from(trace.best)).toEqual(improved.map(([, best]) => best));
        expect(Array.from(trace.evaluations)).toEqual(improved.map(([evaluations]) => evaluations));
        expect(trace.end).toBe(whole.at(-1)?.[0] ?? 0);
        expect(trace.usedEvaluations).toBe(
          Math.max(0, ...points.map(([evaluations]) => evaluations)),
        );
      }),
    );
  });

  test('returns a trace with the first hits and best so far of all points', () => {
    const questions = fc.tuple(
      fc.array(smallNumber),
      fc.uniqueArray(fc.integer({ min: 0, max: 40 })),
    );
    fc.assert(
      fc.property(anyPoints, questions, (points, [targets, unordered]) => {
        const budgets = unordered.toSorted((one, other) => one - other);
        const trace = getTrace(pairs(points), direction);
        const whole = bestSoFar(points, direction);
        for (const target of targets) {
          const hit = whole.find(([, best]) => hasReached(best, target, direction));
          expect(getFirstHit(trace, target)).toBe(hit?.[0] ?? null);
        }
        expect([...getBestAt(trace, budgets)]).toEqual(
          budgets.map(
            (budget) => whole.findLast(([evaluations]) => evaluations <= budget)?.[1] ?? NaN,
          ),
        );
      }),
    );
  });

  test('equals the trace of its own improvements', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const trace = getTrace(pairs(points), direction);
        const improvements = Array.from(trace.evaluations, (x, at): Point => [x, trace.best[at]!]);
        const again = getTrace(pairs(improvements), direction);
        expect([again.evaluations, again.best]).toEqual([trace.evaluations, trace.best]);
      }),
    );
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
  const falling = Array.from({ length: 100 }, (_, index): Point => [index, 100 - index]);
  const trace = getTrace(pairs([...falling, [150, 50]]), 'min');

  test('returns all improvements and the end if they are at most the requested number', () => {
    const all = getChartPoints(trace, 100, []);
    expect(all).toHaveLength(101);
    expect(all.at(-1)).toEqual({ x: 150, y: 1 });
  });

  test.each([2, 3, 7, 50, 99])(
    'returns about %i points, with the first, the last and the required ones',
    (most) => {
      const thinned = getChartPoints(trace, most, [41]);
      expect(thinned.length).toBeLessThanOrEqual(most + 2);
      expect(thinned[0]).toEqual({ x: 0, y: 100 });
      expect(thinned.slice(-2)).toEqual([
        { x: 99, y: 1 },
        { x: 150, y: 1 },
      ]);
      expect(thinned).toContainEqual({ x: 41, y: 59 });
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
