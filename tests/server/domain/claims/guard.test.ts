import { type BudgetedRun, getBudgetLimits } from '#server/domain/claims/budget-limits.ts';
import { describe, expect, it } from 'vitest';
import {
  getBudgetOfSamples,
  type GuardedPair,
  getLevelsWithin,
  getValuesWithin,
  guardPair,
  type GuardTerms,
  sampleGroup,
  type StartedGroup,
  type StartedRun,
} from '#server/domain/claims/guard.ts';
import { getConvergenceLevels } from '#server/domain/outcome.ts';
import { computeAnytimePerformance } from '#server/stats/ecdf.ts';
import { getGroup, makeReachingRun, makeStartedRun, terms } from './started-runs.ts';

const guard = (a: StartedGroup, b: StartedGroup, choice: Partial<GuardTerms> = {}): GuardedPair => {
  const chosenTerms = { ...terms, ...choice };
  return guardPair(sampleGroup(a, chosenTerms), sampleGroup(b, chosenTerms), chosenTerms);
};

const slowGroup = getGroup('b', [400, 500, null]);

describe('the sample of a group', () => {
  const runningFields = { status: 'RUNNING', bestFitness: null } as const;

  it('includes every started run, except RUNNING runs after the last ended run', () => {
    const group = {
      name: 'a',
      runs: [
        makeReachingRun('a4', null, runningFields),
        makeReachingRun('a3', null, runningFields),
        makeReachingRun('a2', 300),
        makeReachingRun('a1', null, runningFields),
      ],
    };
    const sample = sampleGroup(group, terms);
    expect(sample.runs.map(({ runId }) => runId)).toEqual(['a1', 'a2']);
    expect(sample.omissions).toEqual([{ group: 'a', code: 'RUNNING_AFTER_LAST_ENDED', runs: 2 }]);
    expect(sample.runningRuns).toBe(3);
  });

  it('has runs without a start time first, and runs of equal start time in order of their ids', () => {
    const sameStart = { startTime: '2026-01-01' };
    const runs = [
      makeReachingRun('b', 1, sameStart),
      makeReachingRun('d', 1, sameStart),
      makeReachingRun('a', 1, sameStart),
      makeReachingRun('c', 1, { startTime: null }),
    ];
    const sample = sampleGroup({ name: 'a', runs }, terms);
    expect(sample.runs.map(({ runId }) => runId)).toEqual(['c', 'a', 'b', 'd']);
    expect(sample.runsWithoutStartTime).toBe(1);
  });

  it('has a run that started at a whole second before one that started later in that second', () => {
    const runs = [
      makeReachingRun('a', 1, { startTime: '2026-01-01T00:00:16.5Z' }),
      makeReachingRun('b', null, { ...runningFields, startTime: '2026-01-01T00:00:16Z' }),
    ];
    const sample = sampleGroup({ name: 'a', runs }, terms);
    expect(sample.runs.map(({ runId }) => runId)).toEqual(['b', 'a']);
    expect(sample.omissions).toEqual([]);
  });

  it('omits completed runs without any fitness, and includes those that reached the target at an unknown time', () => {
    const runs = [
      makeReachingRun('a1', 200),
      makeStartedRun('a2', [], { usedEvaluations: 0 }),
      makeStartedRun('a3', [], { usedEvaluations: 0, bestFitness: 0 }),
    ];
    const sample = sampleGroup({ name: 'a', runs }, terms);
    expect(sample.runs.map(({ runId }) => runId)).toEqual(['a1', 'a3']);
    expect(sample.omissions.map(({ code }) => code)).toEqual(['WITHOUT_FITNESS']);
    expect(sample).toMatchObject({ runsWithUnknownTime: 1, runsWithoutTrace: 1 });
  });

  it('includes a run with a trace and without a final value, and a RUNNING run without any value', () => {
    const runs = [
      makeStartedRun('a1', [], runningFields),
      makeStartedRun('a2', [[900, 4]], { bestFitness: null }),
    ];
    const sample = sampleGroup({ name: 'a', runs }, terms);
    expect(sample).toMatchObject({ runs: [{ runId: 'a1' }, { runId: 'a2' }], omissions: [] });
  });

  it('counts its runs by their status', () => {
    const statuses = ['COMPLETED', 'RUNNING', 'FAILED', 'STOPPED', 'COMPLETED'];
    const runs = statuses.map((status, index) => makeReachingRun(`a${index}`, 100, { status }));
    const sample = sampleGroup({ name: 'a', runs }, terms);
    expect(sample).toMatchObject({ runningRuns: 1, failedRuns: 1, stoppedRuns: 1 });
  });

  it('counts a silent run as RUNNING until it is settled, or as FAILED if the terms state so', () => {
    const silentRun = makeReachingRun('a1', null, { ...runningFields, isSilent: true });
    const group = { name: 'a', runs: [silentRun, makeReachingRun('a2', 100)] };
    expect(sampleGroup(group, terms)).toMatchObject({ runningRuns: 1, silentRunIds: ['a1'] });
    const settledSample = sampleGroup(group, { ...terms, silent: 'failed' });
    expect(settledSample).toMatchObject({ runningRuns: 0, failedRuns: 1 });
  });
});

describe('the common budget of a pair', () => {
  it('is the smallest granted budget', () => {
    const pair = guard(
      getGroup('a', [100, null]),
      getGroup('b', [900, null], { grantedEvaluations: 250 }),
    );
    expect(pair.budget).toMatchObject({ evaluations: 250, source: 'granted', group: 'b' });
    expect(guard(getGroup('a', [100]), slowGroup).budget?.group).toBeNull();
    expect(pair.runs[1].map(({ time }) => time)).toEqual([Infinity, Infinity]);
    expect(pair.runs[0].map(({ time }) => time)).toEqual([100, Infinity]);
  });

  it('is the end of the shortest run of the pair that missed the target if there are no granted budgets', () => {
    const unknownBudget = { grantedEvaluations: null };
    const a = getGroup('a', [100, 200], unknownBudget);
    const b = {
      name: 'b',
      runs: [
        makeReachingRun('b1', 950, unknownBudget),
        makeStartedRun(
          'b2',
          [
            [10, 9],
            [700, 4],
          ],
          unknownBudget,
        ),
      ],
    };
    expect(guard(a, b).budget).toMatchObject({ evaluations: 700, source: 'observed', group: 'b' });
  });

  it('is the largest time to the target if every run reached it', () => {
    const unknownBudget = { grantedEvaluations: null };
    const pair = guard(
      getGroup('a', [100, 200], unknownBudget),
      getGroup('b', [650, 30], {
        ...unknownBudget,
        usedEvaluations: 800,
        hasFinalEvaluations: false,
      }),
    );
    expect(pair.budget).toMatchObject({ evaluations: 650, source: 'target', isAssumed: false });
  });

  it('is not set by a FAILED run', () => {
    const crashedRun = makeReachingRun('a2', 50, {
      status: 'FAILED',
      grantedEvaluations: null,
      hasFinalEvaluations: false,
    });
    const a = {
      name: 'a',
      runs: [makeReachingRun('a1', 300, { grantedEvaluations: null }), crashedRun],
    };
    const pair = guard(a, getGroup('b', [400, 500], { grantedEvaluations: null }));
    expect(pair.budget).toMatchObject({ evaluations: 500, isAssumed: false });
  });

  it('is the largest number of used evaluations if every run failed', () => {
    const failedFields = { status: 'FAILED', grantedEvaluations: null } as const;
    const pair = guard(getGroup('a', [50], failedFields), getGroup('b', [70], failedFields));
    expect(pair.budget?.evaluations).toBe(70);
  });

  it('is at most the evaluations of a RUNNING run', () => {
    const runningRun = makeStartedRun(
      'a1',
      [
        [10, 9],
        [120, 7],
      ],
      { status: 'RUNNING', bestFitness: null },
    );
    const pair = guard({ name: 'a', runs: [runningRun, makeReachingRun('a2', 300)] }, slowGroup);
    expect(pair.budget).toMatchObject({ evaluations: 120, source: 'running', group: 'a' });
  });

  it('is not limited by a silent run that counts as FAILED', () => {
    const silentRun = makeStartedRun('a1', [[120, 7]], { status: 'RUNNING', isSilent: true });
    const group = { name: 'a', runs: [silentRun, makeReachingRun('a2', 300)] };
    expect(guard(group, slowGroup).budget?.evaluations).toBe(120);
    expect(guard(group, slowGroup, { silent: 'failed' }).budget?.evaluations).toBe(1_000);
  });

  it('is assumed only if a run that missed the target states neither its budget nor its evaluations', () => {
    const isAssumed = (fields: Partial<StartedRun>) =>
      guard(getGroup('a', [null], fields), slowGroup).budget?.isAssumed;
    expect(isAssumed({ grantedEvaluations: null, hasFinalEvaluations: false })).toBe(true);
    expect(isAssumed({ grantedEvaluations: null, usedEvaluations: 0 })).toBe(true);
    expect(isAssumed({ grantedEvaluations: null })).toBe(false);
    expect(isAssumed({ hasFinalEvaluations: false })).toBe(false);
  });

  it('is lowered by a STOPPED run that missed the target, and not by a run that reached it', () => {
    const stop = (runId: string, end: [number, number]) =>
      makeStartedRun(runId, [[10, 9], end], { status: 'STOPPED' });
    const solvedPair = guard({ name: 'a', runs: [stop('a1', [200, 0])] }, slowGroup);
    expect(solvedPair.budget?.evaluations).toBe(1_000);
    const missedPair = guard({ name: 'a', runs: [stop('a1', [200, 6])] }, slowGroup);
    expect(missedPair.budget).toMatchObject({
      evaluations: 200,
      source: 'stopped',
      grantedEvaluations: 1_000,
    });
    const pairWithout = guard(
      { name: 'a', runs: [stop('a1', [200, 6]), makeReachingRun('a2', 300)] },
      slowGroup,
      {
        stopped: 'exclude',
      },
    );
    expect(pairWithout.budget?.evaluations).toBe(1_000);
    expect(pairWithout.omissions).toContainEqual({ group: 'a', code: 'STOPPED_EXCLUDED', runs: 1 });
  });

  it('does not depend on the group of a run', () => {
    const runs = [
      makeReachingRun('r1', null, { grantedEvaluations: null }),
      makeStartedRun(
        'r2',
        [
          [20, 9],
          [640, 3],
        ],
        { grantedEvaluations: null },
      ),
      makeStartedRun(
        'r3',
        [
          [10, 9],
          [300, 6],
        ],
        { status: 'STOPPED' },
      ),
      makeReachingRun('r4', 100, { grantedEvaluations: 900 }),
      makeReachingRun('r5', 50, { status: 'FAILED' }),
      makeStartedRun(
        'r6',
        [
          [10, 9],
          [410, 6],
        ],
        { grantedEvaluations: null },
      ),
    ];
    const values = new Set<string>();
    for (let labels = 0; labels < 64; labels += 1) {
      const inA = runs.filter((_, index) => labels & (1 << index));
      const inB = runs.filter((run) => !inA.includes(run));
      if (inA.length === 0 || inB.length === 0) continue;
      const pair = guard({ name: 'a', runs: inA }, { name: 'b', runs: inB });
      const sortedRuns = pair.runs.flat().sort((x, y) => (x.runId < y.runId ? -1 : 1));
      values.add(JSON.stringify([pair.budget?.evaluations, sortedRuns]));
    }
    expect(values.size).toBe(1);
  });

  it('is the last evaluation in the data if they do not state the evaluations of the runs', () => {
    const unstatedFields = { grantedEvaluations: null, hasFinalEvaluations: false };
    const makeEndedRun = (runId: string, evaluations: number) =>
      makeStartedRun(
        runId,
        [
          [1, 9],
          [evaluations, 4],
        ],
        unstatedFields,
      );
    const pair = guard(
      { name: 'a', runs: [makeEndedRun('a1', 70), makeEndedRun('a2', 400)] },
      { name: 'b', runs: [makeEndedRun('b1', 90), makeReachingRun('b2', 60, unstatedFields)] },
    );
    expect(pair.budget).toMatchObject({ evaluations: 400, source: 'assumed', isAssumed: true });
  });

  it('of several samples is the smallest limit of all their runs', () => {
    const samples = [
      getGroup('a', [100]),
      getGroup('b', [100], { grantedEvaluations: 250 }),
      { name: 'c', runs: [] },
    ].map((group) => sampleGroup(group, terms));
    expect(getBudgetOfSamples(samples)).toBe(250);
    expect(getBudgetOfSamples(samples.slice(2))).toBeNull();
  });
});

describe('the values of a pair', () => {
  it('are those within the common budget: best so far, time, and anytime performance', () => {
    const a = {
      name: 'a',
      runs: [
        makeStartedRun('a1', [
          [10, 9],
          [200, 6],
          [600, 0],
        ]),
      ],
    };
    const b = getGroup('b', [900], { grantedEvaluations: 500 });
    const [[value]] = guard(a, b).runs;
    expect(value).toMatchObject({ fitness: 6, time: Infinity });
    expect(guard(a, getGroup('b', [900])).runs[0][0]).toMatchObject({ fitness: 0, time: 600 });
  });

  it('contain no infinite final fitness, which also reaches no target', () => {
    const group = getGroup('a', [null, 500], { bestFitness: -Infinity });
    for (const target of [0, 1, null]) {
      const [values] = guard(group, getGroup('b', [900]), { target }).runs;
      expect(values.map(({ fitness }) => fitness)).toEqual([5, target ?? 0]);
      expect(values.map(({ time }) => time)).toEqual([Infinity, target === null ? Infinity : 500]);
    }
    const untracedRun = makeStartedRun('a3', [], { bestFitness: -Infinity, usedEvaluations: 900 });
    const [[value]] = guard({ name: 'a', runs: [untracedRun] }, getGroup('b', [900])).runs;
    expect(value).toMatchObject({ fitness: Infinity, time: Infinity });
  });

  it('are equal at the target, also for runs that improved beyond it', () => {
    const groupBeyond = {
      name: 'a',
      runs: [
        makeStartedRun('a1', [
          [10, 9],
          [200, 0],
          [600, -8],
        ]),
      ],
    };
    const pair = guard(groupBeyond, getGroup('b', [300]));
    expect(pair.runs.flat().map(({ fitness }) => fitness)).toEqual([0, 0]);
  });

  it('are the final values for runs without a trace, also if the last generation exceeded the granted budget', () => {
    const makeFinalGroup = (name: string, bestFitness: number) => ({
      name,
      runs: [1, 2].map((run) =>
        makeStartedRun(`${name}${run}`, [], {
          usedEvaluations: 1_050,
          grantedEvaluations: 1_000,
          bestFitness,
        }),
      ),
    });
    const pair = guard(makeFinalGroup('a', 3), makeFinalGroup('b', 4), { target: null });
    expect([pair.budget?.evaluations, pair.reason]).toEqual([1_000, null]);
    expect(pair.runs.map((runs) => runs.map(({ fitness }) => fitness))).toEqual([
      [3, 3],
      [4, 4],
    ]);
    const shortGroup = getGroup('c', [null], { grantedEvaluations: 500, configuration: 'other' });
    expect(guard(makeFinalGroup('a', 3), shortGroup, { target: null }).reason?.code).toBe(
      'OBSERVED_TOO_SHORT',
    );
  });

  it('have the target reached by a final value at the granted budget, but at an unknown time', () => {
    const makeFinalRun = (runId: string, bestFitness: number) =>
      makeStartedRun(runId, [], {
        usedEvaluations: 1_050,
        grantedEvaluations: 1_000,
        bestFitness,
      });
    const runs = [makeFinalRun('a1', -1), makeFinalRun('a2', 2), makeStartedRun('a3', [[10, 9]])];
    const pair = guard({ name: 'a', runs }, getGroup('b', [300]));
    expect(pair.budget?.evaluations).toBe(1_000);
    expect(pair.runs[0].map(({ fitness, isSolved, time }) => [fitness, isSolved, time])).toEqual([
      [0, true, null],
      [2, false, Infinity],
      [9, false, Infinity],
    ]);
  });

  it('have no anytime performance without a trace, and a time only if the run ended before its budget', () => {
    const makeFinalRun = (usedEvaluations: number, bestFitness: number, fields = {}) =>
      makeStartedRun(`a${usedEvaluations}`, [], { usedEvaluations, bestFitness, ...fields });
    const unknownBudget = { grantedEvaluations: null };
    const pair = guard(
      {
        name: 'a',
        runs: [
          makeFinalRun(400, 0),
          makeFinalRun(500, 0, unknownBudget),
          makeFinalRun(700, 0, unknownBudget),
          makeFinalRun(600, 2, unknownBudget),
        ],
      },
      getGroup('b', [300]),
    );
    expect(pair.budget?.evaluations).toBe(600);
    // The run of 700 evaluations went beyond the end of one that missed the target, and beyond the common budget.
    expect(pair.runs[0].map(({ fitness, isSolved, time }) => [fitness, isSolved, time])).toEqual([
      [0, true, 400],
      [0, true, 500],
      [2, false, Infinity],
      [null, null, null],
    ]);
    expect(pair.runs[0].map(({ anytime }) => anytime)).toEqual([null, null, null, null]);
    expect(pair.runs[1].map(({ anytime }) => anytime)).not.toContain(null);
  });

  it('are the better one of the last traced value and the final value, which counts only within the budget', () => {
    const getFitness = (points: [number, number][], fields: Partial<StartedRun> = {}) =>
      guard({ name: 'a', runs: [makeStartedRun('a1', points, fields)] }, slowGroup).runs[0][0]
        ?.fitness;
    expect(
      getFitness(
        [
          [10, 9],
          [600, 3],
        ],
        { bestFitness: 5 },
      ),
    ).toBe(3);
    expect(
      getFitness(
        [
          [10, 9],
          [600, 3],
        ],
        { bestFitness: 2 },
      ),
    ).toBe(2);
    expect(
      getFitness([
        [10, 9],
        [1_050, 3],
      ]),
    ).toBe(9);
    const untracedFields = { usedEvaluations: 1_200, bestFitness: 3, grantedEvaluations: null };
    const untracedRun = makeStartedRun('a1', [], { ...untracedFields, configuration: 'one' });
    const [sampledRun] = sampleGroup({ name: 'a', runs: [untracedRun] }, terms).runs;
    expect(sampledRun && getValuesWithin(sampledRun, 1_000, terms).fitness).toBeNull();
    expect(sampledRun && getValuesWithin(sampledRun, 1_200, terms).fitness).toBe(3);
  });

  it('are not limited without a target', () => {
    const group = { name: 'a', runs: [makeStartedRun('a1', [[10, -5]])] };
    expect(guard(group, slowGroup, { target: null }).runs[0][0]?.fitness).toBe(-5);
  });

  it('of a RUNNING run are those of its trace', () => {
    const runningRun = makeStartedRun(
      'a1',
      [
        [10, 9],
        [120, 7],
      ],
      { status: 'RUNNING', bestFitness: 1 },
    );
    const pair = guard({ name: 'a', runs: [runningRun, makeReachingRun('a2', 60)] }, slowGroup);
    expect(pair.runs[0][0]?.fitness).toBe(7);
  });

  it('include a target that is reached at the last evaluation of the budget', () => {
    const pair = guard(getGroup('a', [500]), getGroup('b', [501], { grantedEvaluations: 500 }));
    expect(pair.runs.map(([value]) => value?.time)).toEqual([500, Infinity]);
  });

  it('have the anytime performance of the trace and, for a level that only the final value reaches, of the end', () => {
    const getAnytime = (fields: Partial<StartedRun>) => {
      const run = makeStartedRun(
        'a1',
        [
          [10, 9],
          [100, 3],
        ],
        { usedEvaluations: 500, ...fields },
      );
      const ended = makeReachingRun('a2', null);
      const [sampledRun] = sampleGroup({ name: 'a', runs: [run, ended] }, terms).runs;
      return sampledRun && getValuesWithin(sampledRun, 1_000, terms, [3, 0]).anytime;
    };
    expect(getAnytime({ bestFitness: 0 })).toBe(computeAnytimePerformance([100, 500], 1_000));
    const tracedPerformance = computeAnytimePerformance([100, null], 1_000);
    expect(getAnytime({ bestFitness: 1 })).toBe(tracedPerformance);
    expect(getAnytime({ bestFitness: -Infinity })).toBe(tracedPerformance);
    expect(getAnytime({ bestFitness: null })).toBe(tracedPerformance);
    expect(getAnytime({ bestFitness: 0, status: 'RUNNING' })).toBe(tracedPerformance);
  });

  it('have levels only if a value within the budget is known', () => {
    const { runs } = sampleGroup(getGroup('a', [100, 200]), terms);
    expect(getLevelsWithin(runs, 10, terms)).toEqual(getConvergenceLevels(9, 0, 'min'));
    expect(getLevelsWithin(runs, 9, terms)).toEqual([]);
    expect(getLevelsWithin(runs, 9, { ...terms, target: null })).toEqual([]);
  });

  it('are worse than all others for a FAILED run, also if it reached the target', () => {
    const failedGroup = { name: 'a', runs: [makeReachingRun('a1', 100, { status: 'FAILED' })] };
    const [[value]] = guard(failedGroup, slowGroup).runs;
    expect(value).toMatchObject({ fitness: Infinity, time: Infinity, anytime: 0 });
    const mixedGroup = { name: 'a', runs: [...failedGroup.runs, makeReachingRun('a2', 100)] };
    expect(guard(mixedGroup, slowGroup, { failed: 'exclude' }).runs[0]).toHaveLength(1);
    const maximisedPair = guard(failedGroup, slowGroup, { direction: 'max', target: null });
    expect(maximisedPair.runs[0][0]?.fitness).toBe(-Infinity);
  });

  it('have neither time nor success without a target, and levels from the values within the budget', () => {
    const pair = guard(getGroup('a', [200, 400]), getGroup('b', [null, 300]), { target: null });
    expect(pair.runs.flat().map(({ time }) => time)).toEqual(
      Array.from({ length: 4 }, () => Infinity),
    );
    expect(pair.runs[0][0]?.anytime).toBeGreaterThan(0);
  });
});

describe('guardPair', () => {
  it('returns the reason against a test if no run of a group has ended', () => {
    const runningGroup = getGroup('a', [null], { status: 'RUNNING' });
    expect(guard(runningGroup, slowGroup).reason).toEqual({ code: 'NO_ENDED_RUNS', group: 'a' });
    expect(guard({ name: 'a', runs: [] }, slowGroup).reason).toEqual({
      code: 'NO_RUNS',
      group: 'a',
    });
  });

  it('returns the reason against a test if the common budget is below one generation', () => {
    const largeGroup = {
      name: 'a',
      runs: [
        makeStartedRun(
          'a1',
          [
            [200, 9],
            [900, 3],
          ],
          { configuration: 'large' },
        ),
      ],
    };
    const shortGroup = getGroup('b', [null], { grantedEvaluations: 100 });
    expect(guard(largeGroup, shortGroup).reason).toEqual({
      code: 'OBSERVED_TOO_SHORT',
      group: 'b',
      evaluations: 100,
    });
    expect(guard(largeGroup, shortGroup).runs).toEqual([[], []]);
    expect(guard(largeGroup, getGroup('b', [null], { grantedEvaluations: 200 })).reason).toBeNull();
    const crashedFields = { status: 'FAILED', usedEvaluations: 1_200, configuration: 'crashed' };
    const crashedGroup = { name: 'a', runs: [makeStartedRun('a1', [], crashedFields)] };
    expect(guard(crashedGroup, slowGroup).reason).toBeNull();
  });

  it('compares final values if no ended run states its evaluations', () => {
    const unstatedFields = { grantedEvaluations: null, usedEvaluations: 0 };
    const getRuns = (name: string, fields: Partial<StartedRun>) => ({
      name,
      runs: [
        makeStartedRun(`${name}1`, [], { ...unstatedFields, bestFitness: 3, ...fields }),
        makeStartedRun(`${name}2`, [], { ...unstatedFields, bestFitness: 4 }),
      ],
    });
    const choice = { target: null };
    const failedPair = guard(getRuns('a', {}), getRuns('b', { status: 'FAILED' }), choice);
    expect(failedPair).toMatchObject({ reason: null, budget: { evaluations: 0, isAssumed: true } });
    expect(failedPair.runs.flat().map(({ fitness }) => fitness)).toEqual([3, 4, Infinity, 4]);
    expect(failedPair.runs.flat().map(({ anytime }) => anytime)).toEqual([null, null, null, null]);
    const tooShort = { code: 'OBSERVED_TOO_SHORT', evaluations: 0 };
    const runningPair = guard(getRuns('a', { status: 'RUNNING' }), getRuns('b', {}), choice);
    expect(runningPair.reason).toMatchObject(tooShort);
    const statingFields = { grantedEvaluations: 5, configuration: 'other' };
    const statingGroup = getGroup('b', [null], statingFields);
    const mixedPair = guard(getRuns('a', {}), statingGroup, choice);
    expect(mixedPair.reason).toMatchObject({ ...tooShort, evaluations: 5 });
  });

  it('names the group of which half of the runs needed more than the budget', () => {
    const pair = guard(
      getGroup('a', [600, 700, 100]),
      getGroup('b', [50, 60], { grantedEvaluations: 500 }),
    );
    expect(pair.slowGroups).toEqual(['a']);
    for (const times of [
      [600, 300, 100],
      [600, 500, 100],
      [null, null, 100],
    ]) {
      const otherGroup = getGroup('b', [50], { grantedEvaluations: 500 });
      expect(guard(getGroup('a', times), otherGroup).slowGroups).toEqual([]);
    }
  });
});

describe('the configurations of a pair', () => {
  const makeConfiguredGroup = (name: string, sizes: readonly number[]): StartedGroup => ({
    name,
    runs: sizes.flatMap((size, index) =>
      Array.from({ length: size }, (_, run) =>
        makeReachingRun(`${name}${index}-${run}`, 100 + 10 * index + run, {
          configuration: `${name}${index}`,
        }),
      ),
    ),
  });

  it('are the units of a test, each with as many of its first runs as the smallest configuration has', () => {
    const pair = guard(
      makeConfiguredGroup('a', [6, 5, 6, 6]),
      makeConfiguredGroup('b', [7, 6, 6, 6, 2]),
    );
    expect(pair).toMatchObject({ unit: 'configuration', configurations: [4, 4], reason: null });
    expect(pair.runs.map(({ length }) => length)).toEqual([20, 20]);
    expect(pair.omissions).toEqual([
      { group: 'a', code: 'BEYOND_EQUAL_COUNT', runs: 3 },
      { group: 'b', code: 'SMALL_CONFIGURATION', runs: 2 },
      { group: 'b', code: 'BEYOND_EQUAL_COUNT', runs: 5 },
    ]);
  });

  it('are not tested if a group has fewer than four, nor if only one group has several', () => {
    expect(
      guard(makeConfiguredGroup('a', [5, 5, 5]), makeConfiguredGroup('b', [5, 5, 5, 5])).reason,
    ).toEqual({
      code: 'TOO_FEW_CONFIGURATIONS',
      group: 'a',
      configurations: 3,
    });
    expect(
      guard(makeConfiguredGroup('a', [5]), makeConfiguredGroup('b', [5, 5, 5, 5])).reason,
    ).toEqual({
      code: 'ONE_AGAINST_SEVERAL',
      group: 'a',
      otherGroup: 'b',
      configurations: 4,
    });
    const getReason = (sizesA: readonly number[], sizesB: readonly number[]) =>
      guard(makeConfiguredGroup('a', sizesA), makeConfiguredGroup('b', sizesB)).reason;
    expect(getReason([5, 5, 5, 5], [5])).toMatchObject({ group: 'b', otherGroup: 'a' });
    expect(getReason([5, 5, 5, 5], [5, 5])).toMatchObject({ group: 'b', configurations: 2 });
  });

  it('stay in a test if they have at least half of the median number of runs', () => {
    const pair = guard(
      makeConfiguredGroup('a', [6, 6, 6, 3]),
      makeConfiguredGroup('b', [6, 6, 6, 6]),
    );
    expect(pair).toMatchObject({ configurations: [4, 4], reason: null });
    expect(pair.runs.map(({ length }) => length)).toEqual([12, 12]);
    expect(pair.omissions).toEqual([
      { group: 'a', code: 'BEYOND_EQUAL_COUNT', runs: 9 },
      { group: 'b', code: 'BEYOND_EQUAL_COUNT', runs: 12 },
    ]);
  });

  it('are compared by all of their runs if each group has one left', () => {
    const pair = guard(makeConfiguredGroup('a', [6, 1]), makeConfiguredGroup('b', [5]));
    expect(pair).toMatchObject({ unit: 'run', configurations: [1, 1], reason: null });
    expect(pair.runs.map(({ length }) => length)).toEqual([6, 5]);
    expect(pair.omissions).toEqual([{ group: 'a', code: 'SMALL_CONFIGURATION', runs: 1 }]);
  });

  it('are compared by their runs if each group has one', () => {
    expect(guard(makeConfiguredGroup('a', [5]), makeConfiguredGroup('b', [6]))).toMatchObject({
      unit: 'run',
      reason: null,
    });
  });
});

const run = (fields: Partial<BudgetedRun>): BudgetedRun => ({
  status: 'COMPLETED',
  grantedEvaluations: 1_000,
  usedEvaluations: 1_000,
  hasMissed: true,
  ...fields,
});
const limits = (...runs: BudgetedRun[]) =>
  getBudgetLimits(runs).map(({ evaluations, source }) => [evaluations, source]);

describe('getBudgetLimits', () => {
  it('returns the granted budgets, the smallest first, and not the ends of runs with a larger budget', () => {
    expect(limits(run({}), run({ grantedEvaluations: 500, usedEvaluations: 400 }))).toEqual([
      [500, 'granted'],
      [1_000, 'granted'],
    ]);
  });

  it('returns the ends of runs that missed the target if some run states no granted budget', () => {
    expect(
      limits(
        run({ grantedEvaluations: null, usedEvaluations: 300 }),
        run({ usedEvaluations: 900 }),
      ),
    ).toEqual([
      [300, 'observed'],
      [900, 'observed'],
      [1_000, 'granted'],
    ]);
    expect(
      limits(run({ grantedEvaluations: null, usedEvaluations: 300, hasMissed: false })),
    ).toEqual([]);
  });

  it('returns the ends of runs that were stopped without the target, and the evaluations of RUNNING runs', () => {
    const stoppedFields = { status: 'STOPPED', usedEvaluations: 200 };
    expect(limits(run(stoppedFields))[0]).toEqual([200, 'stopped']);
    expect(limits(run({ ...stoppedFields, hasMissed: false }))[0]).toEqual([1_000, 'granted']);
    expect(limits(run({ status: 'RUNNING', usedEvaluations: 50 }))[0]).toEqual([50, 'running']);
  });

  it('does not return the end of a FAILED run', () => {
    const failedRun = run({ status: 'FAILED', grantedEvaluations: null, usedEvaluations: 10 });
    expect(limits(failedRun)).toEqual([]);
    expect(limits(failedRun, run({ usedEvaluations: 900 }))).toEqual([[1_000, 'granted']]);
  });
});
