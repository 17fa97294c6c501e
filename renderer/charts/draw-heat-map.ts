import { formatFitness } from '#shared/number-format.ts';
import {
  drawnAxis,
  drawnLayout,
  escapeMarkup,
  fontOf,
  type CellPlace,
  type DrawnLayout,
  type DrawnNote,
  type DrawnShape,
  type DrawOptions,
} from './drawing.ts';
import { axisTitle, isValue, type Cell, type HeatMapFigure } from './figure.ts';
import type { ChartTheme } from './theme.ts';

/** Most row labels that stand beside a heat map. */
const maximumRowLabels = 30;

/** Coloured cells as Plotly takes them. */
export interface DrawnHeatMap {
  type: 'heatmap';
  uid: string;
  x: number[];
  y: number[];
  z: Cell[][];
  zmin: number;
  zmax: number;
  zauto: boolean;
  colorscale: 'Viridis';
  hoverongaps: boolean;
  xgap: number;
  ygap: number;
  customdata: string[][];
  hovertemplate: string;
  colorbar: {
    title: { text: string; side: 'right'; font: ReturnType<typeof fontOf> };
    thickness: number;
    outlinewidth: number;
    tickfont: ReturnType<typeof fontOf>;
    nticks: number;
  };
}

/** A cell in words: "entropy · iteration 12 · 0.53", without its number when it has none. */
export function describeCell(figure: HeatMapFigure, { row, column }: CellPlace): string {
  const value = (figure.values ?? figure.cells)[row]?.[column];
  const place = `${figure.y.labels[row] ?? ''} · ${figure.x.title} ${figure.x.values[column] ?? ''}`;
  return `${place} · ${isValue(value) ? formatFitness(value) : 'no value'}`;
}

/** Ends of the colour scale: the reader's, else the figure's, else those of the cells; [0, 1] without any. */
export function colorRangeOf(
  figure: HeatMapFigure,
  chosen: DrawOptions['colorRange'],
): [number, number] {
  let [minimum, maximum] = figure.color.range ?? [Infinity, -Infinity];
  if (!figure.color.range) {
    for (const cell of figure.cells.flat()) {
      if (!isValue(cell)) continue;
      minimum = Math.min(minimum, cell);
      maximum = Math.max(maximum, cell);
    }
  }
  if (minimum > maximum) [minimum, maximum] = [0, 1];
  return [chosen.minimum ?? minimum, chosen.maximum ?? maximum];
}

/**
 * A heat map as Plotly takes it: the first row on top, missing cells blank, viridis (perceptually
 * uniform), with the pinned cell outlined and labelled and the keyboard's cell outlined.
 */
export function drawHeatMap(
  figure: HeatMapFigure,
  theme: ChartTheme,
  options: DrawOptions,
): { data: DrawnHeatMap[]; layout: DrawnLayout } {
  const [zmin, zmax] = colorRangeOf(figure, options.colorRange);
  const trace: DrawnHeatMap = {
    type: 'heatmap',
    uid: 'cells',
    x: [...figure.x.values],
    y: figure.y.labels.map((_, row) => row),
    z: figure.cells.map((row) => row.map((cell) => (isValue(cell) ? cell : null))),
    zmin,
    zmax,
    zauto: false,
    colorscale: 'Viridis',
    hoverongaps: false,
    xgap: 0,
    ygap: figure.y.labels.length <= 60 ? 1 : 0,
    customdata: figure.cells.map((row, rowIndex) =>
      row.map((_, column) => escapeMarkup(describeCell(figure, { row: rowIndex, column }))),
    ),
    hovertemplate: '%{customdata}<extra></extra>',
    colorbar: {
      title: {
        text: escapeMarkup(figure.color.title),
        side: 'right',
        font: fontOf(theme, 11, theme.muted),
      },
      thickness: 12,
      outlinewidth: 0,
      tickfont: fontOf(theme, 11, theme.muted),
      nticks: 6,
    },
  };
  return { data: [trace], layout: heatMapLayout(figure, theme, options) };
}

function heatMapLayout(
  figure: HeatMapFigure,
  theme: ChartTheme,
  options: DrawOptions,
): DrawnLayout {
  const { view, pinned, cursor } = options;
  const layout = drawnLayout(theme, options, {
    xaxis: drawnAxis(theme, axisTitle(figure.x), 'linear', view.x),
    yaxis: drawnAxis(theme, axisTitle(figure.y), 'linear', view.y),
  });
  const shapes = [
    ...(cursor ? [outline(figure, cursor, theme.surface)] : []),
    ...(pinned ? [outline(figure, pinned, theme.accent)] : []),
  ];
  return {
    ...layout,
    xaxis: { ...layout.xaxis, showgrid: false, ticks: 'outside' },
    yaxis: {
      ...layout.yaxis,
      showgrid: false,
      ...(view.y === undefined && { autorange: 'reversed' as const }),
      ...rowTicks(figure.y.labels),
    },
    shapes,
    annotations: pinned ? [pinnedLabel(figure, pinned, theme)] : [],
  };
}

function rowTicks(labels: readonly string[]) {
  const step = Math.ceil(labels.length / maximumRowLabels);
  const rows = labels.flatMap((_, row) => (row % step === 0 ? [row] : []));
  return {
    tickmode: 'array' as const,
    tickvals: rows,
    ticktext: rows.map((row) => escapeMarkup(labels[row] ?? '')),
  };
}

/** Left and right edge of a column: half way to its neighbours, as Plotly draws cells around their x. */
export function columnEdges(x: readonly number[], column: number): [number, number] {
  const here = x[column] ?? 0;
  const before = x[column - 1];
  const after = x[column + 1];
  const left = before === undefined ? (after ?? here + 1) - here : here - before;
  const right = after === undefined ? left : after - here;
  return [here - left / 2, here + right / 2];
}

function outline(figure: HeatMapFigure, { row, column }: CellPlace, color: string): DrawnShape {
  const [x0, x1] = columnEdges(figure.x.values, column);
  const line = { color, width: 2 };
  return { type: 'rect', xref: 'x', yref: 'y', x0, x1, y0: row - 0.5, y1: row + 0.5, line };
}

function pinnedLabel(figure: HeatMapFigure, place: CellPlace, theme: ChartTheme): DrawnNote {
  const isRight = place.column > figure.x.values.length / 2;
  return {
    text: escapeMarkup(describeCell(figure, place)),
    xref: 'x',
    yref: 'y',
    x: figure.x.values[place.column] ?? 0,
    y: place.row,
    xanchor: isRight ? 'right' : 'left',
    yanchor: 'middle',
    showarrow: true,
    ax: isRight ? -24 : 24,
    ay: place.row > figure.y.labels.length / 2 ? -28 : 28,
    arrowcolor: theme.accent,
    arrowwidth: 1,
    bgcolor: theme.surface,
    bordercolor: theme.accent,
    borderpad: 4,
    font: fontOf(theme, 12, theme.text),
  };
}
