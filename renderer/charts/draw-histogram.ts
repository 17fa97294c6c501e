import { formatCount, formatFitness } from '#shared/number-format.ts';
import {
  drawnAxis,
  drawnLayout,
  escapeMarkup,
  type DrawnLayout,
  type DrawOptions,
} from './drawing.ts';
import { axisTitle, type HistogramFigure } from './figure.ts';
import { seriesLook, withOpacity, type ChartTheme } from './theme.ts';

/** Bars of a histogram as Plotly takes them. */
export interface DrawnBars {
  type: 'bar';
  uid: string;
  /** Middles of the bins. */
  x: number[];
  y: number[];
  width: number[];
  marker: { color: string; line: { color: string; width: number } };
  customdata: string[];
  hovertemplate: string;
  showlegend: boolean;
}

/** A histogram as Plotly takes it: one bar per bin, as wide as the bin. */
export function drawHistogram(
  figure: HistogramFigure,
  theme: ChartTheme,
  options: DrawOptions,
): { data: DrawnBars[]; layout: DrawnLayout } {
  const { bins, x, y, paletteIndex } = figure;
  const { color } = seriesLook(theme, paletteIndex);
  const bars: DrawnBars = {
    type: 'bar',
    uid: 'bins',
    x: bins.map(({ start, end }) => (start + end) / 2),
    y: bins.map(({ count }) => count),
    width: bins.map(({ start, end }) => end - start),
    marker: { color: withOpacity(color, 0.55), line: { color, width: 1 } },
    customdata: bins.map((_, index) => escapeMarkup(describeBin(figure, index))),
    hovertemplate: '%{customdata}<extra></extra>',
    showlegend: false,
  };
  const highest = Math.max(0, ...bars.y);
  const xaxis = drawnAxis(theme, axisTitle(x), 'linear', options.view.x);
  const yaxis = drawnAxis(theme, axisTitle(y), 'linear', options.view.y);
  return {
    data: [bars],
    layout: drawnLayout(theme, options, {
      xaxis: { ...xaxis, showgrid: false, ticks: 'outside' },
      // Half a run is none.
      yaxis: { ...yaxis, ...(highest <= 8 && { dtick: 1 }) },
    }),
  };
}

/** A bin in words: "[200, 264): 3"; the last bracket is square when the bin holds its end. */
export function describeBin({ bins, isLastClosed }: HistogramFigure, index: number): string {
  const bin = bins[index];
  if (!bin) return '';
  const isClosed = isLastClosed && index === bins.length - 1;
  return `[${formatFitness(bin.start)}, ${formatFitness(bin.end)}${isClosed ? ']' : ')'}: ${formatCount(bin.count)}`;
}
