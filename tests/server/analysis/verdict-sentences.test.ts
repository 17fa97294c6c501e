import { describe, expect, test } from 'vitest';
import { getVerdict, type VerdictFacts } from '#server/analysis/verdict.ts';
import type { Interval } from '#shared/schemas/analysis-measures.ts';
import { compare } from './compare.ts';
import { makeExperiment, makeReachingRuns, makeRun } from './sample-runs.ts';

describe('for changed pairs of nine equal groups', () => {
  const names = Array.from('abcdefghi');
  const comparison = compare({
    experiments: names.map((name) => makeExperiment(`e-${name}`, name)),
    runs: names.flatMap((name) =>
      Array.from({ length: 10 }, (_, index) =>
        makeRun(`${name}-${index}`, [[100 + 10 * index, 40]], {
          experimentId: `e-${name}`,
          bestFitness: 40,
        }),
      ),
    ),
  });
  type Pair = NonNullable<typeof comparison.pairwise.runtime>[number];
  const getChangedTexts = (
    change: (pair: Pair, index: number) => Partial<Pair>,
    facts: Partial<VerdictFacts> = {},
  ) => {
    const runtime = (comparison.pairwise.runtime ?? []).map((pair, index) => ({
      ...pair,
      ...change(pair, index),
    }));
    const pairwise = { ...comparison.pairwise, runtime };
    return getVerdict({ ...comparison, pairwise, ...facts }).map(({ text }) => text);
  };
  const claim = (better: string, adjustedPValue = 0.001) => ({
    significant: true,
    better,
    adjustedPValue,
  });
  const [firstGroup] = comparison.algorithms;
  if (!firstGroup) throw new Error('there are no groups');

  test('the best group is named with the largest p-value, and claims begin with the smallest', () => {
    const change = ({ a, b }: Pair, index: number) =>
      a === 'a' ? claim('a', b === 'e' ? 0.009 : 0.008 - index / 1000) : {};
    const texts = getChangedTexts(change);
    expect(texts[0]).toBe(
      'a is the best of 9 on runtime: better than each of the others, adjusted p at most 0.009.',
    );
    expect(texts.slice(1, 9).map((text) => text.match(/than (.):/)?.[1])).toEqual(
      Array.from('ihgfdcbe'),
    );
    expect(texts.join()).not.toContain('no significantly better group');
    const otherStratum = { ...firstGroup, algorithm: 'z', label: 'z' };
    expect(
      getChangedTexts(change, { algorithms: [...comparison.algorithms, otherStratum] })[0],
    ).toContain('a is the best of 9 on runtime: better than each of the others of its algorithm,');
  });

  test('the groups without a better one are named in the right number, from nine groups on', () => {
    const onlyOneUnbeaten = ({ a, b }: Pair) =>
      a === 'a' && b !== 'b' ? claim('a') : a === 'b' && b === 'c' ? claim('c') : {};
    expect(getChangedTexts(onlyOneUnbeaten)[0]).toBe(
      '1 of 9 groups has no significantly better group on runtime: a. This does not mean that they are equal.',
    );
    const oneBeaten = ({ a, b }: Pair) => (a === 'a' && b === 'i' ? claim('a') : {});
    expect(getChangedTexts(oneBeaten)[0]).toMatch(
      /^8 of 9 groups have no significantly better group on runtime: a; b; c; d; e; and 3 more\./,
    );
    const untested = { ...firstGroup, algorithm: 'z', label: 'z' };
    expect(
      getChangedTexts(oneBeaten, { algorithms: [...comparison.algorithms, untested] })[0],
    ).toMatch(/^8 of 9 groups/);
    expect(
      getChangedTexts(oneBeaten, { algorithms: comparison.algorithms.toSpliced(1, 1) })[0],
    ).toMatch(/^a reaches the target/);
    const circle = ({ a, b }: Pair) =>
      a === 'a' && b === 'i'
        ? claim('i')
        : names.indexOf(b) - names.indexOf(a) === 1
          ? claim(a)
          : {};
    expect(getChangedTexts(circle)[0]).toMatch(/^. reaches the target/);
  });

  test('claims beyond the tenth are counted', () => {
    const count = (claims: number) =>
      getChangedTexts((_, index) => (index < claims ? claim('a') : {})).filter((text) =>
        text.includes('significant: see'),
      );
    expect(count(10)).toEqual([]);
    expect(count(11)).toEqual(['1 more difference is significant: see the table of pairs.']);
    expect(count(12)).toEqual(['2 more differences are significant: see the table of pairs.']);
  });

  test('three undecided pairs are named in order, and of more pairs those with the smallest p-values', () => {
    const getUndecidedText = (undecidedPairs: number) =>
      getChangedTexts(({ a }, index) =>
        index < undecidedPairs ? { adjustedPValue: 0.9 - index / 10 } : claim(a),
      ).find((text) => text.startsWith('No significant')) ?? '';
    expect(getUndecidedText(3)).toContain(
      'between a and b (adjusted p = 0.9); a and c (adjusted p = 0.8); a and d (adjusted p = 0.7). This',
    );
    expect(getUndecidedText(4)).toContain(
      'between a and e (adjusted p = 0.6); a and d (adjusted p = 0.7); a and c (adjusted p = 0.8); and 1 more. This',
    );
  });

  test('the runs that the smallest group lacks are stated', () => {
    const pairs = comparison.guard.pairs.map((pair, index) => ({
      ...pair,
      runsNeeded: pair.runsNeeded && { ...pair.runsNeeded, further: index === 3 ? 40 : 36 },
    }));
    expect(getChangedTexts(() => ({}), { guard: { ...comparison.guard, pairs } }).at(-1)).toContain(
      'runs: 40 more.',
    );
  });

  test('too few runs are stated if the number of pairs with an open measure prevents a claim', () => {
    // Of 5 and 3 runs the smallest p-value is 2 / 56.
    const pairs = comparison.guard.pairs.map((pair) => ({ ...pair, runsA: 5, runsB: 3 }));
    const change = ({ a }: Pair, index: number) =>
      index === 0 ? { attainablePValue: 0.06 } : claim(a);
    const getText = (pairwise: Partial<typeof comparison.pairwise>) => {
      const runtime = comparison.pairwise.runtime?.map((pair, index) => ({
        ...pair,
        ...change(pair, index),
      }));
      return getVerdict({
        ...comparison,
        guard: { ...comparison.guard, pairs },
        pairwise: { ...comparison.pairwise, runtime: runtime ?? null, ...pairwise },
      }).at(-1)?.text;
    };
    expect(getText({})).toMatch(/^Too few runs: /);
    expect(getText({ fitness: [], success: null, anytime: null })).toMatch(/^With these runs no /);
  });

  test('fewer evaluations are stated only if the median difference agrees with the claim', () => {
    const getSize = (shift: number | null, simultaneousShiftInterval: Interval | null = null) =>
      getChangedTexts((_, index) =>
        index === 0 ? { ...claim('a'), shift, simultaneousShiftInterval } : {},
      )
        .find((text) => text.startsWith('a reaches the target'))
        ?.match(/effect(.*); adjusted/)?.[1];
    expect([-5, 0, 5, null].map((shift) => getSize(shift))).toEqual([
      ', 5 evaluations fewer',
      '',
      '',
      '',
    ]);
    expect(getSize(-1)).toBe(', 1 evaluation fewer');
    expect(getSize(-0.5)).toBe(', 1 evaluation fewer');
    expect(getSize(-5_000, { lower: -10_000, upper: 2 })).toBe(
      ', 5\u2009000 evaluations fewer [\u22122, 10\u2009000]',
    );
  });

  test('a shift of fitness is stated unless many equal values make it 0', () => {
    const getSize = (shift: number) => {
      const fitness = comparison.pairwise.fitness.map((pair, index) =>
        index === 0 ? { ...pair, ...claim('a'), shift } : pair,
      );
      const pairwise = { ...comparison.pairwise, runtime: [], fitness };
      return getVerdict({ ...comparison, pairwise })
        .find(({ text }) => text.startsWith('a has better fitness'))
        ?.text.match(/effect(.*); adjusted/)?.[1];
    };
    expect([2, 1e-9, 0].map(getSize)).toEqual([', a shift of 2', ', a shift of 1e−9', '']);
  });

  test('reasons why pairs are not tested begin with the most common, and name the only pair', () => {
    const getUntested = (...messages: string[]) => {
      const pairs = comparison.guard.pairs.slice(0, messages.length).map((pair, index) => ({
        ...pair,
        isTested: false,
        reason: { code: 'NO_ENDED_RUNS' as const, message: messages[index] ?? '' },
      }));
      return getVerdict({ ...comparison, guard: { ...comparison.guard, pairs } })
        .filter(({ kind }) => kind === 'untested')
        .map(({ text, a, b }) => [text, a, b]);
    };
    expect(getUntested('rare', 'common', 'common')).toEqual([
      ['common', null, null],
      ['rare', 'a', 'b'],
    ]);
    expect(getUntested(...Array.from('123456')).at(-1)?.[0]).toBe(
      '1 more pair has no test: see the table of pairs.',
    );
    expect(getUntested(...Array.from('1234567')).at(-1)?.[0]).toBe(
      '2 more pairs have no test: see the table of pairs.',
    );
  });
});

test('that no run reached the target excepts failed runs that reached it before, unless they are not in the tests', () => {
  const [failedRun] = makeReachingRuns('e2', [400], { runId: 'failed', status: 'FAILED' });
  const getSentence = (failed: 'include' | 'exclude') =>
    compare({
      experiments: [makeExperiment('e1', 'umda'), makeExperiment('e2', 'pbil')],
      runs: [
        ...makeReachingRuns('e1', [null, null]),
        ...makeReachingRuns('e2', [null]),
        failedRun!,
      ],
      choice: { failed },
    }).verdict[0]?.text;
  expect(getSentence('include')).toMatch(
    /^No run in the tests, apart from failed runs, reached the target 40 within the common budget,/,
  );
  expect(getSentence('exclude')).toMatch(/^No run in the tests reached the target 40 /);
});
