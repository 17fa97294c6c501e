import type { CurvePoint, Series } from '#shared/schemas/analysis.ts';
import { cumulativeSteps, stepValueAt } from './ecdf.ts';

/** A problem (a run at a level) in a data profile. */
export interface DataProfileProblem {
  /** Null = not solved. */
  evaluations: number | null;
  /** Null = unknown: then the cost stays in evaluations. */
  dimension: number | null;
}

/**
 * Data profile: share of all problems solved within x·(dimension + 1) evaluations, as right-continuous
 * steps; unsolved ones stay in the denominator. Empty if no problem is solved. Moré & Wild 2009.
 */
export function dataProfile(problems: readonly DataProfileProblem[]): CurvePoint[] {
  const costs = problems.map(({ evaluations, dimension }) =>
    evaluations === null || dimension === null ? evaluations : evaluations / (dimension + 1),
  );
  return cumulativeSteps(costs, problems.length);
}

/** The cost of each problem for one solver, null or Infinity = not solved. */
export interface SolverCosts {
  name: string;
  costs: readonly (number | null)[];
}

/**
 * Performance profiles: for each solver the share of problems on which its cost is at most τ times the
 * best of all solvers, as right-continuous steps from τ = 1. A problem that no solver solves stays in the
 * denominator. No problems: no points. Dolan & Moré 2002.
 */
export function performanceProfiles(solvers: readonly SolverCosts[]): Series[] {
  const problems = Math.max(0, ...solvers.map((solver) => solver.costs.length));
  const bests = Array.from({ length: problems }, (_, problem) =>
    Math.min(...solvers.map((solver) => solver.costs[problem] ?? Infinity)),
  );
  return solvers.map(({ name, costs }) => {
    const ratios = bests.map((best, problem) => ratioTo(best, costs[problem] ?? Infinity));
    return { name, points: fromRatioOne(cumulativeSteps(ratios, problems), problems) };
  });
}

function ratioTo(best: number, cost: number): number {
  if (cost === Infinity) return Infinity;
  return cost === best ? 1 : cost / best;
}

function fromRatioOne(steps: CurvePoint[], problems: number): CurvePoint[] {
  if (problems === 0 || steps[0]?.x === 1) return steps;
  return [{ x: 1, y: stepValueAt(steps, 1) }, ...steps];
}
