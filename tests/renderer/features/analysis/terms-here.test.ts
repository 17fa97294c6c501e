import { expect, test } from 'vitest';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { getTermsOfComparison, getTermsOfPairs } from '#renderer/features/analysis/terms-here.ts';

const group = {
  algorithm: 'pbil',
  totalRuns: 15,
  completedRuns: 14,
  successfulRuns: 10,
  successRate: 2 / 3,
  ert: 1764,
  sp1: 1746,
};
const unsolved = {
  ...group,
  algorithm: 'cga',
  successfulRuns: 0,
  successRate: 0,
  ert: null,
  sp1: null,
};

const comparison = {
  objectiveDirection: 'max',
  directionSource: 'problem',
  targetFitness: 40,
  targetSource: 'config',
  algorithms: [group, unsolved],
  friedman: {
    blocks: 15,
    blockBy: 'seed',
    statistic: 2,
    pValue: 0.37,
    exactPValue: null,
    imanDavenport: null,
    criticalDifference: 0.8558,
    ranks: ['a', 'b', 'c'].map((algorithm) => ({ algorithm, averageRank: 2 })),
  },
  kruskalWallis: null,
  guard: { commonBudget: null },
  notes: [
    { code: 'RUNS_ACTIVE', message: 'One run is RUNNING.' },
    { code: 'RUNS_NOT_COMPLETED', message: 'One run was left out.' },
    { code: 'SEEDS_AS_BLOCKS', message: 'Seeds are the blocks.' },
  ],
} as unknown as ProblemComparison;

test('formulas contain the values of each group, infinite without a solved run', () => {
  const terms = getTermsOfComparison(comparison, (name) => name.toUpperCase());
  expect(terms.ert?.numbers).toEqual(['PBIL: (11 640 + 6 000) / 10 = 1 764', 'CGA: ∞'].map(thin));
  expect(terms.sp1?.numbers?.[0]).toBe(thin('PBIL: 1 164 / 66.7 % = 1 746'));
  expect(terms.successRate?.numbers?.[0]).toBe('PBIL: 10 / 15 = 66.7\u2009%');
  expect(terms.criticalDifference?.numbers).toEqual(['2.344 · √(3 · 4 / (6 · 15)) = 0.8558']);
  expect(terms.target?.numbers).toEqual(['40, from config']);
  expect(terms.direction?.numbers).toEqual(['max, from problem type']);
});

test('the formulas have the numbers of the table if that is within a common budget', () => {
  const common = { runs: 10, solved: 5, successRate: 1 / 2, ert: 2600, sp1: 1200 };
  const answer = {
    ...comparison,
    guard: { commonBudget: 1000 },
    algorithms: [
      { ...group, atCommonBudget: common },
      { ...unsolved, atCommonBudget: null },
    ],
  } as unknown as ProblemComparison;
  const terms = getTermsOfComparison(answer, (name) => name);
  expect(terms.ert?.numbers).toEqual([thin('pbil: (3 000 + 10 000) / 5 = 2 600')]);
  expect(terms.solved?.numbers).toEqual(['pbil: 5 of 10 runs']);
  expect(terms.ert?.runs?.[0]).toBe('pbil: 10 of 15 runs');
  expect(terms.ecdf?.runs?.slice(0, 2)).toEqual(['pbil: all 15 runs', 'cga: all 15 runs']);
  expect(terms.sampleSize?.numbers).toEqual(['pbil: 14 completed runs', 'cga: 14 completed runs']);
});

test('a rate that is not quite 100 % or 0 % is compared, and divided by as a fraction', () => {
  const [few, most] = [1, 2159].map((successfulRuns) => {
    const successRate = successfulRuns / 2160;
    const rare = { ...group, totalRuns: 2160, successfulRuns, successRate, sp1: 100 / successRate };
    const answer = { ...comparison, algorithms: [rare] } as unknown as ProblemComparison;
    return getTermsOfComparison(answer, (name) => name);
  });
  expect(few?.successRate?.numbers).toEqual([thin('pbil: 1 / 2 160 < 0.1 %')]);
  expect(few?.sp1?.numbers).toEqual([thin('pbil: 100 / (1 / 2 160) = 216 000')]);
  expect(most?.successRate?.numbers).toEqual([thin('pbil: 2 159 / 2 160 > 99.9 %')]);
});

test('a card lists the runs that were used, and the notes on omitted runs', () => {
  const terms = getTermsOfComparison(comparison, (name) => name);
  expect(terms.ert?.runs).toEqual(['pbil: all 15 runs', 'cga: all 15 runs', 'One run is RUNNING.']);
  expect(terms.sampleSize?.runs).toEqual(['One run was left out.']);
  expect(terms.friedman?.runs).toEqual(['Seeds are the blocks.']);
});

test('Holm’s factors decrease from the smallest p; untested pairs are omitted; long lists are truncated', () => {
  const pair = (b: string, pValue: number | null, holm: number | null): MeasuredPair =>
    ({
      a: 'a',
      b,
      nA: 15,
      nB: 14,
      pValue,
      adjustedPValue: holm,
      effectSize: 0.6,
      effectLabel: 'small',
    }) as MeasuredPair;
  const pairs = [pair('b', 0.04, 0.04), pair('c', 0.01, 0.02), pair('d', null, null)];
  const terms = getTermsOfPairs(pairs, (name) => name, ['Note.']);
  expect(terms.holm?.numbers).toEqual(['a, c: 0.01 → 0.02', 'a, b: 0.04 → 0.04']);
  expect(terms.wilcoxon?.runs).toEqual([
    'a: n = 15',
    'b: n = 14',
    'c: n = 14',
    'd: n = 14',
    'Note.',
  ]);
  const many = Array.from({ length: 10 }, (_, at) => pair(String(at), 0.5, 1));
  expect(getTermsOfPairs(many, (name) => name, []).holm?.numbers?.at(-1)).toBe('… and 2 more');
});

/** Thousands and units stand apart by thin spaces. */
function thin(text: string): string {
  return text.replace(/(\d) (?=\d{3}|%)/g, '$1\u2009');
}

test('a single run is in the singular', () => {
  const single = {
    ...group,
    totalRuns: 1,
    completedRuns: 1,
    successfulRuns: 0,
    ert: null,
    sp1: null,
  };
  const answer = { ...comparison, algorithms: [single] } as unknown as ProblemComparison;
  const terms = getTermsOfComparison(answer, (name) => name);
  expect(terms.solved?.numbers).toEqual(['pbil: 0 of 1 run']);
  expect(terms.sampleSize?.numbers).toEqual(['pbil: 1 completed run']);
  expect(terms.ert?.runs?.[0]).toBe('pbil: all 1 run');
});
