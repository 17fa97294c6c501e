import { describe, expect, test } from 'vitest';
import { diagnose } from '#server/telemetry/diagnosis/diagnose.ts';
import type { DiagnosedRun, RunPoint } from '#server/telemetry/diagnosis/model.ts';
import type { Diagnosis, TelemetryFamily } from '#shared/schemas/insights.ts';

const pointsOf = (bests: readonly (number | null)[]): RunPoint[] =>
  bests.map((best, iteration) => ({ iteration, best, mean: best }));

const usual: DiagnosedRun = {
  status: 'COMPLETED',
  direction: 'max',
  target: null,
  bestFitness: null,
  silentSince: null,
  points: [],
  telemetry: { family: 'unknown', iterations: [], series: {}, model: {} },
};

/** A run whose best fitness never changes, so that it has stagnated from its beginning. */
function withTelemetry(
  family: TelemetryFamily,
  series: Record<string, (number | null)[]>,
  run: Partial<DiagnosedRun> & { model?: Record<string, (number | null)[]> } = {},
): DiagnosedRun {
  const { model = {}, ...rest } = run;
  const count = Object.values({ ...series, ...model })[0]?.length ?? 0;
  const iterations = Array.from({ length: count }, (_, iteration) => iteration);
  return {
    ...usual,
    points: pointsOf(iterations.map(() => 1)),
    telemetry: { family, iterations, series, model },
    ...rest,
  };
}

const find = (run: DiagnosedRun, code: Diagnosis['code']) =>
  diagnose(run).find((finding) => finding.code === code) ?? null;

const rising = (count: number) => Array.from({ length: count }, (_, index) => index);
const repeat = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

describe('TARGET_REACHED', () => {
  test('is the first iteration whose best so far reaches the target, in either direction', () => {
    const run = { ...usual, points: pointsOf([1, 4, 3, 5]), target: 4 };
    expect(find(run, 'TARGET_REACHED')).toMatchObject({
      severity: 'good',
      fromIteration: 1,
      message: 'The target 4 was reached in iteration 1.',
      evidence: { tab: 'fitness', series: ['best'], value: 4, threshold: 4 },
    });
    expect(find({ ...run, target: 5.000001 }, 'TARGET_REACHED')).toBeNull();
    expect(find({ ...run, direction: 'min', target: 1 }, 'TARGET_REACHED')).not.toBeNull();
    expect(find({ ...run, direction: 'min', target: 0.999 }, 'TARGET_REACHED')).toBeNull();
    expect(find({ ...run, target: null }, 'TARGET_REACHED')).toBeNull();
  });

  test('is said by the result of the run where no iteration shows it', () => {
    const run = { ...usual, points: pointsOf([1, null]), target: 4, bestFitness: 4 };
    expect(find(run, 'TARGET_REACHED')).toMatchObject({ fromIteration: null, toIteration: 1 });
  });
});

describe('STAGNATION', () => {
  const run = (improving: number, quiet: number, target: number | null = null) => ({
    ...usual,
    points: pointsOf([...rising(improving), ...repeat(quiet, 0)]),
    target,
  });

  test('needs 10 iterations without improvement at the end', () => {
    expect(find(run(10, 10), 'STAGNATION')).toMatchObject({
      fromIteration: 9,
      toIteration: 19,
      message:
        'No improvement over the last 10 iterations of 20 (from 10 and 25\u2009% of the run on), no target given.',
    });
    expect(find(run(10, 9), 'STAGNATION')).toBeNull();
    expect(find(run(10, 10, 11), 'STAGNATION')?.message).toMatch(/, the target not reached\.$/);
  });

  test('needs 25 % of the run', () => {
    expect(find(run(75, 25), 'STAGNATION')).not.toBeNull();
    expect(find(run(76, 25), 'STAGNATION')).toBeNull();
  });

  test('is none where the target was reached, and none without a finite best', () => {
    expect(find(run(10, 10, 9), 'STAGNATION')).toBeNull();
    expect(find({ ...usual, points: pointsOf(repeat(30, null)) }, 'STAGNATION')).toBeNull();
  });
});

describe('STILL_IMPROVING', () => {
  const run = (improving: number, quiet: number) => ({
    ...usual,
    points: pointsOf([...rising(improving), ...repeat(quiet, 0)]),
  });

  test('is an improvement within the last 10 % of the iterations', () => {
    expect(find(run(91, 9), 'STILL_IMPROVING')).toMatchObject({
      severity: 'info',
      fromIteration: 90,
      message:
        'Still improving 9 iterations before the end (within the last 10\u2009% of 100): the budget ended the run, no target given.',
    });
    expect(find(run(90, 10), 'STILL_IMPROVING')).toBeNull();
  });

  test('is none of a run that was stopped, solved, or never better than its first iteration', () => {
    for (const status of ['STOPPED', 'FAILED', 'RUNNING']) {
      expect(find({ ...run(20, 0), status }, 'STILL_IMPROVING')).toBeNull();
    }
    expect(find({ ...run(20, 0), target: 19 }, 'STILL_IMPROVING')).toBeNull();
    expect(find(run(1, 0), 'STILL_IMPROVING')).toBeNull();
  });
});

describe('BEST_LOST', () => {
  const run = (loss: number, length: number, range = 100) => ({
    ...usual,
    points: pointsOf([0, range, ...repeat(length, range - loss), range]),
  });

  test('is more than 10 % of the range seen, for 10 iterations', () => {
    expect(find(run(10.01, 10), 'BEST_LOST')).toMatchObject({ fromIteration: 2, toIteration: 11 });
    expect(find(run(10, 10), 'BEST_LOST')).toBeNull();
    expect(find(run(10.01, 9), 'BEST_LOST')).toBeNull();
  });

  test('works downwards, and a missing best breaks the streak', () => {
    const down = pointsOf([100, 0, ...repeat(10, 50)]);
    expect(find({ ...usual, direction: 'min', points: down }, 'BEST_LOST')).not.toBeNull();
    const broken = pointsOf([100, 0, ...repeat(9, 50), null, ...repeat(9, 50)]);
    expect(find({ ...usual, direction: 'min', points: broken }, 'BEST_LOST')).toBeNull();
  });
});

describe('NOT_FINITE', () => {
  test('counts iterations without a finite best or mean', () => {
    const points = pointsOf([1, 2, 3, 4]).map((point) =>
      point.iteration === 2 ? { ...point, mean: null } : point,
    );
    expect(find({ ...usual, points }, 'NOT_FINITE')).toMatchObject({
      fromIteration: 2,
      toIteration: 2,
      message: '1 iteration without a finite best or mean fitness: every one should have both.',
    });
    expect(find({ ...usual, points: pointsOf([1, 2]) }, 'NOT_FINITE')).toBeNull();
  });
});

describe('SILENT', () => {
  test('is said of a run that is, and of no other', () => {
    const run = { ...usual, status: 'RUNNING', points: pointsOf([1, 2]) };
    const since = '2026-11-21T10:00:00Z';
    expect(find({ ...run, silentSince: since }, 'SILENT')).toMatchObject({
      fromIteration: 1,
      message: expect.stringContaining(`Nothing was written since ${since}`) as string,
    });
    expect(find(run, 'SILENT')).toBeNull();
  });
});

describe('PREMATURE_FIXATION', () => {
  const code = 'PREMATURE_FIXATION';

  test('of bits is a fixation ratio of 0.9, or a mean entropy of 0.05 bit, to the end', () => {
    const ratio = (...values: number[]) =>
      find(withTelemetry('binary', { binary_fixation_ratio: values }), code);
    expect(ratio(0, 0.95, 0.5, 0.9, 1)).toMatchObject({
      fromIteration: 3,
      toIteration: 4,
      evidence: { series: ['binary_fixation_ratio'], value: 0.9, threshold: 0.9 },
    });
    expect(ratio(0, 0.5, 0.899)).toBeNull();
    expect(ratio(0, 0.95, 0.5)).toBeNull();
    const entropy = (value: number) =>
      find(withTelemetry('binary', { binary_mean_entropy: [1, value] }), code);
    expect(entropy(0.05)).not.toBeNull();
    expect(entropy(0.0501)).toBeNull();
  });

  test('of permutations is a mean position entropy of 5 % of log2 n', () => {
    const entropy = (value: number, size: number | null = 16) =>
      find(
        withTelemetry('permutation', {
          perm_position_entropy_mean: [3, value],
          perm_size: [size, size],
        }),
        code,
      );
    expect(entropy(0.2)).toMatchObject({ evidence: { threshold: 0.2 } });
    expect(entropy(0.2001)).toBeNull();
    expect(entropy(0, null)).toBeNull();
  });

  test('is none at or after the target, and none in another family', () => {
    const series = { binary_fixation_ratio: [0, 0, 1, 1] };
    const at = (best: number[]) =>
      find(withTelemetry('binary', series, { points: pointsOf(best), target: 5 }), code);
    expect(at([0, 1, 2, 5])?.message).toBe(
      'The model is fixed from here to the end (share of fixed bits at least 90\u2009%), before the target was reached.',
    );
    expect(at([0, 1, 5, 5])).toBeNull();
    expect(find(withTelemetry('real', series), code)).toBeNull();
  });
});

describe('DIVERSITY_LOST', () => {
  const code = 'DIVERSITY_LOST';

  test.each([
    ['binary', 'diversity_hamming_population'],
    ['permutation', 'diversity_kendall_population'],
    ['real', 'diversity_euclidean_population'],
    ['unknown', 'diversity'],
  ] as const)('of a %s run is below 5 % of the first value', (family, key) => {
    const found = find(withTelemetry(family, { [key]: [null, 2, 0.0999, 0.05, 1, 0.01] }), code);
    expect(found).toMatchObject({
      fromIteration: 2,
      toIteration: 3,
      evidence: { tab: 'diversity', series: [key], value: 0.0999, threshold: 0.1 },
    });
    expect(find(withTelemetry(family, { [key]: [2, 0.1] }), code)).toBeNull();
  });

  test('is none after the target, and none of a population that never had any', () => {
    const key = 'diversity_hamming_population';
    const run = withTelemetry(
      'binary',
      { [key]: [1, 1, 0] },
      { points: pointsOf([1, 1, 5]), target: 5 },
    );
    expect(find(run, code)).toBeNull();
    expect(find(withTelemetry('binary', { [key]: [0, 0] }), code)).toBeNull();
  });
});

describe('The step sizes of real vectors', () => {
  test('SIGMA_COLLAPSED: half of the dimensions, before the target', () => {
    const ratio = (value: number) =>
      find(withTelemetry('real', { real_collapsed_dim_ratio: [0, value] }), 'SIGMA_COLLAPSED');
    expect(ratio(0.5)).toMatchObject({ fromIteration: 1, severity: 'warning' });
    expect(ratio(0.499)).toBeNull();
    const solved = withTelemetry(
      'real',
      { real_collapsed_dim_ratio: [0, 1] },
      { points: pointsOf([0, 5]), target: 5 },
    );
    expect(find(solved, 'SIGMA_COLLAPSED')).toBeNull();
  });

  test('SIGMA_EXPLODED: above 1,000 times the first value', () => {
    const sigma = (value: number) =>
      find(withTelemetry('real', { real_sigma_max: [0, 2, value] }), 'SIGMA_EXPLODED');
    expect(sigma(2000.1)).toMatchObject({
      severity: 'error',
      message: 'The largest standard deviation grew beyond 1,000 times its first value (2).',
    });
    expect(sigma(2000)).toBeNull();
  });

  test('ILL_CONDITIONED: a condition number above 1e14', () => {
    const condition = (value: number) =>
      find(
        withTelemetry('real', {}, { model: { cov_condition_number: [1, value] } }),
        'ILL_CONDITIONED',
      );
    expect(condition(1.1e14)).toMatchObject({ fromIteration: 1 });
    expect(condition(1e14)).toBeNull();
  });
});

describe('ADAPTIVE_STORM', () => {
  test('is actions in more than half of the iterations', () => {
    const counts = (...values: (number | null)[]) =>
      find(withTelemetry('binary', { adaptive_event_count: values }), 'ADAPTIVE_STORM');
    expect(counts(0, 1, 2)).toMatchObject({
      fromIteration: 1,
      toIteration: 2,
      evidence: { tab: 'events', threshold: 0.5 },
    });
    expect(counts(0, 1, 2, null)).toBeNull();
  });
});

test('A run can have several diagnoses, one of a single iteration or of none has none', () => {
  const both = withTelemetry('binary', { binary_fixation_ratio: repeat(20, 1) });
  expect(diagnose(both).map(({ code }) => code)).toEqual(['STAGNATION', 'PREMATURE_FIXATION']);
  expect(diagnose(usual)).toEqual([]);
  expect(diagnose({ ...usual, points: pointsOf([3]) })).toEqual([]);
});
