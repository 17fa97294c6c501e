import { describe, expect, test } from 'vitest';
import { forecastHit, type EndedSibling } from '#shared/hit-forecast.ts';

const makeHit = (evaluationsToTarget: number): EndedSibling => ({
  evaluationsToTarget,
  evaluations: 1_000,
});
const miss = (evaluations: number | null): EndedSibling => ({
  evaluationsToTarget: null,
  evaluations,
});

describe('forecastHit', () => {
  test('returns the quartiles of the siblings that had not reached the target yet', () => {
    const siblings = [100, 200, 300, 400, 500, 600, 700, 800].map(makeHit);
    // Of 300 to 800, six: the second, third and fifth of them.
    expect(forecastHit(siblings, 250)).toEqual({
      siblings: 6,
      reached: 6,
      evaluations: { lower: 400, median: 500, upper: 700 },
    });
  });

  test('takes the quartiles of the siblings in any order', () => {
    const siblings = Array.from({ length: 40 }, (_, index) => makeHit(40 - index));
    expect(forecastHit(siblings, 0)?.evaluations).toEqual({ lower: 10, median: 20, upper: 30 });
  });

  test('counts siblings that missed the target as infinite if they used more evaluations than the run', () => {
    const siblings = [
      ...[300, 400, 500].map(makeHit),
      miss(1_000),
      miss(1_000),
      miss(200),
      miss(250),
      miss(null),
    ];
    expect(forecastHit(siblings, 250)).toEqual({
      siblings: 5,
      reached: 3,
      evaluations: { lower: 400, median: 500, upper: null },
    });
  });

  test('is null for fewer than five siblings', () => {
    expect(forecastHit([300, 400, 500, 600].map(makeHit), 250)).toBeNull();
    expect(forecastHit([100, 300, 400, 500, 600].map(makeHit), 100)).toBeNull();
    expect(forecastHit([], 0)).toBeNull();
  });

  test('has no median if no sibling reached the target', () => {
    expect(
      forecastHit(
        Array.from({ length: 5 }, () => miss(1_000)),
        10,
      ),
    ).toEqual({
      siblings: 5,
      reached: 0,
      evaluations: { lower: null, median: null, upper: null },
    });
  });
});
