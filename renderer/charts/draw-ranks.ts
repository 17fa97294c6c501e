import { formatStatistic } from '#shared/number-format.ts';
import {
  drawnAxis,
  drawnLayout,
  escapeMarkup,
  fontOf,
  type DrawnLayout,
  type DrawnNote,
  type DrawnShape,
  type DrawOptions,
} from './drawing.ts';
import type { RankFigure } from './figure.ts';
import { seriesLook, type ChartTheme } from './theme.ts';

/** The places of the ranks on their axis, for hovering. */
export interface DrawnRanks {
  type: 'scatter';
  uid: string;
  x: number[];
  y: number[];
  mode: 'markers';
  marker: { color: string[]; size: number };
  customdata: string[];
  hovertemplate: string;
  showlegend: boolean;
}

/** Distance of two bars below the axis, as a part of the distance between two names. */
const barStep = 0.28;

/**
 * A critical-difference diagram as Plotly takes it (Demšar 2006): ranks on an axis, the better half named at
 * the left, the others at the right, a bar over those that are not told apart.
 */
export function drawRanks(
  figure: RankFigure,
  theme: ChartTheme,
  options: DrawOptions,
): { data: DrawnRanks[]; layout: DrawnLayout } {
  const places = placesOf(figure);
  const frame = frameOf(figure);
  const layout = drawnLayout(theme, options, {
    xaxis: { ...hiddenAxis(theme), range: [frame.left, frame.right] },
    yaxis: { ...hiddenAxis(theme), range: [frame.bottom, frame.top] },
  });
  return {
    data: [rankMarks(figure, theme)],
    layout: {
      ...layout,
      margin: { l: 8, r: 8, t: 4, b: 4 },
      shapes: [
        ...axisShapes(figure, theme),
        ...places.flatMap((place) => placeShapes(place, frame, theme)),
        ...barShapes(figure, theme),
      ],
      annotations: [
        ...axisLabels(figure, theme),
        ...places.map((place) => placeLabel(place, frame, theme)),
      ],
    },
  };
}

interface Place {
  name: string;
  rank: number;
  paletteIndex: number;
  side: 'left' | 'right';
  /** Height of its name below the axis; negative. */
  y: number;
}

interface Frame {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** Names nearest to the axis belong to the outermost ranks, so that no two lines cross. */
function placesOf({ ranks, cliques }: RankFigure): Place[] {
  const half = Math.ceil(ranks.length / 2);
  const below = 0.5 + barStep * cliques.length;
  return ranks.map(({ name, rank, paletteIndex }, index) => {
    const isLeft = index < half;
    const row = isLeft ? index : ranks.length - 1 - index;
    return { name, rank, paletteIndex, side: isLeft ? 'left' : 'right', y: -(below + row + 0.5) };
  });
}

function frameOf(figure: RankFigure): Frame {
  const count = figure.ranks.length;
  const margin = Math.max(0.35, (count - 1) * 0.22);
  const lowest = Math.min(...placesOf(figure).map(({ y }) => y));
  return { left: 1 - margin, right: count + margin, bottom: lowest - 0.4, top: 2 };
}

function hiddenAxis(theme: ChartTheme) {
  return {
    ...drawnAxis(theme, '', 'linear', undefined),
    visible: false,
    fixedrange: true,
    autorange: false as const,
  };
}

function rankMarks({ ranks }: RankFigure, theme: ChartTheme): DrawnRanks {
  return {
    type: 'scatter',
    uid: 'ranks',
    x: ranks.map(({ rank }) => rank),
    y: ranks.map(() => 0),
    mode: 'markers',
    marker: {
      color: ranks.map(({ paletteIndex }) => seriesLook(theme, paletteIndex).color),
      size: 7,
    },
    customdata: ranks.map(({ name, rank }) => escapeMarkup(`${name} · ${formatStatistic(rank)}`)),
    hovertemplate: '%{customdata}<extra></extra>',
    showlegend: false,
  };
}

function segment(
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
  color: string,
  width: number,
): DrawnShape {
  return { type: 'line', xref: 'x', yref: 'y', x0, y0, x1, y1, line: { color, width } };
}

function axisShapes({ ranks, criticalDifference }: RankFigure, theme: ChartTheme): DrawnShape[] {
  const count = ranks.length;
  const ticks = Array.from({ length: count }, (_, index) =>
    segment([index + 1, 0], [index + 1, 0.16], theme.axis, 1),
  );
  const axis = segment([1, 0], [count, 0], theme.axis, 1);
  if (criticalDifference === null) return [axis, ...ticks];
  const end = 1 + criticalDifference;
  const edge = (x: number) => segment([x, 1.15], [x, 1.35], theme.text, 1.5);
  return [axis, ...ticks, segment([1, 1.25], [end, 1.25], theme.text, 1.5), edge(1), edge(end)];
}

function axisLabels({ ranks, criticalDifference }: RankFigure, theme: ChartTheme): DrawnNote[] {
  const labels = ranks.map((_, index) =>
    note({ x: index + 1, y: 0.2 }, String(index + 1), 'center', fontOf(theme, 11, theme.muted)),
  );
  if (criticalDifference === null) return labels;
  const text = `CD = ${formatStatistic(criticalDifference)}`;
  const middle = { x: 1 + criticalDifference / 2, y: 1.3 };
  return [...labels, note(middle, text, 'center', fontOf(theme, 11, theme.muted))];
}

function placeShapes(place: Place, { left, right }: Frame, theme: ChartTheme): DrawnShape[] {
  const { color } = seriesLook(theme, place.paletteIndex);
  const end = place.side === 'left' ? left : right;
  return [
    segment([place.rank, 0], [place.rank, place.y], color, 1.5),
    segment([place.rank, place.y], [end, place.y], color, 1.5),
  ];
}

function placeLabel(place: Place, { left, right }: Frame, theme: ChartTheme): DrawnNote {
  const isLeft = place.side === 'left';
  const text = escapeMarkup(`${place.name} ${formatStatistic(place.rank)}`);
  const at = { x: isLeft ? left : right, y: place.y };
  return note(at, text, place.side, fontOf(theme, 12, theme.text));
}

function barShapes({ ranks, cliques }: RankFigure, theme: ChartTheme): DrawnShape[] {
  const overhang = 0.012 * Math.max(1, ranks.length - 1);
  return cliques.map(([first, last], index) => {
    const y = -0.32 - barStep * index;
    const low = (ranks[first]?.rank ?? 0) - overhang;
    return segment([low, y], [(ranks[last]?.rank ?? 0) + overhang, y], theme.text, 4);
  });
}

function note(
  { x, y }: { x: number; y: number },
  text: string,
  xanchor: DrawnNote['xanchor'],
  font: DrawnNote['font'],
): DrawnNote {
  return { text, xref: 'x', yref: 'y', x, y, xanchor, yanchor: 'bottom', showarrow: false, font };
}
