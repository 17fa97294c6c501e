import type { HistogramBin } from '#shared/schemas/analysis.ts';
import type { HistogramFigure } from '#renderer/charts/figure.ts';
import { getNoTimeText, makeTimeAxis } from './step-curves.ts';

/** Returns a histogram of the evaluations of solved runs to the target; without a target, of completed runs. */
export function makeTimeToTargetFigure(
  bins: readonly HistogramBin[],
  { paletteIndex, hasTarget }: { paletteIndex: number; hasTarget: boolean },
): HistogramFigure {
  return {
    kind: 'histogram',
    x: makeTimeAxis(hasTarget),
    y: { title: 'runs', isWhole: true },
    bins: bins.map(toBin),
    isLastClosed: false,
    paletteIndex,
    empty: getNoTimeText(hasTarget),
  };
}

/**
 * Returns a histogram of the best fitness of completed runs; the last bin includes its end. The edges of bins are
 * halves if all values are whole; other values may have such edges too.
 */
export function makeBestFitnessHistogramFigure(
  bins: readonly HistogramBin[],
  values: readonly number[],
  paletteIndex: number,
): HistogramFigure {
  return {
    kind: 'histogram',
    x: { title: 'best fitness' },
    isWhole: values.length > 0 && values.every(Number.isSafeInteger),
    y: { title: 'completed runs', isWhole: true },
    bins: bins.map(toBin),
    isLastClosed: true,
    paletteIndex,
    empty: 'No run has been completed with a best fitness.',
  };
}

function toBin({ startInclusive, endExclusive, count }: HistogramBin) {
  return { start: startInclusive, end: endExclusive, count };
}
