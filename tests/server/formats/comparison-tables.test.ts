import { describe, expect, test } from 'vitest';
import { makeComparisonBoxPlot, writeBoxPlot } from '#server/formats/box-plot.ts';
import { makeComparisonTables } from '#server/formats/comparison-tables.ts';
import { toSlug, makeUniqueSlug } from '#server/formats/descriptions.ts';
import { hasLatex } from '#build/gate/latex.ts';
import { compileLatex } from '#tests/support/latex.ts';
import { makeExperimentTables } from '#server/formats/experiment-tables.ts';
import { writeLatex } from '#server/formats/latex.ts';
import { getLabel } from '#server/formats/table.ts';
import { experimentLatexTables } from '#shared/schemas/csv-tables.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { Guard, GuardedPairDetail } from '#shared/schemas/analysis-guard.ts';
import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { Box, ExperimentAnalysis, ProblemComparison } from '#shared/schemas/analysis.ts';

const box: Box = {
  n: 15,
  min: 38,
  q1: 39,
  median: 40,
  q3: 40,
  max: 40,
  mean: 39.6,
  stdDev: 0.5,
  whiskerLow: 38,
  whiskerHigh: 40,
  outliers: [],
};

const group = (algorithm: string, ert: number | null, meanBest: number) => ({
  algorithm,
  label: algorithm,
  isBaseline: false,
  totalRuns: 15,
  completedRuns: 15,
  successfulRuns: ert === null ? 0 : 13,
  successRate: ert === null ? 0 : 13 / 15,
  successRateCi: { lower: 0.6, upper: 0.96 },
  ert,
  ertInterval: { lower: 1, upper: 2 },
  ertMoverInterval: ert === null ? null : { lower: ert, upper: null },
  sp1: ert,
  sampleSize: 15,
  meanBest,
  medianBest: meanBest,
  stdBest: 0.5,
  box,
  configurations: 1,
  bestOn: [] as Measure[],
  atCommonBudget: null,
  experimentIds: ['e1'],
});

const pair: MeasuredPair = {
  a: 'p_bil',
  b: 'umda',
  nA: 15,
  nB: 15,
  pValue: 3.1e-12,
  holmAdjustedPValue: 3.1e-12,
  adjustedPValue: 6.2e-12,
  attainablePValue: 1.3e-8,
  method: 'asymptotic',
  effectSize: 0.04,
  effectInterval: { lower: 0.02, upper: 0.1 },
  simultaneousEffectInterval: { lower: 0.01, upper: 0.12 },
  effectLabel: 'large',
  shift: -2,
  shiftInterval: { lower: -3, upper: -1 },
  simultaneousShiftInterval: { lower: -4, upper: -1 },
  difference: null,
  differenceInterval: null,
  simultaneousDifferenceInterval: null,
  better: 'umda',
  significant: true,
};
const failingPair: MeasuredPair = {
  ...pair,
  pValue: 0.21,
  holmAdjustedPValue: 0.21,
  adjustedPValue: 0.42,
  method: 'exact',
  effectSize: 0.4,
  effectInterval: null,
  simultaneousEffectInterval: null,
  difference: -0.2,
  differenceInterval: { lower: -0.4, upper: 0.03 },
  simultaneousDifferenceInterval: { lower: -0.45, upper: 0.08 },
  significant: false,
};

const guard: Guard = {
  isInterim: false,
  isExploratory: false,
  failed: 'include',
  stopped: 'include',
  silent: 'running',
  effect: 0.71,
  commonBudget: null,
  heading: 'For one look at n = 15 runs per group.',
  text: 'Compared within 2 000 evaluations, the smallest granted budget.',
  notes: [],
  hasFailed: false,
  hasStopped: false,
  silentRuns: [],
  pairs: [
    {
      a: 'p_bil',
      b: 'umda',
      isTested: true,
      reason: null,
      commonBudget: 2_000,
      budgetSource: 'granted',
      assumesEqualBudgets: false,
      unit: 'run',
      runsA: 15,
      runsB: 15,
      solvedA: 0,
      solvedB: 13,
      configurationsA: 1,
      configurationsB: 1,
      pValue: 3.1e-12,
      adjustedPValue: 3.1e-12,
      omitted: [],
      runsNeeded: null,
      text: 'Compared within 2 000 evaluations, the smallest granted budget.',
    },
  ],
};

const best: Measure[] = ['success', 'runtime', 'fitness'];

const comparison: ProblemComparison = {
  guard,
  problemType: 'onemax',
  objectiveDirection: 'max',
  directionSource: 'problem',
  targetFitness: 40,
  targetSource: 'config',
  groupBy: 'algorithm',
  verdict: [],
  targets: [],
  targetsSource: 'levels',
  ecdfTargets: [],
  conditions: [],
  algorithms: [group('p_bil', null, 38), { ...group('umda', 1234.5, 39.6), bestOn: best }],
  pairwiseWilcoxon: [],
  pairwise: { fitness: [pair], runtime: null, success: [failingPair], anytime: null },
  friedman: {
    blocks: 15,
    algorithms: 2,
    statistic: 15,
    df: 1,
    pValue: 0.000107511,
    ranks: [
      { algorithm: 'umda', averageRank: 1 },
      { algorithm: 'p_bil', averageRank: 2 },
    ],
    blockBy: 'seed',
    exactPValue: 6.103515625e-5,
    imanDavenport: null,
    criticalDifference: 0.506060545,
  },
  kruskalWallis: { statistic: 21.8, df: 1, pValue: 3e-6 },
  varyingParameters: [],
  convergence: [],
  ecdfTotalRuns: [],
  ecdfSuccessfulRuns: [],
  dataProfiles: [],
  dataProfileUnit: 'evaluationsPerDimensionPlusOne',
  performanceProfiles: [],
  instances: [
    {
      id: 'abc',
      label: 'onemax, length 40',
      selected: true,
      algorithms: 2,
      runs: 30,
      dimension: 40,
      configJson: '{}',
    },
  ],
  notes: [],
};

const [groups, success, pairs, ranks] = makeComparisonTables(Object.freeze(comparison));

describe('makeComparisonTables', () => {
  test('states problem, direction, target, n and test in the captions', () => {
    expect(groups?.caption).toContain(
      'onemax, length 40 (maximised, target 40 from the configuration), 30 runs.',
    );
    expect(pairs?.caption).toContain('Wilcoxon rank-sum tests');
    const [groupsWithin, groupsWithoutTarget] = [40, null].map((targetFitness) =>
      makeComparisonTables({
        ...comparison,
        guard: { ...guard, commonBudget: 2_000 },
        targetFitness,
      }).at(0),
    );
    const targetRule = 'Fitness beyond the target counts as the target.';
    expect(groupsWithin?.caption).toContain(`the smallest common budget. ${targetRule} Success`);
    expect(groupsWithoutTarget?.caption).not.toContain(targetRule);
    expect(groups?.caption).not.toContain(targetRule);
    expect(pairs?.caption).toContain(
      'asymptotic, adjusted over the measures of a pair (min-p permutation, step-down) and over 1 pair (Holm). ' +
        'For one look at n = 15 runs per group. Compared within 2 000 evaluations',
    );
    expect(ranks?.caption).toContain(
      'Friedman test over 15 blocks (by seed): χ²(1) = 15, exact p = 6.1e−5; ' +
        "Nemenyi's critical difference at 0.05 is 0.5061.",
    );
  });

  test('states that only large groups may have asymptotic tests if a measure has both methods', () => {
    const fitness: MeasuredPair[] = [pair, { ...pair, method: 'exact' }];
    const tables = makeComparisonTables({
      ...comparison,
      pairwise: { ...comparison.pairwise, fitness },
    });
    expect(tables.find(({ name }) => name === 'pairs-fitness')?.caption).toContain(
      'exact, or asymptotic for some groups of at least 50 runs, adjusted over',
    );
  });

  test('writes n.s. if no group is claimed to be better, and writes the intervals', () => {
    expect(pairs?.rows[0]?.cells).toMatchObject({
      effectSize: '0.04 [0.01, 0.12]',
      better: 'umda',
    });
    expect(pairs?.rows[0]?.boldColumns).toEqual(['adjustedPValue']);
    expect(success?.rows[0]?.cells).toMatchObject({
      effectSize: '0.4',
      difference: '−20.0\u2009% [−45.0\u2009%, 8.0\u2009%]',
      better: 'n.s.',
    });
    expect(success?.caption).toContain("Fisher's exact tests of the success rates");
    expect(groups?.rows.map(({ cells }) => cells['ertInterval'])).toEqual([
      null,
      '[1\u2009235, ∞]',
    ]);
  });

  test('writes an ERT without success as infinite, and claims in bold', () => {
    expect(groups?.rows.map(({ cells }) => cells['ert'])).toEqual([Infinity, 1234.5]);
    expect(groups?.rows[1]?.boldColumns).toEqual(['successRate', 'ert', 'sp1', 'median', 'mean']);
    expect(groups?.rows[0]?.boldColumns).toEqual([]);
    expect(groups?.caption).toContain('Bold: significantly better than every other group');
  });

  test('returns labels that name problem and instance, or the owner', () => {
    expect([groups, pairs, ranks].map((table) => table && getLabel(table))).toEqual([
      'groups-onemax-abc',
      'pairs-fitness-onemax-abc',
      'ranks-onemax-abc',
    ]);
    expect(getLabel(makeComparisonBoxPlot(comparison)!)).toBe('boxes-onemax-abc');
    expect(getLabel(makeComparisonTables(comparison, 'e1')[0]!)).toBe('groups-e1');
  });

  test('returns tables that become LaTeX with complete p-values and escaped names', () => {
    const latex = writeLatex([groups, pairs, ranks].filter((table) => table !== undefined));
    expect(latex).toContain('p\\_bil & umda & $15$ & $15$ & $3.1\\times10^{-12}$');
    expect(latex).toContain('{\\boldmath$6.2\\times10^{-12}$}');
    expect(latex).toContain('$\\infty$');
    expect(latex).toMatch(/^[\n\x20-\x7e]*$/);
  });
});

test('comparisonTables joins the groups whose difference is not claimed by bars', () => {
  const rankings = ['a', 'b', 'c', 'd'].map((algorithm, index) => ({
    algorithm,
    averageRank: index + 1,
  }));
  const friedman = { ...comparison.friedman, ranks: rankings };
  const claimedPairs = new Set(['ac', 'ad', 'bd', 'cd']);
  const fitness = rankings.flatMap(({ algorithm: a }, index) =>
    rankings
      .slice(index + 1)
      .map(({ algorithm: b }) => ({ ...pair, a, b, significant: claimedPairs.has(a + b) })),
  );
  const pairwise = { ...comparison.pairwise, fitness };
  const table = makeComparisonTables({ ...comparison, friedman, pairwise }).at(-1);
  expect(table?.rows.map(({ cells }) => cells['bars'])).toEqual(['|', '||', '·|', '']);
  expect(table?.notes).toEqual([
    'Groups without a common bar differ significantly in fitness within their common budget.',
  ]);
  expect(ranks?.columns.map(({ key }) => key)).toEqual(['group', 'averageRank']);
  // A bar from a to d contains all groups.
  const otherFitness = fitness.map((one) => ({ ...one, significant: one.a + one.b !== 'ad' }));
  const otherPairwise = { ...pairwise, fitness: otherFitness };
  const otherTable = makeComparisonTables({
    ...comparison,
    friedman,
    pairwise: otherPairwise,
  }).at(-1);
  expect(otherTable?.notes?.[1]).toBe(
    'Groups with a common bar that differ significantly too: a and b; a and c; b and c; and 2 more.',
  );
});

test('comparisonTables states that ranks over instances include all instances, not only the selected instance', () => {
  const friedman = { ...comparison.friedman, blockBy: 'instance' as const, blocks: 3 };
  const caption = makeComparisonTables({ ...comparison, friedman }).at(-1)?.caption;
  expect(caption).toContain(
    'Average ranks of the median final fitness of the completed runs on 3 instances of onemax that all groups share',
  );
  expect(caption).not.toContain('length 40');
});

test('comparisonTables states which instance the bars beside ranks over several instances are about', () => {
  const friedman = { ...comparison.friedman, blockBy: 'instance' as const, blocks: 3 };
  const instances = comparison.instances.map((instance) => ({ ...instance, selected: true }));
  expect(makeComparisonTables({ ...comparison, friedman, instances }).at(-1)?.notes).toEqual([
    expect.stringMatching(/differ significantly in fitness within their common budget on onemax/),
  ]);
});

test('comparisonTables heads the tests of ranks interim while a run is running, and makes no rank bold', () => {
  const heading = 'Interim: 2 runs still running, so the tests claim no difference yet.';
  const interim = { ...comparison, guard: { ...guard, isInterim: true, heading } };
  expect(makeComparisonTables(interim).at(-1)?.caption).toContain(`${heading} Friedman test over`);
  const table = makeComparisonTables(comparison).at(-1);
  expect(table?.caption).not.toContain(guard.heading);
  // The claims are on all runs within a common budget, so the best group may have a worse rank.
  expect(table?.rows.flatMap(({ boldColumns }) => boldColumns)).toEqual([]);
});

test('comparisonTables states below the groups which of them pool configurations', () => {
  const message = 'Pools several configurations: umda (5).';
  const notes = [
    { code: 'POOLED_CONFIGURATIONS' as const, message },
    { code: 'GENERATION_RESOLUTION' as const, message: 'Not about groups.' },
  ];
  const [table] = makeComparisonTables(comparison);
  expect(makeComparisonTables({ ...comparison, notes })[0]?.notes).toEqual([
    ...(table?.notes ?? []),
    message,
  ]);
});

test('comparisonTables returns no ERT, not an infinite ERT, for a group without runs', () => {
  const emptyGroup = { ...group('none', null, 1), totalRuns: 0, medianBest: null, meanBest: null };
  const [table] = makeComparisonTables({ ...comparison, algorithms: [emptyGroup] });
  expect(table?.rows[0]?.cells).toMatchObject({ ert: null, sp1: null, successRate: null });
});

test('comparisonTables writes a bound for a p-value that underflows, also in LaTeX', () => {
  const friedman = { ...comparison.friedman, exactPValue: null, pValue: 0 };
  const table = makeComparisonTables({ ...comparison, friedman }).at(-1)!;
  expect(table.caption).toContain('= 15, p < 1e−300;');
  expect(writeLatex([table])).toContain('p \\textless{} $10^{-300}$;');
});

const names = Array.from({ length: 40 }, (_, index) => `variant_${index}`);
const wideComparison: ProblemComparison = {
  ...comparison,
  algorithms: names.map((name, index) => group(name, index * 100.5, index)),
  pairwise: {
    ...comparison.pairwise,
    success: null,
    fitness: names.flatMap((a, index) => names.slice(index + 1).map((b) => ({ ...pair, a, b }))),
  },
  friedman: {
    ...comparison.friedman,
    ranks: names.map((algorithm, index) => ({ algorithm, averageRank: index + 1 })),
    criticalDifference: 12.5,
  },
};
const wideLatex = () =>
  [
    writeLatex(makeComparisonTables(wideComparison)),
    writeBoxPlot(makeComparisonBoxPlot(wideComparison)!),
  ].join('\n');

test('writeLatex writes the 780 pairs of 40 algorithms within 2 s', () => {
  const startMillis = performance.now();
  expect(wideLatex().match(/6\.2\\times/g)).toHaveLength(780);
  expect(performance.now() - startMillis).toBeLessThan(2_000);
});

test.skipIf(!hasLatex())(
  'writeLatex and writeBoxPlot fit 40 algorithms on pages',
  () => {
    const { isSuccessful, log, pages } = compileLatex(wideLatex());
    expect(isSuccessful, log.slice(-2_000)).toBe(true);
    expect(pages).toBeGreaterThan(15);
    expect(log).not.toMatch(/Float too large|Overfull \\hbox/);
  },
  60_000,
);

test('writeBoxPlot draws boxes of the largest doubles inside the picture', () => {
  const largestDouble = Number.MAX_VALUE;
  const extremes = {
    ...box,
    min: -largestDouble,
    q1: -largestDouble,
    median: 0,
    q3: largestDouble,
    max: largestDouble,
  };
  const extremeBox = { ...extremes, whiskerLow: -largestDouble, whiskerHigh: largestDouble };
  const rows = [
    { label: 'a', box: extremeBox },
    { label: 'b', box },
  ];
  const text = writeBoxPlot({ name: 'boxes', owner: 'x', caption: 'Boxes.', rows });
  expect(text).not.toMatch(/NaN|Infinity/);
  const across = [...text.matchAll(/\\put\(([-\d.]+),/g)].map(([, x]) => Number(x));
  expect([Math.min(...across), Math.max(...across)]).toEqual([35, 114]);
  expect(text).toContain('1.79769\\times10^{308}');
});

test('writeBoxPlot truncates a long label to whole characters', () => {
  const rows = [{ label: `${'x'.repeat(24)}😀 tuned`, box }];
  const text = writeBoxPlot({ name: 'boxes', owner: 'x', caption: 'Boxes.', rows });
  expect(text).toContain('x\\allowbreak{}\\ldots{}}');
});

test('comparisonTables names the Kruskal-Wallis test in the caption if there are no blocks', () => {
  const friedman = { ...comparison.friedman, statistic: null, pValue: null, blockBy: null };
  const caption = makeComparisonTables({ ...comparison, friedman }).at(-1)?.caption;
  expect(caption).toMatch(
    /no common blocks; .* Kruskal-Wallis test: H\(1\) = 21\.8, asymptotic p = 3e−6\.$/,
  );
  expect(
    makeComparisonTables({ ...comparison, friedman, kruskalWallis: null }).at(-1)?.caption,
  ).toMatch(/no common blocks; 1 = best\.$/);
  const notes = [{ code: 'POOLED_CONFIGURATIONS' as const, message: '' }];
  expect(makeComparisonTables({ ...comparison, friedman, notes }).at(-1)?.caption).toMatch(
    /no common blocks; 1 = best\.$/,
  );
});

test('comparisonTables returns neither pairs nor ranks for a single group', () => {
  const pairwise = { fitness: [], runtime: [], success: [], anytime: null };
  const singleGroup = { ...comparison, pairwise, algorithms: [group('umda', 1, 2)] };
  const friedman = { ...comparison.friedman, ranks: comparison.friedman.ranks.slice(1) };
  expect(makeComparisonTables({ ...singleGroup, friedman })).toHaveLength(1);
});

test('comparisonTables returns no columns of success without a target', () => {
  const [table] = makeComparisonTables({
    ...comparison,
    targetFitness: null,
    targetSource: 'none',
  });
  expect(table?.columns.map(({ key }) => key)).toEqual(['group', 'n', 'median', 'mean', 'stdDev']);
});

describe('comparisonTables, while nothing can be claimed,', () => {
  const reason = {
    code: 'NO_ENDED_RUNS',
    message: 'Not comparable yet: x_y has no ended runs to test.',
  };
  const interimPair = { ...failingPair, pValue: null, adjustedPValue: null, better: 'none' };
  const tables = makeComparisonTables({
    ...comparison,
    pairwise: { ...comparison.pairwise, fitness: [failingPair], success: [interimPair] },
    guard: {
      ...guard,
      isInterim: true,
      heading: 'Interim: 1 run still running, so the tests claim no difference yet.',
      pairs: [
        { ...guard.pairs[0]!, isTested: false, reason: reason as GuardedPairDetail['reason'] },
      ],
    },
  });
  const [, ofSuccess, ofFitness] = tables;

  test('names no better group, states interim in the caption, and adds the reasons', () => {
    expect(ofFitness?.rows[0]?.cells['better']).toBe('interim');
    expect(ofSuccess?.rows[0]?.cells['better']).toBeNull();
    expect(ofFitness?.caption).toContain('Interim: 1 run still running');
    expect(ofFitness?.notes).toEqual([reason.message]);
  });

  test.skipIf(!hasLatex())(
    'returns tables that compile',
    () => {
      const { isSuccessful, log } = compileLatex(writeLatex(tables));
      expect(isSuccessful, log.slice(-2_000)).toBe(true);
    },
    60_000,
  );
});

test('makeExperimentTables returns a table of the experiment, with the interval of its success rate', () => {
  const analysis = {
    experimentId: 'f'.repeat(64),
    problemInstance: comparison.instances[0]!,
    objectiveDirection: 'min',
    targetFitness: 1,
    targetSource: 'query',
    totalRuns: 15,
    successfulRuns: 13,
    successRate: 13 / 15,
    successRateCi: { lower: 0.6212, upper: 0.9626 },
    ert: 500,
    ertInterval: { lower: 1, upper: 2 },
    ertMoverInterval: { lower: 400, upper: null },
    sp1: 520,
    bestFitnessBox: box,
    evaluationsBox: box,
    runtimeMillisBox: box,
    notes: [] as AnalysisNote[],
    sameProblem: comparison,
  } as ExperimentAnalysis;
  const tables = makeExperimentTables(analysis);
  const notes = (['SMALL_SAMPLE', 'RUNS_ACTIVE', 'RUNS_FAILED_SOLVED'] as const).map((code) => ({
    code,
    message: `${code}.`,
  }));
  expect(makeExperimentTables({ ...analysis, notes })[0]?.notes).toEqual([
    ...(tables[0]?.notes ?? []),
    'RUNS_ACTIVE.',
    'RUNS_FAILED_SOLVED.',
  ]);
  expect(tables).toHaveLength(6);
  expect(tables[0]?.rows[0]?.cells['ertInterval']).toBe('[400, ∞]');
  expect(tables[0]?.caption).toContain('minimised, target 1');
  expect(tables[0]?.caption).toContain(
    '13 of 15 runs succeeded (95 % Wilson interval 62.1\u2009% to 96.3\u2009%)',
  );
  const longBox = { ...box, min: 1_234_567.5, q1: 1_234_568, mean: 16.884, max: null };
  const [, distributions] = makeExperimentTables({ ...analysis, evaluationsBox: longBox });
  expect(distributions?.rows[1]?.cells).toMatchObject({
    quantity: 'Evaluations',
    min: '1\u2009234\u2009568',
    q1: '1\u2009234\u2009568',
    mean: '16.88',
    max: null,
  });
  const oneRun = { ...analysis, targetFitness: null, totalRuns: 1 };
  expect(makeExperimentTables(oneRun)[0]?.caption).toContain('no target, 1 run: statistics');
  expect(new Set(tables.map(getLabel)).size).toBe(6);
  for (const { name } of tables) expect(experimentLatexTables).toContain(name);
});

test('makeUniqueSlug returns different slugs for different texts', () => {
  expect(makeUniqueSlug('onemax-abc')).toBe('onemax-abc');
  const texts = ['a'.repeat(64), `${'a'.repeat(63)}b`, 'A_b', 'a b', 'a-b', '中', '文'];
  const slugs = texts.map(makeUniqueSlug);
  expect(new Set(slugs).size).toBe(texts.length);
  expect(slugs.every((text) => /^[a-z0-9-]{1,40}$/.test(text))).toBe(true);
});

test('slug returns a text that is safe as label and file name', () => {
  expect(toSlug('Tsplib TSP/../x')).toBe('tsplib-tsp-x');
  expect(toSlug('中')).toBe('table');
  expect(toSlug('a'.repeat(99))).toHaveLength(40);
});
