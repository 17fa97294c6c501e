import { describe, expect, test } from 'vitest';
import { sampleExperiments, type ExperimentPlan } from '#server/sample/experiments.ts';
import {
  fitnessSummary,
  type Generation,
  generationDiagnostics,
  generationMetrics,
  createSearch,
  isFinished,
} from '#server/sample/search.ts';
import { javaJson } from '#server/recording/java-json.ts';

const planOf = (key: string): ExperimentPlan => sampleExperiments.find((plan) => plan.key === key)!;

function generationsOf(plan: ExperimentPlan, seed: bigint): Generation[] {
  const search = createSearch(plan, seed);
  const generations = [search.start()];
  const last = () => generations[generations.length - 1]!;
  while (!isFinished(last(), plan.stopping, search.problem.minimised)) {
    generations.push(search.advance(last()));
  }
  return generations;
}

const fingerprint = (generations: Generation[]) =>
  generations.map((each) => javaJson(generationDiagnostics(each)) + fitnessSummary(each).mean);

describe.each(['onemax40-umda', 'onemax40-pbil', 'sphere5-gauss', 'ring16-ehm'])('%s', (key) => {
  const plan = { ...planOf(key), stopping: { ...planOf(key).stopping, maxIterations: 12 } };

  test('reproduces a run from its seed', () => {
    const first = fingerprint(generationsOf(plan, 1001n));
    expect(fingerprint(generationsOf(plan, 1001n))).toEqual(first);
    expect(fingerprint(generationsOf(plan, 1002n))).not.toEqual(first);
  });

  test('counts the initial population and every new individual once', () => {
    const evaluations = generationsOf(plan, 1001n).map((generation) => generation.evaluations);
    expect(evaluations).toEqual(evaluations.map((_, i) => (i + 1) * plan.populationSize));
  });

  test('tells of the parents: rows 0 and 1 share their telemetry, row 2 has moved on', () => {
    const [zero, one, two] = generationsOf(plan, 1001n);
    expect(javaJson(one!.telemetry.insights)).not.toBe(javaJson(two!.telemetry.insights));
    expect(one!.telemetry.metrics).toEqual(zero!.telemetry.metrics);
    expect(one!.telemetry.diversity).toEqual(zero!.telemetry.diversity);
    expect(Object.values(one!.telemetry.drift).every((drift) => drift === 0)).toBe(true);
    expect(Object.values(two!.telemetry.drift).some((drift) => drift !== 0)).toBe(true);
  });

  test('has nothing to tell of the model before its first fit', () => {
    const [zero, one] = generationsOf(plan, 1001n);
    expect(zero!.modelDiagnostics).toEqual({});
    expect(Object.keys(one!.modelDiagnostics).length).toBeGreaterThan(1);
  });
});

test('UMDA with a sufficient population solves OneMax 40', () => {
  const plan = { ...planOf('onemax40-umda'), populationSize: 100 };
  for (const seed of [1n, 2n, 3n]) {
    const last = generationsOf(plan, seed).at(-1)!;
    expect(last.bestSoFar.fitness).toBe(40);
    expect(last.bestSoFar.genotype).toEqual(Array(40).fill(1));
  }
});

test('the Gaussian EDA comes close to the optimum of the sphere', () => {
  const last = generationsOf(planOf('sphere10-gauss'), 7_134_074_521_766_642_662n).at(-1)!;
  expect(last.bestSoFar.fitness).toBeLessThan(1e-4);
  expect(last.iteration).toBe(30);
});

test('the edge histogram finds the ring', () => {
  const last = generationsOf(planOf('ring16-ehm'), 3001n).at(-1)!;
  expect(last.bestSoFar.fitness).toBeCloseTo(32 * Math.sin(Math.PI / 16), 9);
  expect(last.bestSoFar.genotype.toSorted((a, b) => a - b)).toEqual([...Array(16).keys()]);
});

test('a run ends with its budget where the target stays out of reach', () => {
  const plan = {
    ...planOf('onemax40-pbil'),
    stopping: { maxIterations: 1000, maxEvaluations: 300, targetFitness: 41 },
  };
  expect(generationsOf(plan, 1001n).at(-1)!.evaluations).toBe(300);
});

test('the elite lives on, so the best never gets worse', () => {
  const bests = generationsOf(planOf('sphere5-gauss'), 2001n).map(
    (generation) => fitnessSummary(generation).best,
  );
  expect(bests).toEqual(bests.toSorted((a, b) => b - a));
});

test('a Gaussian model refuses to learn from a single individual, by name', () => {
  const search = createSearch(planOf('sphere5-failing'), 6001n);
  const first = search.start();
  expect(Object.values(generationMetrics(first)).every(Number.isFinite)).toBe(true);
  expect(() => search.advance(first)).toThrow(
    'gaussian-diag needs at least 2 selected individuals, got 1',
  );
});

test('an adaptive run boosts exploration on collapse and restarts on stagnation', () => {
  const generations = generationsOf(planOf('onemax30-adaptive'), 4001n);
  const actions = generations.flatMap(({ iteration, adaptiveActions }) =>
    adaptiveActions.map(({ trigger, details }) => ({ iteration, trigger, details })),
  );
  const collapses = actions.filter(({ trigger }) => trigger === 'entropy_collapse');
  const stagnations = actions.filter(({ trigger }) => trigger === 'stagnation_low_diversity');
  expect(collapses.length).toBeGreaterThan(5);
  expect(stagnations.length).toBeGreaterThan(0);
  for (const { iteration, details } of collapses) expect(details.iteration).toBe(iteration - 1);
  for (const { details } of stagnations) expect(details.stagnationIterations).toBe(5);
  const restarted = generations.find(({ iteration }) => iteration === stagnations[0]!.iteration)!;
  expect(generationMetrics(restarted).diversity).toBeGreaterThan(0.25);
});
