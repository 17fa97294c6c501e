import type { BudgetShare, CurvePoint, Series } from '#shared/schemas/analysis.ts';
import type { EcdfCurve } from '#shared/schemas/coco-analysis.ts';
import { computeMean, computeMedian, sortAscending } from './descriptive.ts';
import { createSeededRandom } from './seeded-random.ts';
import { computeWilsonInterval } from './runtime.ts';

/**
 * Returns right-continuous cumulative steps: one point for each distinct finite cost, with y = number of costs up to x,
 * divided by `total`. Null, NaN and infinite costs (not reached) give no step. Empty without finite costs.
 */
export function computeCumulativeSteps(
  costs: Iterable<number | null>,
  total: number,
): CurvePoint[] {
  const reachedCosts = [...costs].filter((cost) => cost !== null && Number.isFinite(cost));
  return getSteps(sortAscending(reachedCosts as number[]), total);
}

/** Returns the steps of {@link computeCumulativeSteps} for ascending finite costs. */
function getSteps(sortedCosts: ArrayLike<number>, total: number): CurvePoint[] {
  const points: CurvePoint[] = [];
  for (let index = 0; index < sortedCosts.length; index += 1) {
    const x = sortedCosts[index] ?? NaN;
    if (sortedCosts[index + 1] !== x) points.push({ x, y: (index + 1) / total });
  }
  return points;
}

/**
 * Returns the value of a right-continuous step curve at x: the y of the last point up to x, or 0 before the first
 * point.
 */
export function getStepValue(points: readonly CurvePoint[], x: number): number {
  return points.findLast((point) => point.x <= x)?.y ?? 0;
}

/**
 * Returns the share of all runs, including unsuccessful ones, that reached the target within each number of
 * evaluations, as right-continuous steps. Takes the evaluations to the target of each run; null if the run never
 * reached the target, or if its evaluations are unknown. Ties form one step. The last value is the share of runs
 * without null. Empty without such runs. Hansen et al. 2016.
 */
export function computeEcdfOfAllRuns(
  evaluationsToTarget: readonly (number | null)[],
): CurvePoint[] {
  return computeCumulativeSteps(evaluationsToTarget, evaluationsToTarget.length);
}

/**
 * Returns the curve of {@link computeEcdfOfAllRuns} for only the runs with known evaluations to the target; the last
 * value is 1. Empty without such runs.
 */
export function computeEcdfOfSuccessfulRuns(
  evaluationsToTarget: readonly (number | null)[],
): CurvePoint[] {
  const runtimes = evaluationsToTarget.filter((evaluations) => evaluations !== null);
  return computeCumulativeSteps(runtimes, runtimes.length);
}

/**
 * Returns up to `count` ≥ 2 budgets from `firstBudget` to `lastBudget`, both included, in equal steps of the logarithm,
 * ascending and without duplicates. A `firstBudget` below 1 counts as 1. Rounds the budgets between both to whole
 * numbers. Empty if last < first or last < 1.
 */
export function makeLogarithmicBudgets(
  firstBudget: number,
  lastBudget: number,
  count: number,
): number[] {
  const start = Math.max(1, firstBudget);
  const span = Math.log(lastBudget / start);
  return makeSpacedBudgets(start, lastBudget, count, (share) => start * Math.exp(span * share));
}

/**
 * Returns up to `count` ≥ 2 budgets from `firstBudget` to `lastBudget` in equal steps, both included, ascending and
 * without duplicates. Rounds the budgets between both to whole numbers. Empty if last < first.
 */
export function makeLinearBudgets(
  firstBudget: number,
  lastBudget: number,
  count: number,
): number[] {
  return makeSpacedBudgets(
    firstBudget,
    lastBudget,
    count,
    (share) => firstBudget + (lastBudget - firstBudget) * share,
  );
}

function makeSpacedBudgets(
  firstBudget: number,
  lastBudget: number,
  count: number,
  getBudget: (share: number) => number,
): number[] {
  if (!(lastBudget >= firstBudget)) return [];
  const shares = Array.from({ length: count }, (_, index) => index / (count - 1));
  const innerBudgets = shares.slice(1, -1).map((share) => Math.round(getBudget(share)));
  return [...new Set([firstBudget, ...innerBudgets, lastBudget])].filter(
    (x) => x >= firstBudget && x <= lastBudget,
  );
}

/**
 * Returns the share of all runs that reached the target within each budget, with its Wilson interval at 95 %. Takes the
 * evaluations to the target of each run; null if the run never reached the target, or if its evaluations are unknown. A
 * run with null counts as unsolved at every budget. `budgets` are ascending. Empty without runs.
 */
export function computeSuccessWithin(
  evaluationsToTarget: readonly (number | null)[],
  budgets: readonly number[],
): BudgetShare[] {
  const total = evaluationsToTarget.length;
  if (total === 0) return [];
  const runtimes = sortAscending(evaluationsToTarget.filter((evaluations) => evaluations !== null));
  let successes = 0;
  return budgets.map((x) => {
    while (successes < runtimes.length && (runtimes[successes] ?? Infinity) <= x) successes += 1;
    const { lower = 0, upper = 1 } = computeWilsonInterval(successes, total) ?? {};
    return { x, y: successes / total, ciLower: lower, ciUpper: upper };
  });
}

/**
 * Returns the shares of {@link computeSuccessWithin} at up to 64 logarithmic budgets from 1 to the largest budget of
 * any run; empty without runs and for a largest budget below 1.
 */
export function computeSuccessVsBudget(
  evaluationsToTarget: readonly (number | null)[],
  largestBudget: number,
): BudgetShare[] {
  return computeSuccessWithin(evaluationsToTarget, makeLogarithmicBudgets(1, largestBudget, 64));
}

/** Factor for rounding to 12 decimals, beyond which values that are equal by definition may differ. */
const roundingFactor = 1e12;

/**
 * Returns the anytime performance of a run, from 0 to 1; larger is better. It is the share of reached levels, averaged
 * over log10 of the budget from 1 to `budget`: the mean over the levels of max(0, 1 − log10 T / log10 budget), where T
 * is the number of evaluations at which the run reached the level. `evaluationsToLevels` contains T for each level,
 * null if the run never reached the level. T ≤ 1 counts 1; a larger T counts 0 if it is at least `budget`. For a budget
 * of 1, the result is the share of levels with T ≤ 1. Rounds to 12 decimals, because equal runs must tie. Null without
 * levels and for a budget below 1.
 */
export function computeAnytimePerformance(
  evaluationsToLevels: readonly (number | null)[],
  budget: number,
): number | null {
  if (budget < 1) return null;
  const meanShare = computeMean(
    evaluationsToLevels.map((evaluations) => getShareOfBudget(evaluations, budget)),
  );
  return meanShare === null ? null : Math.round(meanShare * roundingFactor) / roundingFactor;
}

/** Returns the share of the logarithmic budget that remains when the run reaches the level; 0 if it never does. */
function getShareOfBudget(evaluations: number | null, budget: number): number {
  if (evaluations === null || evaluations > budget) return 0;
  return evaluations <= 1 ? 1 : 1 - Math.log10(evaluations) / Math.log10(budget);
}

/** A problem (a run at a level) in a data profile. */
export interface DataProfileProblem {
  /** Evaluations to the solution; null if not solved or unknown. */
  evaluations: number | null;
  /** Dimension of the problem; null if unknown. The cost is then in evaluations. */
  dimension: number | null;
}

/**
 * Returns the data profile: the share of all problems that are solved within x·(dimension + 1) evaluations, or within x
 * if the dimension is unknown, as right-continuous steps. Problems without evaluations stay in the denominator. Empty
 * if no problem has evaluations. Moré & Wild 2009.
 */
export function computeDataProfile(problems: readonly DataProfileProblem[]): CurvePoint[] {
  const costs = problems.map(({ evaluations, dimension }) =>
    evaluations === null || dimension === null ? evaluations : evaluations / (dimension + 1),
  );
  return computeCumulativeSteps(costs, problems.length);
}

/**
 * Costs of the problems for one solver. A cost is null or Infinity if the solver did not solve the problem, or if the
 * cost is unknown.
 */
export interface SolverCosts {
  name: string;
  costs: readonly (number | null)[];
}

/**
 * Returns the performance profiles: for each solver the share of problems on which its cost is at most τ times the
 * smallest cost of all solvers, as right-continuous steps from τ = 1. A problem that no solver solves stays in the
 * denominator. Without problems there are no points. Dolan & Moré 2002.
 */
export function computePerformanceProfiles(solvers: readonly SolverCosts[]): Series[] {
  const problemCount = Math.max(0, ...solvers.map((solver) => solver.costs.length));
  const bestCosts = Array.from({ length: problemCount }, (_, problem) =>
    Math.min(...solvers.map((solver) => solver.costs[problem] ?? Infinity)),
  );
  return solvers.map(({ name, costs }) => {
    const ratios = bestCosts.map((bestCost, problem) =>
      computeRatio(bestCost, costs[problem] ?? Infinity),
    );
    return {
      name,
      points: startAtRatioOne(computeCumulativeSteps(ratios, problemCount), problemCount),
    };
  });
}

function computeRatio(bestCost: number, cost: number): number {
  if (cost === Infinity) return Infinity;
  return cost === bestCost ? 1 : cost / bestCost;
}

function startAtRatioOne(steps: CurvePoint[], problemCount: number): CurvePoint[] {
  if (problemCount === 0 || steps[0]?.x === 1) return steps;
  return [{ x: 1, y: getStepValue(steps, 1) }, ...steps];
}

/** Dimension and weight of a trial, for counting its solved pairs. */
interface CountedTrial {
  dimension: number;
  /** Weight of the trial within its problem instance; 1 by default. */
  weight?: number;
}

/**
 * Calls `add` with each number of evaluations at which a trial first reached targets, and with the number of these
 * targets.
 */
type VisitHits<Trial> = (
  trial: Trial,
  add: (evaluations: number, targetCount: number) => void,
) => void;

/** First hits of one trial, for each target of a set. */
export interface TargetHits extends CountedTrial {
  /** Evaluations of the first hit per target, Infinity if not reached or unknown. */
  hits: Float64Array;
  /** Used evaluations; 0 if unknown. */
  usedEvaluations: number;
}

const visitHits: VisitHits<TargetHits> = ({ hits }, add) => {
  for (const hit of hits) {
    if (hit !== Infinity) add(hit, 1);
  }
};

/**
 * Number of all pairs (trial, target), number of solved pairs, and the share of pairs that are solved within x =
 * evaluations / dimension.
 */
type TargetSteps = Pick<EcdfCurve, 'pairs' | 'solvedPairs' | 'points'>;

/**
 * Returns the runtime ECDF over a set of targets: right-continuous steps at evaluations / dimension over all pairs of a
 * trial and a target; unsolved pairs stay in the denominator. Ignores weights. If there are more than {@link
 * maximumPoints} steps, retains only the last one in each bin with a width of 2 % of x. `points` is empty without
 * solved pairs. Hansen et al. 2016.
 */
export function computeTargetSteps(trials: readonly TargetHits[]): TargetSteps {
  const pairs = countPairs(trials);
  const costs = countCosts(trials, pairs, visitHits);
  const points = makeCumulativePoints(costs, pairs);
  return { pairs, solvedPairs: countSolvedPairs(costs), points: thinPoints(points) };
}

/** Distinct costs in ascending order, with the number of pairs for each. */
interface CostCounts {
  /** Costs in evaluations / dimension. */
  costs: Float64Array;
  counts: Uint32Array;
}

/** Solved pairs of trials with the same weight. */
interface WeightClass extends CostCounts {
  weight: number;
}

/** The solved pairs of weighted trials and targets, as input of {@link computeTargetEcdf}. */
export interface TargetCosts {
  /** Number of pairs, including the unsolved ones. */
  pairs: number;
  classes: readonly WeightClass[];
}

/**
 * Returns the costs of the solved pairs of these trials, grouped by the weight of the trial. `classes` is empty without
 * trials.
 */
export function collectTargetCosts(trials: readonly TargetHits[]): TargetCosts {
  return collectVisitedCosts(trials, countPairs(trials), visitHits);
}

/**
 * Returns the result of {@link collectTargetCosts} without a list of the hits of each trial: `visit` passes the hits to
 * `add`. `pairs` is the number of pairs, including the unsolved ones.
 */
export function collectVisitedCosts<Trial extends CountedTrial>(
  trials: readonly Trial[],
  pairs: number,
  visit: VisitHits<Trial>,
): TargetCosts {
  const trialsByWeight = Map.groupBy(trials, ({ weight }) => weight ?? 1);
  const classes = Array.from(trialsByWeight, ([weight, trialsOfClass]) => ({
    weight,
    ...countCosts(trialsOfClass, pairs, visit),
  }));
  return { pairs, classes };
}

/** Returns the costs of several sets of trials as the costs of one set. */
export function joinTargetCosts(parts: readonly TargetCosts[]): TargetCosts {
  const classesByWeight = Map.groupBy(
    parts.flatMap(({ classes }) => classes),
    ({ weight }) => weight,
  );
  return {
    pairs: parts.reduce((sum, { pairs }) => sum + pairs, 0),
    classes: Array.from(classesByWeight, ([weight, classesOfWeight]) => ({
      weight,
      ...addCosts(new Map(), classesOfWeight),
    })),
  };
}

/** Adds the counts of `parts` to `countsByCost`, and returns all counts by ascending cost. */
function addCosts(countsByCost: Map<number, number>, parts: readonly CostCounts[]): CostCounts {
  for (const part of parts) {
    for (const [index, cost] of part.costs.entries())
      countsByCost.set(cost, (countsByCost.get(cost) ?? 0) + (part.counts[index] ?? 0));
  }
  const costs = Float64Array.from(countsByCost.keys()).sort();
  return { costs, counts: Uint32Array.from(costs, (cost) => countsByCost.get(cost) ?? 0) };
}

/**
 * Returns the steps of {@link computeTargetSteps} for weighted trials: y is the weight of the solved pairs, divided by
 * the product of `cells` and the number of targets, `targets`. `cells` is the weight of all trials, plus 1 for each
 * cell without trials. `area` is the solved share, averaged over log x from 1 to `budget` (evaluations / dimension).
 * For a budget of at most 1, `area` is the share that is solved within the budget. Without cells or targets, it is 0.
 */
export function computeTargetEcdf(
  { pairs, classes }: TargetCosts,
  { budget, cells, targets }: { budget: number; cells: number; targets: number },
): TargetSteps & Pick<EcdfCurve, 'area'> {
  const total = cells * targets;
  const areas = classes.map(
    (weightClass) => weightClass.weight * computeAreaUpTo(weightClass, budget),
  );
  const [firstClass] = classes;
  const points =
    classes.length === 1 && firstClass
      ? makeCumulativePoints(firstClass, total / firstClass.weight)
      : computeWeightedSteps(classes, total);
  return {
    pairs,
    solvedPairs: classes.reduce((sum, weightClass) => sum + countSolvedPairs(weightClass), 0),
    points: thinPoints(points),
    area: total === 0 ? 0 : areas.reduce((sum, area) => sum + area, 0) / total,
  };
}

/** Returns one point for each cost, with y = number of pairs with at most this cost, divided by the total. */
function makeCumulativePoints({ costs, counts }: CostCounts, total: number): CurvePoint[] {
  let solvedPairs = 0;
  return Array.from(costs, (x, index) => ({ x, y: (solvedPairs += counts[index] ?? 0) / total }));
}

function countSolvedPairs({ counts }: CostCounts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Returns one point for each distinct cost, with y = weight of the pairs with at most this cost, divided by the total.
 */
function computeWeightedSteps(classes: readonly WeightClass[], total: number): CurvePoint[] {
  const steps = classes.flatMap((weightClass) =>
    makeCumulativePoints(weightClass, 1).map(({ x, y }) => ({
      x,
      weight: weightClass.weight,
      count: y,
    })),
  );
  steps.sort((a, b) => a.x - b.x);
  const counts = new Map<number, number>();
  const points: CurvePoint[] = [];
  for (const [index, { x, weight, count }] of steps.entries()) {
    counts.set(weight, count);
    if (steps[index + 1]?.x === x) continue;
    let solvedWeight = 0;
    for (const [classWeight, pairCount] of counts) solvedWeight += classWeight * pairCount;
    points.push({ x, y: solvedWeight / total });
  }
  return points;
}

function countPairs(trials: readonly TargetHits[]): number {
  return trials.reduce((sum, { hits }) => sum + hits.length, 0);
}

/** Largest number of evaluations that {@link countCosts} counts in an array, divided by the number of pairs. */
const maximumEvaluationsPerPair = 4;
/** Largest number of evaluations that {@link countCosts} counts in an array for any number of pairs. */
const maximumEvaluations = 1_000_000;

/** Array of {@link countCosts}, reused because it is large. All counts are 0 between calls. */
let countsByEvaluations = new Uint32Array();

/**
 * Returns the costs of the solved pairs. If all trials have one dimension, counts whole evaluations up to a limit in an
 * array, because pairs often share few different values. Counts all other costs in a map.
 */
function countCosts<Trial extends CountedTrial>(
  trials: readonly Trial[],
  pairs: number,
  visit: VisitHits<Trial>,
): CostCounts {
  let dimension = trials[0]?.dimension ?? 1;
  const hasOneDimension = trials.every((trial) => trial.dimension === dimension);
  const limit = hasOneDimension
    ? Math.min(maximumEvaluationsPerPair * pairs, maximumEvaluations)
    : -1;
  if (countsByEvaluations.length <= limit) countsByEvaluations = new Uint32Array(limit + 1);
  const wholeCounts = countsByEvaluations;
  const otherCounts = new Map<number, number>();
  let largestInteger = -1;
  const add = (evaluations: number, targetCount: number) => {
    // An index that is an integer for V8 makes counting twice as fast.
    const integer = evaluations | 0;
    if (integer === evaluations && integer >= 0 && integer <= limit) {
      wholeCounts[integer] = (wholeCounts[integer] ?? 0) + targetCount;
      if (integer > largestInteger) largestInteger = integer;
    } else {
      const cost = evaluations / dimension;
      otherCounts.set(cost, (otherCounts.get(cost) ?? 0) + targetCount);
    }
  };
  for (const trial of trials) {
    dimension = trial.dimension;
    visit(trial, add);
  }
  const usedCounts = wholeCounts.subarray(0, largestInteger + 1);
  const wholeCosts = listWholeCosts(usedCounts, dimension);
  usedCounts.fill(0);
  return otherCounts.size === 0 ? wholeCosts : addCosts(otherCounts, [wholeCosts]);
}

/** Returns the costs and counts of all numbers of evaluations with a count above 0, for trials of one dimension. */
function listWholeCosts(countsOfEvaluations: Uint32Array, dimension: number): CostCounts {
  // Loops by index are several times as fast as iterators, and there may be a million numbers for each optimizer.
  let length = 0;
  for (let index = 0; index < countsOfEvaluations.length; index += 1)
    if (countsOfEvaluations[index] !== 0) length += 1;
  const [costs, counts] = [new Float64Array(length), new Uint32Array(length)];
  let end = 0;
  for (let evaluations = 0; evaluations < countsOfEvaluations.length; evaluations += 1) {
    const count = countsOfEvaluations[evaluations] ?? 0;
    if (count === 0) continue;
    costs[end] = evaluations / dimension;
    counts[end] = count;
    end += 1;
  }
  return { costs, counts };
}

const maximumPoints = 500;

function thinPoints(points: CurvePoint[]): CurvePoint[] {
  if (points.length <= maximumPoints) return points;
  const binWidth = Math.log(1.02);
  const bins = points.map(({ x }) => Math.floor(Math.log(x) / binWidth));
  return points.filter((_, index) => bins[index + 1] !== bins[index]);
}

/**
 * Returns the median of used evaluations / dimension over the trials with an infinite hit; null without such trials.
 * Unknown evaluations count 0.
 */
export function computeMedianUnsolvedEvaluations(trials: readonly TargetHits[]): number | null {
  const unsolvedTrials = trials.filter(({ hits }) => hits.includes(Infinity));
  return computeMedian(
    unsolvedTrials.map(({ usedEvaluations, dimension }) => usedEvaluations / dimension),
  );
}

/**
 * Returns the sum of the shares of all pairs, each in [0, 1]. The share of a pair is its part of the area over log x
 * from 1 to the budget: 1 for a cost of at most 1, and 0 for a cost beyond the budget. For a budget of at most 1, the
 * sum is the number of pairs within the budget.
 */
function computeAreaUpTo({ costs, counts }: CostCounts, budget: number): number {
  const width = Math.log(budget);
  let area = 0;
  for (let index = 0; index < costs.length; index += 1) {
    const cost = costs[index] ?? Infinity;
    if (cost > budget) break;
    const share = cost <= 1 || width <= 0 ? 1 : 1 - Math.log(cost) / width;
    // Adds the share once for each pair, because a product would differ in the last digit.
    for (let pair = counts[index] ?? 0; pair > 0; pair -= 1) area += share;
  }
  return area;
}

/**
 * Returns the trials of one optimizer, function and dimension with simulated restarts. If a trial missed a target that
 * another trial reached, the simulation draws further trials from all these trials, at random and with replacement,
 * until a drawn trial reaches the target. Each trial that misses the target adds all its evaluations; the last trial
 * adds only the evaluations up to its hit. The simulation neither restarts nor draws a trial with unknown evaluations
 * (0), because such a trial would cost nothing. If no trial with known evaluations reached a target, there are no
 * restarts for this target. The random numbers depend only on the seed text. Hansen et al. 2016.
 */
export function simulateRestarts(trials: readonly TargetHits[], seed: string): TargetHits[] {
  const random = createSeededRandom(seed);
  const candidateTrials = trials.filter(({ usedEvaluations }) => usedEvaluations > 0);
  const isReached = (target: number) =>
    candidateTrials.some(({ hits }) => hits[target] !== Infinity);
  const reachedFlags = Array.from(trials[0]?.hits ?? [], (_, target) => isReached(target));
  return trials.map((trial) => ({
    ...trial,
    hits: trial.hits.map((hit, target) => {
      if (hit !== Infinity || trial.usedEvaluations <= 0 || reachedFlags[target] !== true)
        return hit;
      let { usedEvaluations } = trial;
      for (;;) {
        const sampledTrial = candidateTrials[Math.floor(random() * candidateTrials.length)];
        const sampledHit = sampledTrial?.hits[target] ?? Infinity;
        if (sampledHit !== Infinity) return usedEvaluations + sampledHit;
        usedEvaluations += sampledTrial?.usedEvaluations ?? 0;
      }
    }),
  }));
}
