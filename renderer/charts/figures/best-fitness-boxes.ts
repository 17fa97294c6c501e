import type { Box } from '#shared/schemas/analysis.ts';
import { getTargetReference, type BoxFigure, type Cell } from '#renderer/charts/figure.ts';

/** A group with the box of its completed runs' best fitness. */
export interface BoxGroup {
  name: string;
  paletteIndex: number;
  box: Box;
  /** All values, drawn next to the box; default: the outliers only. */
  values?: readonly number[];
}

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
      values: values ?? box.outliers,
    })),
    references: getTargetReference(targetFitness),
    empty: 'No run has been completed with a best fitness.',
  };
}
