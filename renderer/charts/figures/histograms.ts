import type { HistogramBin } from '#shared/schemas/analysis.ts';
import type { HistogramFigure } from '#renderer/charts/figure.ts';

/** How many solved runs needed how many evaluations to the target. */
export function timeToTargetFigure(bins: readonly HistogramBin[], style: number): HistogramFigure {
  return {
    kind: 'histogram',
    x: { title: 'evaluations to target' },
    y: { title: 'runs', whole: true },
    bins: bins.map(toBin),
    isLastClosed: false,
    style,
    empty: 'No run reached the target, so there is no time to it.',
  };
}

/** How many completed runs ended with which best fitness; the last bin includes its end. */
export function bestFitnessHistogramFigure(
  bins: readonly HistogramBin[],
  style: number,
): HistogramFigure {
  return {
    kind: 'histogram',
    x: { title: 'best fitness' },
    y: { title: 'completed runs', whole: true },
    bins: bins.map(toBin),
    isLastClosed: true,
    style,
    empty: 'No run has been completed with a best fitness.',
  };
}

function toBin({ startInclusive, endExclusive, count }: HistogramBin) {
  return { start: startInclusive, end: endExclusive, count };
}
