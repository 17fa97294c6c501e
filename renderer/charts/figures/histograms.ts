import type { HistogramBin } from '#shared/schemas/analysis.ts';
import type { HistogramFigure } from '#renderer/charts/figure.ts';
import { noTime, makeTimeAxis } from './step-curves.ts';

/** How many solved runs needed how many evaluations to the target, without one to their end. */
export function makeTimeToTargetFigure(
  bins: readonly HistogramBin[],
  { paletteIndex, hasTarget }: { paletteIndex: number; hasTarget: boolean },
): HistogramFigure {
  return {
    kind: 'histogram',
    x: makeTimeAxis(hasTarget),
    y: { title: 'runs', whole: true },
    bins: bins.map(toBin),
    isLastClosed: false,
    paletteIndex,
    empty: noTime(hasTarget),
  };
}

/**
 * How many completed runs ended with which best fitness; the last bin includes its end. The service bins values that are
 * all whole between halves; other values may have such edges too.
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
    y: { title: 'completed runs', whole: true },
    bins: bins.map(toBin),
    isLastClosed: true,
    paletteIndex,
    empty: 'No run has been completed with a best fitness.',
  };
}

function toBin({ startInclusive, endExclusive, count }: HistogramBin) {
  return { start: startInclusive, end: endExclusive, count };
}
