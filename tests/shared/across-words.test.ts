import { describe, expect, it } from 'vitest';
import { describeDifference, describeTestedInstances } from '#shared/across-words.ts';

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

describe('describeMissing', () => {
  it('states the instances of ranks and tests', () => {
    const instances = [{ isShared: true }, { isShared: true }, { isShared: false }];
    const words = (missing: 'shared' | 'worst' | 'pairwise') =>
      describeTestedInstances({ missing, instances });
    expect(words('shared')).toBe('the 2 instances that all groups share');
    expect(words('worst')).toBe('all 3 instances, where a group without results is worst');
    expect(words('pairwise')).toBe('those of 3 instances on which both groups have results');
  });
});
