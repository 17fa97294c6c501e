import { formatCount, formatFitness } from '#shared/number-format.ts';
import { axisTitle, extent, type HistogramFigure } from '#renderer/charts/figure.ts';
import { frameOf, planOf, plotted, type Picture, type Setting } from '#renderer/charts/picture.ts';
import { onLongestAxis, rangeAbout } from '#renderer/charts/ranges.ts';
import { seriesLook, withOpacity } from '#renderer/charts/theme.ts';
import type { Kind, Place, Reading } from './kind.ts';

/** Bars over bins that share their edges. */
export const histogram: Kind<HistogramFigure> = {
  values: ({ bins }) => [bins.map(({ count }) => count)],
  extents: () => ({ x: null, y: null }),
  draw,
  table: ({ x, y, bins }) => ({
    columns: [`${axisTitle(x)}, from`, `${axisTitle(x)}, to`, axisTitle(y)],
    rows: bins.map(({ start, end, count }) => [start, end, count]),
  }),
  stops: ({ bins }) => ({ x: bins.map(({ start, end }) => middleOf([start, end])), rows: 1 }),
  read,
};

function draw(figure: HistogramFigure, setting: Setting): Picture {
  const { bins, x, y, paletteIndex } = figure;
  const { theme, view } = setting;
  const ends = bins.map(({ start, end }) => [start, end] as const);
  const highest = Math.max(1, ...bins.map(({ count }) => count));
  // A lone bar that filled the whole picture would not be seen as one.
  const margin = bins.length === 1 ? 1 : 0.02;
  const ranges = {
    x: view.x ?? rangeAbout(extent(ends), 'linear', margin),
    y: view.y ?? ([0, highest * 1.06] as const),
  };
  const edges = ends.map(
    ([start, end]) => [onLongestAxis(start, ranges.x), onLongestAxis(end, ranges.x)] as const,
  );
  const frame = frameOf(setting, {
    x: planOf(x, ranges.x, {
      whole: x.whole === true || figure.isWhole === true,
      hasGrid: false,
    }),
    y: planOf(y, ranges.y),
  });
  const { color } = seriesLook(theme, paletteIndex);
  return plotted(frame, ranges, [
    {
      type: 'bar',
      uid: 'bins',
      x: edges.map(middleOf),
      y: bins.map(({ count }) => count),
      width: edges.map(([start, end]) => end - start),
      marker: { color: withOpacity(color, 0.55), line: { color, width: 1 } },
      showlegend: false,
    },
  ]);
}

function middleOf([start, end]: readonly [number, number]): number {
  return start / 2 + end / 2;
}

function read(figure: HistogramFigure, { x }: Place): Reading {
  const index = figure.bins.findIndex(({ start, end }) => middleOf([start, end]) >= x);
  const bin = figure.bins[index];
  if (!bin) return { title: '', rows: [] };
  const { paletteIndex, y } = figure;
  return {
    title: `${figure.x.title} ${describeBin(figure, index)}`,
    rows: [{ name: y.title, text: formatCount(bin.count), paletteIndex }],
    outline: { x: [bin.start, bin.end], y: [0, bin.count] },
  };
}

/**
 * The values of a bin in words: "[200, 264)", with a square bracket where it holds its end; "31" or "31 to 33" for
 * whole numbers.
 */
export function describeBin(figure: HistogramFigure, index: number): string {
  const { bins, isLastClosed, isWhole } = figure;
  const bin = bins[index];
  if (!bin) return '';
  if (isWhole === true) {
    const [first, last] = [formatFitness(bin.start + 0.5), formatFitness(bin.end - 0.5)];
    return first === last ? first : `${first} to ${last}`;
  }
  const isClosed = isLastClosed && index === bins.length - 1;
  return `[${formatFitness(bin.start)}, ${formatFitness(bin.end)}${isClosed ? ']' : ')'}`;
}
