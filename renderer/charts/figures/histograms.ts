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
 * How many completed runs ended with which best fitness; the last bin includes its end. The service bins whole numbers
 * between halves.
 */
export function makeBestFitnessHistogramFigure(
  bins: readonly HistogramBin[],
  paletteIndex: number,
): HistogramFigure {
  const isHalf = (edge: number) => Math.abs(edge % 1) === 0.5;
  return {
    kind: 'histogram',
    x: { title: 'best fitness' },
    isWhole: bins.every((bin) => isHalf(bin.startInclusive) && isHalf(bin.endExclusive)),
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
