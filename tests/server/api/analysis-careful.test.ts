import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tables } from '#server/db/schema.ts';
import type { ExperimentAnalysis, ProblemComparison } from '#shared/schemas/analysis.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type Point = [evaluations: number, fitness: number];

/** A run with its iterations; its result is that of the last one unless the columns state another one. */
interface RunSketch {
  points?: Point[];
  columns?: Partial<Tables['runs']>;
}

interface ExperimentSketch {
  id: string;
  algorithm: string;
  problem: string;
  config?: object;
  runs: RunSketch[];
}

async function write(database: TestDatabase, sketch: ExperimentSketch): Promise<void> {
  const { id, algorithm, problem, config, runs } = sketch;
  await insertExperiment(database, id, {
    algorithm_type: algorithm,
    problem_type: problem,
    config_json: JSON.stringify({ problem: { type: problem }, ...config }),
  });
  for (const [index, { points = [], columns }] of runs.entries()) {
    const runId = `${id}-${index}`;
    await insertRun(database, id, runId, {
      seed: index,
      evaluations: points.at(-1)?.[0] ?? 100,
      best_fitness: points.at(-1)?.[1] ?? null,
      ...columns,
    });
    const rows = points.map(([evaluations, fitness], iteration) => ({
      run_id: runId,
      iteration,
      evaluations,
      best_fitness: fitness,
      mean_fitness: 0,
      std_fitness: 0,
      created_at: '2026-11-21T10:00:00Z',
    }));
    if (rows.length > 0) await database.kysely.insertInto('iterations').values(rows).execute();
  }
}

/** Completed runs of these best values. */
const ended = (...bests: (number | null)[]): RunSketch[] =>
  bests.map((best) => ({ columns: { best_fitness: best } }));

const minimise = (more: object = {}) => ({
  problem: { params: { direction: 'min', ...more } },
});

describeOnEachDatabase('A careful analysis', (database) => {
  let service: TestService;
  const codes = ({ notes }: { notes: { code: string }[] }) => notes.map(({ code }) => code);
  const messages = ({ notes }: { notes: { message: string }[] }) =>
    notes.map(({ message }) => message);
  const getAnalysis = (id: string, query = '') =>
    service.get<ExperimentAnalysis>(`/api/experiments/${id}/analysis?sameProblem=false&${query}`);
  const comparisonOn = (problem: string, query = '') =>
    service.get<ProblemComparison>(`/api/analysis/problem/${problem}?${query}`);

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('omits the comparison if it is not requested', async () => {
    await write(database(), { id: 'alone', algorithm: 'a', problem: 'alone', runs: ended(1, 2) });
    const whole = await service.get<ExperimentAnalysis>('/api/experiments/alone/analysis');
    const { sameProblem, ...rest } = whole;
    expect(sameProblem).toEqual(await comparisonOn('alone'));
    expect(await getAnalysis('alone')).toEqual(rest);
    expect(await getAnalysis('alone')).toMatchObject({
      problemType: 'alone',
      problemInstance: { label: 'alone', runs: 2, selected: true },
    });
    const refused = await service.getProblem('/api/experiments/alone/analysis?sameProblem=maybe');
    expect(refused).toMatchObject({
      status: 400,
      detail: 'sameProblem must be true or false',
    });
  });

  test('counts all evaluations of a resumed run that is RUNNING again', async () => {
    const points: Point[] = [
      [20, 5],
      [60, 4],
    ];
    const columns = { status: 'RUNNING', evaluations: 40, best_fitness: 5 };
    const runs = [{ points, columns }, { points: [[10, 1]] as Point[] }];
    await write(database(), {
      id: 'resumed',
      algorithm: 'a',
      problem: 'p',
      config: minimise(),
      runs,
    });
    expect(await getAnalysis('resumed', 'target=1')).toMatchObject({ ert: 70, successfulRuns: 1 });
  });

  test('adds the evaluations of a resumed run that counts from 0 again', async () => {
    const points: Point[] = [
      [100, 9],
      [200, 8],
      [300, 7],
      [100, 6],
      [200, 1],
    ];
    const columns = { resumed_from: 'r.ckpt.yaml' };
    const stopped = { points: points.slice(0, 4), columns: { ...columns, status: 'STOPPED' } };
    await write(database(), {
      id: 'restarted',
      algorithm: 'a',
      problem: 'restarted',
      config: minimise(),
      runs: [{ points, columns }, stopped],
    });
    const analysis = await getAnalysis('restarted', 'target=1');
    expect(analysis).toMatchObject({ ert: 900, evaluationsBox: { min: 400, max: 500 } });
    expect(messages(analysis)).toContain(
      '2 resumed runs restarted the count of evaluations; the analysis adds later evaluations to those before.',
    );
    expect(codes(analysis)).not.toContain('EVALUATIONS_DECREASE');
  });

  test('sorts decreasing evaluations of a run that was not resumed, with a note', async () => {
    const points: Point[] = [
      [100, 9],
      [300, 7],
      [200, 1],
    ];
    const runs = [{ points, columns: { evaluations: 300 } }, { points: points.slice(0, 2) }];
    await write(database(), {
      id: 'decreasing',
      algorithm: 'a',
      problem: 'decreasing',
      config: minimise(),
      runs,
    });
    const analysis = await getAnalysis('decreasing', 'target=1');
    expect(analysis).toMatchObject({ ert: 500 });
    expect(messages(analysis)).toContain(
      '1 run with iterations that have fewer evaluations than an earlier one: the analysis sorts them by evaluations. ' +
        'If its count of evaluations restarted, evaluations to target are too few.',
    );
    expect(codes(analysis)).not.toContain('EVALUATIONS_RESTARTED');
  });

  test('counts the evaluations of iterations without a finite fitness', async () => {
    const points: Point[] = [
      [10, 9],
      [20, Infinity],
      [30, -Infinity],
    ];
    const failed = { points, columns: { status: 'FAILED', evaluations: null, best_fitness: null } };
    await write(database(), {
      id: 'broken',
      algorithm: 'a',
      problem: 'p',
      config: minimise(),
      runs: [failed, { points: [[10, 1]] }],
    });
    const answer = await getAnalysis('broken', 'target=1');
    expect(answer.ert).toBe(40);
    expect(answer.convergence95Ci.at(-1)).toMatchObject({ x: 30, mean: 5, samples: 2 });
  });

  test('does not extrapolate a RUNNING run', async () => {
    const running = { status: 'RUNNING', evaluations: null, best_fitness: null };
    await write(database(), {
      id: 'live',
      algorithm: 'a',
      problem: 'p',
      config: minimise(),
      runs: [
        { points: [[10, 9]], columns: running },
        {
          points: [
            [10, 5],
            [50, 3],
          ],
        },
      ],
    });
    const { convergence95Ci: points } = await getAnalysis('live');
    expect(points[0]).toMatchObject({ x: 10, samples: 2, mean: 7, q1: 6, q3: 8 });
    expect(points.at(-1)).toMatchObject({ x: 50, samples: 1, mean: 3 });
  });

  test('ranks an infinite fitness and excludes it from means, with a note', async () => {
    const config = minimise();
    const problem = 'infinite';
    await write(database(), {
      id: 'i1',
      algorithm: 'good',
      problem,
      config,
      runs: ended(1, 2, 3, 4),
    });
    await write(database(), {
      id: 'i2',
      algorithm: 'poor',
      problem,
      config,
      runs: ended(0, Infinity, Infinity, Infinity, null),
    });
    const answer = await comparisonOn(problem);
    expect(answer.pairwiseWilcoxon[0]).toMatchObject({
      sampleSizeA: 4,
      sampleSizeB: 4,
      effectSize: 0.75,
      betterAlgorithm: 'good',
    });
    expect(answer.algorithms[1]).toMatchObject({
      sampleSize: 4,
      meanBest: 0,
      medianBest: null,
      stdBest: null,
      box: { n: 1, max: 0 },
    });
    expect(codes(answer)).toEqual(expect.arrayContaining(['INFINITE_FITNESS', 'NOT_FINITE']));
    expect(answer.friedman).toMatchObject({ blockBy: 'seed', blocks: 4 });
    await expect(getAnalysis('i2')).resolves.toMatchObject({ bestFitnessValues: [0] });
  });

  test('states that samples are too small only if no pair can be significant', async () => {
    const config = minimise();
    const write3 = async (problem: string, ...samples: number[][]) => {
      for (const [index, sample] of samples.entries()) {
        const id = `${problem}-${index}`;
        await write(database(), { id, algorithm: id, problem, config, runs: ended(...sample) });
      }
      return comparisonOn(problem);
    };
    const hopeless = await write3('hopeless', [1, 2, 3], [4, 5, 6]);
    expect(hopeless.pairwiseWilcoxon[0]!.attainablePValue).toBeCloseTo(0.1, 12);
    expect(codes(hopeless)).toContain('SMALL_SAMPLES');
    const mixed = await write3('mixed', [1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16], [7]);
    expect(mixed.pairwiseWilcoxon.some(({ significantAt05 }) => significantAt05)).toBe(true);
    expect(codes(mixed)).not.toContain('SMALL_SAMPLES');
  });

  test('never has p = 0 for two agreeing blocks, and excludes empty groups', async () => {
    const config = minimise();
    const problem = 'blocks';
    await write(database(), { id: 'b1', algorithm: 'a', problem, config, runs: ended(1, 2) });
    await write(database(), { id: 'b2', algorithm: 'b', problem, config, runs: ended(3, 4) });
    const failed = { columns: { status: 'FAILED', best_fitness: null } };
    await write(database(), { id: 'b3', algorithm: 'c', problem, config, runs: [failed] });
    const answer = await comparisonOn(problem);
    expect(answer.friedman).toMatchObject({
      blocks: 2,
      algorithms: 2,
      exactPValue: 0.5,
      imanDavenport: null,
    });
    expect(messages(answer)).toContain(
      'No completed runs with a best fitness, so not in the average ranks: c.',
    );
  });

  test('ranks each instance in its own direction, with a note', async () => {
    const problem = 'turned';
    for (const [algorithm, bests] of [
      ['low', [1, 2]],
      ['high', [8, 9]],
    ] as const) {
      for (const direction of ['min', 'max']) {
        const config = { problem: { type: problem, params: { direction } } };
        const id = `${algorithm}-${direction}`;
        await write(database(), { id, algorithm, problem, config, runs: ended(...bests) });
      }
    }
    const own = await comparisonOn(problem);
    expect(own.friedman).toMatchObject({ blockBy: 'instance', blocks: 2, statistic: 0 });
    expect(messages(own)).toContainEqual(
      expect.stringMatching(
        /^Ranks follow the direction of each instance: turned, direction min minimised, turned, direction max maximised\.$/,
      ),
    );
    const asked = await comparisonOn(problem, 'direction=max');
    expect(asked.friedman.statistic).toBe(2);
    expect(codes(asked)).not.toContain('DIRECTIONS_DIFFER');
  });

  test('takes the target only from experiments with runs', async () => {
    const problem = 'targets';
    const config = (targetFitness: number) => ({ ...minimise(), stopping: { targetFitness } });
    await write(database(), {
      id: 't1',
      algorithm: 'a',
      problem,
      config: config(1),
      runs: ended(1),
    });
    await write(database(), { id: 't2', algorithm: 'b', problem, config: config(2), runs: [] });
    const answer = await comparisonOn(problem);
    expect(answer).toMatchObject({ targetFitness: 1, targetSource: 'config' });
    expect(codes(answer)).not.toContain('TARGETS_DIFFER');
  });

  test('reports unequal budgets inside a group, and unknown budgets separately', async () => {
    const runs = [100, 106, null].map((evaluations) => ({
      columns: { evaluations, best_fitness: 1 },
    }));
    const problem = 'budgets';
    await write(database(), { id: 'u1', algorithm: 'a', problem, config: minimise(), runs });
    const answer = await comparisonOn(problem);
    expect(messages(answer)).toEqual(
      expect.arrayContaining([
        'Runs have different budgets (100 to 106 evaluations). The tests compare each pair within its common budget.',
        '1 run without a known number of evaluations; the tests assume equal budgets.',
      ]),
    );
  });

  test('accepts the limits of the number range everywhere', async () => {
    const largest = Number.MAX_VALUE;
    const problem = 'extremes';
    const getRuns = (...ends: number[]) =>
      ends.map((end, index): RunSketch => ({
        points: [
          [10, index % 2 === 0 ? largest : 0],
          [Number.MAX_SAFE_INTEGER, end],
        ],
      }));
    const config = minimise();
    const first = getRuns(-largest, largest, -largest, 1);
    await write(database(), { id: 'x1', algorithm: 'a', problem, config, runs: first });
    const second = getRuns(largest, -largest, 5e-324, -largest);
    await write(database(), { id: 'x2', algorithm: 'b', problem, config, runs: second });
    const digits = encodeURIComponent(String(largest));
    for (const query of ['', 'direction=max', `target=-${digits}`, `target=${digits}`]) {
      for (const path of ['analysis', 'analysis/latex', 'traces']) {
        const response = await fetch(`${service.url}/api/experiments/x1/${path}?${query}`);
        expect([response.status, query, path]).toEqual([200, query, path]);
      }
      for (const path of ['extremes', 'extremes/latex']) {
        const response = await fetch(`${service.url}/api/analysis/problem/${path}?${query}`);
        expect([response.status, query, path]).toEqual([200, query, path]);
      }
    }
    expect(service.logEntries.filter(({ level }) => level === 50)).toEqual([]);
  });
});
