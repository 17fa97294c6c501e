import type { CampaignErts, RatioSummary } from '#shared/schemas/coco-analysis.ts';
import type { Axis, Cell, LineFigure, Series } from '#renderer/charts/figure.ts';

/** Index of an optimizer in the palette. */
type PaletteOf = (optimizer: string) => number;

/** Result of an optimizer in one dimension. */
interface Point {
  dimension: number;
  value: Cell;
  isInfinite: boolean;
  note: string;
}

/** Data of the ratios of a campaign. */
type Ratios = Pick<CampaignErts, 'summary' | 'referenceKind' | 'dropped'>;

/** Ratio below the smallest possible one, which leaves space for the label of the best one below all curves. */
const belowBest = 0.7;

/**
 * Returns the geometric mean of the ratios of ERT to the reference, by dimension. An optimizer that has an infinite
 * ratio in a dimension has no mean there, but a hollow mark at the upper edge with the number of solved functions.
 * Without a reference it has neither. The figure is empty if no optimizer has a mean.
 */
export function makeErtRatioFigure(
  { summary, referenceKind, dropped }: Ratios,
  getPalette: PaletteOf,
): LineFigure {
  const getPoint = (one: RatioSummary): Point => {
    const isInfinite = one.infiniteRatios > 0;
    return {
      dimension: one.dimension,
      value: isInfinite ? Infinity : one.geometricMeanRatio,
      isInfinite,
      note: `${one.solvedFunctions} of ${one.functions} solved`,
    };
  };
  const hasMean = summary.some(({ geometricMeanRatio }) => geometricMeanRatio !== null);
  const isBest = referenceKind === 'best';
  const isCompared = summary.some((one) => one.comparedFunctions + one.infiniteRatios > 0);
  return {
    kind: 'lines',
    x: makeDimensionAxis(summary),
    y: isBest
      ? { title: 'ERT / best ERT of the compared', includedValue: belowBest }
      : { title: 'ERT / reference ERT' },
    series: hasMean ? getSeries(summary, getPoint, getPalette) : [],
    references: [
      { label: isBest ? 'best of the compared optimizers' : 'as fast as the reference', value: 1 },
    ],
    empty: hasNoSharedCell({ summary, dropped })
      ? noSharedCell
      : referenceKind === 'none'
        ? 'No reference results of this suite are stored. Import some as reference, or choose several optimizers.'
        : !isCompared
          ? 'The stored reference results of this suite are for other functions, dimensions or targets.'
          : 'No optimizer solved every function of a dimension, so there is no mean ratio. See "Solved by dimension".',
  };
}

/** Returns the share of the (function, target) pairs that at least one trial solved, by dimension. */
export function makeSolvedFigure(
  { summary, dropped }: Pick<Ratios, 'summary' | 'dropped'>,
  getPalette: PaletteOf,
): LineFigure {
  const getPoint = ({ dimension, solvedFunctions, functions }: RatioSummary): Point => ({
    dimension,
    value: functions === 0 ? null : solvedFunctions / functions,
    isInfinite: false,
    note: `${solvedFunctions} of ${functions}`,
  });
  return {
    kind: 'lines',
    x: makeDimensionAxis(summary),
    y: { title: 'share of functions', range: [0, 1.03] },
    series: getSeries(summary, getPoint, getPalette),
    references: [],
    empty: hasNoSharedCell({ summary, dropped }) ? noSharedCell : 'No trial has ended yet.',
  };
}

const noSharedCell = 'No cell is shared by all optimizers. Show all cells to see their results.';

function hasNoSharedCell({ summary, dropped }: Pick<Ratios, 'summary' | 'dropped'>): boolean {
  return summary.length === 0 && dropped.length > 0;
}

function makeDimensionAxis(summary: readonly RatioSummary[]): Axis {
  const ticks = [...new Set(summary.map(({ dimension }) => dimension))].sort((a, b) => a - b);
  return { title: 'dimension', isWhole: true, ticks };
}

function getSeries(
  summary: readonly RatioSummary[],
  getPoint: (one: RatioSummary) => Point,
  getPalette: PaletteOf,
): Series[] {
  return Array.from(
    Map.groupBy(summary, ({ optimizerId }) => optimizerId),
    ([optimizer, own]): Series => {
      const points = own.map(getPoint).sort((one, other) => one.dimension - other.dimension);
      return {
        name: own[0]?.label ?? optimizer,
        shape: 'line',
        paletteIndex: getPalette(optimizer),
        x: points.map(({ dimension }) => dimension),
        y: points.map(({ value }) => value),
        infiniteAt: points.flatMap((one) => (one.isInfinite ? [one.dimension] : [])),
        hoverNotes: points.map(({ note }) => note),
      };
    },
  ).sort((one, other) => one.paletteIndex - other.paletteIndex);
}
