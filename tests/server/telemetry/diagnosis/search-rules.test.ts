import { describe, expect, test } from 'vitest';
import type { DiagnosedRun } from '#server/telemetry/diagnosis/diagnosed-run.ts';
import { getCodes, findDiagnosis, getPoints, repeat, makeRisingValues, usualRun } from './runs.ts';

describe('TARGET_REACHED', () => {
  test('reports the first iteration whose best so far reaches the target, in both directions', () => {
    const run = { ...usualRun, points: getPoints([1, 4, 3, 5]), target: 4 };
    expect(findDiagnosis(run, 'TARGET_REACHED')).toMatchObject({
      severity: 'good',
      fromIteration: 1,
      message: 'The run reached the target 4 in iteration 1.',
      evidence: { tab: 'fitness', series: ['best'], value: 4, threshold: 4 },
    });
    expect(findDiagnosis({ ...run, target: 5.000001 }, 'TARGET_REACHED')).toBeNull();
    expect(findDiagnosis({ ...run, direction: 'min', target: 1 }, 'TARGET_REACHED')).not.toBeNull();
    expect(findDiagnosis({ ...run, direction: 'min', target: 0.999 }, 'TARGET_REACHED')).toBeNull();
    expect(findDiagnosis({ ...run, target: null }, 'TARGET_REACHED')).toBeNull();
  });

  test('is reported for the result of the run if no iteration reaches the target', () => {
    const run = { ...usualRun, points: getPoints([1, null]), target: 4, bestFitness: 4 };
    expect(findDiagnosis(run, 'TARGET_REACHED')).toMatchObject({
      fromIteration: null,
      toIteration: 1,
      message: 'The run reached the target 4 with the final result.',
    });
  });

  test('recommends to check a target that the first of several iterations reaches', () => {
    const run = { ...usualRun, points: getPoints([4, 5]), target: 4 };
    const advice = 'This is the first iteration: check target and direction.';
    expect(findDiagnosis(run, 'TARGET_REACHED')?.message).toContain(advice);
    expect(findDiagnosis({ ...run, target: 5 }, 'TARGET_REACHED')?.message).not.toContain(advice);
    expect(
      findDiagnosis({ ...run, points: getPoints([4]) }, 'TARGET_REACHED')?.message,
    ).not.toContain(advice);
  });

  test('is reported at the known optimum if there is no target', () => {
    const run = { ...usualRun, points: getPoints([1, 4, ...repeat(30, 4)]), optimum: 4 };
    expect(findDiagnosis(run, 'TARGET_REACHED')).toMatchObject({
      fromIteration: 1,
      message: 'The run reached the known optimum 4 in iteration 1. It has no target.',
    });
    expect(getCodes(run)).toEqual(['TARGET_REACHED']);
    expect(getCodes({ ...run, optimum: 5 })).toEqual(['STAGNATION']);
    // A better value shows that this is not the optimum of the problem.
    expect(getCodes({ ...run, optimum: 3 })).toEqual(['STAGNATION']);
  });
});

describe('TARGET_UNREACHABLE', () => {
  const run = { ...usualRun, points: getPoints([1, 4, ...repeat(30, 4)]), optimum: 4 };

  test('is reported for a target beyond the known optimum, also if the run reached the optimum', () => {
    expect(findDiagnosis({ ...run, target: 5 }, 'TARGET_UNREACHABLE')?.message).toBe(
      'No run can reach the target 5: the known optimum of the problem is 4. The run reached the optimum in iteration 1.',
    );
    expect(getCodes({ ...run, target: 5 })).toEqual(['TARGET_UNREACHABLE']);
    const runBelow = { ...run, target: 5, points: getPoints([1, 3, ...repeat(30, 3)]) };
    expect(findDiagnosis(runBelow, 'TARGET_UNREACHABLE')?.message).toBe(
      'No run can reach the target 5: the known optimum of the problem is 4.',
    );
    expect(getCodes(runBelow)).toEqual(['TARGET_UNREACHABLE', 'STAGNATION']);
  });

  test('is not reported for a target at the optimum', () => {
    expect(getCodes({ ...run, target: 4 })).toEqual(['TARGET_REACHED']);
  });
});

describe('STAGNATION', () => {
  const run = (improving: number, silentIterations: number, target: number | null = null) => ({
    ...usualRun,
    points: getPoints([...makeRisingValues(improving), ...repeat(silentIterations, 0)]),
    target,
  });

  test('requires 10 generations without improvement at the end', () => {
    expect(findDiagnosis(run(10, 10), 'STAGNATION')).toMatchObject({
      fromIteration: 9,
      toIteration: 19,
      message:
        'No improvement came in the last 100 of 200 evaluations (50.0\u2009%, reported from 25\u2009% on). The run has no target.',
    });
    expect(findDiagnosis(run(10, 9), 'STAGNATION')).toBeNull();
    expect(findDiagnosis(run(10, 10, 11), 'STAGNATION')?.message).toMatch(
      /The run did not reach the target 11\.$/,
    );
  });

  test('requires 25 % of the evaluations', () => {
    expect(findDiagnosis(run(75, 25), 'STAGNATION')).not.toBeNull();
    expect(findDiagnosis(run(76, 25), 'STAGNATION')).toBeNull();
  });

  test('adds the evaluations of a resumed run before its count restarted', () => {
    const points = run(10, 10).points.map((point, index) => ({
      ...point,
      evaluations: 10 * ((index % 10) + 1),
    }));
    const resumedRun = { ...usualRun, isResumed: true, points };
    expect(findDiagnosis(resumedRun, 'STAGNATION')?.message).toContain('100 of 200 evaluations');
  });

  test('allows less than 1 % of the improvement, and states it', () => {
    const makeCreepingRun = (lateIterations: number) => ({
      ...usualRun,
      points: getPoints([...makeRisingValues(61), ...repeat(38, 60), 60 + lateIterations]),
    });
    expect(findDiagnosis(makeCreepingRun(0.5), 'STAGNATION')?.message).toContain(
      'Less than 1\u2009% of the improvement came in the last 390 of 1\u2009000 evaluations',
    );
    expect(findDiagnosis(makeCreepingRun(0.7), 'STAGNATION')).toBeNull();
  });

  test('counts the evaluations of the run after the last row, as in imported improvements', () => {
    const points = [1, 2, 5, 40].map((evaluations, iteration) => ({
      iteration,
      evaluations,
      best: iteration,
      mean: iteration,
    }));
    const importedRun = { ...usualRun, isImported: true, points };
    expect(getCodes({ ...importedRun, evaluations: 54 })).toEqual(['STAGNATION']);
    expect(getCodes({ ...importedRun, evaluations: 53 })).toEqual([]);
    const closedPoints = [...points, { iteration: 4, evaluations: 54, best: 3, mean: 3 }];
    expect(getCodes({ ...importedRun, points: closedPoints })).toEqual(['STAGNATION']);
  });

  test('counts iterations if the evaluations do not increase', () => {
    const points = getPoints([...makeRisingValues(10), ...repeat(10, 0)]);
    for (const evaluations of [0, 7, null]) {
      const uncountedRun = {
        ...usualRun,
        points: points.map((point) => ({ ...point, evaluations })),
      };
      expect(findDiagnosis(uncountedRun, 'STAGNATION')?.message).toContain(
        'the last 10 of 20 iterations',
      );
    }
  });

  test('is not reported if the target was reached, no value is finite, or the time of the result is unknown', () => {
    expect(findDiagnosis(run(10, 10, 9), 'STAGNATION')).toBeNull();
    expect(
      findDiagnosis({ ...usualRun, points: getPoints(repeat(30, null)) }, 'STAGNATION'),
    ).toBeNull();
    expect(findDiagnosis({ ...run(10, 10), bestFitness: 9 }, 'STAGNATION')).not.toBeNull();
    expect(findDiagnosis({ ...run(10, 10), bestFitness: 12 }, 'STAGNATION')).toBeNull();
  });
});

describe('STILL_IMPROVING', () => {
  const run = (improving: number, quiet: number) => ({
    ...usualRun,
    budget: { evaluations: 10 * (improving + quiet), iterations: null },
    points: getPoints([...makeRisingValues(improving), ...repeat(quiet, 0)]),
  });

  test('is reported for an improvement within the last 10 % of the evaluations', () => {
    expect(findDiagnosis(run(91, 9), 'STILL_IMPROVING')).toMatchObject({
      severity: 'info',
      fromIteration: 89,
      message:
        'The budget ended the run while it was improving: 1.1\u2009% of its improvement came in the last 10\u2009% of 1\u2009000 evaluations (reported from 1\u2009% on). The run has no target.',
    });
    expect(findDiagnosis(run(90, 10), 'STILL_IMPROVING')).toBeNull();
  });

  test('requires at least 1 % of the total improvement, on a log scale for values that go to 0', () => {
    const makeEndingRun = (values: number[], more: Partial<DiagnosedRun> = {}) => ({
      ...run(0, 100),
      direction: 'min' as const,
      points: getPoints(values),
      ...more,
    });
    const makeLateValues = (before: number, after: number) => [
      ...Array.from({ length: 95 }, (_, index) => 1_000 - ((1_000 - before) * index) / 94),
      ...repeat(5, after),
    ];
    expect(
      findDiagnosis(makeEndingRun(makeLateValues(500, 494)), 'STILL_IMPROVING'),
    ).not.toBeNull();
    expect(
      findDiagnosis(
        makeEndingRun(repeat(1, 1_000).concat(repeat(93, 500), repeat(6, 496))),
        'STILL_IMPROVING',
      ),
    ).toBeNull();
    const valuesToZero = repeat(1, 1_000).concat(repeat(93, 2), repeat(6, 1.8));
    expect(findDiagnosis(makeEndingRun(valuesToZero), 'STILL_IMPROVING')).toBeNull();
    const diagnosis = findDiagnosis(
      makeEndingRun(valuesToZero, { target: 0.001 }),
      'STILL_IMPROVING',
    );
    expect(diagnosis?.message).toContain('of its improvement on a log scale came');
    const threeDecades = repeat(1, 1_000).concat(repeat(93, 1), repeat(6, 0.9));
    expect(findDiagnosis(makeEndingRun(threeDecades), 'STILL_IMPROVING')).not.toBeNull();
  });

  test('requires a budget that ended the run, and mentions a configuration that states none', () => {
    const makeSpentRun = (evaluations: number | null, iterations: number | null, more = {}) =>
      findDiagnosis(
        { ...run(91, 9), budget: { evaluations, iterations }, ...more },
        'STILL_IMPROVING',
      );
    expect(makeSpentRun(1_050, null)?.message).toMatch(/^The budget ended the run while/);
    expect(makeSpentRun(1_060, null)).toBeNull();
    expect(makeSpentRun(5_000, 100)).not.toBeNull();
    expect(makeSpentRun(5_000, 110)).toBeNull();
    expect(makeSpentRun(5_000, 110, { iterations: 110 })).not.toBeNull();
    expect(makeSpentRun(null, null)?.message).toMatch(
      /^The run ended, at a budget that its configuration does not state, while/,
    );
    expect(makeSpentRun(null, null, { isImported: true })).toBeNull();
    expect(makeSpentRun(1_000, null, { isImported: true })).not.toBeNull();
  });

  test('is not reported for a run that was stopped, solved, or never better than its first iteration', () => {
    for (const status of ['STOPPED', 'FAILED', 'RUNNING']) {
      expect(findDiagnosis({ ...run(20, 0), status }, 'STILL_IMPROVING')).toBeNull();
    }
    expect(findDiagnosis({ ...run(20, 0), target: 19 }, 'STILL_IMPROVING')).toBeNull();
    expect(findDiagnosis(run(1, 0), 'STILL_IMPROVING')).toBeNull();
  });
});

describe('diagnose, for the end of a run,', () => {
  const points = getPoints([1, 2, 3]);

  test('reports CRASHED if the run is FAILED', () => {
    expect(findDiagnosis({ ...usualRun, points, status: 'FAILED' }, 'CRASHED')).toMatchObject({
      severity: 'error',
      message: 'The run failed after 30 evaluations.',
    });
    expect(findDiagnosis({ ...usualRun, status: 'FAILED' }, 'CRASHED')?.message).toBe(
      'The run failed before its first iteration.',
    );
    expect(findDiagnosis({ ...usualRun, points, status: 'STOPPED' }, 'CRASHED')).toBeNull();
  });

  test('reports STOPPED_BY_USER if the run is STOPPED and not imported', () => {
    expect(
      findDiagnosis({ ...usualRun, points, status: 'STOPPED' }, 'STOPPED_BY_USER'),
    ).toMatchObject({
      severity: 'warning',
      message: 'A user stopped the run after 30 evaluations, before it ended by its own rules.',
    });
    expect(
      findDiagnosis(
        { ...usualRun, points, status: 'STOPPED', isImported: true },
        'STOPPED_BY_USER',
      ),
    ).toBeNull();
    expect(findDiagnosis({ ...usualRun, points }, 'STOPPED_BY_USER')).toBeNull();
  });
});

describe('WRONG_DIRECTION', () => {
  test('is reported for a best that only gets worse from the first iteration on', () => {
    const fallingPoints = getPoints(makeRisingValues(40).toReversed());
    expect(
      findDiagnosis({ ...usualRun, points: fallingPoints }, 'WRONG_DIRECTION')?.message,
    ).toMatch(/^The fitness falls from the first iteration on, although it is maximised\./);
    expect(getCodes({ ...usualRun, points: fallingPoints })).toEqual(['WRONG_DIRECTION']);
    const risingRun = {
      ...usualRun,
      direction: 'min' as const,
      points: getPoints(makeRisingValues(40)),
    };
    expect(findDiagnosis(risingRun, 'WRONG_DIRECTION')?.message).toMatch(
      /^The fitness rises .* it is minimised\./,
    );
    expect(
      findDiagnosis({ ...usualRun, points: getPoints(makeRisingValues(40)) }, 'WRONG_DIRECTION'),
    ).toBeNull();
    const lossPoints = getPoints([...makeRisingValues(20), ...makeRisingValues(20).toReversed()]);
    expect(findDiagnosis({ ...usualRun, points: lossPoints }, 'WRONG_DIRECTION')).toBeNull();
    expect(
      findDiagnosis({ ...usualRun, points: fallingPoints.slice(0, 19) }, 'WRONG_DIRECTION'),
    ).toBeNull();
  });
});

describe('RESTARTS', () => {
  const cycle = (height: number) => makeRisingValues(20).map((step) => (step * height) / 19);

  test('is reported instead of BEST_LOST for a best that falls back twice by half of the range', () => {
    const run = { ...usualRun, points: getPoints([...cycle(10), ...cycle(8), ...cycle(6)]) };
    expect(findDiagnosis(run, 'RESTARTS')).toMatchObject({
      fromIteration: 20,
      toIteration: 40,
      message:
        'The search restarted 2 times: the best of the population fell back by at least half of the range seen. The last 2 restarts did not improve the best so far.',
    });
    expect(getCodes(run)).not.toContain('BEST_LOST');
    const improvingRun = {
      ...usualRun,
      points: getPoints([...cycle(6), ...cycle(8), ...cycle(10)]),
    };
    expect(findDiagnosis(improvingRun, 'RESTARTS')?.message).toMatch(
      /The last restart improved the best so far\.$/,
    );
    const singleRestart = { ...usualRun, points: getPoints([...cycle(10), ...cycle(8)]) };
    expect(findDiagnosis(singleRestart, 'RESTARTS')).toBeNull();
    expect(findDiagnosis({ ...run, target: 10 }, 'RESTARTS')).toBeNull();
  });

  test.each([
    ['one of two', [6, 10, 8], {}, 'The last restart did not improve the best so far.'],
    [
      'too little',
      [10, 8, 10.05],
      {},
      'The last 2 restarts brought less than 1\u2009% of the improvement.',
    ],
    ['at an unknown time', [10, 8, 6], { bestFitness: 20 }, 'half of the range seen.'],
  ])('states what the last restarts improved: %s', (_case, heights, result, sentence) => {
    const run = { ...usualRun, ...result, points: getPoints(heights.flatMap(cycle)) };
    expect(findDiagnosis(run, 'RESTARTS')?.message).toMatch(new RegExp(`${sentence}$`));
  });

  test('is not reported for noise', () => {
    const noise = getPoints(Array.from({ length: 100 }, (_, index) => (index % 4 < 2 ? 0 : 10)));
    expect(findDiagnosis({ ...usualRun, points: noise }, 'RESTARTS')).toBeNull();
  });
});

describe('BEST_LOST', () => {
  const run = (loss: number, length: number, range = 100) => ({
    ...usualRun,
    points: getPoints([0, range, ...repeat(length, range - loss), range]),
  });

  test('is reported above 10 % of the observed range for 10 iterations', () => {
    const diagnosis = findDiagnosis(run(10.01, 10), 'BEST_LOST');
    expect(diagnosis).toMatchObject({ fromIteration: 2, toIteration: 11 });
    expect(diagnosis?.message).toMatch(/\(no elitism\), or the fitness is noisy\.$/);
    expect(diagnosis?.message).toContain(' over 10 iterations (reported above 10\u2009%). ');
    const sparseRun = run(10.01, 10);
    const points = sparseRun.points.map((point, index) => ({ ...point, iteration: 10 * index }));
    expect(findDiagnosis({ ...sparseRun, points }, 'BEST_LOST')?.message).toContain(
      ' over 91 iterations ',
    );
    expect(findDiagnosis(run(10, 10), 'BEST_LOST')).toBeNull();
    expect(findDiagnosis(run(10.01, 9), 'BEST_LOST')).toBeNull();
  });

  test('is not reported after the target', () => {
    expect(findDiagnosis({ ...run(50, 10), target: 100 }, 'BEST_LOST')).toBeNull();
    expect(findDiagnosis({ ...run(50, 10), target: 101 }, 'BEST_LOST')).not.toBeNull();
  });

  test('is reported for minimisation too, and restarts its count at a missing best', () => {
    const lossPoints = getPoints([100, 0, ...repeat(10, 50)]);
    expect(
      findDiagnosis({ ...usualRun, direction: 'min', points: lossPoints }, 'BEST_LOST'),
    ).not.toBeNull();
    const interruptedPoints = getPoints([100, 0, ...repeat(9, 50), null, ...repeat(9, 50)]);
    expect(
      findDiagnosis({ ...usualRun, direction: 'min', points: interruptedPoints }, 'BEST_LOST'),
    ).toBeNull();
  });
});

describe('NOT_FINITE', () => {
  test('counts iterations without a finite best or mean', () => {
    const points = getPoints([1, 2, 3, 4]).map((point) =>
      point.iteration === 2 ? { ...point, mean: null } : point,
    );
    expect(findDiagnosis({ ...usualRun, points }, 'NOT_FINITE')).toMatchObject({
      fromIteration: 2,
      toIteration: 2,
      message: 'The best or mean fitness is not finite in 1 iteration.',
    });
    expect(findDiagnosis({ ...usualRun, points: getPoints([1, 2]) }, 'NOT_FINITE')).toBeNull();
  });
});

describe('SILENT', () => {
  test('is reported only for a silent run', () => {
    const run = { ...usualRun, status: 'RUNNING', points: getPoints([1, 2]) };
    const silentSince = '2026-11-21T10:00:00Z';
    expect(findDiagnosis({ ...run, silentSince: silentSince }, 'SILENT')).toMatchObject({
      severity: 'warning',
      fromIteration: 1,
      message: expect.stringContaining(
        `The run has written nothing since ${silentSince}`,
      ) as string,
    });
    expect(findDiagnosis(run, 'SILENT')).toBeNull();
  });
});
