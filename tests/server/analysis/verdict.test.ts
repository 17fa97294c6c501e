import { describe, expect, test } from 'vitest';
import { formatShare } from '#shared/number-format.ts';
import { compare } from './compare.ts';
import { makeExperiment, makeObjective, makeReachingRuns, makeRun } from './sample-runs.ts';

const umda = makeExperiment('e1', 'umda');
const pbil = makeExperiment('e2', 'pbil');
const cga = makeExperiment('e3', 'cga');

/** Returns `count` values in steps of ten, from `first` on. */
const makeTimes = (first: number, count = 10) =>
  Array.from({ length: count }, (_, index) => first + 10 * index);

const getTexts = (comparison: ReturnType<typeof compare>) =>
  comparison.verdict.map(({ text }) => text);

describe('with a target that all runs reach', () => {
  const comparison = compare({
    experiments: [umda, pbil, cga],
    runs: [
      ...makeReachingRuns('e1', makeTimes(100)),
      ...makeReachingRuns('e2', makeTimes(505)),
      ...makeReachingRuns('e3', makeTimes(503)),
    ],
  });

  test('the fastest of all is named first, then each claimed difference with its size', () => {
    expect(getTexts(comparison).slice(0, 3)).toEqual([
      'umda is the best of 3 on runtime: better than each of the others, adjusted p at most 3.25e−5.',
      'umda reaches the target 40 in fewer evaluations than cga: A12 = 1, a large effect, ' +
        '403 evaluations fewer [353, 453]; adjusted p = 3.25e−5.',
      'umda reaches the target 40 in fewer evaluations than pbil: A12 = 1, a large effect, ' +
        '405 evaluations fewer [355, 455]; adjusted p = 3.25e−5.',
    ]);
    expect(comparison.verdict[2]).toMatchObject({
      kind: 'claim',
      measure: 'runtime',
      a: 'umda',
      b: 'pbil',
    });
  });

  test('a sentence states that fitness does not separate groups that runtime separates', () => {
    expect(getTexts(comparison)).toContain(
      'Fitness does not separate cga and umda (adjusted p = 1); pbil and umda (adjusted p = 1), because every run ' +
        'reaches the target.',
    );
    const tieSentence = comparison.verdict.find(({ text }) => text.startsWith('Fitness does not'));
    expect(tieSentence).toMatchObject({ measure: 'fitness', a: null, b: null });
  });

  test('fitness ties at the target too where the runs of one group go on beyond it', () => {
    const runsBeyondTarget = makeTimes(100).map((time, index) =>
      makeRun(
        `e1-${index}`,
        [
          [5, 20],
          [time, 40],
          [1_000, 45],
        ],
        { experimentId: 'e1', bestFitness: 45 },
      ),
    );
    const compareWithFailures = compare({
      experiments: [umda, pbil],
      runs: [...runsBeyondTarget, ...makeReachingRuns('e2', makeTimes(505))],
    });
    expect(getTexts(compareWithFailures)).toContain(
      'Fitness does not separate pbil and umda (adjusted p = 1), because every run reaches the target.',
    );
  });

  test('undecided pairs are called neither different nor equal, and come last', () => {
    expect(getTexts(comparison).at(-1)).toMatch(
      /^No significant difference in runtime between cga and pbil \(adjusted p = 1\)\. This is not evidence of equivalence\./,
    );
    expect(comparison.verdict.at(-1)).toMatchObject({ kind: 'undecided', a: 'cga', b: 'pbil' });
  });
});

describe('With a fast group that fails and a slow group that does not', () => {
  const slowTimes = makeTimes(800, 20);
  const compareWithFailures = (failures: number) =>
    compare({
      experiments: [umda, cga],
      runs: [
        ...makeReachingRuns('e1', [
          ...makeTimes(100, 20 - failures),
          ...Array.from({ length: failures }, () => null),
        ]),
        ...makeReachingRuns('e3', slowTimes),
      ],
    });

  test('a sentence states that the measures disagree if both differences are significant', () => {
    const comparison = compareWithFailures(8);
    expect(comparison.pairwise.runtime?.[0]).toMatchObject({ better: 'umda', significant: false });
    expect(comparison.pairwise.fitness[0]).toMatchObject({ better: 'cga', significant: true });
    expect(getTexts(comparison).join('\n')).not.toContain('disagree');
    const strongComparison = compare({
      experiments: [umda, cga],
      runs: [
        ...makeReachingRuns('e1', [
          ...makeTimes(100, 42),
          ...Array.from({ length: 18 }, () => null),
        ]),
        ...makeReachingRuns('e3', makeTimes(400, 60)),
      ],
    });
    expect(getTexts(strongComparison).join('\n')).toMatch(
      /For umda and cga the measures disagree: runtime favours umda \(A12 = [\d.]+, adjusted p = \S+\), fitness favours cga \(A12 = [\d.]+, adjusted p = \S+\); both are significant\./,
    );
  });

  test('a direction that may be noise is not stated', () => {
    const comparison = compareWithFailures(4);
    expect(comparison.pairwise.fitness[0]).toMatchObject({ better: 'cga', significant: false });
    expect(comparison.pairwise.runtime?.[0]).toMatchObject({ better: 'umda', significant: true });
    expect(getTexts(comparison).join('\n')).not.toContain('disagree');
  });

  test('the size of the difference is omitted if failures hide it', () => {
    expect(getTexts(compareWithFailures(4))[0]).toMatch(
      /a large effect \(size of the difference not estimable: 4 of 20 runs of umda missed the target within 1.000 evaluations\); adjusted p = \S+\.$/,
    );
  });

  test('no sentence states a tie in fitness if a run missed the target', () => {
    expect(getTexts(compareWithFailures(4)).join('\n')).not.toContain(
      'because every run reaches the target',
    );
  });

  test('a claim of fitness for the same group adds no sentence', () => {
    const comparison = compare({
      experiments: [umda, cga],
      runs: [
        ...makeReachingRuns('e1', makeTimes(100)),
        ...makeReachingRuns('e3', [800, 900, ...Array.from({ length: 8 }, () => null)]),
      ],
    });
    expect(comparison.pairwise.fitness[0]).toMatchObject({ better: 'umda', significant: true });
    expect(getTexts(comparison)).toEqual([
      expect.stringMatching(/^umda reaches the target 40 in fewer evaluations than cga/),
    ]);
  });
});

test('a sentence states that a run that reached the target beyond the common budget missed it within that budget only', () => {
  const makeFields = (experimentId: string, budget: number) => ({
    experimentId,
    evaluations: budget,
  });
  const makeLateRun = (time: number, index: number) =>
    makeRun(
      `e1-late-${index}`,
      [
        [5, 20],
        [time, 40],
      ],
      { ...makeFields('e1', time), bestFitness: 40 },
    );
  const missedRun = makeRun(
    'e3-missed',
    [
      [5, 20],
      [600, 39],
    ],
    { ...makeFields('e3', 600), bestFitness: 39 },
  );
  const compareWithLateRuns = (count: number) =>
    compare({
      experiments: [umda, cga],
      runs: [
        ...makeReachingRuns('e1', makeTimes(10, 15 - count)),
        ...makeTimes(700, count).map(makeLateRun),
        ...makeReachingRuns('e3', makeTimes(400, 14)),
        missedRun,
      ],
    });
  const comparison = compareWithLateRuns(4);
  expect(getTexts(comparison)[0]).toContain(
    '4 of 15 runs of umda and 1 of 15 runs of cga missed the target within 600 evaluations',
  );
  expect(comparison.algorithms.find(({ label }) => label === 'umda')?.successfulRuns).toBe(15);
  const half = 'At least half of the runs of umda had not reached the target by then';
  expect(comparison.guard.text).not.toContain(half);
  expect(compareWithLateRuns(8).guard.text).toContain(half);
});

test('anytime performance is claimed within the smallest budget of the pair, not over whole runs', () => {
  const objective = makeObjective('max', null);
  const makeRisingRuns = (experimentId: string, budget: number, first: number) =>
    makeTimes(first).map((time, index) =>
      makeRun(
        `${experimentId}-${index}`,
        [
          [10, 1],
          [time, 200],
          [budget, 200],
        ],
        { experimentId, evaluations: budget, bestFitness: 200 },
      ),
    );
  const getVerdictAt = (budget: number) => {
    const runs = [...makeRisingRuns('e1', budget, 350), ...makeRisingRuns('e2', 500, 50)];
    return getTexts(compare({ experiments: [umda, pbil], runs, objective })).join(' ');
  };
  const makeClaim = (budget: number) =>
    `pbil has better anytime performance within ${budget} evaluations than umda`;
  expect(getVerdictAt(4_000)).toContain(makeClaim(500));
  expect(getVerdictAt(500)).toContain(makeClaim(500));
  expect(getVerdictAt(460)).toContain(makeClaim(460));
});

test('the rates within the common budget are compared if only success differs', () => {
  const makeFailures = (count: number) => Array.from({ length: count }, () => null);
  const comparison = compare({
    experiments: [umda, cga],
    runs: [
      ...makeReachingRuns('e1', [...makeTimes(10, 4), ...makeFailures(11)]),
      ...makeReachingRuns('e3', [...makeTimes(890, 11), ...makeFailures(4)]),
    ],
  });
  expect(comparison.pairwise.runtime?.[0]?.significant).toBe(false);
  expect(getTexts(comparison)[0]).toMatch(
    new RegExp(
      '^cga reaches the target 40 within 1.000 evaluations more often than umda: 11 of 15 runs against 4 of 15, ' +
        `a difference of ${formatShare(7 / 15)} \\[.*\\]; adjusted p = 0\\.\\d+\\.$`,
    ),
  );
  expect(getTexts(comparison).at(-1)).toMatch(
    /^No significant difference in runtime between cga and umda .* This is not evidence of equivalence\.$/,
  );
});

test('samples without a target are compared by fitness, with the shift', () => {
  const objective = makeObjective('max', null);
  const runs = [umda, pbil].flatMap(({ experimentId }, group) =>
    makeTimes(30 * group, 6).map((bestFitness, index) =>
      makeRun(`${experimentId}-${index}`, [[100, bestFitness]], {
        experimentId,
        bestFitness,
      }),
    ),
  );
  const comparison = compare({ experiments: [umda, pbil], runs, objective });
  expect(getTexts(comparison)[0]).toBe(
    'pbil has better fitness within 100 evaluations than umda: A12 = 0.875 [0.4754, 0.9818], a large effect, ' +
      'a shift of 30 [0, 60]; adjusted p = 0.0346.',
  );
  const equalRuns = ['e1', 'e2'].flatMap((experimentId) =>
    makeTimes(100).map((bestFitness, index) =>
      makeRun(`${experimentId}-${index}`, [[100, bestFitness]], { experimentId, bestFitness }),
    ),
  );
  expect(getTexts(compare({ experiments: [umda, pbil], runs: equalRuns, objective }))).toEqual([
    expect.stringMatching(
      /^No significant difference in fitness .* with power 0\.8, each group needs \d+ runs: \d+ more\.$/,
    ),
  ]);
});

test('a claim has the same numbers for either order of the groups', () => {
  const objective = makeObjective('max', null);
  const makeRuns = (ids: string[], direction: 1 | -1) =>
    ids.flatMap((experimentId, group) =>
      makeTimes(30 * group, 6).map((value, index) => {
        const bestFitness = direction * value;
        return makeRun(`${experimentId}-${index}`, [[100, bestFitness]], {
          experimentId,
          bestFitness,
        });
      }),
    );
  const experiments = [umda, pbil];
  const claim =
    'umda has better fitness within 100 evaluations than pbil: A12 = 0.875 [0.4754, 0.9818], a large effect, ' +
    'a shift of 30 [0, 60]; adjusted p = 0.0346.';
  const maximised = compare({ experiments, runs: makeRuns(['e2', 'e1'], 1), objective });
  expect(getTexts(maximised)[0]).toBe(claim);
  const minimised = compare({
    experiments,
    runs: makeRuns(['e2', 'e1'], -1),
    objective: makeObjective('min', null),
  });
  expect(getTexts(minimised)[0]).toBe(claim);
  const makeFailures = (count: number) => Array.from({ length: count }, () => null);
  const getSuccessClaim = (slow: string, fast: string) =>
    getTexts(
      compare({
        experiments: [umda, cga],
        runs: [
          ...makeReachingRuns(slow, [...makeTimes(10, 4), ...makeFailures(11)]),
          ...makeReachingRuns(fast, [...makeTimes(890, 11), ...makeFailures(4)]),
        ],
      }),
    )[0];
  expect(getSuccessClaim('e3', 'e1')).toContain(
    '46.7\u2009% [1.7\u2009%, 72.2\u2009%]; adjusted p = ',
  );
  expect(getSuccessClaim('e3', 'e1')).toBe(
    getSuccessClaim('e1', 'e3')?.replace('cga', '-').replace('umda', 'cga').replace('-', 'umda'),
  );
});

describe('a target that no run reached', () => {
  test('compares only fitness, and states it', () => {
    const comparison = compare({
      experiments: [umda, pbil],
      runs: [
        ...makeReachingRuns('e1', [null, null, null]),
        ...makeReachingRuns('e2', [null, null, null]),
      ],
    });
    expect(getTexts(comparison)[0]).toBe(
      'No run reached the target 40 within the common budget, so runtime and success rate cannot separate the groups.',
    );
  });

  test('leaves claims of fitness', () => {
    const comparison = compare({
      experiments: [umda, pbil],
      runs: ['e1', 'e2'].flatMap((experimentId, group) =>
        makeTimes(10).map((value, index) => {
          const bestFitness = group * 10 + value / 10;
          const iterations: [number, number][] = [
            [5, 1],
            [1_000, bestFitness],
          ];
          return makeRun(`${experimentId}-${index}`, iterations, { experimentId, bestFitness });
        }),
      ),
    });
    expect(getTexts(comparison).slice(1)).toEqual([
      'pbil has better fitness within 1\u2009000 evaluations than umda: A12 = 1, a large effect, a shift of 10 [6, 14]; adjusted p = 1.08e−5.',
    ]);
  });

  test('leaves claims of anytime performance', () => {
    const comparison = compare({
      experiments: [umda, pbil],
      runs: ['e1', 'e2'].flatMap((experimentId, group) =>
        makeTimes(10 + 500 * group).map((time, index) => {
          const iterations: [number, number][] = [
            [5, 1],
            [time, 39],
            [1_000, 39],
          ];
          return makeRun(`${experimentId}-${index}`, iterations, {
            experimentId,
            bestFitness: 39,
          });
        }),
      ),
    });
    expect(getTexts(comparison).slice(1, 2)).toEqual([
      'umda has better anytime performance within 1\u2009000 evaluations than pbil: A12 = 1, a large effect; adjusted p = 1.08e−5.',
    ]);
  });

  test('is said only of the tests if a run of a group without a test reached it', () => {
    const configurations = ['e3', 'e4'].map((id) =>
      makeExperiment(id, 'cga', 40, { configurationId: id }),
    );
    const getTextsWithCga = (time: number | null) =>
      getTexts(
        compare({
          experiments: [umda, pbil, ...configurations],
          runs: ['e1', 'e2', 'e3', 'e4'].flatMap((id) =>
            makeReachingRuns(id, [null, null, id === 'e3' ? time : null]),
          ),
        }),
      ).join('\n');
    expect(getTextsWithCga(400)).toContain('No run in the tests reached the target 40');
    expect(getTextsWithCga(null)).toContain('No run reached the target 40');
  });

  test('is said only of the tests if a run that they omit reached it', () => {
    const { verdict } = compare({
      experiments: [umda, pbil],
      runs: [
        ...makeReachingRuns('e1', [null, null, null]),
        ...makeReachingRuns('e2', [null, null, null]),
        makeRun('stopped', [[400, 40]], { experimentId: 'e1', bestFitness: 40, status: 'STOPPED' }),
      ],
      choice: { stopped: 'exclude' },
    });
    expect(verdict[0]?.text).toMatch(/^No run in the tests reached the target 40 /);
  });

  test('is not mentioned where a run of any group did', () => {
    const comparison = compare({
      experiments: [umda, pbil, cga],
      runs: [
        ...makeReachingRuns('e1', [null, null, 400]),
        ...makeReachingRuns('e2', [null, null, null]),
        ...makeReachingRuns('e3', [null, null, null]),
      ],
    });
    expect(getTexts(comparison).join('\n')).not.toContain('No run reached');
  });
});

test('the common budget is the smallest of the tested pairs', () => {
  const configurations = ['e3', 'e4'].map((id) =>
    makeExperiment(id, 'cga', 40, { configurationId: id }),
  );
  const { guard } = compare({
    experiments: [umda, pbil, ...configurations],
    runs: [
      ...['e1', 'e2'].flatMap((id) => makeReachingRuns(id, [null, null])),
      ...configurations.map(({ experimentId }) =>
        makeRun(experimentId, [[500, 39]], { experimentId, bestFitness: 39, evaluations: 500 }),
      ),
    ],
  });
  expect(guard.pairs.map(({ isTested, commonBudget }) => [isTested, commonBudget])).toEqual([
    [false, 500],
    [false, 500],
    [true, 1_000],
  ]);
  expect(guard.commonBudget).toBe(1_000);
});

describe('a difference that could not have been significant', () => {
  const compareBoth = (...times: (number | null)[]) =>
    compare({
      experiments: [umda, pbil],
      runs: [...makeReachingRuns('e1', times), ...makeReachingRuns('e2', times)],
    });

  test('is reported to lack runs if the sizes of the samples prevent it', () => {
    expect(getTexts(compareBoth(100, 200, 300))).toHaveLength(1);
    expect(getTexts(compareBoth(100, 200, 300))[0]).toMatch(
      /^Too few runs: with these sample sizes no difference in runtime between pbil and umda \(adjusted p = 1\) can be significant\./,
    );
  });

  test('is not reported to lack runs if equal values could make it significant', () => {
    const compareTimes = (times: (number | null)[], otherTimes: (number | null)[]) =>
      compare({
        experiments: [umda, pbil],
        runs: [...makeReachingRuns('e1', times), ...makeReachingRuns('e2', otherTimes)],
      });
    const tiedPair = compareTimes([100, 100, 100], [null, null, null, null]).pairwise.runtime?.[0];
    expect(tiedPair).toMatchObject({ significant: true, adjustedPValue: 1 / 35 });
    const distinctTimes = compareTimes([100, 300, 500], [200, 400, 600, 700]);
    expect(getTexts(distinctTimes)[0]).toMatch(
      /^With these runs no difference in runtime between umda and pbil /,
    );
  });

  test('is reported to lack runs or to have equal values if ties prevent it', () => {
    expect(getTexts(compareBoth(100, 100, 100, 100, 100, 200)).at(-1)).toBe(
      'With these runs no difference in runtime between pbil and umda (adjusted p = 1) can be significant: there are ' +
        'too few of them, or too many equal values.',
    );
  });

  test('is adjusted for the pairs that stay open: two groups of four can differ next to a third that both differ from', () => {
    const compareSamples = (...bests: number[][]) =>
      compare({
        experiments: [umda, pbil, cga],
        objective: makeObjective('max', null),
        runs: bests.flatMap((groupBests, group) =>
          groupBests.map((bestFitness, index) =>
            makeRun(
              `e${group + 1}-${index}`,
              [
                [10, 1],
                [30, bestFitness],
                [100, bestFitness],
              ],
              { experimentId: `e${group + 1}`, bestFitness },
            ),
          ),
        ),
      });
    const getPair = ({ pairwise }: ReturnType<typeof compare>) =>
      pairwise.fitness.find(({ a, b }) => a === 'pbil' && b === 'umda');
    const distantGroup = Array.from({ length: 30 }, () => 1_000);
    const distantGroups = compareSamples([200, 210, 220, 230], [100, 110, 120, 130], distantGroup);
    expect(getPair(distantGroups)).toMatchObject({ significant: true, attainablePValue: 2 / 70 });
    const mixedGroups = compareSamples([200, 210, 220, 230], [195, 205, 215, 225], distantGroup);
    expect(getPair(mixedGroups)).toMatchObject({ significant: false, attainablePValue: 2 / 70 });
    expect(getTexts(mixedGroups).at(-1)).toMatch(
      /^No significant difference in fitness between umda and pbil/,
    );
    // The number of open pairs, 1, does not prevent a difference between these groups, but their equal values do.
    const tiedGroups = compareSamples([200, 200, 200, 230], [200, 200, 200, 225], distantGroup);
    expect(getTexts(tiedGroups).at(-1)).toMatch(
      /^With these runs no difference in fitness between umda and pbil/,
    );
    const threeGroups = compareSamples(
      [200, 210, 220, 230],
      [195, 205, 215, 225],
      [190, 206, 216, 235],
    );
    expect(getTexts(threeGroups).at(-1)).toMatch(
      /^Too few runs: with these sample sizes no difference in fitness/,
    );
  });

  test('can be claimed between 1 run and 39 runs, whose smallest p-value is exactly 0.05', () => {
    const compareWithOne = (time: number) =>
      compare({
        experiments: [umda, pbil],
        runs: [...makeReachingRuns('e1', [time]), ...makeReachingRuns('e2', makeTimes(100, 39))],
      });
    expect(getTexts(compareWithOne(50))[0]).toMatch(
      /^umda reaches the target 40 in fewer evaluations than pbil.*; adjusted p = 0\.05\.$/,
    );
    expect(getTexts(compareWithOne(205))[0]).toMatch(/^No significant difference in runtime/);
  });

  test('is an ordinary undecided difference if the samples suffice', () => {
    expect(getTexts(compareBoth(...makeTimes(100))).at(-1)).toMatch(
      /^No significant difference in runtime/,
    );
  });
});

describe('while a run is RUNNING', () => {
  const runs = [
    ...makeReachingRuns('e1', makeTimes(100)),
    ...makeReachingRuns('e2', makeTimes(600)),
    ...makeReachingRuns('e2', [900], {
      runId: 'e2-z',
      status: 'RUNNING',
      bestFitness: null,
      evaluations: null,
    }),
  ];

  test('nothing is claimed, and the verdict states that it is interim', () => {
    const comparison = compare({ experiments: [umda, pbil], runs });
    expect(getTexts(comparison)).toEqual([
      'Interim: 1 run still running, so the tests claim no difference yet.',
    ]);
    expect(comparison.pairwise.runtime?.[0]).toMatchObject({ significant: false, nA: 10, nB: 10 });
    expect(comparison.pairwise.runtime?.[0]?.adjustedPValue).toBeLessThan(0.001);
    expect(comparison.guard).toMatchObject({ isInterim: true });
  });

  test('the claim appears when the last run has ended', () => {
    const endedRuns = runs.map(({ run, iterations }) => ({
      iterations,
      run: { ...run, status: 'COMPLETED' },
    }));
    const comparison = compare({ experiments: [umda, pbil], runs: endedRuns });
    expect(comparison.verdict[0]).toMatchObject({ kind: 'claim', a: 'umda', b: 'pbil' });
    expect(comparison.guard.heading).toBe('For one look at n = 10 to 11 runs per group.');
  });

  test('a group without an ended run is named, and compared with no other', () => {
    const comparison = compare({
      experiments: [umda, pbil, cga],
      runs: [
        ...makeReachingRuns('e1', makeTimes(100)),
        ...makeReachingRuns('e2', makeTimes(105)),
        ...makeReachingRuns('e3', [null, null], { status: 'RUNNING' }),
      ],
    });
    expect(comparison.verdict.at(-1)).toEqual({
      kind: 'untested',
      measure: null,
      text: 'Not comparable yet: cga has no ended runs to test.',
      a: null,
      b: null,
    });
    expect(getTexts(comparison).filter((text) => text.includes('cga'))).toHaveLength(1);
    expect(comparison.guard.notes).toEqual([
      'Not in the tests: cga: 2 runs still running that started after all ended runs.',
    ]);
  });

  test('a group with excluded ended runs has no ended runs to test', () => {
    const comparison = compare({
      experiments: [umda, pbil],
      runs: [
        ...makeReachingRuns('e1', makeTimes(100)),
        ...makeReachingRuns('e2', [null], { status: 'STOPPED' }),
        ...makeReachingRuns('e2', [null], {
          runId: 'running',
          status: 'RUNNING',
          startTime: '2026-01-02T00:00:00Z',
        }),
      ],
      choice: { stopped: 'exclude' },
    });
    expect(comparison.guard.pairs[0]?.text).toBe(
      'Not comparable yet: pbil has no ended runs to test.',
    );
  });
});

test('a single group is not compared, and without groups there is no verdict', () => {
  const aloneComparison = compare({ experiments: [umda], runs: makeReachingRuns('e1', [100]) });
  expect(aloneComparison.verdict).toEqual([
    {
      kind: 'caution',
      measure: null,
      text: 'Only one group (umda) has runs, so there is nothing to compare.',
      a: null,
      b: null,
    },
  ]);
  expect(compare({ experiments: [umda], runs: [] }).verdict).toEqual([]);
});

describe('For runs that stopped at a target that is easier than the requested target', () => {
  const easyExperiment = makeExperiment('e1', 'umda', 40, { statedTarget: 39 });
  const hardExperiment = makeExperiment('e2', 'pbil', 40, { statedTarget: 40 });
  const objective = { ...makeObjective('max', 40), targetSource: 'query' as const };
  const message =
    '2 of 4 runs stopped at the target of their configuration (39) before they could reach 40, so their later ' +
    'results are unknown. Success rate and ERT over whole runs are not valid for this target.';

  test('a note warns, and the verdict begins with it', () => {
    const comparison = compare({
      experiments: [easyExperiment, hardExperiment],
      runs: [...makeReachingRuns('e1', [null, null]), ...makeReachingRuns('e2', [100, null])],
      objective,
    });
    expect(comparison.notes).toContainEqual({ code: 'TARGET_BEYOND_STOPPING', message });
    expect(getTexts(comparison)[0]).toBe(message);
  });

  test('no sentence is about runs that continued after it', () => {
    const continuedRun = makeRun(
      'e1-1',
      [
        [100, 39],
        [900, 39],
      ],
      { experimentId: 'e1', bestFitness: 39 },
    );
    const comparison = compare({ experiments: [easyExperiment], runs: [continuedRun], objective });
    expect(comparison.notes.map(({ code }) => code)).not.toContain('TARGET_BEYOND_STOPPING');
  });
});

test('without a target the values that nine, five and one of ten runs reached are suggested', () => {
  const runs = makeTimes(10).map((bestFitness, index) =>
    makeRun(`e1-${index}`, [[100, bestFitness]], { bestFitness }),
  );
  const findNote = (direction: 'min' | 'max') =>
    compare({ experiments: [umda], runs, objective: makeObjective(direction, null) }).notes.find(
      ({ code }) => code === 'SUGGESTED_TARGETS',
    );
  expect(findNote('max')).toEqual({
    code: 'SUGGESTED_TARGETS',
    values: [20, 60, 100],
    message:
      'Set a target to get success rates, ERT and tests of runtime. Suggestions, chosen from these data: ' +
      '20 (reached by 9 of 10), 60 (reached by 5 of 10), 100 (reached by 1 of 10).',
  });
  expect(findNote('min')?.values).toEqual([90, 50, 10]);
});

test('a verdict at a target that is suggested from the data is exploratory, and at a configured or another target it is not', () => {
  const runs = ['e1', 'e2'].flatMap((id) =>
    makeTimes(10).map((bestFitness, index) =>
      makeRun(`${id}-${index}`, [[100, bestFitness]], {
        experimentId: id,
        bestFitness,
      }),
    ),
  );
  const guardAt = (target: number, targetSource: 'query' | 'config') =>
    compare({
      experiments: [umda, pbil],
      runs,
      objective: { ...makeObjective('max', target), targetSource },
    }).guard;
  const suggestedGuard = guardAt(60, 'query');
  expect(suggestedGuard.isExploratory).toBe(true);
  expect(suggestedGuard.heading).toBe(
    'For one look at n = 10 runs per group. Exploratory: the target comes from these data.',
  );
  expect(guardAt(60, 'config').isExploratory).toBe(false);
  expect(guardAt(61, 'query')).toMatchObject({
    isExploratory: false,
    heading: 'For one look at n = 10 runs per group.',
  });
});

test('pairs are counted if there are many and no p-value is below 1', () => {
  const names = ['a', 'b', 'c', 'd'];
  const comparison = compare({
    experiments: names.map((name) => makeExperiment(`e-${name}`, name)),
    runs: names.flatMap((name) => makeReachingRuns(`e-${name}`, makeTimes(100))),
  });
  expect(getTexts(comparison)).toEqual([
    'No significant difference in runtime between the groups of 6 pairs. This is not evidence of equivalence. ' +
      'To find an A12 of 0.71 or more with power 0.8, each group needs 46 runs: 36 more. For success rates of 71.0\u2009% against 29.0\u2009% it needs 35.',
  ]);
  const largeComparison = compare({
    experiments: [umda, pbil],
    runs: [
      ...makeReachingRuns('e1', makeTimes(100, 31)),
      ...makeReachingRuns('e2', makeTimes(100, 31)),
    ],
  });
  expect(largeComparison.guard.pairs[0]?.runsNeeded).toMatchObject({ perGroup: 30, further: 0 });
  expect(getTexts(largeComparison).at(-1)).toMatch(/This is not evidence of equivalence\.$/);
});

describe('with many groups', () => {
  /** Groups of ten runs each, in order of their letters from fast to slow, of which the first two are equally fast. */
  const names = Array.from('abcdefghijklmnopqrst');
  const comparison = compare({
    experiments: names.map((name) => makeExperiment(`e-${name}`, name)),
    runs: names.flatMap((name, index) =>
      makeReachingRuns(`e-${name}`, makeTimes(100 + (index < 2 ? 0 : 500 * index), 12)),
    ),
  });
  const texts = getTexts(comparison);

  test('the groups without a better group are named first', () => {
    expect(texts[0]).toBe(
      '2 of 20 groups have no significantly better group on runtime: a; b. This does not mean that they are equal.',
    );
  });

  test('ten claims have their own sentence, and the others are counted', () => {
    const claims = comparison.verdict.filter(({ kind, a }) => kind === 'claim' && a !== null);
    const significantPairs =
      comparison.pairwise.runtime?.filter((pair) => pair.significant).length ?? 0;
    expect(significantPairs).toBe(189);
    expect(claims).toHaveLength(10);
    expect(texts).toContain('179 more differences are significant: see the table of pairs.');
  });

  test('the one pair without a claim is named', () => {
    expect(texts.at(-1)).toMatch(/^No significant difference in runtime between a and b/);
  });
});

test('pairs of the smallest p-values are named if there are many', () => {
  const names = ['a', 'b', 'c', 'd'];
  const comparison = compare({
    experiments: names.map((name) => makeExperiment(`e-${name}`, name)),
    runs: names.flatMap((name) =>
      makeReachingRuns(`e-${name}`, makeTimes(name === 'd' ? 130 : 100)),
    ),
  });
  const lastText = getTexts(comparison).at(-1) ?? '';
  expect(lastText).toMatch(
    /^No significant difference in runtime between a and d \(adjusted p = 0\.\d+\); /,
  );
  expect(lastText).toContain('; and 3 more. This is not evidence of equivalence.');
});

test('more than five reasons why pairs are not tested are counted', () => {
  const names = Array.from('abcdefgh');
  const comparison = compare({
    experiments: names.map((name) => makeExperiment(`e-${name}`, name)),
    runs: names.flatMap((name) =>
      makeReachingRuns(`e-${name}`, [null]).map(({ run, ...rest }) => ({
        ...rest,
        run: { ...run, status: 'RUNNING' },
      })),
    ),
  });
  const untestedSentences = comparison.verdict.filter(({ kind }) => kind === 'untested');
  expect(untestedSentences).toHaveLength(6);
  expect(untestedSentences.at(-1)?.text).toMatch(
    /^\d+ more pairs? (has|have) no test: see the table of pairs\.$/,
  );
});

test('too few configurations are not called too few runs, because more runs would not help', () => {
  const experiments = ['umda', 'pbil', 'cga'].flatMap((algorithm) =>
    [1, 2, 3, 4].map((index) => {
      const id = `${algorithm}-${index}`;
      return makeExperiment(id, algorithm, 40, { configurationId: id });
    }),
  );
  const runs = experiments.flatMap(({ experimentId }, index) =>
    makeReachingRuns(experimentId, [100 + 7 * index, 900 - 5 * index]),
  );
  const texts = getTexts(compare({ experiments, runs }));
  expect(texts).toContainEqual(
    expect.stringMatching(
      /^Too few configurations: no difference in runtime between .* can be significant with these numbers of configurations\.$/,
    ),
  );
  expect(texts.join()).not.toContain('Too few runs');
});
