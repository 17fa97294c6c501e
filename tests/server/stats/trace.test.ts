import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bestAtBudgets,
  bestOf,
  carryForward,
  firstHit,
  reaches,
  traceOf,
} from '#server/stats/trace.ts';

test('a trace is ordered by evaluations, then iteration, and never gets worse', () => {
  const iterations = Object.freeze([
    { evaluations: 20, iteration: 2, fitness: 5 },
    { evaluations: 10, iteration: 0, fitness: 7 },
    { evaluations: 20, iteration: 1, fitness: 3 },
    { evaluations: 30, iteration: 3, fitness: 9 },
  ]);
  expect(traceOf(iterations, 'min').map(({ best }) => best)).toEqual([7, 3, 3, 3]);
  expect(traceOf(iterations, 'max').map(({ best }) => best)).toEqual([7, 7, 7, 9]);
});

test('iterations without a finite fitness are not part of the trace', () => {
  const fitness = [null, Infinity, NaN, -Infinity, 4];
  const iterations = fitness.map((value, iteration) => ({
    evaluations: 10 * iteration,
    iteration,
    fitness: value,
  }));
  expect(traceOf(iterations, 'min')).toEqual([{ evaluations: 40, best: 4 }]);
});

test('a target is reached when it is equalled', () => {
  expect(reaches(3, 3, 'min')).toBe(true);
  expect(reaches(3, 3, 'max')).toBe(true);
  expect(reaches(4, 3, 'min')).toBe(false);
  expect(reaches(2, 3, 'max')).toBe(false);
});

test('the first hit is the first point that reaches the target, null when none does', () => {
  const trace = [
    { evaluations: 10, best: 5 },
    { evaluations: 20, best: 2 },
    { evaluations: 30, best: 2 },
  ];
  expect(firstHit(trace, 2, 'min')).toBe(20);
  expect(firstHit(trace, 1, 'min')).toBeNull();
  expect(firstHit([], 1, 'min')).toBeNull();
});

test('the best of nothing is nothing', () => {
  expect(bestOf([], 'min')).toBeNull();
  expect([bestOf([2, 1, 3], 'min'), bestOf([2, 1, 3], 'max')]).toEqual([1, 3]);
});

test('what a database groups by intervals of budgets gives the same values as the trace', () => {
  const points = fc.array(
    fc.record({
      evaluations: fc.integer({ min: 1, max: 100 }),
      iteration: fc.nat(100),
      fitness: fc.integer({ min: -20, max: 20 }),
    }),
  );
  const budgets = [5, 10, 40, 90, 100];
  fc.assert(
    fc.property(points, fc.constantFrom('min' as const, 'max' as const), (run, direction) => {
      const perInterval = budgets.map((end, index) => {
        const start = budgets[index - 1] ?? -Infinity;
        const inside = run.filter((point) => point.evaluations > start && point.evaluations <= end);
        return bestOf(
          inside.map((point) => point.fitness),
          direction,
        );
      });
      const expected = bestAtBudgets(traceOf(Object.freeze(run), direction), budgets);
      expect(carryForward(perInterval, direction)).toEqual(expected);
    }),
  );
});
