import { describe, expect, it } from 'vitest';
import { testFisherExact } from '#server/stats/fisher-exact.ts';
import {
  computeFisherPower,
  computeFisherRuns,
  computeRankSumRuns,
} from '#server/stats/runs-needed.ts';
import { expectClose, loadOracle } from './oracle.ts';

interface PowerReference {
  noether: { effect: number; pairs: number; power: number; perGroup: number }[];
  fisher: { p1: number; p2: number; pairs: number; size: number; power: number; arcsine: number }[];
  simulated: { effect: number; n: number; power: number }[];
}

const reference = loadOracle('power') as PowerReference;

const usualOptions = { power: 0.8, alpha: 0.05, pairs: 1 };

describe('computeRankSumRuns', () => {
  it.each([
    [0.56, [364, 485, 617]],
    [0.64, [67, 90, 114]],
    [0.71, [30, 40, 51]],
  ])('needs for an A12 of %f the runs of the formula, with 1, 3 and 10 pairs', (effect, runs) => {
    for (const [index, pairs] of [1, 3, 10].entries()) {
      const expected = { a: runs[index], b: runs[index] };
      expect(computeRankSumRuns({ ...usualOptions, effect, pairs })).toEqual(expected);
      expect(computeRankSumRuns({ ...usualOptions, effect: 1 - effect, pairs })).toEqual(expected);
    }
  });

  it.each(reference.noether)(
    'needs $perGroup runs for A12 $effect, $pairs pairs, power $power',
    ({ perGroup, ...design }) => {
      expect(computeRankSumRuns({ ...design, alpha: 0.05 })).toEqual({ a: perGroup, b: perGroup });
    },
  );

  it.each(reference.simulated)(
    'has about the power that $n normal runs have for A12 $effect',
    ({ effect, n, power }) => {
      // The formula assumes that the variance is that of equal groups, which costs up to 3 points.
      const { a } = computeRankSumRuns({ ...usualOptions, effect, power: power - 0.03 });
      expect(a).toBeLessThanOrEqual(n);
      expect(
        computeRankSumRuns({ ...usualOptions, effect, power: power + 0.03 }).a,
      ).toBeGreaterThanOrEqual(n);
    },
  );

  it('needs more runs in total if one group is larger', () => {
    expect(computeRankSumRuns({ ...usualOptions, effect: 0.64, shareA: 0.25 })).toEqual({
      a: 45,
      b: 134,
    });
  });

  it('needs more runs where values tie', () => {
    // 7.8489 / (3 · 0.0196 · 0.75) = 177.98 in total.
    expect(computeRankSumRuns({ ...usualOptions, effect: 0.64, untiedShare: 0.75 })).toEqual({
      a: 89,
      b: 89,
    });
  });

  it('needs as many runs as can give a p-value below the level', () => {
    // 2 / C(8, 4) = 0.0286, and 3 runs each give 0.1 at best.
    expect(computeRankSumRuns({ ...usualOptions, effect: 0.99 })).toEqual({ a: 6, b: 6 });
    expect(computeRankSumRuns({ ...usualOptions, effect: 0.999, power: 0.1 })).toEqual({
      a: 4,
      b: 4,
    });
    expect(computeRankSumRuns({ ...usualOptions, effect: 0.999, power: 0.1, pairs: 10 })).toEqual({
      a: 6,
      b: 6,
    });
  });

  it('needs infinitely many runs for no effect', () => {
    expect(computeRankSumRuns({ ...usualOptions, effect: 0.5 })).toEqual({
      a: Infinity,
      b: Infinity,
    });
  });
});

describe('computeFisherRuns', () => {
  it.each([
    [0.8, 0.4, 27, 0.802],
    [0.9, 0.5, 23, 0.811],
    [0.5, 0.3, 102, 0.806],
  ])('finds %f against %f with %i runs each', (p1, p2, perGroup, power) => {
    expect(computeFisherRuns({ ...usualOptions, p1, p2 })).toEqual({ perGroup, method: 'exact' });
    expect(computeFisherRuns({ ...usualOptions, p1: p2, p2: p1 })).toEqual({
      perGroup,
      method: 'exact',
    });
    expect(computeFisherPower(perGroup, { ...usualOptions, p1, p2 })).toBeCloseTo(power, 3);
    expect(computeFisherPower(perGroup - 1, { ...usualOptions, p1, p2 })).toBeLessThan(0.8);
  });

  it('is approximate beyond 500 runs', () => {
    const { perGroup, method } = computeFisherRuns({ ...usualOptions, p1: 0.5, p2: 0.42 });
    expect(method).toBe('approximate');
    const exactPower = computeFisherPower(perGroup, { ...usualOptions, p1: 0.5, p2: 0.42 });
    expect(exactPower).toBeGreaterThan(0.79);
    expect(exactPower).toBeLessThan(0.81);
  });

  it('needs few runs for certain success against certain failure', () => {
    expect(computeFisherRuns({ ...usualOptions, p1: 1, p2: 0 })).toEqual({
      perGroup: 4,
      method: 'exact',
    });
  });
});

describe('computeFisherPower', () => {
  it.each(reference.fisher)(
    'is that of all tables: $size runs, $p1 against $p2, $pairs pairs',
    ({ size, power, arcsine, ...design }) => {
      expectClose(computeFisherPower(size, { ...design, alpha: 0.05 }), power, 1e-9);
      // Fisher's test needs more runs than the arcsine approximation.
      expect(computeFisherRuns({ ...usualOptions, ...design }).perGroup).toBeGreaterThan(arcsine);
    },
  );

  it('is the probability of all tables that the test finds', () => {
    const [size, p1, p2] = [9, 0.85, 0.3];
    const choose = (k: number): number => (k === 0 ? 1 : (choose(k - 1) * (size - k + 1)) / k);
    const weight = (rate: number, k: number) => choose(k) * rate ** k * (1 - rate) ** (size - k);
    let power = 0;
    for (let a = 0; a <= size; a += 1) {
      for (let b = 0; b <= size; b += 1) {
        const p =
          testFisherExact({ successes: a, trials: size }, { successes: b, trials: size }) ?? 1;
        if (p <= 0.05 / 3) power += weight(p1, a) * weight(p2, b);
      }
    }
    expectClose(computeFisherPower(size, { alpha: 0.05, pairs: 3, p1, p2 }), power, 1e-9);
  });
});
