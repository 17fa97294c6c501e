import { describe, expect, it } from 'vitest';
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
    ]) {
      const own = byName.get(name) ?? [];
      expect(own.length, name).toBeGreaterThanOrEqual(problems / 2 - 1);
      const covering = own.filter(({ isCovering }) => isCovering).length;
      expect(covering / own.length, name).toBeGreaterThanOrEqual(0.8);
    }
  });
});

describe('A comparison of groups that differ', () => {
  it.each(differences)('finds the difference: $name', (situation) => {
    const { claimed } = count(situation, situation.sizes?.[0]);
    expect(claimed / problems).toBeGreaterThanOrEqual((situation.goal ?? 1) - 0.15);
  });
});
