import { drawBoxes } from './draw-boxes.ts';
import { drawHeatMap } from './draw-heat-map.ts';
import { drawHistogram } from './draw-histogram.ts';
import { drawLines } from './draw-lines.ts';
import { drawRanks } from './draw-ranks.ts';
import { fontOf, escapeMarkup, type DrawnLayout, type DrawOptions } from './drawing.ts';
import { allowedScales, type Figure } from './figure.ts';
import type { ChartTheme } from './theme.ts';

/** A figure as data and layout for Plotly; a log scale the figure does not allow is drawn linear. */
export function drawFigure(figure: Figure, theme: ChartTheme, options: DrawOptions) {
  const allowed = { ...options, scales: allowedScales(figure, options.scales) };
  switch (figure.kind) {
    case 'lines':
      return drawLines(figure, theme, allowed);
    case 'heatmap':
      return drawHeatMap(figure, theme, options);
    case 'histogram':
      return drawHistogram(figure, theme, options);
    case 'boxes':
      return drawBoxes(figure, theme, allowed);
    default:
      return drawRanks(figure, theme, options);
  }
}

/** The layout of a picture that leaves the page: with its title and legend inside. */
export function exportedLayout(layout: DrawnLayout, theme: ChartTheme, title: string) {
  return {
    ...layout,
    title: { text: escapeMarkup(title), font: fontOf(theme, 15, theme.text), x: 0.02 },
    margin: { ...layout.margin, t: 72 },
    showlegend: true,
  };
}
