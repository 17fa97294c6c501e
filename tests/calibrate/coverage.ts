import { computeGroupConvergence } from '#server/analysis/curves.ts';
import type { AnalysedRun } from '#server/analysis/model.ts';
import type { compareProblem } from '#server/analysis/comparison.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import { budget, generations, populationSize, type Landscape } from './landscapes.ts';
import { endedRuns, type SimulatedRun } from './situations.ts';

/** An interval that a page shows, and whether it contains the true value. */
export interface ShownInterval {
  name: string;
  isCovering: boolean;
}

/** What identical groups truly do on a landscape. */
interface Truth {
  successRate: number;
  ert: number;
  /** Mean best so far at the end of each generation; null where the distribution has none. */
  means: Float64Array | null;
}

const drawnRuns = 20_000;
const truths = new Map<string, Truth>();

/** The true values of a landscape, from 20,000 runs. */
function getTruth(landscape: Landscape): Truth {
  const known = truths.get(landscape.name);
  if (known) return known;
  const random = createSeededRandom(`truth of ${landscape.name}`);
  const runs = endedRuns(random, landscape, { groups: 1, runs: drawnRuns });
  const hits = runs.map(({ course }) =>
    landscape.target === null ? -1 : course.findIndex((best) => best <= (landscape.target ?? 0)),
  );
  const solved = hits.filter((hit) => hit >= 0).length;
  const effort = hits.reduce(
    (sum, hit) => sum + (hit < 0 ? budget : (hit + 1) * populationSize),
    0,
  );
  const means = Float64Array.from(
    { length: generations },
    (_, generation) => runs.reduce((sum, run) => sum + bestAfter(run, generation), 0) / drawnRuns,
  );
  const truth = {
    successRate: solved / drawnRuns,
    ert: effort / solved,
    means: landscape.name === 'heavy tails' ? null : means,
  };
  truths.set(landscape.name, truth);
  return truth;
}

function bestAfter({ course }: SimulatedRun, generation: number): number {
  return course[Math.min(generation, course.length - 1)] ?? NaN;
}

/** The ends of an interval; null is infinite, a missing interval is not shown. */
type Ends = { lower: number | null; upper: number | null } | null | undefined;

/** Every interval of a comparison of two identical groups whose runs all ended, with the true value of each. */
export function shownIntervals(
  { algorithms, pairwise }: ReturnType<typeof compareProblem>,
  groups: readonly { name: string; runs: AnalysedRun[] }[],
  landscape: Landscape,
): ShownInterval[] {
  const { successRate, ert, means } = getTruth(landscape);
  const shown: ShownInterval[] = [];
  const add = (name: string, interval: Ends, value: number) => {
    if (!interval) return;
    const { lower, upper } = interval;
    shown.push({
      name,
      isCovering: (lower ?? Infinity) <= value && value <= (upper ?? Infinity),
    });
  };
  if (landscape.target !== null) {
    for (const { atCommonBudget, ertMoverInterval } of algorithms) {
      add('success rate', atCommonBudget?.successRateCi, successRate);
      add('ERT', atCommonBudget?.ertInterval, ert);
      add('ERT of whole runs', ertMoverInterval, ert);
    }
  }
  for (const [measure, pairs] of Object.entries(pairwise)) {
    for (const pair of pairs ?? []) {
      add(`A12 of ${measure}`, pair.simultaneousEffectInterval, 0.5);
      add(`shift of ${measure}`, pair.simultaneousShiftInterval, 0);
      add('difference of success', pair.simultaneousDifferenceInterval, 0);
    }
  }
  if (means === null) return shown;
  for (const { points } of computeGroupConvergence(groups)) {
    for (const part of [0.1, 0.5, 1]) {
      const point = points.findLast(({ x }) => x <= part * budget);
      if (!point || point.ciLower === null) continue;
      const mean = means[Math.floor(point.x / populationSize) - 1] ?? NaN;
      add('convergence', { lower: point.ciLower, upper: point.ciUpper }, mean);
    }
  }
  return shown;
}
