import { formatCount, formatFitness } from '#shared/number-format.ts';
import {
  drawnAxis,
  drawnLayout,
  escapeMarkup,
  referenceLabel,
  referenceLine,
  traceId,
  type DrawnLayout,
  type DrawOptions,
} from './drawing.ts';
import { axisTitle, isValue, type BoxFigure, type BoxShape } from './figure.ts';
import { seriesLook, withOpacity, type ChartTheme } from './theme.ts';

/** One box as Plotly takes it: its numbers are given, none is computed from a sample. */
export interface DrawnBox {
  type: 'box';
  uid: string;
  name: string;
  x: number[];
  q1: number[];
  median: number[];
  q3: number[];
  mean: number[];
  lowerfence: number[];
  upperfence: number[];
  boxmean: boolean;
  width: number;
  line: { color: string; width: number };
  fillcolor: string;
  showlegend: boolean;
  hoverinfo: 'skip';
}

/** The values beside the boxes, and what hovering a median says. */
export interface DrawnPoints {
  type: 'scatter';
  uid: string;
  x: number[];
  y: number[];
  mode: 'markers';
  marker: { color: string; size: number; symbol: string; opacity: number };
  customdata: string[];
  hovertemplate: string;
  showlegend: boolean;
}

const boxWidth = 0.36;

/** Box plots as Plotly takes them, on the places 0, 1, 2, … with their names as ticks. */
export function drawBoxes(
  figure: BoxFigure,
  theme: ChartTheme,
  options: DrawOptions,
): { data: (DrawnBox | DrawnPoints)[]; layout: DrawnLayout } {
  const data = figure.boxes.flatMap(({ name, paletteIndex, shape, values }, place) => {
    const look = seriesLook(theme, paletteIndex);
    return [
      ...drawBox(name, shape, place, look.color),
      ...drawValues(name, values, place, look),
      ...drawSummary(name, shape, place, look.color),
    ];
  });
  return { data, layout: boxLayout(figure, theme, options) };
}

function drawBox(name: string, shape: BoxShape, place: number, color: string): DrawnBox[] {
  const { q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  if (!isValue(q1) || !isValue(median) || !isValue(q3)) return [];
  return [
    {
      type: 'box',
      uid: traceId(`${name}, box`),
      name: escapeMarkup(name),
      x: [place],
      q1: [q1],
      median: [median],
      q3: [q3],
      mean: [mean ?? median],
      lowerfence: [whiskerLow ?? q1],
      upperfence: [whiskerHigh ?? q3],
      boxmean: true,
      width: boxWidth,
      line: { color, width: 1.5 },
      fillcolor: withOpacity(color, 0.16),
      showlegend: false,
      hoverinfo: 'skip',
    },
  ];
}

/** Beside the box rather than on it, and spread so that equal values are seen as several. */
function drawValues(
  name: string,
  values: readonly number[],
  place: number,
  look: { color: string; marker: string },
): DrawnPoints[] {
  if (values.length === 0) return [];
  return [
    {
      type: 'scatter',
      uid: traceId(`${name}, values`),
      x: values.map((_, index) => place + boxWidth / 2 + 0.06 + 0.04 * (index % 5)),
      y: [...values],
      mode: 'markers',
      marker: { color: look.color, size: 6, symbol: look.marker, opacity: 0.65 },
      customdata: values.map((value) => escapeMarkup(`${name} · ${formatFitness(value)}`)),
      hovertemplate: '%{customdata}<extra></extra>',
      showlegend: false,
    },
  ];
}

function drawSummary(name: string, shape: BoxShape, place: number, color: string): DrawnPoints[] {
  if (!isValue(shape.median)) return [];
  return [
    {
      type: 'scatter',
      uid: traceId(`${name}, summary`),
      x: [place],
      y: [shape.median],
      mode: 'markers',
      marker: { color, size: 5, symbol: 'circle', opacity: 0.01 },
      customdata: [describeBox(name, shape).map(escapeMarkup).join('<br>')],
      hovertemplate: '%{customdata}<extra></extra>',
      showlegend: false,
    },
  ];
}

/** The numbers of a box, one line each. */
export function describeBox(name: string, shape: BoxShape): string[] {
  const { n, q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  return [
    `${name}, n = ${formatCount(n)}`,
    `median ${formatFitness(median)}, mean ${formatFitness(mean)}`,
    `quartiles ${formatFitness(q1)} and ${formatFitness(q3)}`,
    `whiskers ${formatFitness(whiskerLow)} and ${formatFitness(whiskerHigh)}`,
  ];
}

function boxLayout(figure: BoxFigure, theme: ChartTheme, options: DrawOptions): DrawnLayout {
  const { scales, view } = options;
  const { boxes, references } = figure;
  const title = axisTitle(figure.y);
  const xaxis = drawnAxis(theme, '', 'linear', undefined);
  const yaxis = drawnAxis(theme, scales.y === 'log' ? `${title}, log` : title, scales.y, view.y);
  return {
    ...drawnLayout(theme, options, {
      xaxis: {
        ...xaxis,
        showgrid: false,
        fixedrange: true,
        tickmode: 'array',
        tickvals: boxes.map((_, place) => place),
        ticktext: boxes.map(({ name }) => escapeMarkup(name)),
        autorange: false,
        range: [-0.5, boxes.length - 0.5],
      },
      yaxis,
    }),
    shapes: references.map(({ value }) => referenceLine(value, theme)),
    annotations: references.map(({ value, label }) =>
      referenceLabel(scales.y === 'log' ? Math.log10(value) : value, label, theme),
    ),
  };
}
