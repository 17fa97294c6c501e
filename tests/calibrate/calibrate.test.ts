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

describe('A comparison of groups that differ', () => {
  it.each(differences)('finds the difference: $name', (situation) => {
    const { claimed } = count(situation, situation.sizes?.[0]);
    expect(claimed / problems).toBeGreaterThanOrEqual((situation.goal ?? 1) - 0.15);
  });
});
