import type { Box } from '#shared/schemas/analysis.ts';
import { getTargetReference, type BoxFigure, type Cell } from '#renderer/charts/figure.ts';

/** A group with the box of its completed runs' best fitness. */
export interface BoxGroup {
  name: string;
  paletteIndex: number;
  box: Box;
  /** All values, drawn next to the box; default, and of more than {@link maximumDrawnValues}: the outliers only. */
  values?: readonly number[];
}

/** Maximum number of values of a group that are drawn: each is an element of the page. */
export const maximumDrawnValues = 2_000;

/**
 * Box plots of best fitness: quartiles of type 7, whiskers at the most extreme value within 1.5 IQR, the mean
 * dashed. A group without completed runs keeps its place and has no box.
 */
export function makeBestFitnessBoxes(groups: readonly BoxGroup[], targetFitness: Cell): BoxFigure {
  return {
    kind: 'boxes',
    x: { title: 'group' },
    y: { title: 'best fitness', reachesZero: true },
    boxes: groups.map(({ name, paletteIndex, box, values }) => ({
      name,
      paletteIndex,
      shape: box,
      values: values !== undefined && values.length <= maximumDrawnValues ? values : box.outliers,
    })),
    references: getTargetReference(targetFitness),
    empty: 'No run has been completed with a best fitness.',
  };
}
