import type { HistogramFigure } from '#renderer/charts/figure.ts';
import { histogram } from '#renderer/charts/kinds/histogram.ts';
import {
  axisEnvironment,
  colorOf,
  number,
  paperOptions,
  type TexOptions,
  type TexPlot,
} from './tex.ts';

/** Bars over bins that share their edges. */
export function histogramSource(figure: HistogramFigure, options: TexOptions): TexPlot {
  const { width } = options;
  const scales = { x: 'linear', y: 'linear' } as const;
  const { ranges } = histogram.draw(figure, paperOptions({ ...options, scales }));
  const color = colorOf(figure.paletteIndex);
  const bars = figure.bins.map(
    ({ start, end, count }) =>
      `\\draw[${color}, fill=${color}, fill opacity=0.55] (axis cs:${number(start)},0) rectangle (axis cs:${number(end)},${number(count)});`,
  );
  return {
    body: axisEnvironment({ width, x: figure.x, y: figure.y, scales, ranges }, bars),
    isThinned: false,
  };
}
