import type { Figure, Scale, Scales } from './figure.ts';
import { isValue, type Extent } from './figure.ts';
import { boxes } from './kinds/boxes.ts';
import { heatMap } from './kinds/heat-map.ts';
import { histogram } from './kinds/histogram.ts';
import type { Kind } from './kinds/kind.ts';
import { lines } from './kinds/lines.ts';
import { ranks } from './kinds/ranks.ts';
import { logarithmicSpread } from '#shared/log-scale.ts';

const kinds: { [Name in Figure['kind']]: Kind<Extract<Figure, { kind: Name }>> } = {
  lines,
  boxes,
  histogram,
  heatmap: heatMap,
  ranks,
};

/** What can be done with a figure. */
export function kindOf(figure: Figure): Kind {
  // Each kind is only ever given figures of its own.
  return kinds[figure.kind] as unknown as Kind;
}

/** Whether a figure holds no finite value at all, so that its `empty` sentence is shown instead. */
export function isEmptyFigure(figure: Figure): boolean {
  return !kindOf(figure)
    .values(figure)
    .some((column) => column.some(isValue));
}

/**
 * Whether the values of each axis allow a logarithm: all are positive and there is at least one, but for those that have
 * reached 0 where the figure says that they may. Targets do not count (one at 0 has no place on a log axis, the curves
 * have), bands do not (they are cut where the axis begins). Only curves and boxes have such axes, and an axis of
 * categories is none.
 */
export function loggableAxes(figure: Figure): { x: boolean; y: boolean } {
  const isPositive = (ends: Extent): boolean => ends !== null && ends[0] > 0;
  const { x, y } = kindOf(figure).extents(figure);
  const hasValues = !isEmptyFigure(figure);
  return { x: hasValues && isPositive(x), y: hasValues && isPositive(y) };
}

/** The scales of a figure as nobody chose them: logarithmic where all values are positive and span three decades. */
export function automaticScales(figure: Figure): Scales {
  const scaleOf = (ends: Extent): Scale =>
    ends && ends[0] > 0 && ends[1] / ends[0] >= logarithmicSpread ? 'log' : 'linear';
  const { x, y } = kindOf(figure).extents(figure);
  return { x: scaleOf(x), y: scaleOf(y) };
}

/** The wanted scales where the figure allows them, linear elsewhere. */
export function allowedScales(figure: Figure, wanted: Scales): Scales {
  const loggable = loggableAxes(figure);
  return { x: loggable.x ? wanted.x : 'linear', y: loggable.y ? wanted.y : 'linear' };
}
