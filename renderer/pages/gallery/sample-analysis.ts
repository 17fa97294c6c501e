import type { ExperimentResult, VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import type { Box, ConvergencePoint, CurvePoint } from '#shared/schemas/analysis.ts';
import type { RunTrace } from '#renderer/charts/figure.ts';
import { getRandomNumbers } from './sample-data.ts';

// Generated values of an analysis, for the gallery and the tests of figures: always the same numbers.

/** A maximising convergence towards 40 over `count` budgets, 100 evaluations apart. */
export function sampleConvergence(seed: number, count: number): ConvergencePoint[] {
  const random = getRandomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const mean = 40 - 15 * Math.exp((-3 * index) / count) - random() / 4;
    const half = 1.5 * (1 - index / count) + 0.2;
    return {
      x: 100 * (index + 1),
      mean,
      ciLower: mean - half,
      ciUpper: mean + half,
      q1: mean - half / 2,
      median: mean + 0.3,
      medianCiLower: mean - half / 3,
      medianCiUpper: mean + half / 2,
      q3: mean + half / 2,
      samples: 15,
    };
  });
}

/** A minimising convergence of `count` budgets that falls from 100 through seventeen decades. */
export function sampleDescent(seed: number, count: number): ConvergencePoint[] {
  const random = getRandomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const median = 100 * 10 ** (-19 * (index / count) ** (0.7 + seed / 8)) * (0.5 + random());
    return {
      x: 50 * (index + 1),
      mean: 20 * median,
      ciLower: -10 * median,
      ciUpper: 50 * median,
      q1: median / 8,
      median,
      medianCiLower: median / 20,
      medianCiUpper: 12 * median,
      q3: 9 * median,
      samples: 11,
    };
  });
}

/** Single runs that fall as {@link sampleDescent} does, each in its own way. */
export function sampleRunTraces(seed: number, count: number): RunTrace[] {
  return Array.from({ length: count }, (_, index) => {
    const points = sampleDescent(seed, 80);
    const factor = 10 ** (index - 2);
    return {
      name: `seed ${1000 + index}`,
      x: points.map(({ x }) => x),
      y: points.map(({ median }) => (median ?? 1) * factor),
      href: '/runs',
    };
  });
}

/** Single runs of 200 points that fall from about 100 through six decades, each at its own evaluations. */
export function sampleCrowd(seed: number, count: number): RunTrace[] {
  const random = getRandomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const speed = 4 + 3 * random();
    const steps = Array.from({ length: 200 }, (_unused, step) => step + random());
    return {
      name: `seed ${1000 + index}`,
      x: steps.map((step) => Math.round(100 + 50 * step)),
      y: steps.map((step) => 100 * (1 + random()) * 10 ** ((-speed * step) / 200)),
      href: '/runs',
    };
  });
}

/** Steps of a share that rises to `height` between the budgets 100 and 1000. */
export function sampleShare(seed: number, count: number, height: number): CurvePoint[] {
  const random = getRandomNumbers(seed);
  const places = Array.from({ length: count }, () => Math.round(100 + 900 * random()));
  return [...new Set(places)]
    .sort((first, second) => first - second)
    .map((x, index, all) => ({ x, y: (height * (index + 1)) / all.length }));
}

/** A box around `median` with two outliers below it. */
export function sampleBox(median: number): Box {
  return {
    n: 15,
    min: median - 4,
    q1: median - 1,
    median,
    q3: median + 0.5,
    max: median + 1,
    mean: median - 0.4,
    stdDev: 1.2,
    whiskerLow: median - 2,
    whiskerHigh: median + 1,
    outliers: [median - 4, median - 3.5],
  };
}

/** The box of a group without any value. */
export const emptyBox: Box = {
  n: 0,
  min: null,
  q1: null,
  median: null,
  q3: null,
  max: null,
  mean: null,
  stdDev: null,
  whiskerLow: null,
  whiskerHigh: null,
  outliers: [],
};

/** Bins of width 50 from 200 with these counts. */
export function sampleBins(counts: readonly number[]) {
  return counts.map((count, index) => ({
    startInclusive: 200 + 50 * index,
    endExclusive: 250 + 50 * index,
    count,
  }));
}

/** Average ranks of five groups with a critical difference that joins some of them. */
export const sampleRanks = {
  ranks: [
    { algorithm: 'cma-es', averageRank: 1.4 },
    { algorithm: 'umda', averageRank: 2.1 },
    { algorithm: 'pbil', averageRank: 3.2 },
    { algorithm: 'cga', averageRank: 3.6 },
    { algorithm: 'random', averageRank: 4.7 },
  ],
  criticalDifference: 1.2,
  pairs: [
    { a: 'cma-es', b: 'pbil', significant: true },
    { a: 'cma-es', b: 'cga', significant: true },
    { a: 'cma-es', b: 'random', significant: true },
    { a: 'umda', b: 'random', significant: true },
  ],
};

/** Experiments of three algorithms; each fifth one never reached the target. */
export const sampleExperiments: readonly ExperimentResult[] = (() => {
  const random = getRandomNumbers(7);
  return Array.from({ length: 60 }, (_, index) => {
    const successfulRuns = index % 5 === 0 ? 0 : 3 + (index % 12);
    return {
      experimentId: `e${index}`,
      label: `tuning ${index}`,
      algorithm: ['umda', 'pbil', 'cga'][index % 3] ?? '',
      totalRuns: 15,
      successfulRuns,
      n: 15,
      medianBest: 38 + random(),
      ert: successfulRuns === 0 ? null : 300 + 900 * random(),
    };
  });
})();

/** Returns a parameter of {@link sampleExperiments}, which have its values in turn. */
export function sampleParameter(
  path: string,
  values: readonly (string | null)[],
): VaryingParameter {
  const isNumeric = values.every((value) => value === null || Number.isFinite(Number(value)));
  return {
    path,
    isNumeric,
    spearman: null,
    values: values.map((value, place) => {
      const experimentIds = sampleExperiments
        .filter((_, index) => index % values.length === place)
        .map(({ experimentId }) => experimentId);
      return {
        value,
        condition: null,
        experiments: experimentIds.length,
        experimentIds,
        totalRuns: 15 * experimentIds.length,
        successfulRuns: 0,
        successRate: 0,
        successRateCi: null,
        n: 15,
        medianBest: 38,
        ert: null,
        ertInterval: null,
        ertMoverInterval: null,
      };
    }),
  };
}
