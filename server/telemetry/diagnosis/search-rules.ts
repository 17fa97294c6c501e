import type { RunGoal, RunResult } from '#server/domain/objective.ts';
import { isBetter } from '#shared/words.ts';
import { describeCount, formatCount, formatFitness, formatShare } from '#shared/number-format.ts';
import { describeMiss, formatPercent, type Rule, type RunPoint } from './diagnosed-run.ts';
import { finalPart, relevantImprovement, type DiagnosisTrace } from './run-trace.ts';

const minimumStagnantSteps = 10;
const stagnantShare = 0.25;
const lostShare = 0.1;
const lostIterations = 10;

/**
 * Minimum used share of a budget that ended a run. It is below 1, because many algorithms do not start a generation
 * that would exceed the budget.
 */
const usedShare = 0.95;

/** WRONG_DIRECTION: the best of the population gets worse in the direction of the run, over nearly the whole run. */
export const diagnoseWrongDirection: Rule = ({ points, direction }, { isGettingWorse }) => {
  if (!isGettingWorse) return null;
  const [participle, verb] = direction === 'min' ? ['minimised', 'rises'] : ['maximised', 'falls'];
  return {
    code: 'WRONG_DIRECTION',
    severity: 'error',
    fromIteration: points[0]?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message:
      `The fitness ${verb} from the first iteration on, although it is ${participle}. The direction is probably wrong: ` +
      'set it in the configuration (problem.params.direction).',
    evidence: { tab: 'fitness', series: ['best'], value: null, threshold: null },
  };
};

/** TARGET_UNREACHABLE: the target is better than the known optimum of the problem. */
export const diagnoseUnreachableTarget: Rule = ({ points, target }, trace) => {
  if (!trace.isUnreachable) return null;
  const hitPoint = trace.hit === null ? undefined : points[trace.hit];
  const hitSentence = hitPoint
    ? ` The run reached the optimum in iteration ${formatCount(hitPoint.iteration)}.`
    : '';
  return {
    code: 'TARGET_UNREACHABLE',
    severity: 'warning',
    fromIteration: hitPoint?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message:
      `No run can reach the target ${formatFitness(target)}: the known optimum of the problem is ` +
      `${formatFitness(trace.optimum)}.${hitSentence}`,
    evidence: { tab: 'fitness', series: ['best'], value: target, threshold: trace.optimum },
  };
};

/**
 * Returns whether a run reached its target, or the known optimum if it has no target; false for an unreachable target.
 */
export function isTargetReached({ isSolved, isUnreachable }: DiagnosisTrace): boolean {
  return isSolved && !isUnreachable;
}

/** TARGET_REACHED: a row or the final result reached the target, or the known optimum if there is no target. */
export const diagnoseTargetReached: Rule = ({ points, target, bestFitness }, trace) => {
  if (!isTargetReached(trace)) return null;
  const { hit, optimum } = trace;
  const point = hit === null ? undefined : points[hit];
  const hitText = point ? `in iteration ${formatCount(point.iteration)}` : 'with the final result';
  const sentences = [
    target === null
      ? `The run reached the known optimum ${formatFitness(optimum)} ${hitText}. It has no target.`
      : `The run reached the target ${formatFitness(target)} ${hitText}.`,
    ...(target !== null && hit === 0 && points.length > 1
      ? ['This is the first iteration: check target and direction.']
      : []),
  ];
  return {
    code: 'TARGET_REACHED',
    severity: 'good',
    fromIteration: point?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message: sentences.join(' '),
    evidence: {
      tab: 'fitness',
      series: ['best'],
      value: point ? point.best : bestFitness,
      threshold: target ?? optimum,
    },
  };
};

/** Returns the number of evaluations or iterations after `endOfProgress`; null if it is unknown. */
function countPositionsWithoutProgress({
  positions,
  total,
  endOfProgress,
}: DiagnosisTrace): number | null {
  return endOfProgress === null ? null : total - (positions[endOfProgress] ?? 0);
}

const getMinimumStagnation = ({ step, total }: DiagnosisTrace): number =>
  Math.max(minimumStagnantSteps * step, stagnantShare * total);

/** Returns whether a run has stagnated, by {@link diagnoseStagnation}. */
export function isStagnant(trace: DiagnosisTrace): boolean {
  const stagnantPositions = countPositionsWithoutProgress(trace);
  return (
    !trace.isSolved &&
    !trace.isGettingWorse &&
    stagnantPositions !== null &&
    stagnantPositions >= getMinimumStagnation(trace)
  );
}

/**
 * STAGNATION: less than 1 % of the total improvement came in the last part of an unsolved run. This part is at least
 * 25 % of the evaluations or iterations, and at least 10 times the smallest step between rows (10 generations of a
 * generational run). Null for runs in the wrong direction, and for runs whose time of the last improvement is unknown.
 */
export const diagnoseStagnation: Rule = (run, trace) => {
  const { points } = run;
  if (!isStagnant(trace)) return null;
  const { endOfProgress, remainder, total, unit } = trace;
  const stagnantPositions = countPositionsWithoutProgress(trace) ?? 0;
  const improvement =
    remainder > 0
      ? `Less than ${formatPercent(relevantImprovement)} of the improvement came in`
      : 'No improvement came in';
  return {
    code: 'STAGNATION',
    severity: 'warning',
    fromIteration: points[endOfProgress ?? 0]?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message:
      `${improvement} the last ${formatCount(stagnantPositions)} of ${describeCount(total, unit)} ` +
      `(${formatShare(stagnantPositions / total)}, reported from ${formatPercent(stagnantShare)} on). ${describeMiss(run)}`,
    evidence: {
      tab: 'fitness',
      series: ['best'],
      value: stagnantPositions,
      threshold: getMinimumStagnation(trace),
    },
  };
};

/**
 * Returns whether a run used at least 95 % of its budget of evaluations or of iterations; null if its configuration
 * states no budget. The evaluations count only if the positions of the trace are evaluations.
 */
function isEndedByBudget(
  { total, unit, positions }: DiagnosisTrace,
  { budget }: RunGoal,
  result: RunResult,
): boolean | null {
  const { evaluations, iterations } = budget;
  if (evaluations === null && iterations === null) return null;
  const hasUsedBudget =
    evaluations !== null && unit === 'evaluation' && total >= usedShare * evaluations;
  return (
    hasUsedBudget ||
    (iterations !== null && (result.iterations ?? positions.length) >= usedShare * iterations)
  );
}

/** Returns whether the budget ended a run while it was improving, by {@link diagnoseImprovement}. */
export function isStillImproving(trace: DiagnosisTrace, goal: RunGoal, result: RunResult): boolean {
  if (trace.isSolved || !/^completed$/i.test(result.status)) return false;
  // Without a budget, imported data may end at an improvement, or the algorithm may have ended for any other reason.
  const isEnded = isEndedByBudget(trace, goal, result) ?? !result.isImported;
  return isEnded && trace.finalShare >= relevantImprovement;
}

/**
 * STILL_IMPROVING: at least 1 % of the total improvement of an unsolved COMPLETED run came in the last 10 % of the
 * evaluations or iterations, and the budget ended the run. A run without a budget in its configuration counts as ended
 * by a budget, unless an import stored it.
 */
export const diagnoseImprovement: Rule = (run, trace) => {
  const { points } = run;
  if (!isStillImproving(trace, run, run)) return null;
  const { positions, total, unit, finalShare, isLogarithmic } = trace;
  const startIndex = positions.findLastIndex((position) => position <= (1 - finalPart) * total);
  const cause =
    isEndedByBudget(trace, run, run) === null
      ? 'The run ended, at a budget that its configuration does not state,'
      : 'The budget ended the run';
  return {
    code: 'STILL_IMPROVING',
    severity: 'info',
    fromIteration: points[startIndex]?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message:
      `${cause} while it was improving: ${formatShare(finalShare)} of its improvement` +
      `${isLogarithmic ? ' on a log scale' : ''} came in the last ${formatPercent(finalPart)} of ${describeCount(total, unit)} ` +
      `(reported from ${formatPercent(relevantImprovement)} on). ${describeMiss(run)}`,
    evidence: {
      tab: 'fitness',
      series: ['best'],
      value: finalShare,
      threshold: relevantImprovement,
    },
  };
};

/** RESTARTS: the trace of an unsolved run has `restarts`; see {@link DiagnosisTrace}. */
export const diagnoseRestarts: Rule = ({ points }, trace) => {
  const { restarts: rows, endOfProgress, isSolved } = trace;
  if (isSolved || rows.length === 0) return null;
  const unsuccessfulCount =
    endOfProgress === null ? null : rows.filter((row) => row > endOfProgress).length;
  return {
    code: 'RESTARTS',
    severity: (unsuccessfulCount ?? 0) > 0 ? 'warning' : 'info',
    fromIteration: points[rows[0] ?? 0]?.iteration ?? null,
    toIteration: points[rows.at(-1) ?? 0]?.iteration ?? null,
    message:
      `The search restarted ${rows.length} times: the best of the population fell back by at least half of the range ` +
      `seen.${describeSuccess(unsuccessfulCount, trace)}`,
    evidence: { tab: 'fitness', series: ['best'], value: rows.length, threshold: 2 },
  };
};

/** Returns a sentence about the last restarts; empty if the time of the last improvement is unknown. */
function describeSuccess(unsuccessfulCount: number | null, { remainder }: DiagnosisTrace): string {
  if (unsuccessfulCount === null) return '';
  if (unsuccessfulCount === 0) return ' The last restart improved the best so far.';
  const restarts =
    unsuccessfulCount === 1 ? 'restart' : describeCount(unsuccessfulCount, 'restart');
  return remainder > 0
    ? ` The last ${restarts} brought less than ${formatPercent(relevantImprovement)} of the improvement.`
    : ` The last ${restarts} did not improve the best so far.`;
}

/**
 * BEST_LOST: the best of the population was worse than the best so far by more than 10 % of the range so far, for 10
 * consecutive recorded iterations before the run reached its target or optimum. An iteration without a finite best
 * restarts the count. Null for runs with restarts, which discard the best on purpose, and for runs in the wrong
 * direction.
 */
export const diagnoseBestLost: Rule = (
  { points, direction },
  { restarts: rows, isGettingWorse, hit },
) => {
  if (isGettingWorse || rows.length > 0) return null;
  let [bestSoFar, worstBest, start, maximumLoss] = [NaN, NaN, -1, 0];
  for (const [index, { best }] of points.slice(0, hit ?? points.length).entries()) {
    if (best === null) {
      start = -1;
      continue;
    }
    if (!(bestSoFar === bestSoFar) || isBetter(best, bestSoFar, direction)) bestSoFar = best;
    if (!(worstBest === worstBest) || isBetter(worstBest, best, direction)) worstBest = best;
    const loss = Math.abs(best - bestSoFar) / Math.abs(worstBest - bestSoFar);
    if (!(loss > lostShare)) {
      start = -1;
      continue;
    }
    maximumLoss = start < 0 ? loss : Math.max(maximumLoss, loss);
    if (start < 0) start = index;
    if (index - start + 1 >= lostIterations)
      return createBestLostFinding(points, start, index, maximumLoss);
  }
  return null;
};

function createBestLostFinding(
  points: readonly RunPoint[],
  start: number,
  end: number,
  loss: number,
) {
  const [fromIteration, toIteration] = [points[start]?.iteration, points[end]?.iteration];
  // Rows may be further apart than one iteration.
  const iterations = (toIteration ?? NaN) - (fromIteration ?? NaN) + 1 || lostIterations;
  return {
    code: 'BEST_LOST' as const,
    severity: 'warning' as const,
    fromIteration: fromIteration ?? null,
    toIteration: toIteration ?? null,
    message:
      `The best of the population was worse than the best so far by up to ${formatShare(loss)} of the range seen ` +
      `over ${describeCount(iterations, 'iteration')} (reported above ${formatPercent(lostShare)}). ` +
      'The algorithm does not retain its best (no elitism), or the fitness is noisy.',
    evidence: {
      tab: 'fitness' as const,
      series: ['best'],
      value: loss,
      threshold: lostShare,
    },
  };
}

/** NOT_FINITE: the best or the mean of at least one iteration is missing or not finite. */
export const diagnoseNotFinite: Rule = ({ points }) => {
  const faultyPoints = points.filter(({ best, mean }) => best === null || mean === null);
  const firstPoint = faultyPoints[0];
  if (!firstPoint) return null;
  return {
    code: 'NOT_FINITE',
    severity: 'error',
    fromIteration: firstPoint.iteration,
    toIteration: faultyPoints.at(-1)?.iteration ?? null,
    message: `The best or mean fitness is not finite in ${describeCount(faultyPoints.length, 'iteration')}.`,
    evidence: {
      tab: 'iterations',
      series: ['best', 'mean'],
      value: faultyPoints.length,
      threshold: 0,
    },
  };
};
