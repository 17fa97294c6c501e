import { describe, expect, it } from 'vitest';
import {
  describeBlocks,
  describeDifference,
  describeMarks,
  describeTestedInstances,
  describeUnattainableSignificance,
  describeUnscaledInstances,
} from '#shared/across-words.ts';

describe('describeDifference', () => {
  it('lists the differences with their ranges, and is empty if the groups agree', () => {
    const noDifferences = { budget: null, runs: null, completed: null };
    expect(describeDifference({ differences: noDifferences })).toBe('');
    expect(
      describeDifference({
        differences: {
          budget: { least: 1_000, most: 5_000 },
          runs: { least: 10, most: 15 },
          completed: { least: 0.8, most: 1 },
        },
      }),
    ).toBe(
      'budget (1\u2009000 to 5\u2009000), runs (10 to 15), completed runs (80.0\u2009% to 100.0\u2009%)',
    );
    const runs = { least: 1, most: 2 };
    expect(describeDifference({ differences: { ...noDifferences, runs } })).toBe('runs (1 to 2)');
  });
});

describe('describeMarks', () => {
  it('explains the marks only if no run is RUNNING', () => {
    const words = (isInterim: boolean) =>
      describeMarks({ guard: { isInterim } as Parameters<typeof describeMarks>[0]['guard'] });
    expect(words(true)).toBe('The table marks no cell while a run is RUNNING.');
    expect(words(false)).toMatch(/^Bold: significantly better than every other group/);
  });
});

describe('describeBlocks', () => {
  it('states what counts once', () => {
    expect(describeBlocks({ blocks: 'instance' })).toBe('an instance is one block');
    expect(describeBlocks({ blocks: 'function' })).toContain('a function is one block');
  });
});

describe('describeUnscaledInstances', () => {
  it('lists the instances without a known optimum', () => {
    const words = (unscaled: string[]) =>
      describeUnscaledInstances({
        pairTests: { scale: 'log10Precision', unscaled, isInterim: false, pairs: [] },
      });
    expect(words([])).toBe('');
    expect(words(['f1', 'f2'])).toMatch(/only with a known optimum: f1; f2\.$/);
  });
});

describe('describeUnattainableSignificance', () => {
  const words = (attainablePValues: (number | null)[], isInterim = false) => {
    const pairs = attainablePValues.map((attainablePValue) => ({
      a: 'a',
      b: 'b',
      blocks: 4,
      wins: 4,
      ties: 0,
      losses: 0,
      medianDifference: 1,
      pValue: attainablePValue,
      holmAdjustedPValue: 1,
      attainablePValue,
      better: 'a',
      significant: false,
    }));
    return describeUnattainableSignificance({
      pairTests: { scale: 'log10Ert', unscaled: [], isInterim, pairs },
    });
  };

  it('states the smallest possible p-value where no pair can be significant', () => {
    expect(words([0.25, null, 0.125])).toBe(
      'No difference of a pair can be significant at 0.05: with so few blocks that differ, and 2 tested pairs, ' +
        'the smallest possible adjusted p-value is 0.125.',
    );
  });

  it('is empty where a pair can be significant, no pair is tested, or runs are RUNNING', () => {
    expect(words([0.25, 0.05])).toBe('');
    expect(words([null])).toBe('');
    expect(words([])).toBe('');
    expect(words([0.25], true)).toBe('');
  });
});

describe('describeTestedInstances', () => {
  it('states the instances of ranks and tests', () => {
    const instances = [{ isShared: true }, { isShared: true }, { isShared: false }];
    const words = (missing: 'shared' | 'worst' | 'pairwise') =>
      describeTestedInstances({ missing, instances });
    expect(words('shared')).toBe('the 2 instances that all groups share');
    expect(words('worst')).toBe('all 3 instances, where a group without results is worst');
    expect(words('pairwise')).toBe('those of 3 instances on which both groups have results');
  });
});
