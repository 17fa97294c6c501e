import { describe, expect, test } from 'vitest';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import {
  getTestedMeasures,
  getBetterName,
  getComparedWithin,
  formatComparedWithin,
  sortClaimedFirst,
  describeMethod,
  getShownMeasure,
  describeSignificance,
  describeVerdict,
} from '#renderer/features/analysis/pair-words.ts';
import {
  describeRankClaim,
  makeBarNotes,
  describeRankTests,
} from '#renderer/features/analysis/rank-words.ts';
import { describeSuccess } from '#renderer/features/analysis/success-words.ts';
import { makeTracesNotes } from '#renderer/features/analysis/trace-words.ts';

const friedman: FriedmanResult = {
  blocks: 15,
  algorithms: 3,
  statistic: 2,
  df: 2,
  pValue: 0.36787944117144233,
  ranks: [],
  blockBy: 'seed',
  exactPValue: null,
  imanDavenport: { statistic: 1, df1: 2, df2: 28, pValue: 0.3806403926722973 },
  criticalDifference: 0.8557984527983594,
};

describe('describeRankTests', () => {
  const notes: AnalysisNote[] = [];
  const guard = { isInterim: false };

  test('names blocks, Friedman and Iman-Davenport', () => {
    expect(describeRankTests({ friedman, kruskalWallis: null, notes, guard })).toBe(
      '15 blocks by seed · χ² = 2, p = 0.368 · Iman-Davenport F = 1, p = 0.381',
    );
  });

  test('the exact p-value takes the place of both approximations', () => {
    const exact = { ...friedman, exactPValue: 0.5, imanDavenport: null };
    expect(describeRankTests({ friedman: exact, kruskalWallis: null, notes, guard })).toBe(
      '15 blocks by seed · χ² = 2, exact p = 0.5',
    );
  });

  test('without blocks it names Kruskal-Wallis, and without groups nothing', () => {
    const none = { ...friedman, statistic: null, pValue: null, blockBy: null };
    const kruskalWallis = { statistic: 2.09, df: 2, pValue: 0.352 };
    expect(describeRankTests({ friedman: none, kruskalWallis, notes, guard })).toBe(
      'No common blocks · Kruskal-Wallis H(2) = 2.09, asymptotic p = 0.352',
    );
    expect(describeRankTests({ friedman: none, kruskalWallis: null, notes, guard })).toContain(
      'two or more groups',
    );
    const ranks = ['a', 'b'].map((algorithm) => ({ algorithm, averageRank: 1.5 }));
    expect(
      describeRankTests({ friedman: { ...none, ranks }, kruskalWallis: null, notes, guard }),
    ).toContain('too few blocks');
    const pooled = [{ code: 'POOLED_CONFIGURATIONS', message: '' }] as const;
    expect(describeRankTests({ friedman: none, kruskalWallis, notes: [...pooled], guard })).toBe(
      'No common blocks; runs of several configurations are not tested',
    );
  });

  test('a test is headed interim while a run is running', () => {
    const interim = { notes, guard: { isInterim: true } };
    const none = { ...friedman, statistic: null, pValue: null, blockBy: null };
    const kruskalWallis = { statistic: 2.09, df: 2, pValue: 0.352 };
    expect(describeRankTests({ friedman, kruskalWallis: null, ...interim })).toMatch(
      /^Interim · 15 blocks by seed · /,
    );
    expect(describeRankTests({ friedman: none, kruskalWallis, ...interim })).toBe(
      'Interim · No common blocks · Kruskal-Wallis H(2) = 2.09, asymptotic p = 0.352',
    );
    expect(describeRankTests({ friedman: none, kruskalWallis: null, ...interim })).not.toContain(
      'Interim',
    );
  });
});

test('the claim of a rank diagram names the tested instance where the ranks are over several ones', () => {
  const instance = { id: 'i', label: 'sphere, length 5', algorithms: 3, runs: 9 };
  const instances = [{ ...instance, selected: true, dimension: 5, configJson: '{}' }];
  expect(describeRankClaim({ friedman, instances })).toBe('in fitness within their common budget');
  expect(describeRankClaim({ friedman: { ...friedman, blockBy: 'instance' }, instances })).toBe(
    'in fitness within their common budget on sphere, length 5',
  );
});

test('pairs begin with the claimed ones, then go by adjusted p-value, untested ones last', () => {
  const pair = (a: string, adjustedPValue: number | null, significant = false) =>
    ({ a, b: 'x', adjustedPValue, pValue: adjustedPValue, significant }) as MeasuredPair;
  const pairs = [
    pair('none', null),
    pair('open', 0.2),
    pair('tied', 0.01),
    pair('best', 0.03, true),
  ];
  expect(sortClaimedFirst(pairs).map(({ a }) => a)).toEqual(['best', 'tied', 'open', 'none']);
  expect(sortClaimedFirst(pairs, 'open').map(({ a }) => a)).toEqual([
    'open',
    'best',
    'tied',
    'none',
  ]);
  const fields = { adjustedPValue: 1, significant: false };
  const openPairs = [
    { a: 'weak', b: 'x', pValue: 0.9, ...fields },
    { a: 'weaker', b: 'y', pValue: null, ...fields, adjustedPValue: null },
    { a: 'strong', b: 'x', pValue: 0.6, ...fields },
  ] as MeasuredPair[];
  const getOrder = (baseline?: string) => sortClaimedFirst(openPairs, baseline).map(({ a }) => a);
  expect(getOrder()).toEqual(['strong', 'weak', 'weaker']);
  expect(getOrder('y')).toEqual(['weaker', 'strong', 'weak']);
});

test('a verdict is described as what the tests support only where they support a claim', () => {
  const words = (areTested: boolean[], kinds: string[], isInterim = false) =>
    describeVerdict({
      verdict: kinds.map((kind) => ({ kind })),
      guard: { isInterim, pairs: areTested.map((isTested) => ({ isTested })) },
    } as unknown as Parameters<typeof describeVerdict>[0]);
  expect(words([true], ['claim', 'untested'])).toBe(
    'What the tests below support, strongest evidence first, and what they leave open',
  );
  expect(words([true], ['undecided', 'untested'])).toBe('The tests below support no claim');
  expect(words([true, false], ['untested'])).toBe('The tests below support no claim');
  expect(words([false], ['untested'])).toBe('No pairs of groups are tested');
  expect(words([true], ['caution'], true)).toBe('No claims before the last run has ended');
});

describe('makeBarNotes', () => {
  const ranks = [1, 3].map((averageRank) => ({ algorithm: `a${averageRank}`, averageRank }));
  const getName = (name: string) => name.toUpperCase();

  test('states that a missing bar means a claimed difference', () => {
    expect(
      makeBarNotes({ friedman: { ...friedman, ranks }, claim: 'in fitness', pairs: [] }, getName),
    ).toEqual([
      'Groups without a common bar differ significantly in fitness. The critical difference (Nemenyi, 0.8558) is drawn for scale only.',
    ]);
  });

  test('lists the mean ranks if there is no diagram', () => {
    const none = { ...friedman, ranks, criticalDifference: null };
    expect(makeBarNotes({ friedman: none, claim: '', pairs: [] }, getName)).toEqual([
      'Mean ranks over all completed runs, 1 = best: A1 1, A3 3.',
    ]);
    expect(
      makeBarNotes({ friedman: { ...none, ranks: [] }, claim: '', pairs: [] }, getName),
    ).toEqual([]);
  });
});

test('a group is called better only where that is claimed', () => {
  const getName = (name: string) => name.toUpperCase();
  expect(getBetterName({ better: 'umda', significant: true }, getName)).toBe('UMDA');
  expect(getBetterName({ better: 'umda', significant: false }, getName)).toBeNull();
  const pair = { significant: true, pValue: 0.01 };
  expect(describeSignificance(pair, false)).toBe('yes');
  expect(describeSignificance({ ...pair, significant: false }, false)).toBe('n.s.');
  expect(describeSignificance({ ...pair, significant: false }, true)).toBe('interim');
  expect(describeSignificance({ ...pair, pValue: null }, false)).toBeNull();
  expect(describeMethod({ method: null })).toBe('not tested');
  expect(describeMethod({ method: 'exact' })).toBe('exact');
});

test('without a target success means being completed', () => {
  expect(describeSuccess({ targetFitness: 0 })).toBe('reached the target');
  expect(describeSuccess({ targetFitness: null })).toBe('were completed');
});

test('getShownMeasure prefers runtime with a target, and never returns an untested measure', () => {
  const targeted = { pairwise: { fitness: [], runtime: [], success: [], anytime: null } };
  const plain = { pairwise: { fitness: [], runtime: null, success: null, anytime: [] } };
  expect(getShownMeasure(targeted, undefined)).toBe('runtime');
  expect(getShownMeasure(targeted, 'fitness')).toBe('fitness');
  expect(getShownMeasure(targeted, 'anytime')).toBe('runtime');
  expect(getShownMeasure(plain, 'success')).toBe('fitness');
  expect(getTestedMeasures(plain)).toEqual(['fitness', 'anytime']);
});

test('the notes on single runs state why they could not be loaded', () => {
  expect(makeTracesNotes(false, undefined)).toEqual([]);
  expect(makeTracesNotes(true, 'The database is busy')).toEqual([
    'Single runs are drawn with their visible improvements only.',
    'Single runs could not be loaded: The database is busy.',
  ]);
});

test('the budget of a pair is a number for sorting and files, with spaces only on the page', () => {
  const budget = { commonBudget: 1_200_000, reason: null };
  expect(getComparedWithin(budget)).toBe(1_200_000);
  expect(formatComparedWithin(budget)).toBe('1\u2009200\u2009000');
  const untested = { commonBudget: null, reason: 'Too few runs.' };
  expect([getComparedWithin(untested), formatComparedWithin(untested)]).toEqual([
    'Too few runs.',
    'Too few runs.',
  ]);
});
