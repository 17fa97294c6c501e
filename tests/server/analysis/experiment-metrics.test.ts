import { describe, expect, test } from 'vitest';
import { getConvergence } from '#server/analysis/curves.ts';
import { makeExperimentMetrics } from '#server/analysis/experiment.ts';
import type { Objective } from '#server/analysis/model.ts';
import { getOutcomes } from '#server/domain/outcome.ts';
import { computeErtMoverInterval } from '#server/stats/runtime.ts';
import { experimentAnalysis } from '#shared/schemas/analysis.ts';
import { type AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { expectClose } from '#tests/server/stats/oracle.ts';
import { makeObjective, makeRun, addTraces, type RunWithIterations } from './sample-runs.ts';

const solvedRun = makeRun(
  'r1',
  [
    [20, 30],
    [40, 38],
    [60, 40],
    [100, 39],
  ],
  { bestFitness: 40 },
);
const unsolvedRun = makeRun(
  'r2',
  [
    [20, 28],
    [100, 39],
  ],
  { bestFitness: 39, runtimeMillis: 30 },
);
const failedRun = makeRun(
  'r3',
  [
    [20, 25],
    [40, 26],
  ],
  {
    status: 'FAILED',
    evaluations: null,
    runtimeMillis: null,
  },
);
const solvedRunningRun = makeRun(
  'r4',
  [
    [20, 29],
    [60, 41],
  ],
  {
    status: 'RUNNING',
    evaluations: null,
    runtimeMillis: null,
  },
);
const emptyRun = makeRun('r5', [], { status: 'FAILED', runtimeMillis: null });
const fiveRuns = [solvedRun, unsolvedRun, failedRun, solvedRunningRun, emptyRun];

function analyse(
  runs: readonly RunWithIterations[],
  objective: Objective,
  dimension: number | null = 40,
  evaluations: number | null = null,
) {
  const input = { objective, dimension, runs: addTraces(runs, objective) };
  const metrics = makeExperimentMetrics({
    ...input,
    statedTarget: null,
    budget: { evaluations, iterations: null },
    performanceProfile: [],
  });
  return { ...metrics, convergence95Ci: getConvergence(input.runs) };
}

/** Schema of the metrics and their convergence in the response. */
const metricsSchema = experimentAnalysis.omit({
  experimentId: true,
  problemType: true,
  problemInstance: true,
  sameProblem: true,
  targets: true,
  targetsSource: true,
  ecdfTargets: true,
});

const getCodes = (analysis: { notes: { code: string }[] }) =>
  analysis.notes.map(({ code }) => code);

describe('The metrics of five runs with the target 40, maximised', () => {
  const analysis = analyse(fiveRuns, makeObjective('max', 40));

  test('runs of any status count, and solved runs until their hit', () => {
    expect(analysis).toMatchObject({ totalRuns: 5, completedRuns: 2, successfulRuns: 2 });
    expect(analysis.successRate).toBe(0.4);
    // 60 + 60 of the solved runs, 100 + 40 + 0 of the others, over 2.
    expect(analysis.ert).toBe(130);
    expect(analysis.sp1).toBe(150);
    expectClose(analysis.successRateCi?.lower, 0.1176207742, 1e-8);
  });

  test('the MOVER interval uses the budget if it is known and equal for all runs', () => {
    const outcomes = getOutcomes(addTraces(fiveRuns, makeObjective('max', 40)), {
      direction: 'max',
      targetFitness: 40,
    });
    const getInterval = (...parameters: Parameters<typeof analyse>) =>
      analyse(...parameters).ertMoverInterval;
    expect(analysis.ertMoverInterval).toEqual(computeErtMoverInterval(outcomes, null));
    const objective = makeObjective('max', 40);
    const equalInterval = getInterval(fiveRuns, objective, 40, 50);
    expect(equalInterval).toEqual(computeErtMoverInterval(outcomes, 50));
    const oneRun = [{ ...solvedRun, run: { ...solvedRun.run, trialBudget: 500 } }];
    expect(getInterval(oneRun, objective, 40, 100)).toEqual(
      computeErtMoverInterval(outcomes.slice(0, 1), 500),
    );
    const differingRuns = [...oneRun, ...fiveRuns.slice(1)];
    expect(getInterval(differingRuns, objective, 40, 100)).toEqual(analysis.ertMoverInterval);
    expect(getInterval(fiveRuns, makeObjective('max', null), 40, 50)).toBeNull();
  });

  test('best fitness is that of completed runs; budgets are those of runs that ended', () => {
    expect(analysis.bestFitnessValues).toEqual([40, 39]);
    expect(analysis.bestFitnessBox).toMatchObject({ n: 2, median: 39.5 });
    expect(analysis.bestFitnessHistogram.map(({ count }) => count)).toEqual([1, 1]);
    expect(analysis.runtimeMillisBox).toMatchObject({ n: 2, mean: 20 });
    expect(analysis.evaluationsBox).toMatchObject({ n: 3, min: 40, max: 100 });
  });

  test('the runtime of a resumed run counts when it ends, not that of its earlier segment', () => {
    const resumedRun = makeRun('r6', [[20, 29]], { status: 'RUNNING', runtimeMillis: 5 });
    expect(analyse([...fiveRuns, resumedRun], makeObjective('max', 40)).runtimeMillisBox.n).toBe(2);
  });

  test('the curves count the hits', () => {
    expect(analysis.ecdfTotalRuns).toEqual([{ x: 60, y: 0.4 }]);
    expect(analysis.ecdfSuccessfulRuns).toEqual([{ x: 60, y: 1 }]);
    expect(analysis.timeToTargetHistogram).toEqual([
      { startInclusive: 60, endExclusive: 61, count: 2 },
      { startInclusive: 61, endExclusive: 62, count: 0 },
    ]);
    expect(analysis.successVsBudget[0]).toMatchObject({ x: 1, y: 0, ciLower: 0 });
    const { lower, upper } = analysis.successRateCi ?? {};
    const expectedPoint = { x: 100, y: 0.4, ciLower: lower, ciUpper: upper };
    expect(analysis.successVsBudget.at(-1)).toEqual(expectedPoint);
  });

  test('convergence carries the best so far forward', () => {
    const [firstPoint, lastPoint] = [analysis.convergence95Ci[0], analysis.convergence95Ci.at(-1)];
    expect(firstPoint).toMatchObject({ x: 20, mean: 28, median: 28.5, samples: 4 });
    // 40, 39 and 26 at the end; the RUNNING one has not come so far.
    expect(lastPoint).toMatchObject({ x: 100, mean: 35, median: 39, samples: 3 });
    expectClose(lastPoint?.ciUpper, 35 + 4.302652729911275 * Math.sqrt(61 / 3), 1e-9);
  });

  test('the data profile counts pairs of a run and a level, in evaluations over 41', () => {
    expect(analysis.dataProfileUnit).toBe('evaluationsPerDimensionPlusOne');
    // Levels run from 38.85 to 40; the first needs 60 of r1 and r4 and the 100 of r2 (39).
    expect(analysis.dataProfile[0]).toEqual({ x: 60 / 41, y: 12 / 30 });
    expect(analysis.dataProfile.at(-1)).toEqual({ x: 100 / 41, y: 13 / 30 });
  });

  test('the notes report everything that limits the metrics', () => {
    expect(getCodes(analysis)).toEqual([
      'GENERATION_RESOLUTION',
      'RUNS_ACTIVE',
      'RUNS_WITHOUT_DATA',
      'RUNS_NOT_COMPLETED',
      'SMALL_SAMPLE',
    ]);
    const messages = analysis.notes.map(({ message }) => message);
    expect(messages).toContain(
      '3 runs have not completed; the distribution of final fitness omits them.',
    );
  });

  test('the response fits its schema', () => {
    expect(metricsSchema.parse(analysis)).toEqual(analysis);
  });
});

test('a note states that failed runs which reached the target count as solved, unlike in comparisons', () => {
  const failedAfterwards = { ...solvedRun, run: { ...solvedRun.run, status: 'FAILED' } };
  const getNote = (target: number | null) =>
    analyse(
      [failedAfterwards, failedRun, solvedRunningRun],
      makeObjective('max', target),
    ).notes.find(({ code }) => code === 'RUNS_FAILED_SOLVED')?.message;
  expect(getNote(40)).toBe(
    '1 failed run reached the target before it failed. Success rate, ERT and SP1 over whole runs, and the curves, count it as solved; comparisons do not.',
  );
  expect(getNote(41)).toBeUndefined();
  expect(getNote(null)).toBeUndefined();
});

test('mirrored runs have the same metrics if fitness is minimised', () => {
  const mirroredRuns = fiveRuns.map(({ run, iterations }) =>
    makeRun(
      run.runId,
      iterations.map(([evaluations, fitness]) => [evaluations, -(fitness ?? 0)]),
      { ...run, bestFitness: run.bestFitness && -run.bestFitness },
    ),
  );
  const analysis = analyse(mirroredRuns, makeObjective('min', -40));
  const originalAnalysis = analyse(fiveRuns, makeObjective('max', 40));
  expect(analysis.ert).toBe(originalAnalysis.ert);
  expect(analysis.dataProfile).toEqual(originalAnalysis.dataProfile);
  expect(analysis.convergence95Ci.map(({ mean }) => -mean)).toEqual(
    originalAnalysis.convergence95Ci.map(({ mean }) => mean),
  );
});

test('without a target, completion is success, and a note explains it', () => {
  const analysis = analyse(fiveRuns, makeObjective('max', null));
  expect(analysis).toMatchObject({ successfulRuns: 2, ert: (100 + 100 + 40 + 60) / 2, sp1: 250 });
  expect(analysis.ecdfTotalRuns).toEqual([{ x: 100, y: 0.4 }]);
  expect(getCodes(analysis)).toContain('NO_TARGET');
  expect(getCodes(analysis)).not.toContain('GENERATION_RESOLUTION');
});

test('runs of an import reached the target at a row of their data, not at the end of a generation', () => {
  const importedRuns = fiveRuns.map(({ run, iterations }, index) => {
    const runId = `imp-0123456789ab-f1-d2-i${index}-r1`;
    return makeRun(runId, iterations, { ...run, runId });
  });
  expect(getCodes(analyse(importedRuns, makeObjective('max', 40)))).toEqual(
    expect.arrayContaining(['IMPORTED_RESOLUTION']),
  );
  expect(getCodes(analyse(importedRuns, makeObjective('max', 40)))).not.toContain(
    'GENERATION_RESOLUTION',
  );
  expect(getCodes(analyse([...fiveRuns, ...importedRuns], makeObjective('max', 40)))).toEqual(
    expect.arrayContaining(['GENERATION_RESOLUTION', 'IMPORTED_RESOLUTION']),
  );
  expect(getCodes(analyse(importedRuns, makeObjective('max', null)))).not.toContain(
    'IMPORTED_RESOLUTION',
  );
});

test('a target that only the final best fitness reaches counts at the budget of the run', () => {
  const run = makeRun(
    'r1',
    [
      [10, 3],
      [20, 2],
    ],
    { bestFitness: 0.5, evaluations: 25 },
  );
  expect(analyse([run], makeObjective('min', 1)).ert).toBe(25);
});

test('no success means neither ERT nor SP1 and empty curves', () => {
  const analysis = analyse([unsolvedRun], makeObjective('max', 50));
  expect(analysis).toMatchObject({ successRate: 0, ert: null, sp1: null, ecdfTotalRuns: [] });
  expect(analysis.timeToTargetHistogram).toEqual([]);
});

test('an experiment without runs has zero counts, null values and empty curves', () => {
  const analysis = analyse([], makeObjective('min', null));
  expect(analysis).toMatchObject({
    totalRuns: 0,
    successRate: 0,
    successRateCi: null,
    ert: null,
    convergence95Ci: [],
    successVsBudget: [],
    dataProfile: [],
  });
  expect(getCodes(analysis)).toContain('NO_RUNS');
  expect(metricsSchema.parse(analysis)).toEqual(analysis);
});

test('an unknown dimension leaves the data profile in evaluations, with a note', () => {
  const analysis = analyse([solvedRun], makeObjective('max', 40), null);
  expect(analysis.dataProfileUnit).toBe('evaluations');
  expect(analysis.dataProfile.at(-1)).toEqual({ x: 60, y: 1 });
  expect(getCodes(analysis)).toContain('DIMENSION_UNKNOWN');
});

test('an infinite best fitness is distinguished from a missing one, and the values contain neither', () => {
  const infiniteRun = makeRun('r1', [[10, Infinity]], { bestFitness: Infinity });
  const runWithoutFitness = makeRun('r2', [[20, null]], { bestFitness: null });
  const analysis = analyse([infiniteRun, runWithoutFitness, unsolvedRun], makeObjective('min', 1));
  expect(analysis.bestFitnessValues).toEqual([39]);
  expect(analysis.convergence95Ci.every(({ samples }) => samples === 1)).toBe(true);
  const messages = analysis.notes.map(({ message }) => message);
  expect(messages).toContain('1 completed run without a best fitness, omitted.');
  expect(messages).toContain(
    '1 completed run with an infinite best fitness: an extreme value for ranks and the median, ' +
      'omitted from mean, standard deviation and box.',
  );
  expect(metricsSchema.parse(analysis)).toEqual(analysis);
});

test('a RUNNING run counts in the convergence until its last point, an ended run to the end', () => {
  const runningRun = makeRun(
    'r1',
    [
      [10, 5],
      [30, 4],
    ],
    { status: 'RUNNING', evaluations: null },
  );
  const stoppedRun = makeRun(
    'r2',
    [
      [10, 6],
      [20, 3],
    ],
    { status: 'STOPPED' },
  );
  const longerRun = makeRun(
    'r3',
    [
      [10, 8],
      [60, 2],
    ],
    { bestFitness: 2 },
  );
  const points = analyse(
    [runningRun, stoppedRun, longerRun],
    makeObjective('min', null),
  ).convergence95Ci;
  const getPointAt = (x: number) => points.find((point) => point.x === x);
  expect(getPointAt(30)).toMatchObject({ samples: 3, mean: 5, q1: 3.5, q3: 6 });
  expect(getPointAt(31)).toMatchObject({ samples: 2, mean: 5.5 });
  expect(getPointAt(60)).toMatchObject({ samples: 2, mean: 2.5 });
});

test('the notes on direction and target are in the result', () => {
  const note: AnalysisNote = { code: 'TARGETS_DIFFER', message: 'The targets differ.' };
  const objective = { ...makeObjective('max', null), directionSource: 'trace', notes: [note] };
  const analysis = analyse([solvedRun], objective as Objective);
  expect(analysis.notes).toContainEqual(note);
  expect(getCodes(analysis)).toContain('DIRECTION_FROM_TRACE');
  expect(analysis.directionSource).toBe('trace');
});
