import { describe, expect, it } from 'vitest';
import { computeErtMoverInterval } from '#server/stats/runtime.ts';
import { createSeededRandom, type UniformRandom } from '#server/stats/seeded-random.ts';
import { normal } from './landscapes.ts';
import { differences, situations } from './situations.ts';
import { simulateProblem } from './simulate.ts';

/** A reduced form of `npm run calibrate`, with the same seeds each time. */
const problems = 24;

function count(situation: (typeof situations)[number], size = { groups: 2, runs: 10 }) {
  const outcomes = Array.from({ length: problems }, (_, index) =>
    simulateProblem(situation, size, index),
  );
  return {
    tested: outcomes.filter(({ isTested }) => isTested).length,
    claimed: outcomes.filter(({ isClaimed }) => isClaimed).length,
    belowLevel: outcomes.filter(({ isBelowLevel }) => isBelowLevel).length,
  };
}

describe('A comparison of identical groups', () => {
  it.each(situations)('claims few differences: $name', (situation) => {
    const { tested, claimed, belowLevel } = count(situation);
    expect(tested).toBeGreaterThanOrEqual(problems / 2);
    // 5 % of 24 problems is 1.2; 5 or more happen by chance in one of 150 such tests.
    expect(claimed).toBeLessThanOrEqual(4);
    if (situation.name !== 'a look after each run') expect(belowLevel).toBeLessThanOrEqual(4);
  });
});

describe('An interval', () => {
  it('contains the true value in about 95 % of the problems', () => {
    const [allEnded] = situations;
    const shown = Array.from({ length: problems }, (_, index) =>
      allEnded ? simulateProblem(allEnded, { groups: 2, runs: 15 }, index).intervals : [],
    ).flat();
    const byName = Map.groupBy(shown, ({ name }) => name);
    for (const name of [
      'success rate',
      'difference of success',
      'A12 of fitness',
      'A12 of runtime',
      'ERT of whole runs',
    ]) {
      const own = byName.get(name) ?? [];
      expect(own.length, name).toBeGreaterThanOrEqual(problems / 2 - 1);
      const covering = own.filter(({ isCovering }) => isCovering).length;
      expect(covering / own.length, name).toBeGreaterThanOrEqual(0.8);
    }
  });
});

describe('An interval of the ERT without a known budget', () => {
  const problemCount = 400;
  const runCount = 15;
  const failureCost = 3_000;
  const times = {
    'log-normal': (random: UniformRandom) => 100 * Math.exp(normal(random)),
    exponential: (random: UniformRandom) => -100 * Math.log(1 - random()),
    bimodal: (random: UniformRandom) =>
      (random() < 0.3 ? 1_000 : 100) * Math.exp(0.2 * normal(random)),
  };
  const means = {
    'log-normal': 100 * Math.exp(0.5),
    exponential: 100,
    bimodal: (0.3 * 1_000 + 0.7 * 100) * Math.exp(0.02),
  };

  /** Share of the intervals with the true ERT, of those that are not null. */
  function getCoverage(name: keyof typeof times, successRate: number) {
    const random = createSeededRandom(JSON.stringify(['ERT', name, successRate]));
    const ert = means[name] + (1 / successRate - 1) * failureCost;
    const intervals = Array.from({ length: problemCount }, () =>
      computeErtMoverInterval(
        Array.from({ length: runCount }, () => {
          const isSolved = random() < successRate;
          const evaluationsToTarget = isSolved ? times[name](random) : null;
          return { isSolved, evaluationsToTarget, usedEvaluations: failureCost };
        }),
        null,
      ),
    ).filter((interval) => interval !== null);
    const coveringCount = intervals.filter(
      ({ lower, upper }) => (lower ?? Infinity) <= ert && ert <= (upper ?? Infinity),
    ).length;
    return { shown: intervals.length, coverage: coveringCount / intervals.length };
  }

  it.each(Object.keys(times) as (keyof typeof times)[])(
    'contains the true value in at least 92 %% of the problems with 15 runs, all solved or some: %s',
    (name) => {
      for (const successRate of [0.3, 0.6, 1]) {
        const { shown, coverage } = getCoverage(name, successRate);
        expect(shown).toBeGreaterThan(0.98 * problemCount);
        expect(coverage, `${successRate} solved`).toBeGreaterThanOrEqual(0.92);
      }
    },
  );
});

describe('A comparison of groups that differ', () => {
  it.each(differences)('finds the difference: $name', (situation) => {
    const { claimed } = count(situation, situation.sizes?.[0]);
    expect(claimed / problems).toBeGreaterThanOrEqual((situation.goal ?? 1) - 0.15);
  });
});
