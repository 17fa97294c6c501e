import {
  getConfiguredBudget,
  getConfiguredTarget,
  getKnownOptimum,
} from '#server/domain/objective.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import type { DiagnosedRun } from '#server/telemetry/diagnosis/diagnosed-run.ts';
import type { ConfigObject } from '#server/domain/config.ts';

/** Row of `iterations`. */
interface ConstructedRow {
  iteration: number;
  evaluations: number;
  best: number;
  mean: number;
  metrics: Record<string, number>;
}

/** Run that misses its target for a known reason, as stored by a runner or an import. */
export interface ConstructedRun {
  problemType: string;
  config: ConfigObject;
  direction: 'min' | 'max';
  family: 'binary' | 'permutation' | 'real' | 'unknown';
  status: string;
  isImported: boolean;
  isSilent: boolean;
  evaluations: number | null;
  iterations: number | null;
  bestFitness: number | null;
  rows: ConstructedRow[];
}

/** Random numbers: uniform between two limits, integers including both limits, normal with mean 0 and deviation 1. */
export interface Random {
  uniform: (from: number, to: number) => number;
  whole: (from: number, to: number) => number;
  normal: () => number;
  chance: (probability: number) => boolean;
}

export function getRandom(seed: string): Random {
  const drawUniform = createSeededRandom(seed);
  return {
    uniform: (from, to) => from + (to - from) * drawUniform(),
    whole: (from, to) => from + Math.floor((to - from + 1) * drawUniform()),
    normal: () =>
      Math.sqrt(-2 * Math.log(1 - drawUniform())) * Math.cos(2 * Math.PI * drawUniform()),
    chance: (probability) => drawUniform() < probability,
  };
}

/** Function from a time in [0, 1] to the progress from the first value to the target; 1 is the target. */
export type Progress = (time: number) => number;

export interface Problem {
  problemType: string;
  direction: 'min' | 'max';
  family: ConstructedRun['family'];
  target: number;
  getValue: (progress: number) => number;
  representation: ConfigObject;
}

/** Returns a random problem: OneMax by count, a tour by length, or a real function that goes to 0 on a log scale. */
export function drawProblem(random: Random, kinds = ['count', 'tour', 'log', 'scaled']): Problem {
  const kind = kinds[random.whole(0, kinds.length - 1)];
  if (kind === 'count') {
    const length = random.whole(60, 400);
    return {
      problemType: 'onemax',
      direction: 'max',
      family: 'binary',
      target: length,
      getValue: (progress) => Math.round(length * (0.5 + 0.5 * progress)),
      representation: { type: 'bitstring', params: { length } },
    };
  }
  if (kind === 'tour') {
    const target = random.uniform(1_000, 9_000);
    const excessValue = random.uniform(1, 4) * target;
    return {
      problemType: 'tsplib-tsp',
      direction: 'min',
      family: 'permutation',
      target,
      getValue: (progress) => target + excessValue * (1 - progress),
      representation: { type: 'permutation-vector', params: { size: random.whole(16, 90) } },
    };
  }
  const decades = kind === 'log' ? random.uniform(5, 11) : random.uniform(3.2, 4);
  const firstValue = 10 ** random.uniform(0, 5);
  return {
    problemType: random.chance(0.5) ? 'sphere' : 'coco-bbob',
    direction: 'min',
    family: 'real',
    target: firstValue * 10 ** -decades,
    getValue: (progress) => firstValue * 10 ** (-decades * progress),
    representation: { type: 'real-vector', params: { length: random.whole(2, 40) } },
  };
}

export interface Shape {
  problem?: Problem;
  progress: Progress;
  /** Distance of the best of a population from the best so far, as a share of the progress. */
  getLag?: (time: number) => number;
  metrics?: (time: number, problem: Problem) => Record<string, number>;
  changes?: (run: ConstructedRun) => Partial<ConstructedRun>;
  /** Used share of the granted budget. */
  used?: number;
  generations?: number;
}

/** Returns a COMPLETED run of a generational algorithm that used its budget. */
export function constructRun(random: Random, shape: Shape): ConstructedRun {
  const problem = shape.problem ?? drawProblem(random);
  const generations = shape.generations ?? random.whole(60, 400);
  const population = random.whole(4, 500);
  const noise = random.chance(0.5) ? random.uniform(0, 0.003) : 0;
  const getLag = shape.getLag ?? (() => noise * Math.abs(random.normal()));
  const rows = Array.from({ length: generations }, (_, iteration) => {
    const time = iteration / (generations - 1);
    const progress = Math.min(0.999, shape.progress(time));
    const best = problem.getValue(progress - Math.max(0, getLag(time)));
    const mean = problem.getValue(progress - 0.1);
    const metrics = shape.metrics?.(time, problem) ?? {};
    return { iteration, evaluations: (iteration + 1) * population, best, mean, metrics };
  });
  const evaluations = generations * population;
  const getBetter = problem.direction === 'min' ? Math.min : Math.max;
  const byIterations = random.chance(0.3);
  const grantedEvaluations = Math.round(evaluations / (shape.used ?? 1));
  const run: ConstructedRun = {
    problemType: problem.problemType,
    direction: problem.direction,
    family: problem.family,
    config: {
      problem: { type: problem.problemType, params: { direction: problem.direction } },
      representation: problem.representation,
      stopping: byIterations
        ? {
            type: 'max-iterations',
            maxIterations: Math.round(generations / (shape.used ?? 1)),
            targetFitness: problem.target,
          }
        : {
            type: 'budget-or-target',
            maxEvaluations: grantedEvaluations,
            targetFitness: problem.target,
          },
    },
    status: 'COMPLETED',
    isImported: false,
    isSilent: false,
    evaluations,
    iterations: generations - 1,
    bestFitness: rows.map(({ best }) => best).reduce((a, b) => getBetter(a, b)),
    rows,
  };
  return { ...run, ...shape.changes?.(run) };
}

/** Returns steady progress to `end`, which is faster at the beginning or at the end. */
export function makeSteadyProgress(random: Random, end = random.uniform(0.6, 0.95)): Progress {
  const power = random.uniform(0.6, 1.3);
  return (time) => end * time ** power;
}

/** Returns progress that ends at a time. */
export function makeStoppingProgress(
  random: Random,
  stop: number,
  end = random.uniform(0.4, 0.9),
): Progress {
  const power = random.uniform(0.6, 1.1);
  return (time) => end * Math.min(1, time / stop) ** power;
}

/** Returns a function from 1 to 0 with some noise, which is below 0.05 from a time on. */
export const makeFade = (random: Random, from: number) => (time: number) =>
  time < from ? 1 - 0.9 * (time / from) ** 3 : Math.max(0, 0.03 + 0.006 * random.normal());

export function fixation(random: Random, from: number) {
  const fade = makeFade(random, from);
  return (time: number, { family, representation }: Problem): Record<string, number> => {
    const remainder = fade(time);
    if (family === 'binary') {
      return { binary_fixation_ratio: 1 - remainder, binary_mean_entropy: remainder };
    }
    const { size } = representation['params'] as { size: number };
    return { perm_size: size, perm_position_entropy_mean: remainder * Math.log2(size) };
  };
}

export const diversityKeys = {
  binary: 'diversity_hamming_population',
  permutation: 'diversity_kendall_population',
  real: 'diversity_euclidean_population',
  unknown: 'diversity',
};

/** Returns the run as an imported trace: improvements, and a final row at the last evaluation. */
export function makeImportedTrace(run: ConstructedRun): Partial<ConstructedRun> {
  const isBetter = (a: number, b: number) => (run.direction === 'min' ? a < b : a > b);
  const lastRow = run.rows.at(-1)!;
  let best = NaN;
  const improvements = run.rows.filter((row) => {
    if (best === best && !isBetter(row.best, best)) return false;
    best = row.best;
    return true;
  });
  const finalRows = improvements.at(-1) === lastRow ? [] : [{ ...lastRow, best }];
  const rows = [...improvements, ...finalRows].map((row, iteration) => ({
    ...row,
    iteration,
    mean: row.best,
    metrics: {},
  }));
  return { rows, iterations: rows.length - 1, isImported: true };
}

/** Returns the configuration as importers write it, with a target and without a budget. */
export function makeConfigWithoutBudget({ config }: ConstructedRun): ConfigObject {
  const { targetFitness } = config['stopping'] as ConfigObject;
  return { ...config, stopping: { type: 'imported', targetFitness: targetFitness ?? null } };
}

/** Returns a run as the service passes it to the diagnosis. */
export function makeDiagnosedRun(run: ConstructedRun): DiagnosedRun {
  const keys = Object.keys(run.rows[0]?.metrics ?? {});
  return {
    ...run,
    isResumed: false,
    target: getConfiguredTarget(run.config),
    optimum: getKnownOptimum(run.problemType, run.config, run.direction),
    budget: getConfiguredBudget(run.config),
    silentSince: run.isSilent ? '2026-11-21T10:00:00Z' : null,
    points: run.rows,
    telemetry: {
      family: run.family,
      iterations: run.rows.map(({ iteration }) => iteration),
      series: Object.fromEntries(
        keys.map((key) => [key, run.rows.map(({ metrics }) => metrics[key] ?? null)]),
      ),
      model: {},
    },
  };
}
