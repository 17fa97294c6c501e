import { describe, expect, test } from 'vitest';
import { formatShare } from '#shared/number-format.ts';
import { compare } from './compare.ts';
import { makeExperiment, makeObjective, makeRun, type RunWithIterations } from './sample-runs.ts';

const umda = makeExperiment('e1', 'umda');
const pbil = makeExperiment('e2', 'pbil');
const cga = makeExperiment('e3', 'cga');

/** Runs that reach 40 after so many evaluations, null = they end at 39 after 1,000. */
function reaching(
  experimentId: string,
  times: (number | null)[],
  fields: Partial<RunWithIterations['run']> = {},
): RunWithIterations[] {
  return times.map((time, index) => {
    const best = time === null ? 39 : 40;
    const iterations: [number, number][] = [
      [5, 20],
      [time ?? 1_000, best],
    ];
    return makeRun(`${experimentId}-${index}`, iterations, {
      experimentId,
      bestFitness: best,
      ...fields,
    });
  });
}

/** So many values in steps of ten, from a first one on. */
const from = (first: number, count = 10) =>
  Array.from({ length: count }, (_, index) => first + 10 * index);

const textsOf = (answer: ReturnType<typeof compare>) => answer.verdict.map(({ text }) => text);

describe('with a target that all runs reach', () => {
  const answer = compare({
    experiments: [umda, pbil, cga],
    runs: [
      ...reaching('e1', from(100)),
      ...reaching('e2', from(505)),
      ...reaching('e3', from(503)),
    ],
  });

  test('the fastest of all is named first, then each supported difference with its size', () => {
    expect(textsOf(answer).slice(0, 3)).toEqual([
      'umda is the best of 3 on runtime: better than each of the others, adjusted p at most 3.25e−5.',
      'umda reaches the target 40 in fewer evaluations than cga: A12 = 1, a large effect, ' +
        '403 evaluations fewer; adjusted p = 3.25e−5.',
      'umda reaches the target 40 in fewer evaluations than pbil: A12 = 1, a large effect, ' +
        '405 evaluations fewer; adjusted p = 3.25e−5.',
    ]);
    expect(answer.verdict[2]).toMatchObject({ measure: 'runtime', a: 'umda', b: 'pbil' });
  });

  test('final fitness is said to hide what runtime shows', () => {
    expect(textsOf(answer)).toContain(
      'Final fitness alone shows no difference between cga and umda (adjusted p = 1); pbil and umda ' +
        '(adjusted p = 1): whoever reaches the target stops there, whatever it took.',
    );
  });

  test('what is not shown is neither called different nor alike, and stands last', () => {
    expect(textsOf(answer).at(-1)).toMatch(
      /^No difference in runtime is shown between cga and pbil \(adjusted p = 0\.\d+\)\. That does not show that they are alike\.$/,
    );
    expect(answer.verdict.at(-1)).toMatchObject({ measure: 'runtime', a: 'cga', b: 'pbil' });
  });
});

describe('where fitness and runtime point in opposite directions', () => {
  // umda is fast or fails; cga is slow and sure.
  const fast = [...from(100, 16), ...Array.from({ length: 4 }, () => null)];
  const answer = compare({
    experiments: [umda, cga],
    runs: [...reaching('e1', fast), ...reaching('e3', from(800, 20))],
  });

  test('both are told, with which of them is supported', () => {
    expect(answer.pairwise.fitness[0]?.better).toBe('cga');
    expect(answer.pairwise.runtime?.[0]).toMatchObject({ better: 'umda', significant: true });
    expect(textsOf(answer)).toContain(
      'Between umda and cga the measures point in opposite directions: runtime to umda (A12 = 0.8, ' +
        'adjusted p = 8.16e−4), final fitness to cga (A12 = 0.6, adjusted p = 0.106). Only the former ' +
        'is supported.',
    );
  });

  test('by how much is not claimed where failures hide it', () => {
    expect(textsOf(answer)[0]).toBe(
      'umda reaches the target 40 in fewer evaluations than cga: A12 = 0.8 [0.5652, 0.9249], a large ' +
        'effect (how many fewer is not known: 4 of 20 runs of umda did not reach it); adjusted p = 8.16e−4.',
    );
  });
});

test('a slower group that often fails is told with its failures', () => {
  const answer = compare({
    experiments: [umda, cga],
    runs: [...reaching('e1', from(100)), ...reaching('e3', [...from(300, 7), null, null, null])],
  });
  expect(textsOf(answer)[0]).toContain(
    '(how many fewer is not known: 3 of 10 runs of cga did not reach it)',
  );
});

test('where only success differs, the rates are compared', () => {
  const fails = (count: number) => Array.from({ length: count }, () => null);
  const answer = compare({
    experiments: [umda, cga],
    runs: [
      ...reaching('e1', [...from(10, 4), ...fails(11)]),
      ...reaching('e3', [...from(900, 12), ...fails(3)]),
    ],
  });
  expect(answer.pairwise.runtime?.[0]?.significant).toBe(false);
  expect(textsOf(answer).slice(1)).toEqual([
    `cga reaches the target 40 more often than umda: 12 of 15 runs against 4 of 15, a difference of ${formatShare(8 / 15)} ` +
      `[${formatShare(0.176)}, ${formatShare(0.737)}]; adjusted p = 0.00922.`,
    'No difference in runtime is shown between cga and umda (adjusted p = 0.12). That does not show that they are alike.',
  ]);
});

test('samples without a target are compared by fitness, with the shift', () => {
  const objective = makeObjective('max', null);
  const runs = [umda, pbil].flatMap(({ experimentId }, group) =>
    from(30 * group, 6).map((best, index) =>
      makeRun(`${experimentId}-${index}`, [[100, best]], { experimentId, bestFitness: best }),
    ),
  );
  const answer = compare({ experiments: [umda, pbil], runs, objective });
  expect(textsOf(answer)[0]).toBe(
    'pbil ends with better fitness than umda: A12 = 0.875 [0.5394, 0.9767], a large effect, ' +
      'a shift of 30; adjusted p = 0.0346.',
  );
});

test('a target that nobody reached leaves fitness to speak, and says so', () => {
  const answer = compare({
    experiments: [umda, pbil],
    runs: [...reaching('e1', [null, null, null]), ...reaching('e2', [null, null, null])],
  });
  expect(textsOf(answer)).toEqual([
    'No run reached the target 40: runtime and success tell nothing of the groups.',
    'There are too few runs to show any difference in final fitness between pbil and umda ' +
      '(adjusted p = 1), however large it is.',
  ]);
});

test('a group without a run to test is named, and compared with nobody', () => {
  const answer = compare({
    experiments: [umda, pbil, cga],
    runs: [
      ...reaching('e1', from(100)),
      ...reaching('e2', from(105)),
      ...reaching('e3', [null, null], { status: 'RUNNING' }),
    ],
  });
  expect(answer.verdict.at(-1)).toEqual({
    measure: 'runtime',
    text: 'Not compared on runtime, for want of runs to test: cga.',
    a: 'cga',
    b: null,
  });
  expect(textsOf(answer).filter((text) => text.includes('cga'))).toHaveLength(1);
});

test('one group has nothing to be compared with, and no group no verdict', () => {
  const alone = compare({ experiments: [umda], runs: reaching('e1', [100]) });
  expect(alone.verdict).toEqual([
    {
      measure: null,
      text: 'Only umda has runs: there is nothing to compare it with.',
      a: null,
      b: null,
    },
  ]);
  expect(compare({ experiments: [umda], runs: [] }).verdict).toEqual([]);
});

describe('of runs that stopped at an easier target than the one asked for', () => {
  const easy = makeExperiment('e1', 'umda', 40, { statedTarget: 39 });
  const hard = makeExperiment('e2', 'pbil', 40, { statedTarget: 40 });
  const objective = { ...makeObjective('max', 40), targetSource: 'query' as const };
  const message =
    '2 of 4 runs stopped at the target of their configuration (39) before they could reach 40. They count ' +
    'as failures with the evaluations spent until then: success rates are too low, and ERT and the tests on ' +
    'runtime and success do not tell how long it takes.';

  test('a note warns, and the verdict begins with it', () => {
    const answer = compare({
      experiments: [easy, hard],
      runs: [...reaching('e1', [null, null]), ...reaching('e2', [100, null])],
      objective,
    });
    expect(answer.notes).toContainEqual({ code: 'TARGET_BEYOND_STOPPING', message });
    expect(textsOf(answer)[0]).toBe(message);
  });

  test('nothing is said of those that went on after it', () => {
    const goesOn = makeRun(
      'e1-1',
      [
        [100, 39],
        [900, 39],
      ],
      { experimentId: 'e1', bestFitness: 39 },
    );
    const answer = compare({ experiments: [easy], runs: [goesOn], objective });
    expect(answer.notes.map(({ code }) => code)).not.toContain('TARGET_BEYOND_STOPPING');
  });
});

test('without a target the values that nine, five and one of ten runs reached are suggested', () => {
  const runs = from(10).map((best, index) =>
    makeRun(`e1-${index}`, [[100, best]], { bestFitness: best }),
  );
  const noteIn = (direction: 'min' | 'max') =>
    compare({ experiments: [umda], runs, objective: makeObjective(direction, null) }).notes.find(
      ({ code }) => code === 'SUGGESTED_TARGETS',
    );
  expect(noteIn('max')).toEqual({
    code: 'SUGGESTED_TARGETS',
    values: [20, 60, 100],
    message:
      'With one of these as target, success, ERT and runtime describe performance: ' +
      '20 (reached by 9 of 10), 60 (reached by 5 of 10), 100 (reached by 1 of 10).',
  });
  expect(noteIn('min')?.values).toEqual([90, 50, 10]);
});

test('of many pairs three are named and the others counted', () => {
  const names = ['a', 'b', 'c', 'd'];
  const answer = compare({
    experiments: names.map((name) => makeExperiment(`e-${name}`, name)),
    runs: names.flatMap((name) => reaching(`e-${name}`, from(100))),
  });
  expect(textsOf(answer)).toEqual([
    'No difference in runtime is shown between a and b (adjusted p = 1); a and c (adjusted p = 1); ' +
      'a and d (adjusted p = 1); and 3 more. That does not show that they are alike.',
  ]);
});
