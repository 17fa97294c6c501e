import { describe, expect, test } from 'vitest';
import { diagnose } from '#server/telemetry/diagnosis/diagnose.ts';
import {
  getCodes,
  findDiagnosis,
  getPoints,
  repeat,
  step,
  makeStoppingRun,
  usualRun,
  makeTelemetryRun,
} from './runs.ts';

describe('PREMATURE_FIXATION', () => {
  const code = 'PREMATURE_FIXATION';
  const ratio = (values: number[], run = {}) =>
    findDiagnosis(makeStoppingRun('binary', { binary_fixation_ratio: values }, run), code);

  test('is reported for bits with a fixation ratio of 0.9, or a mean entropy of 0.05 bit, to the end', () => {
    expect(ratio(step(21, 0.5, 0.9))).toMatchObject({
      fromIteration: 21,
      toIteration: 49,
      message:
        'The model is fixed from iteration 21 to the end (share of fixed bits at least 90\u2009%), and improvement stopped ' +
        'at the same time (iteration 20, less than 1\u2009% of it came later). The run did not reach the target 100.',
      evidence: { series: ['binary_fixation_ratio'], value: 0.9, threshold: 0.9 },
    });
    expect(ratio(step(21, 0.5, 0.899))).toBeNull();
    expect(ratio([...step(21, 0.5, 0.95).slice(0, 40), ...repeat(10, 0.5)])).toBeNull();
    const entropy = (value: number) =>
      findDiagnosis(makeStoppingRun('binary', { binary_mean_entropy: step(21, 1, value) }), code);
    expect(entropy(0.05)).not.toBeNull();
    expect(entropy(0.0501)).toBeNull();
  });

  test('is reported only if it begins within 10 % of the evaluations from the end of improvement', () => {
    for (const at of [15, 16, 25]) expect(ratio(step(at, 0.5, 1)), String(at)).not.toBeNull();
    for (const at of [14, 26, 40]) expect(ratio(step(at, 0.5, 1)), String(at)).toBeNull();
  });

  test('is not reported while the run improves in its last 10 %', () => {
    expect(ratio(step(40, 0.5, 1), { stop: 44 })).not.toBeNull();
    expect(ratio(step(40, 0.5, 1), { stop: 45 })).toBeNull();
  });

  test('is not reported if the target is reached, or if there is none', () => {
    expect(ratio(step(21, 0.5, 1), { target: 21 })).not.toBeNull();
    expect(ratio(step(21, 0.5, 1), { target: 20 })).toBeNull();
    expect(ratio(step(21, 0.5, 1), { target: null })).toBeNull();
    expect(ratio(step(21, 0.5, 1), { status: 'RUNNING' })?.message).toMatch(
      /The run has not reached the target 100 yet\.$/,
    );
  });

  test('is reported for permutations with a mean position entropy of 5 % of log2 n', () => {
    const entropy = (value: number, size: number | null = 16) => {
      const series = {
        perm_position_entropy_mean: step(21, 3, value),
        perm_size: repeat(50, size),
      };
      return findDiagnosis(makeStoppingRun('permutation', series), code);
    };
    expect(entropy(0.2)).toMatchObject({ evidence: { threshold: 0.2 } });
    expect(entropy(0.2001)).toBeNull();
    expect(entropy(0, null)).toBeNull();
    expect(
      findDiagnosis(makeStoppingRun('real', { binary_fixation_ratio: step(21, 0, 1) }), code),
    ).toBeNull();
  });
});

describe('DIVERSITY_LOST', () => {
  const code = 'DIVERSITY_LOST';

  test.each([
    ['binary', 'diversity_hamming_population'],
    ['permutation', 'diversity_kendall_population'],
    ['real', 'diversity_euclidean_population'],
    ['unknown', 'diversity'],
  ] as const)('of a %s run is below 5 %% of the first value', (family, key) => {
    const values = [null, ...step(20, 2, 0.0999).slice(1)];
    expect(findDiagnosis(makeStoppingRun(family, { [key]: values }), code)).toMatchObject({
      fromIteration: 20,
      toIteration: 49,
      message: expect.stringMatching(
        /^The diversity of the population fell below 5\u2009% of its first value \(0\.1\) in iteration 20, and improvement stopped/,
      ) as string,
      evidence: { tab: 'diversity', series: [key], value: 0.0999, threshold: 0.1 },
    });
    expect(findDiagnosis(makeStoppingRun(family, { [key]: step(20, 2, 0.1) }), code)).toBeNull();
  });

  test('requires 90 % of the values to the end', () => {
    const key = 'diversity_hamming_population';
    const makeRecovery = (count: number) =>
      [...step(20, 2, 0).slice(0, 50 - count), ...repeat(count, 1), 0].slice(1);
    expect(
      findDiagnosis(makeStoppingRun('binary', { [key]: [2, ...makeRecovery(2).slice(1)] }), code),
    ).not.toBeNull();
    expect(
      findDiagnosis(makeStoppingRun('binary', { [key]: [2, ...makeRecovery(5).slice(1)] }), code),
    ).toBeNull();
  });

  test('is not reported if the target is reached, or if the population has no diversity', () => {
    const key = 'diversity_hamming_population';
    expect(
      findDiagnosis(makeStoppingRun('binary', { [key]: step(21, 1, 0) }, { target: 20 }), code),
    ).toBeNull();
    expect(findDiagnosis(makeStoppingRun('binary', { [key]: repeat(50, 0) }), code)).toBeNull();
  });
});

describe('diagnose, for the step sizes of real vectors,', () => {
  test('reports SIGMA_COLLAPSED if half of the dimensions collapse when improvement stops', () => {
    const ratio = (value: number, run = {}) =>
      findDiagnosis(
        makeStoppingRun('real', { real_collapsed_dim_ratio: step(21, 0, value) }, run),
        'SIGMA_COLLAPSED',
      );
    expect(ratio(0.5)).toMatchObject({
      fromIteration: 21,
      severity: 'warning',
      message: expect.stringMatching(
        /^At least 50\u2009% of the dimensions have collapsed from iteration 21 on, and improvement stopped/,
      ) as string,
    });
    expect(ratio(0.499)).toBeNull();
    expect(ratio(1, { target: 20 })).toBeNull();
    expect(ratio(1, { stop: 49 })).toBeNull();
  });

  test('reports SIGMA_EXPLODED above 1,000 times the first value', () => {
    const sigma = (value: number) =>
      findDiagnosis(makeTelemetryRun('real', { real_sigma_max: [0, 2, value] }), 'SIGMA_EXPLODED');
    expect(sigma(2000.1)).toMatchObject({
      severity: 'error',
      message: 'The largest standard deviation grew beyond 1\u2009000 times its first value (2).',
    });
    expect(sigma(2000)).toBeNull();
  });

  test('reports ILL_CONDITIONED for a condition number above 1e14', () => {
    const condition = (value: number) =>
      findDiagnosis(
        makeTelemetryRun('real', {}, { cov_condition_number: [1, value] }),
        'ILL_CONDITIONED',
      );
    expect(condition(1.1e14)).toMatchObject({ fromIteration: 1 });
    expect(condition(1e14)).toBeNull();
  });
});

describe('ADAPTIVE_STORM', () => {
  test('is reported for actions in more than half of the iterations', () => {
    const counts = (...values: (number | null)[]) =>
      findDiagnosis(makeTelemetryRun('binary', { adaptive_event_count: values }), 'ADAPTIVE_STORM');
    expect(counts(0, 1, 2)).toMatchObject({
      fromIteration: 1,
      toIteration: 2,
      evidence: { tab: 'events', threshold: 0.5 },
    });
    expect(counts(0, 1, 2, null)).toBeNull();
  });
});

test('diagnose returns several findings, and none for a run of one iteration or of none', () => {
  const run = makeStoppingRun('binary', { binary_fixation_ratio: step(21, 0, 1) });
  expect(getCodes(run)).toEqual(['STAGNATION', 'PREMATURE_FIXATION']);
  expect(diagnose(usualRun)).toEqual([]);
  expect(diagnose({ ...usualRun, points: getPoints([3]) })).toEqual([]);
});
