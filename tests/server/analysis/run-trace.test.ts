import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureRun, summariseTrace } from '#server/analysis/measurement.ts';
import { chartPoints, measureTrace, runTraceOf } from '#server/analysis/run-trace.ts';
import { traceOf } from '#server/stats/trace.ts';

const directions = ['min', 'max'] as const;
const smallNumber = fc.integer({ min: -20, max: 20 });
const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), smallNumber));
const pairsOf = (iterations: [number, number][]) => Float64Array.from(iterations.flat());
const iterationsOf = (iterations: [number, number][]) =>
  iterations.map(([evaluations, fitness], iteration) => ({ evaluations, iteration, fitness }));

describe.each(directions)('A trace to be %simised', (direction) => {
  test('answers every plan as all its iterations do, in whatever order they count evaluations', () => {
    const plans = fc.tuple(fc.array(smallNumber), fc.uniqueArray(fc.integer({ min: 0, max: 40 })));
    fc.assert(
      fc.property(points, plans, (iterations, [targets, unordered]) => {
        const budgets = unordered.toSorted((a, b) => a - b);
        const plan = { direction, targets, levels: [], budgets };
        const trace = runTraceOf(pairsOf(iterations), direction);
        const whole = iterationsOf(iterations);
        expect(trace?.summary ?? null).toEqual(summariseTrace(whole));
        if (trace) expect(measureTrace(trace, plan)).toEqual(measureRun(whole, plan));
      }),
    );
  });

  test('keeps improvements only, the first iteration among them', () => {
    fc.assert(
      fc.property(points, (iterations) => {
        const trace = runTraceOf(pairsOf(iterations), direction);
        const whole = traceOf(iterationsOf(iterations), direction);
        const improved = whole.filter(({ best }, index) => best !== whole[index - 1]?.best);
        expect(Array.from(trace?.best ?? [])).toEqual(improved.map(({ best }) => best));
        expect(Array.from(trace?.evaluations ?? [])).toEqual(
          improved.map((one) => one.evaluations),
        );
      }),
    );
  });
});

test('no iterations make no trace', () => {
  expect(runTraceOf(new Float64Array(), 'min')).toBeNull();
});

describe('Points for a chart', () => {
  const falling = Array.from({ length: 100 }, (_, index): [number, number] => [index, 100 - index]);
  const trace = runTraceOf(pairsOf([...falling, [150, 50]]), 'min')!;

  test('are all improvements and the end when there is room', () => {
    const all = chartPoints(trace, 100, []);
    expect(all).toHaveLength(101);
    expect(all.at(-1)).toEqual({ x: 150, y: 1 });
  });

  test.each([2, 3, 7, 50, 99])('are about %i, with first, last and the ones to keep', (most) => {
    const thinned = chartPoints(trace, most, [41]);
    expect(thinned.length).toBeLessThanOrEqual(most + 2);
    expect(thinned[0]).toEqual({ x: 0, y: 100 });
    expect(thinned.slice(-2)).toEqual([
      { x: 99, y: 1 },
      { x: 150, y: 1 },
    ]);
    expect(thinned).toContainEqual({ x: 41, y: 59 });
  });
});
