import { describe, expect, test } from 'vitest';
import { getConvergence } from '#server/analysis/curves.ts';
import { makeExperimentMetrics } from '#server/analysis/experiment.ts';
import type { Objective } from '#server/analysis/model.ts';
import { experimentAnalysis } from '#shared/schemas/analysis.ts';
import { type AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { expectClose } from '#tests/server/stats/oracle.ts';
import { makeObjective, makeRun, traced, type RunWithIterations } from './sample-runs.ts';

const solved = makeRun(
  'r1',
  [
    [20, 30],
    [40, 38],
    [60, 40],
    [100, 39],
  ],
  { bestFitness: 40 },
);
const unsolved = makeRun(
  'r2',
  [
    [20, 28],
    [100, 39],
  ],
  { bestFitness: 39, runtimeMillis: 30 },
);
const failed = makeRun(
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
const solvedWhileRunning = makeRun(
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
const withoutData = makeRun('r5', [], { status: 'FAILED', runtimeMillis: null });
const five = [solved, unsolved, failed, solvedWhileRunning, withoutData];

function analyse(
  runs: readonly RunWithIterations[],
  objective: Objective,
  dimension: number | null = 40,
) {
  const input = { objective, dimension, runs: traced(runs, objective) };
  const figures = makeExperimentMetrics({ ...input, statedTarget: null, performanceProfile: [] });
  return { ...figures, convergence95Ci: getConvergence(input.runs) };
}

/** The part of the response schema for the metrics and their convergence. */
const figuresSchema = experimentAnalysis.omit({
  experimentId: true,
  problemType: true,
  problemInstance: true,
  sameProblem: true,
  targets: true,
  targetsSource: true,
  ecdfTargets: true,
});

const codes = (answer: { notes: { code: string }[] }) => answer.notes.map(({ code }) => code);

describe('of five runs, maximised, with the target 40', () => {
  const answer = analyse(five, makeObjective('max', 40));

  test('runs of any status count, and solved ones until their hit', () => {
    expect(answer).toMatchObject({ totalRuns: 5, completedRuns: 2, successfulRuns: 2 });
    expect(answer.successRate).toBe(0.4);
    // 60 + 60 of the solved runs, 100 + 40 + 0 of the others, over 2.
    expect(answer.ert).toBe(130);
    expect(answer.sp1).toBe(150);
    expectClose(answer.successRateCi?.lower, 0.1176207742, 1e-8);
  });

  test('best fitness is that of completed runs; budgets are those of runs that ended', () => {
    expect(answer.bestFitnessValues).toEqual([40, 39]);
    expect(answer.bestFitnessBox).toMatchObject({ n: 2, median: 39.5 });
    expect(answer.bestFitnessHistogram.map(({ count }) => count)).toEqual([1, 1]);
    expect(answer.runtimeMillisBox).toMatchObject({ n: 2, mean: 20 });
    expect(answer.evaluationsBox).toMatchObject({ n: 3, min: 40, max: 100 });
  });

  test('the curves count the hits', () => {
    expect(answer.ecdfTotalRuns).toEqual([{ x: 60, y: 0.4 }]);
    expect(answer.ecdfSuccessfulRuns).toEqual([{ x: 60, y: 1 }]);
    expect(answer.timeToTargetHistogram).toEqual([
      { startInclusive: 60, endExclusive: 61, count: 2 },
      { startInclusive: 61, endExclusive: 62, count: 0 },
    ]);
    expect(answer.successVsBudget[0]).toMatchObject({ x: 1, y: 0, ciLower: 0 });
    const { lower, upper } = answer.successRateCi ?? {};
    const whole = { x: 100, y: 0.4, ciLower: lower, ciUpper: upper };
    expect(answer.successVsBudget.at(-1)).toEqual(whole);
  });

  test('convergence carries the best so far forward', () => {
    const [first, last] = [answer.convergence95Ci[0], answer.convergence95Ci.at(-1)];
    expect(first).toMatchObject({ x: 20, mean: 28, median: 28.5, samples: 4 });
    // 40, 39 and 26 at the end; the RUNNING one has not come so far.
    expect(last).toMatchObject({ x: 100, mean: 35, median: 39, samples: 3 });
    expectClose(last?.ciUpper, 35 + 4.302652729911275 * Math.sqrt(61 / 3), 1e-9);
  });

  test('the data profile counts pairs of a run and a level, in evaluations over 41', () => {
    expect(answer.dataProfileUnit).toBe('evaluationsPerDimensionPlusOne');
    // Levels run from 38.85 to 40; the first needs 60 of r1 and r4 and the 100 of r2 (39).
    expect(answer.dataProfile[0]).toEqual({ x: 60 / 41, y: 12 / 30 });
    expect(answer.dataProfile.at(-1)).toEqual({ x: 100 / 41, y: 13 / 30 });
  });

  test('the notes say what a careful reader must know', () => {
    expect(codes(answer)).toEqual([
      'GENERATION_RESOLUTION',
      'RUNS_ACTIVE',
      'RUNS_WITHOUT_DATA',
      'RUNS_NOT_COMPLETED',
      'SMALL_SAMPLE',
    ]);
    const messages = answer.notes.map(({ message }) => message);
    expect(messages).toContain(
      '3 runs have not completed; the distribution of final fitness excludes them.',
    );
  });

  test('the response fits its schema', () => {
    expect(figuresSchema.parse(answer)).toEqual(answer);
  });
});

test('minimised, the mirror image has the same figures', () => {
  const mirrored = five.map(({ run, iterations }) =>
    makeRun(
      run.runId,
      iterations.map(([evaluations, fitness]) => [evaluations, -(fitness ?? 0)]),
      { ...run, bestFitness: run.bestFitness && -run.bestFitness },
    ),
  );
  const answer = analyse(mirrored, makeObjective('min', -40));
  const original = analyse(five, makeObjective('max', 40));
  expect(answer.ert).toBe(original.ert);
  expect(answer.dataProfile).toEqual(original.dataProfile);
  expect(answer.convergence95Ci.map(({ mean }) => -mean)).toEqual(
    original.convergence95Ci.map(({ mean }) => mean),
  );
});

test('without a target, completion is success, and a note explains it', () => {
  const answer = analyse(five, makeObjective('max', null));
  expect(answer).toMatchObject({ successfulRuns: 2, ert: (100 + 100 + 40 + 60) / 2, sp1: 250 });
  expect(answer.ecdfTotalRuns).toEqual([{ x: 100, y: 0.4 }]);
  expect(codes(answer)).toContain('NO_TARGET');
  expect(codes(answer)).not.toContain('GENERATION_RESOLUTION');
});

test('runs of an import reached the target at a row of their data, not at the end of a generation', () => {
  const imported = five.map(({ run, iterations }, index) => {
    const runId = `imp-0123456789ab-f1-d2-i${index}-r1`;
    return makeRun(runId, iterations, { ...run, runId });
  });
  expect(codes(analyse(imported, makeObjective('max', 40)))).toEqual(
    expect.arrayContaining(['IMPORTED_RESOLUTION']),
  );
  expect(codes(analyse(imported, makeObjective('max', 40)))).not.toContain('GENERATION_RESOLUTION');
  expect(codes(analyse([...five, ...imported], makeObjective('max', 40)))).toEqual(
    expect.arrayContaining(['GENERATION_RESOLUTION', 'IMPORTED_RESOLUTION']),
  );
  expect(codes(analyse(imported, makeObjective('max', null)))).not.toContain('IMPORTED_RESOLUTION');
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
  const answer = analyse([unsolved], makeObjective('max', 50));
  expect(answer).toMatchObject({ successRate: 0, ert: null, sp1: null, ecdfTotalRuns: [] });
  expect(answer.timeToTargetHistogram).toEqual([]);
});

test('an experiment without runs is all zeros and nothing', () => {
  const answer = analyse([], makeObjective('min', null));
  expect(answer).toMatchObject({
    totalRuns: 0,
    successRate: 0,
    successRateCi: null,
    ert: null,
    convergence95Ci: [],
    successVsBudget: [],
    dataProfile: [],
  });
  expect(codes(answer)).toContain('NO_RUNS');
  expect(figuresSchema.parse(answer)).toEqual(answer);
});

test('an unknown dimension leaves the data profile in evaluations, with a note', () => {
  const answer = analyse([solved], makeObjective('max', 40), null);
  expect(answer.dataProfileUnit).toBe('evaluations');
  expect(answer.dataProfile.at(-1)).toEqual({ x: 60, y: 1 });
  expect(codes(answer)).toContain('DIMENSION_UNKNOWN');
});

test('an infinite best fitness is distinguished from a missing one, and the values contain neither', () => {
  const infinite = makeRun('r1', [[10, Infinity]], { bestFitness: Infinity });
  const none = makeRun('r2', [[20, null]], { bestFitness: null });
  const answer = analyse([infinite, none, unsolved], makeObjective('min', 1));
  expect(answer.bestFitnessValues).toEqual([39]);
  expect(answer.convergence95Ci.every(({ samples }) => samples === 1)).toBe(true);
  const messages = answer.notes.map(({ message }) => message);
  expect(messages).toContain('1 completed run without a best fitness, excluded.');
  expect(messages).toContain(
    '1 completed run with an infinite best fitness: an extreme value for ranks and the median, ' +
      'excluded from mean, standard deviation and box.',
  );
  expect(figuresSchema.parse(answer)).toEqual(answer);
});

test('a RUNNING run counts in the convergence until its last point, an ended one to the end', () => {
  const running = makeRun(
    'r1',
    [
      [10, 5],
      [30, 4],
    ],
    { status: 'RUNNING', evaluations: null },
  );
  const stopped = makeRun(
    'r2',
    [
      [10, 6],
      [20, 3],
    ],
    { status: 'STOPPED' },
  );
  const longer = makeRun(
    'r3',
    [
      [10, 8],
      [60, 2],
    ],
    { bestFitness: 2 },
  );
  const points = analyse([running, stopped, longer], makeObjective('min', null)).convergence95Ci;
  const at = (x: number) => points.find((point) => point.x === x);
  expect(at(30)).toMatchObject({ samples: 3, mean: 5, q1: 3.5, q3: 6 });
  expect(at(31)).toMatchObject({ samples: 2, mean: 5.5 });
  expect(at(60)).toMatchObject({ samples: 2, mean: 2.5 });
});

test('the notes on direction and target are in the result', () => {
  const note: AnalysisNote = { code: 'TARGETS_DIFFER', message: 'The targets differ.' };
  const objective = { ...makeObjective('max', null), directionSource: 'trace', notes: [note] };
  const answer = analyse([solved], objective as Objective);
  expect(answer.notes).toContainEqual(note);
  expect(codes(answer)).toContain('DIRECTION_FROM_TRACE');
  expect(answer.directionSource).toBe('trace');
});
