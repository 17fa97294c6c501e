import { describe, expect, it } from 'vitest';
import {
  type ComparedGroup,
  type ComparedPairs,
  compareGroups,
  testPair,
} from '#server/domain/claims/compare-groups.ts';
import { computeEffectInterval, computeShiftIntervals } from '#server/stats/effect-size.ts';
import { testMannWhitney } from '#server/stats/mann-whitney.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import { getGroup, makeStartedRun, terms } from './started-runs.ts';

const withoutTarget = { ...terms, target: null };

/** Returns a group of runs that end at these values. */
const makeGroup = (name: string, bests: readonly number[]): ComparedGroup => ({
  name,
  runs: bests.map((best, index) => makeStartedRun(`${name}${index}`, [[900, best]])),
});

/** Returns 12 runs with random fitness and anytime performance, so that their p-values are estimated. */
const makeRandomGroup = (name: string, shift: number): ComparedGroup => {
  const random = createSeededRandom(name);
  return {
    name,
    runs: Array.from({ length: 12 }, (_, index) =>
      makeStartedRun(`${name}${index}`, [
        [10, 99],
        [Math.round(20 + 800 * random()), 50],
        [900, 10 * random() + shift],
      ]),
    ),
  };
};

const getPair = ({ pairs }: ComparedPairs, a: string, b: string) =>
  pairs.find(({ guard }) => guard.a === a && guard.b === b);

describe('compareGroups', () => {
  it.each([
    ['above the level', 2, [], false],
    ['at the level', 2.4, [], true],
    ['below the level', 3, [], false],
    ['at the level of three pairs without claims on all measures', 2.6, [['e', 1]], true],
    ['at the level of three pairs, claimed on all measures', 3, [['e', 1]], true],
    ['below the level, as the other pairs are claimed on all measures', 3, [['f', 200]], false],
  ] as const)('tests a pair precisely only near the level of a claim: %s', (...row) => {
    const [, shift, furtherGroups, isPrecise] = row;
    const groups = [
      makeRandomGroup('a', 0),
      makeRandomGroup('d', shift),
      ...furtherGroups.map(([name, furtherShift]) => makeRandomGroup(name, furtherShift)),
    ];
    const pair = getPair(compareGroups(groups, withoutTarget), 'a', 'd')!;
    expect(testPair(pair.guard, false)?.isRough).toBe(true);
    expect(pair.test).toEqual(testPair(pair.guard, false, isPrecise));
  });

  it('multiplies the attainable p-value by the pairs that are open without the other claims', () => {
    // Of 252 assignments of ten runs to two groups of five, two separate the groups.
    const groups = [
      makeGroup('a', [1, 2, 3, 4, 5]),
      makeGroup('b', [101, 102, 103, 104, 105]),
      makeGroup('c', [101.5, 102.5, 103.5, 104.5, 105.5]),
    ];
    const { pairwise } = compareGroups(groups, withoutTarget);
    expect(pairwise.fitness.map(({ significant }) => significant)).toEqual([true, true, false]);
    expect(pairwise.fitness.map(({ attainablePValue }) => attainablePValue)).toEqual([
      2 * (2 / 252),
      2 * (2 / 252),
      2 / 252,
    ]);
  });

  it('returns intervals that are simultaneous over the tested pairs and measures', () => {
    const values = {
      a: [1, 2, 3, 4, 5, 6, 7],
      b: [3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5],
      c: [2.2, 3.2, 5.2, 6.2, 7.2, 8.2, 9.2],
    };
    const groups = Object.entries(values).map(([name, bests]) => makeGroup(name, bests));
    const untestedGroup = { name: 'd', runs: [] };
    const { pairwise } = compareGroups([...groups, untestedGroup], withoutTarget);
    // Each run has one value, so that there are 3 pairs with the measures fitness and anytime performance.
    const alpha = 0.05 / (3 * 2);
    const { a, b } = values;
    const [shiftInterval, simultaneousShiftInterval] = computeShiftIntervals(a, b, [0.05, alpha]);
    expect(pairwise.anytime).not.toBeNull();
    expect(pairwise.fitness[0]).toMatchObject({
      effectInterval: computeEffectInterval(a, b, 'min'),
      simultaneousEffectInterval: computeEffectInterval(a, b, 'min', alpha),
      shiftInterval,
      simultaneousShiftInterval,
    });
    expect(simultaneousShiftInterval).not.toEqual(shiftInterval);
  });

  it('returns no attainable p-value above an adjusted one', () => {
    // Without overlap, a and b have p = 2 / 70, and each of them with c has 2 / 35.
    const groups = [
      makeGroup('a', [1, 2, 3, 4]),
      makeGroup('b', [101, 102, 103, 104]),
      makeGroup('c', [201, 202, 203]),
    ];
    const { pairwise } = compareGroups(groups, withoutTarget);
    // No pair is claimed at 0.05. At the level of the third pair, the first one is.
    const pValues = [3 * (2 / 70), 2 * (2 / 35), 2 * (2 / 35)];
    expect(pairwise.fitness.map(({ adjustedPValue }) => adjustedPValue)).toEqual(pValues);
    expect(pairwise.fitness.map(({ attainablePValue }) => attainablePValue)).toEqual(pValues);
    expect(pairwise.anytime?.map(({ attainablePValue }) => attainablePValue)).toEqual(pValues);
  });

  it('tests groups of unequal size, of runs and of configurations', () => {
    const [bestsA, bestsB] = [
      [1, 2, 6, 7],
      [3, 4, 5, 8, 9, 10],
    ];
    const { pValue } = testMannWhitney(bestsA, bestsB);
    const groups = [makeGroup('a', bestsA), makeGroup('b', bestsB)];
    expect(compareGroups(groups, withoutTarget).pairwise.fitness).toMatchObject([
      { nA: 4, nB: 6, pValue },
    ]);
    const groupsOfConfigurations = groups.map(({ name, runs }) => ({
      name,
      runs: runs.map((run) => ({ ...run, configuration: run.runId })),
    }));
    const comparison = compareGroups(groupsOfConfigurations, withoutTarget);
    expect(comparison.pairs[0]?.guard.unit).toBe('configuration');
    expect(comparison.pairwise.fitness).toMatchObject([{ pValue }]);
  });

  it('tests only pairs within a stratum', () => {
    const groups = ['a', 'b', 'c', 'd'].map((name, index) => ({
      ...makeGroup(name, [index, index + 1]),
      stratum: index < 2 ? 'x' : 'y',
    }));
    const { pairs } = compareGroups(groups, withoutTarget);
    expect(pairs.map(({ guard }) => guard.a + guard.b)).toEqual(['ab', 'cd']);
  });

  it('has neither runtime nor success without a target', () => {
    const groups = [getGroup('a', [100, 200]), getGroup('b', [300, 400])];
    expect(compareGroups(groups, terms).pairwise).toMatchObject({ runtime: [{}], success: [{}] });
    expect(compareGroups(groups, withoutTarget).pairwise).toMatchObject({
      runtime: null,
      success: null,
    });
  });

  it('has no values of a pair that is not tested', () => {
    const { pairwise } = compareGroups([makeGroup('a', [1, 2]), makeGroup('b', [])], withoutTarget);
    expect(pairwise.fitness).toMatchObject([
      { a: 'a', b: 'b', nA: 0, nB: 0, pValue: null, method: null, better: 'none' },
    ]);
  });

  it.each(['run', 'configuration'] as const)(
    'calls the p-values of groups of 50 units or more asymptotic: %s',
    (unit) => {
      const getMethod = (units: number) => {
        const bests = Array.from({ length: units }, (_, index) => 2 * index);
        const groups = [
          makeGroup('a', bests),
          makeGroup(
            'b',
            bests.map((best) => best + 1),
          ),
        ].map(({ name, runs }) => ({
          name,
          runs: runs.map((run) => (unit === 'run' ? run : { ...run, configuration: run.runId })),
        }));
        const { pairs, pairwise } = compareGroups(groups, withoutTarget);
        expect(pairs[0]?.guard.unit).toBe(unit);
        return pairwise.fitness[0]?.method;
      };
      expect([getMethod(49), getMethod(50)]).toEqual(['exact', 'asymptotic']);
    },
  );
});
