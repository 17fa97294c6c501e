import type { HeatMap, Insights } from '#shared/schemas/insights.ts';
import { getExtent, isValue, type Cell, type HeatMapFigure } from '#renderer/charts/figure.ts';

/** A heat map of the telemetry, a column an iteration. */
export function makeTelemetryMap(map: HeatMap, color: HeatMapFigure['color']): HeatMapFigure {
  return {
    kind: 'heatmap',
    x: { title: 'iteration', isWhole: true, values: map.iterations },
    y: { title: map.rowName, labels: map.rows },
    color,
    cells: map.cells,
    empty: 'The telemetry of this run has no such numbers.',
  };
}

/** The same coloured by the logarithm to base 10; a value that has none stays blank. */
export function makeLogarithmicMap(map: HeatMap, title: string): HeatMapFigure {
  const logarithm = (value: Cell): Cell => (isValue(value) && value > 0 ? Math.log10(value) : null);
  return {
    ...makeTelemetryMap(map, { title }),
    cells: map.cells.map((row) => row.map(logarithm)),
    values: map.cells,
  };
}

/**
 * The entropy in bits of the position of each item. Colours go from 0, one position, to that of n equally frequent
 * positions, log2 n, so that those of two iterations or runs of one size mean the same.
 */
export function makePositionEntropyMap(map: HeatMap): HeatMapFigure {
  const items = map.thinnedRows ?? map.rows.length;
  const most = items > 1 ? Math.log2(items) : 1;
  return makeTelemetryMap(map, { title: 'entropy (bit)', range: [0, most] });
}

/**
 * How often each item is at each position, as the runner wrote it: [item][position]. Colours go from 0 to the largest
 * share, at least to twice that of a random order: of many items even the largest one is far below 1. `loaded` is
 * undefined until the iteration is loaded.
 */
export function makePositionFigure(
  loaded: readonly (readonly Cell[])[] | undefined,
): HeatMapFigure {
  const distribution = loaded ?? [];
  const positions = distribution.reduce((longest, row) => Math.max(longest, row.length), 0);
  const largest = getExtent(distribution)?.[1] ?? 1;
  const most = Math.min(1, Math.max(largest, 2 / Math.max(1, positions)));
  return {
    kind: 'heatmap',
    x: {
      title: 'position',
      isWhole: true,
      values: Array.from({ length: positions }, (_, at) => at),
    },
    y: { title: 'item', labels: distribution.map((_, item) => String(item)) },
    color: { title: 'share of the elite', range: [0, most] },
    cells: distribution,
    empty: loaded
      ? 'This iteration has no distribution of positions.'
      : 'This iteration is not loaded yet.',
  };
}

/** Most bits of a matrix. */
const mostBits = 512;

/** The mutual information of pairs of bits, both ways; blank for a pair that is not listed. */
export function makeEdgeMatrix(edges: Insights['edges']): HeatMapFigure {
  const last = edges.reduce((most, { i, j }) => Math.max(most, i, j), -1);
  const bits = Array.from({ length: last < mostBits ? last + 1 : 0 }, (_, bit) => bit);
  const weights = new Map(edges.map(({ i, j, weight }) => [`${i} ${j}`, weight]));
  const getWeight = (i: number, j: number): Cell => weights.get(`${i} ${j}`) ?? null;
  return {
    kind: 'heatmap',
    x: { title: 'bit', isWhole: true, values: bits },
    y: { title: 'bit', labels: bits.map(String) },
    color: { title: 'mutual information (bit)' },
    cells: bits.map((i) => bits.map((j) => getWeight(i, j) ?? getWeight(j, i))),
    empty:
      last < mostBits ? 'No dependencies were recorded.' : 'There are too many bits for a matrix.',
  };
}
