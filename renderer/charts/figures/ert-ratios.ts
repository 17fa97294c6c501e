import type { ErtRow, RatioSummary } from '#shared/schemas/coco-analysis.ts';
import type { Axis, Cell, LineFigure, Series } from '#renderer/charts/figure.ts';

/** Where an optimizer stands in the palette. */
type PaletteOf = (optimizer: string) => number;

/** What an optimizer achieved in one dimension. */
interface Point {
  dimension: number;
  value: Cell;
  isInfinite: boolean;
  note: string;
}

/**
 * Geometric mean of the finite ratios of ERT to the reference, by dimension. A function that was not solved though it
 * has a reference has an infinite ratio, which has no part in a mean: the dimension is marked at the upper edge, and where
 * there is no finite one the value is infinite. Without any reference the figure is empty.
 */
export function ertRatioFigure(
  summary: readonly RatioSummary[],
  rows: readonly ErtRow[],
  paletteOf: PaletteOf,
): LineFigure {
  const infinite = Map.groupBy(rows.filter(isInfiniteRatio), placeOf);
  const pointOf = (one: RatioSummary): Point => {
    const count = infinite.get(placeOf(one))?.length ?? 0;
    return {
      dimension: one.dimension,
      value: one.geometricMeanRatio ?? (count > 0 ? Infinity : null),
      isInfinite: count > 0,
      note: `${one.comparedFunctions} of ${one.comparedFunctions + count} solved`,
    };
  };
  return {
    kind: 'lines',
    x: dimensionAxis(summary),
    y: { title: 'ERT / reference ERT' },
    series: seriesOf(summary, pointOf, paletteOf),
    references: [{ label: 'as fast as the reference', value: 1 }],
    empty:
      infinite.size > 0
        ? 'No function with a reference was solved in any dimension: every ratio is infinite.'
        : 'No reference results of this suite are stored for these functions and targets: ' +
          'npm run import -- <data> --as-reference reads some.',
  };
}

/** Share of the (function, target) pairs that at least one trial solved, by dimension. */
export function solvedFigure(summary: readonly RatioSummary[], paletteOf: PaletteOf): LineFigure {
  const pointOf = ({ dimension, solvedFunctions, functions }: RatioSummary): Point => ({
    dimension,
    value: functions === 0 ? null : solvedFunctions / functions,
    isInfinite: false,
    note: `${solvedFunctions} of ${functions}`,
  });
  return {
    kind: 'lines',
    x: dimensionAxis(summary),
    y: { title: 'share of functions', range: [0, 1.03] },
    series: seriesOf(summary, pointOf, paletteOf),
    references: [],
    empty: 'No trial has ended yet.',
  };
}

function isInfiniteRatio({ trials, ert, referenceErt }: ErtRow): boolean {
  return trials > 0 && ert === null && referenceErt !== null;
}

function placeOf({ optimizerId, dimension }: { optimizerId: string; dimension: number }): string {
  return JSON.stringify([optimizerId, dimension]);
}

function dimensionAxis(summary: readonly RatioSummary[]): Axis {
  const ticks = [...new Set(summary.map(({ dimension }) => dimension))].sort((a, b) => a - b);
  return { title: 'dimension', whole: true, ticks };
}

function seriesOf(
  summary: readonly RatioSummary[],
  pointOf: (one: RatioSummary) => Point,
  paletteOf: PaletteOf,
): Series[] {
  return Array.from(
    Map.groupBy(summary, ({ optimizerId }) => optimizerId),
    ([name, own]): Series => {
      const points = own.map(pointOf).sort((one, other) => one.dimension - other.dimension);
      return {
        name,
        shape: 'line',
        paletteIndex: paletteOf(name),
        x: points.map(({ dimension }) => dimension),
        y: points.map(({ value }) => value),
        infiniteAt: points.flatMap((one) => (one.isInfinite ? [one.dimension] : [])),
        hoverNotes: points.map(({ note }) => note),
      };
    },
  ).sort((one, other) => one.paletteIndex - other.paletteIndex);
}
