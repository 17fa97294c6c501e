import { getMaximum, getMinimum, computeMedian } from '#server/stats/descriptive.ts';
import type { RunGoal, RunResult } from '#server/domain/objective.ts';
import { createRestartCounter, hasReached } from '#server/domain/trace.ts';
import { isBetter, logarithmicSpread } from '#shared/words.ts';

/** Minimum relevant improvement, as a share of the total improvement. */
export const relevantImprovement = 0.01;

/** Final part of a run, as a share of its evaluations or iterations. */
export const finalPart = 0.1;

/**
 * Minimum decline of the population's best in a restart, and minimum improvement before the restart, as a share of the
 * range.
 */
const restartDecline = 0.5;

/** Trace of a run over its evaluations or iterations, for all rules of a diagnosis. */
export interface DiagnosisTrace {
  /** Unit of positions. Without rows, or if the evaluations do not increase, the unit is an iteration: one per row. */
  unit: 'evaluation' | 'iteration';
  /** Position of each row, non-decreasing. */
  positions: readonly number[];
  /**
   * Position of the end of the run, or of its current progress. Without rows, it is the stored number of evaluations of
   * the run, or 0 if there is none.
   */
  total: number;
  /**
   * Smallest positive step between positions; the first step begins at 0. In evaluations, it is the population size of
   * a generational run. Infinity without rows.
   */
  step: number;
  /** Whether the scale of improvements is logarithmic. */
  isLogarithmic: boolean;
  /** First row after which the run improved by less than 1 % of its total improvement; null if unknown. */
  endOfProgress: number | null;
  /** Share of the total improvement that came after `endOfProgress`; 0 if unknown. */
  remainder: number;
  /**
   * Share of the total improvement that came in the last 10 % of `total`; 0 without improvement, without a best before
   * this part, or if unknown.
   */
  finalShare: number;
  /**
   * First row that reached the target or, without a reachable target, the known optimum; null if there is no such row.
   */
  hit: number | null;
  /** Whether a row or the result of the run reached the target or optimum of `hit`. */
  isSolved: boolean;
  /** Known optimum; null if there is none, or if a fitness of the run is better. */
  optimum: number | null;
  /** Whether the target is better than the optimum; false without a target or an optimum. */
  isUnreachable: boolean;
  /** Whether the population's best got worse over nearly the whole run: the direction is probably wrong. */
  isGettingWorse: boolean;
  /**
   * Rows at which the population's best declined by at least half of the range, after an improvement of at least half
   * of the range. Empty for fewer than two such rows, and for so many that they are noise.
   */
  restarts: readonly number[];
}

/** Rows of a trace, with the evaluations and the best of each population. */
export interface TraceRows {
  /** Evaluations of each row; NaN if unknown. */
  evaluations: ArrayLike<number>;
  /** Best fitness of each row; not finite if there is none. */
  bests: ArrayLike<number>;
}

/**
 * Returns the trace of a run from its rows in the order of their iterations. Positions are evaluations if the
 * evaluations increase, because the rows may be only improvements. `total` is then at least the stored number of
 * evaluations of the run.
 */
export function makeDiagnosisTrace(
  rows: TraceRows,
  goal: RunGoal,
  result: RunResult,
): DiagnosisTrace {
  const axis = makeAxis(rows, result);
  const bests = Array.from(rows.bests);
  const bestsSoFar = computeBestSoFar(bests, goal);
  const lastBest = bestsSoFar.at(-1) ?? NaN;
  const goalStatus = assessGoal(bestsSoFar, goal, result.bestFitness);
  const isLogarithmic = hasLogarithmicScale(bestsSoFar, goal);
  const toScale = (value: number): number => (isLogarithmic ? Math.log(value) : value);
  const firstBest = bestsSoFar.find(Number.isFinite) ?? NaN;
  const totalImprovement = Math.abs(toScale(lastBest) - toScale(firstBest));
  const getShareAfter = (row: number): number =>
    totalImprovement > 0
      ? Math.abs(toScale(lastBest) - toScale(bestsSoFar[row] ?? lastBest)) / totalImprovement
      : 0;
  // The time of a result is unknown if no row contains it.
  const isTimeKnown =
    Number.isFinite(lastBest) &&
    !isResultBetter(result.bestFitness, lastBest, totalImprovement, toScale, goal);
  const endOfProgress = isTimeKnown
    ? bestsSoFar.findIndex(
        (value, row) => Number.isFinite(value) && getShareAfter(row) < relevantImprovement,
      )
    : null;
  const earlyIndex = axis.positions.findLastIndex(
    (position) => position <= (1 - finalPart) * axis.total,
  );
  return {
    ...axis,
    ...goalStatus,
    isLogarithmic,
    endOfProgress,
    remainder: endOfProgress === null ? 0 : getShareAfter(endOfProgress),
    finalShare:
      isTimeKnown && Number.isFinite(bestsSoFar[earlyIndex]) ? getShareAfter(earlyIndex) : 0,
    isGettingWorse: isGettingWorse(bests, firstBest, lastBest, goal),
    restarts: findRestarts(bests, toScale, goal),
  };
}

/**
 * Returns the positions of the rows, with their unit, end and smallest step. A position is the largest number of
 * evaluations up to the row. In a resumed run, {@link createRestartCounter} first converts the evaluations. If the
 * largest number does not increase after the first row, or is 0 in the only row, the positions are the numbers of the
 * rows, from 1.
 */
function makeAxis(
  { evaluations }: TraceRows,
  result: RunResult,
): Pick<DiagnosisTrace, 'unit' | 'positions' | 'total' | 'step'> {
  let position = 0;
  const addEarlierEvaluations = createRestartCounter();
  const evaluationsSoFar = Array.from(evaluations, (value) => {
    const count = result.isResumed ? addEarlierEvaluations(value) : value;
    if (count > position) position = count;
    return position;
  });
  const hasEvaluations = position > (evaluationsSoFar.length > 1 ? (evaluationsSoFar[0] ?? 0) : 0);
  const positions = hasEvaluations ? evaluationsSoFar : evaluationsSoFar.map((_, row) => row + 1);
  const end = positions.at(-1) ?? 0;
  let step = Infinity;
  for (const [row, rowPosition] of positions.entries()) {
    const gap = rowPosition - (positions[row - 1] ?? 0);
    if (gap > 0 && gap < step) step = gap;
  }
  const total =
    hasEvaluations || positions.length === 0 ? Math.max(end, result.evaluations ?? 0) : end;
  return { unit: hasEvaluations ? 'evaluation' : 'iteration', positions, total, step };
}

/** Returns the best so far at each row; NaN before the first finite best. */
function computeBestSoFar(bests: readonly number[], goal: RunGoal): number[] {
  let best = NaN;
  return bests.map((value) => {
    if (Number.isFinite(value) && !(best === best && !isBetter(value, best, goal.direction)))
      best = value;
    return best;
  });
}

function assessGoal(
  bestsSoFar: readonly number[],
  goal: RunGoal,
  bestFitness: number | null,
): Pick<DiagnosisTrace, 'hit' | 'isSolved' | 'optimum' | 'isUnreachable'> {
  const { target } = goal;
  const result = bestFitness ?? NaN;
  const isRefuted = (optimum: number): boolean =>
    [bestsSoFar.at(-1) ?? NaN, result].some((value) => isBetter(value, optimum, goal.direction));
  const optimum = goal.optimum === null || isRefuted(goal.optimum) ? null : goal.optimum;
  const isUnreachable =
    target !== null && optimum !== null && isBetter(target, optimum, goal.direction);
  const limit = target === null || isUnreachable ? optimum : target;
  if (limit === null) return { hit: null, isSolved: false, optimum, isUnreachable };
  const hit = bestsSoFar.findIndex((value) => hasReached(value, limit, goal.direction));
  const isSolved = hit >= 0 || hasReached(result, limit, goal.direction);
  return { hit: hit < 0 ? null : hit, isSolved, optimum, isUnreachable };
}

/**
 * Returns whether the scale of improvements is logarithmic. This is so if the bests so far are positive, and differ by
 * a factor of at least 1,000. In a minimised run with positive bests, it is also so if the target, or without a target
 * the optimum, is at most 1/1,000 of the first best.
 */
function hasLogarithmicScale(bestsSoFar: readonly number[], goal: RunGoal): boolean {
  const values = bestsSoFar.filter(Number.isFinite);
  const [firstBest, lastBest] = [values[0] ?? 0, values.at(-1) ?? 0];
  const [minimum, maximum] = firstBest < lastBest ? [firstBest, lastBest] : [lastBest, firstBest];
  if (!(minimum > 0)) return false;
  const limit = goal.target ?? goal.optimum ?? maximum;
  return (
    maximum / minimum >= logarithmicSpread ||
    (goal.direction === 'min' && limit <= maximum / logarithmicSpread)
  );
}

/**
 * Returns whether the result of a run is better than the best of its rows, by at least 1 % of the total improvement. On
 * a logarithmic scale, a better result that is not above 0 also counts. Returns false without a result.
 */
function isResultBetter(
  result: number | null,
  lastBest: number,
  totalImprovement: number,
  toScale: (value: number) => number,
  goal: RunGoal,
): boolean {
  if (result === null || !isBetter(result, lastBest, goal.direction)) return false;
  return !(Math.abs(toScale(result) - toScale(lastBest)) < relevantImprovement * totalImprovement);
}

const partCount = 10;
const minimumRowsPerPart = 2;
const minimumWorseParts = 8;
const noiseShare = 0.1;

/**
 * Returns whether the population's best got worse over nearly the whole run. This is so if the first best differs from
 * the best of all rows by at most 10 % of the range of the bests, and if at least eight of ten parts of the run have a
 * worse median than the previous part. False for fewer than 20 rows with a best, because these are too few to decide.
 */
function isGettingWorse(
  bests: readonly number[],
  firstBest: number,
  bestOfAll: number,
  goal: RunGoal,
): boolean {
  const values = bests.filter(Number.isFinite);
  if (values.length < partCount * minimumRowsPerPart) return false;
  const range = (getMaximum(values) ?? 0) - (getMinimum(values) ?? 0);
  if (Math.abs(bestOfAll - firstBest) > noiseShare * range) return false;
  const medians = Array.from({ length: partCount }, (_, part) => {
    const toIndex = (edge: number): number => Math.round((edge * values.length) / partCount);
    return computeMedian(values.slice(toIndex(part), toIndex(part + 1))) ?? NaN;
  });
  const worseParts = medians.filter((value, part) =>
    isBetter(medians[part - 1] ?? NaN, value, goal.direction),
  );
  return worseParts.length >= minimumWorseParts;
}

const minimumRestarts = 2;
const minimumRowsPerRestart = 10;

/**
 * Returns the rows at which the best of the population declines by at least half of its range, after an improvement of
 * at least half of its range since the previous restart. Measures both on the scale of improvements. Empty for fewer
 * than two restarts, and for more than one restart in 10 rows, because so many are noise.
 */
function findRestarts(
  bests: readonly number[],
  toScale: (value: number) => number,
  goal: RunGoal,
): number[] {
  const values = bests.map(toScale);
  const finiteValues = values.filter(Number.isFinite);
  const range = (getMaximum(finiteValues) ?? 0) - (getMinimum(finiteValues) ?? 0);
  const rows: number[] = [];
  let [previousValue, worstValue] = [NaN, NaN];
  for (const [row, value] of values.entries()) {
    if (!Number.isFinite(value)) continue;
    const hasImproved =
      isBetter(previousValue, worstValue, goal.direction) &&
      Math.abs(previousValue - worstValue) >= restartDecline * range;
    const hasDeclined =
      isBetter(previousValue, value, goal.direction) &&
      Math.abs(value - previousValue) >= restartDecline * range;
    if (hasImproved && hasDeclined) {
      rows.push(row);
      worstValue = value;
    } else if (!(worstValue === worstValue) || isBetter(worstValue, value, goal.direction))
      worstValue = value;
    previousValue = value;
  }
  const isTooFrequent = rows.length * minimumRowsPerRestart > bests.length;
  return rows.length < minimumRestarts || isTooFrequent ? [] : rows;
}
