import { countOf, formatCount, formatFitness, formatShare } from '#shared/number-format.ts';
import { silentDiagnosis } from '#shared/silence.ts';
import {
  isBetter,
  percent,
  unsolvedWords,
  type RunCourse,
  type RunPoint,
  type Rule,
} from './model.ts';

const fewestStagnantIterations = 10;
const stagnantShare = 0.25;
const improvingShare = 0.1;
const lostShare = 0.1;
const lostIterations = 10;

/** TARGET_REACHED: the first iteration whose best so far reaches the target. */
export const targetReached: Rule = ({ points, target, bestFitness }, { hit, isSolved }) => {
  if (!isSolved) return null;
  const point = hit === null ? undefined : points[hit];
  const at = point ? `in iteration ${formatCount(point.iteration)}` : 'by its final result';
  return {
    code: 'TARGET_REACHED',
    severity: 'good',
    fromIteration: point?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message: `The target ${formatFitness(target)} was reached ${at}.`,
    evidence: {
      tab: 'fitness',
      series: ['best'],
      value: point ? point.best : bestFitness,
      threshold: target,
    },
  };
};

/** Iterations after the last improvement; null without a finite best. */
function quietIterations({ count, lastImprovement }: RunCourse): number | null {
  return lastImprovement === null ? null : count - 1 - lastImprovement;
}

const enoughToStagnate = ({ count }: RunCourse): number =>
  Math.max(fewestStagnantIterations, stagnantShare * count);

/** Whether a run has stagnated, by {@link stagnation}. */
export function isStagnant(course: RunCourse): boolean {
  const quiet = quietIterations(course);
  return !course.isSolved && quiet !== null && quiet >= enoughToStagnate(course);
}

/** Whether a run was ended while it still got better, by {@link stillImproving}. */
export function isStillImproving(course: RunCourse, status: string): boolean {
  const isEndedByBudget = /^completed$/i.test(status);
  const quiet = quietIterations(course);
  if (course.isSolved || !isEndedByBudget || !course.hasImproved || quiet === null) return false;
  return quiet < improvingShare * course.count;
}

/** STAGNATION: no improvement over at least 10 iterations and 25 % of the run, at its end, the target not reached. */
export const stagnation: Rule = (run, course) => {
  const { points } = run;
  if (!isStagnant(course)) return null;
  const quiet = quietIterations(course) ?? 0;
  return {
    code: 'STAGNATION',
    severity: 'warning',
    fromIteration: points[course.lastImprovement ?? 0]?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message:
      `No improvement over the last ${countOf(quiet, 'iteration')} of ${formatCount(points.length)} ` +
      `(from ${fewestStagnantIterations} and ${percent(stagnantShare)} of the run on), ${unsolvedWords(run)}.`,
    evidence: {
      tab: 'fitness',
      series: ['best'],
      value: quiet,
      threshold: enoughToStagnate(course),
    },
  };
};

/** STILL_IMPROVING: improved within the last 10 % of the iterations, ended by its budget, the target not reached. */
export const stillImproving: Rule = (run, course) => {
  const { points, status } = run;
  if (!isStillImproving(course, status)) return null;
  const quiet = quietIterations(course) ?? 0;
  return {
    code: 'STILL_IMPROVING',
    severity: 'info',
    fromIteration: points[course.lastImprovement ?? 0]?.iteration ?? null,
    toIteration: points.at(-1)?.iteration ?? null,
    message:
      `Still improving ${quiet === 0 ? 'in the last iteration' : `${countOf(quiet, 'iteration')} before the end`} ` +
      `(within the last ${percent(improvingShare)} of ${formatCount(points.length)}): ` +
      `the budget ended the run, ${unsolvedWords(run)}.`,
    evidence: {
      tab: 'fitness',
      series: ['best'],
      value: quiet,
      threshold: improvingShare * points.length,
    },
  };
};

/**
 * BEST_LOST: the best of the population got worse than the best so far by more than 10 % of the range seen, and stayed
 * so for 10 iterations. An iteration without a finite best breaks the streak.
 */
export const bestLost: Rule = ({ points, direction }) => {
  let [bestSoFar, worst, start, largest] = [NaN, NaN, -1, 0];
  for (const [index, { best }] of points.entries()) {
    if (best === null) {
      start = -1;
      continue;
    }
    if (!(bestSoFar === bestSoFar) || isBetter(best, bestSoFar, direction)) bestSoFar = best;
    if (!(worst === worst) || isBetter(worst, best, direction)) worst = best;
    const loss = Math.abs(best - bestSoFar) / Math.abs(worst - bestSoFar);
    if (!(loss > lostShare)) {
      start = -1;
      continue;
    }
    largest = start < 0 ? loss : Math.max(largest, loss);
    if (start < 0) start = index;
    if (index - start + 1 >= lostIterations) return lostFrom(points, start, index, largest);
  }
  return null;
};

function lostFrom(points: readonly RunPoint[], start: number, end: number, loss: number) {
  return {
    code: 'BEST_LOST' as const,
    severity: 'warning' as const,
    fromIteration: points[start]?.iteration ?? null,
    toIteration: points[end]?.iteration ?? null,
    message:
      `The best of the population was worse than the best so far by up to ${formatShare(loss)} of the range seen ` +
      `(more than ${percent(lostShare)}) over ${countOf(lostIterations, 'iteration')}: nothing keeps the best (no elitism).`,
    evidence: {
      tab: 'fitness' as const,
      series: ['best'],
      value: loss,
      threshold: lostShare,
    },
  };
}

/** NOT_FINITE: an iteration without a finite best or mean. */
export const notFinite: Rule = ({ points }) => {
  const faulty = points.filter(({ best, mean }) => best === null || mean === null);
  const first = faulty[0];
  if (!first) return null;
  return {
    code: 'NOT_FINITE',
    severity: 'error',
    fromIteration: first.iteration,
    toIteration: faulty.at(-1)?.iteration ?? null,
    message: `${countOf(faulty.length, 'iteration')} without a finite best or mean fitness: every one should have both.`,
    evidence: {
      tab: 'iterations',
      series: ['best', 'mean'],
      value: faulty.length,
      threshold: 0,
    },
  };
};

/** SILENT: RUNNING, and the newest row is older than the larger of 60 s and 20 times the median time between its rows. */
export const silent: Rule = ({ points, silentSince }) =>
  silentSince === null ? null : silentDiagnosis(silentSince, points.at(-1)?.iteration ?? null);
