import { describe, expect, test, vi } from 'vitest';
import { compareRuns } from '#server/analysis/comparison.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { formatReason } from '#server/analysis/guard-comparison.ts';
import { selectScope } from '#server/analysis/scope.ts';
import { makeComparisonTables } from '#server/formats/comparison-tables.ts';
import { expectClose } from '#tests/server/stats/oracle.ts';
import { compare, everyRun } from './compare.ts';
import {
  makeExperiment,
  makeObjective,
  makeReachingRuns,
  makeRun,
  type RunWithIterations,
} from './sample-runs.ts';

/** Returns runs of an experiment with these best values, seeds 1, 2, …; each reaches its best at 60 of 100. */
function getRuns(experimentId: string, bests: number[], fields = {}): RunWithIterations[] {
  return bests.map((best, index) =>
    makeRun(
      `${experimentId}-${index}`,
      [
        [20, 20],
        [60, best],
        [100, best],
      ],
      {
        experimentId,
        seed: index + 1,
        bestFitness: best,
        ...fields,
      },
    ),
  );
}

test('compareRuns refuses too many groups before it reads traces', async () => {
  const experiments = Array.from({ length: 1_001 }, (_, index) =>
    makeExperiment(`e${index}`, 'ga'),
  );
  const runs = experiments.map(
    ({ experimentId }) => makeRun(experimentId, [], { experimentId }).run,
  );
  const scope = selectScope({ problemType: 'onemax', experiments, runs, algorithms: [] });
  if (!scope) throw new Error('no scope');
  const loadRuns = vi.fn();
  const input = {
    scope,
    objective: makeObjective('max', 40),
    directions: new Map(),
    silentIds: new Set<string>(),
    loadRuns,
  };
  const choice = { ...everyRun, groupBy: 'experiment' as const, targets: [] };
  await expect(
    compareRuns(new MemoStore(1).createRequestMemo(), input, choice),
  ).rejects.toMatchObject({
    code: 'ANSWER_TOO_LARGE',
    message: expect.stringMatching(
      /^The runs form 1.001 groups, and a comparison has at most 1.000\./,
    ),
  });
  expect(loadRuns).not.toHaveBeenCalled();
});

const umda = makeExperiment('e1', 'umda');
const pbil = makeExperiment('e2', 'pbil');
const cga = makeExperiment('e3', 'cga');
const getMessage = ({ notes }: { notes: { code: string; message: string }[] }, expected: string) =>
  notes.find(({ code }) => code === expected)?.message;
const getCodes = (comparison: { notes: { code: string }[] }) =>
  comparison.notes.map(({ code }) => code);

describe('of three algorithms with five runs each', () => {
  const comparison = compare({
    experiments: [umda, pbil, cga],
    runs: [
      ...getRuns('e1', [40, 40, 39, 40, 38]),
      ...getRuns('e2', [35, 36, 34, 33, 37]),
      ...getRuns('e3', [30, 31, 29, 28, 27]),
    ],
  });

  test('the groups are in order of their names with success, ERT and SP1', () => {
    expect(comparison.algorithms.map(({ algorithm }) => algorithm)).toEqual([
      'cga',
      'pbil',
      'umda',
    ]);
    expect(comparison.algorithms[2]).toMatchObject({
      totalRuns: 5,
      successfulRuns: 3,
      successRate: 0.6,
      ert: (3 * 60 + 2 * 100) / 3,
      sp1: 100,
      medianBest: 40,
      configurations: 1,
      experimentIds: ['e1'],
    });
    expect(comparison.algorithms[0]).toMatchObject({ ert: null, sp1: null, meanBest: 29 });
  });

  test('each group has its ECDFs over all of its runs and over its solved runs', () => {
    const getUmda = (curves: typeof comparison.ecdfTotalRuns) =>
      curves.find(({ name }) => name === 'umda');
    expect(getUmda(comparison.ecdfTotalRuns)?.points).toEqual([{ x: 60, y: 0.6 }]);
    expect(getUmda(comparison.ecdfSuccessfulRuns)?.points).toEqual([{ x: 60, y: 1 }]);
    expect(comparison.ecdfTotalRuns[0]).toEqual({ name: 'cga', points: [] });
  });

  test('pairs are tested exactly if there are no ties, and adjusted together', () => {
    const [firstPair, secondPair] = comparison.pairwiseWilcoxon;
    expect(firstPair).toMatchObject({ algorithmA: 'cga', algorithmB: 'pbil', method: 'exact' });
    expectClose(firstPair?.pValue, 2 / 252);
    expect(firstPair).toMatchObject({
      effectSize: 0,
      betterAlgorithm: 'pbil',
      significantAt05: true,
    });
    expect(secondPair).toMatchObject({ algorithmB: 'umda', method: 'exact' });
    const rawPValues = comparison.pairwiseWilcoxon.map(({ pValue }) => pValue ?? NaN);
    expectClose(firstPair?.holmAdjustedPValue, 3 * Math.min(...rawPValues));
  });

  test('blocks are the common seeds, which a note explains', () => {
    expect(comparison.friedman).toMatchObject({ blocks: 5, blockBy: 'seed', algorithms: 3, df: 2 });
    expectClose(comparison.friedman.statistic, 10);
    expectClose(comparison.friedman.exactPValue, 1 / 6 ** 4);
    expect(comparison.friedman.imanDavenport).toBeNull();
    expect(comparison.friedman.ranks[0]).toMatchObject({ algorithm: 'umda', averageRank: 1 });
    expectClose(comparison.friedman.criticalDifference, 3.314493153 * Math.sqrt(12 / 60), 1e-8);
    expect(getCodes(comparison)).toContain('SEEDS_AS_BLOCKS');
  });

  test('unblocked, the Kruskal-Wallis test compares them', () => {
    expect(comparison.kruskalWallis?.df).toBe(2);
    expect(comparison.kruskalWallis?.pValue).toBeLessThan(0.01);
  });

  test('there are convergence and profiles of every group', () => {
    expect(comparison.convergence.map(({ name }) => name)).toEqual(['cga', 'pbil', 'umda']);
    expect(comparison.convergence[2]?.points.at(-1)).toMatchObject({ x: 100, median: 40 });
    expect(comparison.dataProfileUnit).toBe('evaluationsPerDimensionPlusOne');
    expect(comparison.performanceProfiles[2]?.points[0]).toEqual({ x: 1, y: 1 });
    expect(comparison.performanceProfiles[0]?.points).toEqual([{ x: 1, y: 0 }]);
  });
});

test('runs of other instances are not pooled, and a note names the chosen instance', () => {
  const shortExperiment = makeExperiment('e4', 'umda', 10);
  const comparison = compare({
    experiments: [umda, pbil, shortExperiment],
    runs: [...getRuns('e1', [40, 39]), ...getRuns('e2', [38, 37]), ...getRuns('e4', [10, 10, 10])],
  });
  expect(comparison.instances).toMatchObject([
    { label: 'onemax, length 40', selected: true, algorithms: 2, runs: 4, dimension: 40 },
    { label: 'onemax, length 10', selected: false, algorithms: 1, runs: 3 },
  ]);
  expect(comparison.algorithms.find(({ algorithm }) => algorithm === 'umda')?.totalRuns).toBe(2);
  expect(comparison.notes.find(({ code }) => code === 'OTHER_INSTANCES')?.message).toBe(
    'Compared on onemax, length 40. The other instance is not pooled; see Across instances.',
  );
});

test('more algorithms outweigh more runs when an instance is chosen', () => {
  const shortExperiment = makeExperiment('e4', 'umda', 10);
  const runs = [...getRuns('e1', [40]), ...getRuns('e2', [39]), ...getRuns('e4', [10, 9, 8, 7])];
  expect(compare({ experiments: [umda, pbil, shortExperiment], runs }).instances[0]).toMatchObject({
    label: 'onemax, length 40',
    selected: true,
    algorithms: 2,
    runs: 2,
  });
});

test('runs without a seed share no block', () => {
  const makeSeedlessRuns = (experimentId: string, bests: number[]) =>
    getRuns(experimentId, bests).map(({ run }) => makeRun(run.runId, [], { ...run, seed: null }));
  const runs = [
    ...makeSeedlessRuns('e1', [40, 39]),
    ...makeSeedlessRuns('e2', [38, 37]),
    ...getRuns('e1', [36]),
  ];
  const { friedman } = compare({
    experiments: [umda, pbil],
    runs: [...runs, ...getRuns('e2', [1])],
  });
  expect(friedman).toMatchObject({ blocks: 0, blockBy: null, statistic: null });
});

test('selectScope selects the requested instance, and returns null for an unknown one', () => {
  const shortExperiment = makeExperiment('e4', 'umda', 10);
  const runs = [...getRuns('e1', [40]), ...getRuns('e2', [39]), ...getRuns('e4', [10])];
  const experiments = [umda, pbil, shortExperiment];
  const comparison = compare({ experiments, runs, instance: shortExperiment.instance.id });
  expect(comparison.algorithms.map(({ totalRuns }) => totalRuns)).toEqual([1]);
  expect(
    selectScope({ problemType: 'onemax', experiments, runs: [], algorithms: [], instance: 'x' }),
  ).toBeNull();
  expect(
    selectScope({ problemType: 'onemax', experiments, runs: [], algorithms: ['unknown'] }),
  ).toBeNull();
});

test('instances that all groups share are the blocks, by the medians of each group', () => {
  const experiments = [40, 60, 80].flatMap((length) => [
    makeExperiment(`u${length}`, 'umda', length),
    makeExperiment(`p${length}`, 'pbil', length),
  ]);
  const comparison = compare({
    experiments,
    runs: [
      ...[40, 60, 80].flatMap((length) => getRuns(`u${length}`, [length, length - 1])),
      ...[40, 60, 80].flatMap((length) => getRuns(`p${length}`, [length - 9, length])),
    ],
  });
  expect(comparison.friedman).toMatchObject({ blocks: 3, blockBy: 'instance' });
  expectClose(comparison.friedman.statistic, 3);
  expect(comparison.friedman.ranks[0]).toMatchObject({ algorithm: 'umda', averageRank: 1 });
  expect(getCodes(comparison)).toContain('INSTANCES_AS_BLOCKS');
});

test('the note on different directions names only the ranked instances', () => {
  const lengths = [40, 60, 80];
  const experiments = lengths.flatMap((length) => [
    makeExperiment(`u${length}`, 'umda', length),
    makeExperiment(`p${length}`, 'pbil', length),
  ]);
  const getNote = (pbilLengths: number[]) =>
    getMessage(
      compare({
        experiments,
        runs: [
          ...lengths.flatMap((length) => getRuns(`u${length}`, [length])),
          ...pbilLengths.flatMap((length) => getRuns(`p${length}`, [length])),
        ],
        directions: new Map(
          experiments.map(({ instance, experimentId }) => [
            instance.id,
            experimentId.endsWith('80') ? 'min' : 'max',
          ]),
        ),
      }),
      'DIRECTIONS_DIFFER',
    );
  expect(getNote([40, 60, 80])).toMatch(/length 80 minimised, .*length 40; .*length 60 maximised/);
  expect(getNote([40, 80])).toMatch(/length 80 minimised, [^;]*length 40 maximised/);
  expect(getNote([40, 60])).toBeUndefined();
});

test('duplicate seeds are represented by their median, never by their best run', () => {
  const duplicateRuns = [...getRuns('e1', [10, 10]), ...getRuns('e1', [50, 12])].map(
    ({ run }, index) => makeRun(`u${index}`, [[10, 1]], { ...run, runId: `u${index}` }),
  );
  // Medians 30 and 11 against 35 and 9: each wins one block.
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [...duplicateRuns, ...getRuns('e2', [35, 9])],
  });
  expect(comparison.friedman).toMatchObject({ blocks: 2, statistic: 0, pValue: 1 });
});

test('without two common seeds or instances there are pooled ranks and a note, but no test', () => {
  const otherRuns = getRuns('e2', [30, 31]).map(({ run }, index) =>
    makeRun(`p${index}`, [[10, 1]], { ...run, runId: `p${index}`, seed: 100 + index }),
  );
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [...getRuns('e1', [40, 39]), ...otherRuns],
  });
  expect(comparison.friedman).toEqual({
    blocks: 0,
    algorithms: 2,
    statistic: null,
    df: null,
    pValue: null,
    ranks: [
      { algorithm: 'umda', averageRank: 1.5, label: 'umda' },
      { algorithm: 'pbil', averageRank: 3.5, label: 'pbil' },
    ],
    blockBy: null,
    exactPValue: null,
    imanDavenport: null,
    criticalDifference: null,
  });
  expect(getCodes(comparison)).toContain('NO_BLOCKS');
});

test('ranks ignore the common budget and the target, which their note states', () => {
  const basis =
    'Ranks compare the final fitness of all completed runs, also beyond the common budget';
  const umdaRuns = getRuns('e1', [30, 31, 32]);
  const [pairedRuns, otherRuns] = [{}, { seed: 9 }].map((fields) =>
    getRuns('e2', [37, 38, 39], fields),
  );
  const getNote = (runs: RunWithIterations[] = [], code: string) =>
    getMessage(compare({ experiments: [umda, pbil], runs: [...umdaRuns, ...runs] }), code);
  expect(getNote(pairedRuns, 'SEEDS_AS_BLOCKS')).toContain(basis);
  expect(getNote(otherRuns, 'NO_BLOCKS')).toContain(basis);
});

test('a common budget that ends before a generation is no limit of one group if several groups have it', () => {
  const reason = { code: 'OBSERVED_TOO_SHORT', evaluations: 200 } as const;
  expect(formatReason({ ...reason, group: 'e1' }, () => 'umda')).toBe(
    'Not comparable: the common budget of 200 evaluations, from umda, ends before the first generation of a group.',
  );
  expect(formatReason({ ...reason, group: null }, () => '')).toBe(
    'Not comparable: the common budget of 200 evaluations ends before the first generation of a group.',
  );
});

test('copies of a run have a note, because they are no independent runs', () => {
  const umdaRuns = getRuns('e1', [30, 31, 32]);
  const copies = umdaRuns.slice(1).map(({ run, iterations }) => ({
    run: { ...run, runId: `copy of ${run.runId}`, startTime: '2026-02-01T00:00:00Z' },
    iterations,
  }));
  const getNote = (...runs: RunWithIterations[][]) =>
    getMessage(
      compare({ experiments: [umda, pbil], runs: [...umdaRuns, ...runs.flat()] }),
      'RUNS_COPIED',
    );
  expect(getNote(copies)).toBe(
    '2 runs have the configuration, the seed and every value of another run, and count as well. If they are copies, or the seed decides ' +
      'the whole run, intervals and p-values are too small: delete the copies.',
  );
  // The same values with another seed, algorithm or course are independent runs.
  const otherSeeds = copies.map(({ run, iterations }) => ({
    run: { ...run, seed: 9 },
    iterations,
  }));
  expect(getNote(otherSeeds.slice(0, 1), getRuns('e2', [30, 31, 32]))).toBeUndefined();
  const otherCourse = copies.map(({ run, iterations }) => ({
    run,
    iterations: iterations.map(([evaluations, fitness]): [number, number | null] => [
      evaluations === 60 ? 70 : evaluations,
      fitness,
    ]),
  }));
  expect(getNote(otherCourse)).toBeUndefined();
});

describe('the basis of the tested pairs', () => {
  const getBasis = (...runs: RunWithIterations[][]) =>
    compare({ experiments: [umda, pbil], runs: runs.flat() }).guard.text;
  const endedRuns = [
    ...getRuns('e1', [40, 40], { evaluations: 60 }),
    ...getRuns('e2', [40, 40], { evaluations: 60 }),
  ];

  test('names the end of a run that missed the target, although others ended before it', () => {
    expect(getBasis(endedRuns, getRuns('e1', [39], { runId: 'long' }))).toBe(
      'Compared within 100 evaluations: a run of umda ended there without reaching the target.',
    );
  });

  test('names the running runs, although others ended before them', () => {
    const fields = { runId: 'running', status: 'RUNNING', startTime: '2025-01-01T00:00:00Z' };
    expect(getBasis(getRuns('e1', [39], fields), endedRuns)).toBe(
      'Compared within 100 evaluations, as far as all running runs have come.',
    );
  });

  test('omits the pairs of a group without runs to test', () => {
    const { guard } = compare({
      experiments: [umda, pbil, cga, makeExperiment('e4', 'eda')],
      runs: [
        ...getRuns('e1', [40, 40]),
        ...getRuns('e2', [40, 39]),
        ...getRuns('e3', [38, 39]),
        ...getRuns('e4', [39], { status: 'FAILED' }),
      ],
      choice: { failed: 'exclude' },
    });
    expect(guard.pairs).toHaveLength(6);
    expect(guard.pairs.filter(({ isTested }) => isTested)).toHaveLength(3);
    expect(guard.text).toBe('Each test compares its pair within 100 evaluations.');
  });

  test('states which pairs are tested over configurations', () => {
    const getBasisOver = (...configurationCounts: number[]) => {
      const experiments = configurationCounts.flatMap((count, group) =>
        Array.from({ length: count }, (_, index) =>
          makeExperiment(`e${group}-${index}`, `algorithm${group}`, 40, {
            configurationId: `${group}-${index}`,
          }),
        ),
      );
      const runs = experiments.flatMap(({ experimentId }) => getRuns(experimentId, [39, 38]));
      return compare({ experiments, runs }).guard.text;
    };
    const budgetText = 'Each test compares its pair within 100 evaluations.';
    expect(getBasisOver(4, 4, 4)).toBe(
      `${budgetText} All tests are over configurations, not over runs.`,
    );
    expect(getBasisOver(4, 4, 1, 1)).toBe(
      `${budgetText} The test of 1 pair is over configurations, not over runs.`,
    );
  });

  test('counts the pairs that a stopped run limits, and those with a group too slow for the budget', () => {
    const budget = { evaluations: 1_000, iterations: null };
    const experiments = [umda, pbil, cga].map((experiment) => ({ ...experiment, budget }));
    const { guard } = compare({
      experiments,
      runs: [
        ...makeReachingRuns('e1', [800, 900]),
        ...makeReachingRuns('e2', [300, 400]),
        ...makeReachingRuns('e3', [200, 300]),
        makeRun('stopped', [[400, 39]], { experimentId: 'e3', status: 'STOPPED', bestFitness: 39 }),
      ],
    });
    expect(guard.text).toBe(
      'Each test compares its pair within the pair’s own common budget, 400 to 1\u2009000 evaluations; the table of groups uses ' +
        'the smallest. In 2 pairs, a run stopped before half of the granted budget; you can compare without stopped ' +
        'runs. In 1 pair, at least half of the runs of a group had not reached the target within the common budget; no ' +
        'comparison beyond this budget is possible.',
    );
  });
});

test('a group without completed runs is omitted from the tests and does not disable them', () => {
  const comparison = compare({
    experiments: [umda, pbil, cga],
    runs: [
      ...getRuns('e1', [40, 39, 38]),
      ...getRuns('e2', [30, 31, 32]),
      ...getRuns('e3', [1, 2], { status: 'FAILED' }),
    ],
  });
  expect(comparison.friedman).toMatchObject({ algorithms: 2, blocks: 3 });
  const untestablePairs = comparison.pairwiseWilcoxon.filter(({ pValue }) => pValue === null);
  expect(untestablePairs).toHaveLength(2);
  expect(untestablePairs[0]).toMatchObject({
    holmAdjustedPValue: null,
    effectSize: null,
    method: null,
    betterAlgorithm: 'none',
    significantAt05: false,
  });
  const testedPair = comparison.pairwiseWilcoxon.find(({ pValue }) => pValue !== null);
  expect(testedPair?.holmAdjustedPValue).toBe(testedPair?.pValue);
  expect(getMessage(comparison, 'GROUPS_WITHOUT_COMPLETED_RUNS')).toBe(
    'No completed runs with a best fitness, so not in the average ranks: cga.',
  );
  expect(comparison.friedman.ranks.map(({ algorithm }) => algorithm)).not.toContain('cga');
  // Its failed runs are tested.
  expect(comparison.guard.pairs.every(({ isTested }) => isTested)).toBe(true);
});

test('smaller values are better if fitness is minimised', () => {
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [...getRuns('e1', [1, 2, 3]), ...getRuns('e2', [7, 8, 9])],
    objective: makeObjective('min', null),
  });
  expect(comparison.pairwiseWilcoxon[0]).toMatchObject({
    algorithmA: 'pbil',
    effectSize: 0,
    betterAlgorithm: 'umda',
  });
  expect(comparison.friedman.ranks[0]?.algorithm).toBe('umda');
});

test('many groups that pool configurations are named in one note', () => {
  const names = ['cga', 'ehm', 'pbil', 'umda', 'zza'];
  const experiments = names.flatMap((name) =>
    [1, 2].map((number) =>
      makeExperiment(`${name}${number}`, name, 40, { configurationId: `${name}${number}` }),
    ),
  );
  const comparison = compare({
    experiments,
    runs: experiments.flatMap(({ experimentId }) => getRuns(experimentId, [30, 31])),
  });
  const pooledNotes = comparison.notes.filter(({ code }) => code === 'POOLED_CONFIGURATIONS');
  expect(pooledNotes.map(({ message }) => message)).toEqual([
    'Pools several configurations: cga (2); ehm (2); pbil (2); and 2 more. Curves and tables show all runs, and their intervals ignore the configurations; claims ' +
      'never take runs of several configurations as one sample.',
  ]);
});

test('no pair of more than 150 groups is tested, and the note and the verdict state it', () => {
  const experiments = Array.from({ length: 151 }, (_, index) =>
    makeExperiment(`e${index}`, `algorithm ${index}`),
  );
  const runs = experiments.flatMap(({ experimentId }, index) =>
    getRuns(experimentId, [30, 30 + (index % 9)]),
  );
  const largeComparison = compare({ experiments, runs });
  expect(largeComparison.pairwise).toMatchObject({
    fitness: [],
    runtime: [],
    success: [],
    anytime: null,
  });
  expect(largeComparison).toMatchObject({
    pairwiseWilcoxon: [],
    friedman: { algorithms: 151, blocks: 2 },
  });
  const message =
    '151 groups give 11325 pairs, too many to test (limit: 150 groups). Select fewer algorithms or change the grouping.';
  expect(largeComparison.notes).toContainEqual({ code: 'PAIRS_LEFT_OUT', message });
  expect(largeComparison.verdict.map(({ text }) => text)).toContain(message);
});

test('notes report unequal budgets, pooled configurations and too small samples', () => {
  const variantExperiment = makeExperiment('e5', 'umda', 40, { configurationId: 'another' });
  const comparison = compare({
    experiments: [umda, variantExperiment, pbil],
    runs: [
      ...getRuns('e1', [40]),
      ...getRuns('e5', [39]),
      ...getRuns('e2', [30, 31, 32], { evaluations: 106 }),
    ],
  });
  expect(getCodes(comparison)).toEqual(
    expect.arrayContaining(['UNEQUAL_BUDGETS', 'POOLED_CONFIGURATIONS']),
  );
  expect(comparison.verdict.at(-1)?.text).toBe(
    'Not tested: pbil has one configuration and umda has 2. Group by configuration to compare them.',
  );
  expect(comparison.notes.find(({ code }) => code === 'POOLED_CONFIGURATIONS')?.message).toBe(
    'Pools several configurations: umda (2). Curves and tables show all runs, and their intervals ignore the configurations; claims never take runs of several configurations as one sample.',
  );
});

test('a note reports that runs without evaluations are assumed equal in budget, and that stopped runs are not called completed', () => {
  const getNote = (fields: object) =>
    getMessage(
      compare({
        experiments: [umda, pbil],
        runs: ['e1', 'e2'].flatMap((id) =>
          [39, 38].map((best, index) =>
            makeRun(`${id}-${index}`, [], { experimentId: id, bestFitness: best, ...fields }),
          ),
        ),
      }),
      'BUDGETS_UNKNOWN',
    );
  const message = '4 runs without a known number of evaluations; the tests assume equal budgets.';
  expect(getNote({ evaluations: null })).toBe(message);
  expect(getNote({ evaluations: null, status: 'STOPPED' })).toBe(message);
  expect(getNote({ evaluations: 100 })).toBeUndefined();
});

test('texts state that final values are compared if the data state no evaluations', () => {
  const makeRuns = (id: string, bests: readonly number[]) =>
    bests.map((best, index) =>
      makeRun(`${id}-${index}`, [], { experimentId: id, bestFitness: best, evaluations: null }),
    );
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [...makeRuns('e1', [35, 36, 37, 38, 39]), ...makeRuns('e2', [21, 22, 23, 24, 25])],
  });
  const texts = JSON.stringify([comparison, makeComparisonTables(comparison)]);
  expect(texts).toContain('Compared over whole runs.');
  expect(texts).toContain('Values over whole runs.');
  expect(texts).toContain('has better fitness over whole runs than');
  expect(texts).not.toContain('within 0 evaluations');
});

describe('the comparison of imported runs whose data end with the last improvement', () => {
  const importedRuns = ['e1', 'e2'].flatMap((experimentId, group) =>
    [40, 38].map((best, index) =>
      makeRun(
        `imp-0123456789ab-${group}${index}`,
        [
          [20, 20],
          [best === 40 ? 800 : 100, best],
        ],
        { experimentId, bestFitness: best },
      ),
    ),
  );
  const getComparison = (evaluations: number | null) => {
    const fields = { budget: { evaluations, iterations: null } };
    const experiments = [
      makeExperiment('e1', 'umda', 40, fields),
      makeExperiment('e2', 'pbil', 40, fields),
    ];
    return compare({ experiments, runs: importedRuns });
  };

  test('counts the common budget, stated or assumed, for a run that missed the target', () => {
    expect(getComparison(null).algorithms[0]?.atCommonBudget?.ert).toBe(800 + 800);
    expect(getComparison(1_000).algorithms[0]?.atCommonBudget?.ert).toBe(800 + 1_000);
  });

  test('does not take the last improvement for the budget', () => {
    const runs = importedRuns.map(({ run, iterations }, index) =>
      makeRun(run.runId, [iterations[0] ?? [20, 20], [100 * (index + 1), 38]], {
        experimentId: run.experimentId,
        bestFitness: 38,
      }),
    );
    const comparison = compare({ experiments: [umda, pbil], runs });
    expect(getCodes(comparison)).not.toContain('UNEQUAL_BUDGETS');
    expect(getMessage(comparison, 'BUDGETS_UNKNOWN')).toBe(
      '4 runs without a known number of evaluations; the tests assume equal budgets.',
    );
  });
});

test('a requested target is exploratory if the data suggest it, unless a configuration states it', () => {
  const objective = { ...makeObjective('max', 40), targetSource: 'query' } as const;
  const getHeading = (statedTarget: number | null) =>
    compare({
      experiments: [makeExperiment('e1', 'umda', 40, { statedTarget }), pbil],
      runs: [...getRuns('e1', [40, 39]), ...getRuns('e2', [40, 38])],
      objective,
    }).guard.heading;
  expect(getHeading(null)).toContain('Exploratory: the target comes from these data.');
  expect(getHeading(40)).not.toContain('Exploratory');
});

test('runs that the request excludes are counted with the reason', () => {
  const [stoppedRun] = getRuns('e2', [10], { status: 'STOPPED', runId: 'stopped' });
  const [failedRun] = getRuns('e2', [10], { status: 'FAILED', runId: 'failed' });
  const { guard } = compare({
    experiments: [umda, pbil],
    runs: [...getRuns('e1', [40, 39]), ...getRuns('e2', [40, 38]), stoppedRun!, failedRun!],
    choice: { failed: 'exclude', stopped: 'exclude' },
  });
  expect(guard.notes).toEqual([
    'Not in the tests: pbil: 1 run that failed; pbil: 1 run stopped before the end.',
  ]);
});

describe('runs that tests over configurations omit', () => {
  /** Returns the notes of groups with these numbers of runs per configuration. */
  const getNotes = (sizesByAlgorithm: Record<string, readonly number[]>) => {
    const configurations = Object.entries(sizesByAlgorithm).flatMap(([algorithm, sizes]) =>
      sizes.map((size, index) => ({ id: `${algorithm}${index}`, algorithm, size })),
    );
    const { guard } = compare({
      experiments: configurations.map(({ id, algorithm }) =>
        makeExperiment(id, algorithm, 40, { configurationId: id }),
      ),
      runs: configurations.flatMap(({ id, size }) =>
        getRuns(
          id,
          Array.from({ length: size }, () => 40),
        ),
      ),
    });
    return guard.notes;
  };

  test('are not counted for a pair that is not tested', () => {
    expect(getNotes({ a: [3], b: [3], c: [2, 2, 2, 2] })).toEqual([]);
  });

  test('are a maximum if another test of the group omits fewer', () => {
    const [three, two] = [
      [3, 3, 3, 3],
      [2, 2, 2, 2],
    ];
    expect(getNotes({ a: three, b: three, c: two })).toEqual([
      'Not in the tests: a: up to 4 runs beyond the number that every configuration has; ' +
        'b: up to 4 runs beyond the number that every configuration has.',
    ]);
    expect(getNotes({ a: three, b: two })).toEqual([
      'Not in the tests: a: 4 runs beyond the number that every configuration has.',
    ]);
  });
});

test('runs that stopped at the target do not make budgets unequal', () => {
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [
      ...getRuns('e1', [40, 39], { evaluations: 1000 }),
      ...getRuns('e2', [40, 40], { evaluations: 60 }),
    ],
  });
  expect(getCodes(comparison)).not.toContain('UNEQUAL_BUDGETS');
});

test('budgets within 5 % of each other and samples that can differ get no note', () => {
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [
      ...getRuns('e1', [40, 39, 38, 37]),
      ...getRuns('e2', [30, 31, 32, 33], { evaluations: 105 }),
    ],
  });
  expect(getCodes(comparison)).not.toContain('UNEQUAL_BUDGETS');
  expect(getCodes(comparison)).not.toContain('SMALL_SAMPLES');
});

test('runs can be grouped by model or by experiment, with a name to show', () => {
  const hash = '01234567'.repeat(8);
  const namedExperiment = makeExperiment(hash, 'umda', 40, { runName: 'tuned' });
  const otherExperiment = makeExperiment('experiment-first', 'umda', 40);
  const runs = ['e1', hash, 'experiment-first'].flatMap((id) => getRuns(id, [40, 39]));
  const experiments = [umda, namedExperiment, otherExperiment];
  const byModel = compare({ experiments, runs, groupBy: 'model' });
  expect(byModel.algorithms.map(({ label }) => label)).toEqual(['umda-model']);
  const byExperiment = compare({ experiments, runs, groupBy: 'experiment' });
  expect(byExperiment.algorithms.map(({ algorithm, label }) => [algorithm, label])).toEqual([
    [hash, 'tuned (01234567)'],
    ['e1', 'e1'],
    ['experiment-first', 'experiment-first'],
  ]);
});

test('runs of different experiments can be grouped by configuration', () => {
  const repeatedExperiment = makeExperiment('e8', 'umda');
  const tunedExperiment = makeExperiment('e9', 'umda', 40, { configurationId: 'abcdef012345' });
  const runs = ['e1', 'e8', 'e9'].flatMap((id) => getRuns(id, [40, 39]));
  const comparison = compare({
    experiments: [umda, repeatedExperiment, tunedExperiment],
    runs,
    groupBy: 'configuration',
  });
  expect(comparison.algorithms.map(({ totalRuns }) => totalRuns).sort((a, b) => a - b)).toEqual([
    2, 4,
  ]);
  expect(comparison.algorithms.map(({ label }) => label)).toContain('umda (abcdef)');
});

test('algorithms can be chosen, in any case', () => {
  const comparison = compare({
    experiments: [umda, pbil, cga],
    runs: [...getRuns('e1', [40]), ...getRuns('e2', [39]), ...getRuns('e3', [38])],
    algorithms: ['UMDA', 'cga'],
  });
  expect(comparison.algorithms.map(({ algorithm }) => algorithm)).toEqual(['cga', 'umda']);
});

test('an instance without runs has no groups and nothing to test', () => {
  const comparison = compare({ experiments: [umda], runs: [] });
  expect(comparison).toMatchObject({ algorithms: [], pairwiseWilcoxon: [], kruskalWallis: null });
  expect(comparison.friedman).toMatchObject({ algorithms: 0, ranks: [], statistic: null });
});

test('seeds beyond 2^53 pair by their exact digits', () => {
  const makeRunWithSeed = (experimentId: string, best: number, seed: string) =>
    makeRun(`${experimentId}-${seed}`, [[10, best]], { experimentId, bestFitness: best, seed });
  const comparison = compare({
    experiments: [umda, pbil],
    runs: [
      makeRunWithSeed('e1', 40, '7134074521766642662'),
      makeRunWithSeed('e1', 39, '7134074521766642663'),
      makeRunWithSeed('e2', 38, '7134074521766642662'),
      makeRunWithSeed('e2', 37, '7134074521766642663'),
    ],
  });
  expect(comparison.friedman).toMatchObject({ blocks: 2, blockBy: 'seed' });
});
