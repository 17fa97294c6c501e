import { describe, expect, test } from 'vitest';
import { sampleExperiments, type ExperimentPlan } from '#server/sample/experiments.ts';
import {
  summariseFitness,
  type Generation,
  makeGenerationDiagnostics,
  measureGeneration,
  createSearch,
  isFinished,
} from '#server/sample/search.ts';
import { formatJavaJson } from '#server/recording/recorder.ts';

const getPlan = (key: string): ExperimentPlan =>
  sampleExperiments.find((plan) => plan.key === key)!;

function getGenerations(plan: ExperimentPlan, seed: bigint): Generation[] {
  const search = createSearch(plan, seed);
  const generations = [search.start()];
  const getLastGeneration = () => generations[generations.length - 1]!;
  while (!isFinished(getLastGeneration(), plan.stopping, search.problem.isMinimised)) {
    generations.push(search.advance(getLastGeneration()));
  }
  return generations;
}

const fingerprint = (generations: Generation[]) =>
  generations.map(
    (each) => formatJavaJson(makeGenerationDiagnostics(each)) + summariseFitness(each).mean,
  );

describe.each(['onemax40-umda', 'onemax40-pbil', 'sphere5-gauss', 'ring16-ehm'])(
  'createSearch for %s',
  (key) => {
    const plan = { ...getPlan(key), stopping: { ...getPlan(key).stopping, maxIterations: 12 } };

    test('returns the same generations for the same seed', () => {
      const firstFingerprint = fingerprint(getGenerations(plan, 1001n));
      expect(fingerprint(getGenerations(plan, 1001n))).toEqual(firstFingerprint);
      expect(fingerprint(getGenerations(plan, 1002n))).not.toEqual(firstFingerprint);
    });

    test('counts the evaluation of each individual once', () => {
      const evaluations = getGenerations(plan, 1001n).map((generation) => generation.evaluations);
      expect(evaluations).toEqual(evaluations.map((_, i) => (i + 1) * plan.populationSize));
    });

    test('reports the telemetry of the parents: equal in rows 0 and 1, different in row 2', () => {
      const [initialGeneration, firstGeneration, secondGeneration] = getGenerations(plan, 1001n);
      expect(formatJavaJson(firstGeneration!.telemetry.insights)).not.toBe(
        formatJavaJson(secondGeneration!.telemetry.insights),
      );
      expect(firstGeneration!.telemetry.metrics).toEqual(initialGeneration!.telemetry.metrics);
      expect(firstGeneration!.telemetry.diversity).toEqual(initialGeneration!.telemetry.diversity);
      expect(Object.values(firstGeneration!.telemetry.drift).every((drift) => drift === 0)).toBe(
        true,
      );
      expect(Object.values(secondGeneration!.telemetry.drift).some((drift) => drift !== 0)).toBe(
        true,
      );
    });

    test('reports no diagnostics of the model before its first fit', () => {
      const [initialGeneration, firstGeneration] = getGenerations(plan, 1001n);
      expect(initialGeneration!.modelDiagnostics).toEqual({});
      expect(Object.keys(firstGeneration!.modelDiagnostics).length).toBeGreaterThan(1);
    });
  },
);

describe('createSearch', () => {
  test('solves OneMax 40 by UMDA with a sufficient population', () => {
    const plan = { ...getPlan('onemax40-umda'), populationSize: 100 };
    for (const seed of [1n, 2n, 3n]) {
      const lastGeneration = getGenerations(plan, seed).at(-1)!;
      expect(lastGeneration.bestSoFar.fitness).toBe(40);
      expect(lastGeneration.bestSoFar.genotype).toEqual(Array(40).fill(1));
    }
  });

  test('approaches the optimum of the sphere by the Gaussian EDA', () => {
    const last = getGenerations(getPlan('sphere10-gauss'), 7_134_074_521_766_642_662n).at(-1)!;
    expect(last.bestSoFar.fitness).toBeLessThan(1e-4);
    expect(last.iteration).toBe(30);
  });

  test('finds the shortest tour of the ring by the edge histogram', () => {
    const last = getGenerations(getPlan('ring16-ehm'), 3001n).at(-1)!;
    expect(last.bestSoFar.fitness).toBeCloseTo(32 * Math.sin(Math.PI / 16), 9);
    expect(last.bestSoFar.genotype.toSorted((a, b) => a - b)).toEqual([...Array(16).keys()]);
  });

  test('ends a run at its budget if it does not reach the target', () => {
    const plan = {
      ...getPlan('onemax40-pbil'),
      stopping: { maxIterations: 1000, maxEvaluations: 300, targetFitness: 41 },
    };
    expect(getGenerations(plan, 1001n).at(-1)!.evaluations).toBe(300);
  });

  test('retains the elite, so that the best never gets worse', () => {
    const bests = getGenerations(getPlan('sphere5-gauss'), 2001n).map(
      (generation) => summariseFitness(generation).best,
    );
    expect(bests).toEqual(bests.toSorted((a, b) => b - a));
  });

  test('throws an error that names the Gaussian model for a single selected individual', () => {
    const search = createSearch(getPlan('sphere5-failing'), 6001n);
    const firstGeneration = search.start();
    expect(Object.values(measureGeneration(firstGeneration)).every(Number.isFinite)).toBe(true);
    expect(() => search.advance(firstGeneration)).toThrow(
      'gaussian-diag needs at least 2 selected individuals, got 1',
    );
  });

  test('boosts exploration on collapse and restarts on stagnation in an adaptive run', () => {
    const generations = getGenerations(getPlan('onemax30-adaptive'), 4001n);
    const actions = generations.flatMap(({ iteration, adaptiveActions }) =>
      adaptiveActions.map(({ trigger, details }) => ({ iteration, trigger, details })),
    );
    const collapses = actions.filter(({ trigger }) => trigger === 'entropy_collapse');
    const stagnations = actions.filter(({ trigger }) => trigger === 'stagnation_low_diversity');
    expect(collapses.length).toBeGreaterThan(5);
    expect(stagnations.length).toBeGreaterThan(0);
    for (const { iteration, details } of collapses) expect(details.iteration).toBe(iteration - 1);
    for (const { details } of stagnations) expect(details.stagnationIterations).toBe(5);
    const restartedGeneration = generations.find(
      ({ iteration }) => iteration === stagnations[0]!.iteration,
    )!;
    expect(measureGeneration(restartedGeneration).diversity).toBeGreaterThan(0.25);
  });
});
