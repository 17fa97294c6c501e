import { getPlacesOfEmphasised } from '#renderer/charts/emphasis.ts';
import type { EcdfCurve, RatioSummary } from '#shared/schemas/coco-analysis.ts';

/**
 * Returns the palette index of each optimizer: its position among all, so that a selection changes no colour. With an
 * `emphasis`, only the optimizers in it have a colour.
 */
export function getPalette(
  optimizers: readonly string[],
  emphasis: readonly string[] | null,
): (optimizer: string) => number {
  const places = emphasis
    ? getPlacesOfEmphasised(optimizers, emphasis)
    : new Map(optimizers.map((name, place) => [name, place]));
  return (name) => places.get(name) ?? 0;
}

/** Returns the optimizers of some curves, the largest total area first. */
export function getOptimizersByArea(
  curves: readonly Pick<EcdfCurve, 'optimizer' | 'area'>[],
): string[] {
  const areas = new Map<string, number>();
  for (const { optimizer, area } of curves) {
    areas.set(optimizer, (areas.get(optimizer) ?? 0) + area);
  }
  return [...areas].sort(([, one], [, other]) => other - one).map(([optimizer]) => optimizer);
}

/** Returns the optimizers of a summary, those that solved most first; of equal ones the smallest ERT ratio first. */
export function getOptimizersByResult(
  summary: readonly Pick<RatioSummary, 'optimizerId' | 'solvedFunctions' | 'geometricMeanRatio'>[],
): string[] {
  const results = Array.from(
    Map.groupBy(summary, ({ optimizerId }) => optimizerId),
    ([name, rows]) => ({
      name,
      solved: rows.reduce((sum, row) => sum + row.solvedFunctions, 0),
      // The logarithms of ratios add up; a missing one is the worst.
      cost: rows.reduce((sum, row) => sum + Math.log(row.geometricMeanRatio ?? Infinity), 0),
    }),
  );
  return results
    .sort((one, other) => other.solved - one.solved || byNumber(one.cost, other.cost))
    .map(({ name }) => name);
}

/** Compares two numbers that may both be infinite. */
function byNumber(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
