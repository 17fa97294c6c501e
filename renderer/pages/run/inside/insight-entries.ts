import type { HeatMap, Insights } from '#shared/schemas/insights.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import { makeMetricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { makeEigenvalueFigure } from '#renderer/charts/figures/telemetry-lines.ts';
import {
  makeLogarithmicMap,
  makePositionEntropyMap,
  makeTelemetryMap,
} from '#renderer/charts/figures/telemetry-maps.ts';

/** Heat maps of a family: title, sentence, and the colour scale. */
const maps: Readonly<
  Record<string, { title: string; sentence: string; figure: (map: HeatMap) => HeatMapFigure }>
> = {
  entropyPerBit: {
    title: 'Entropy per bit',
    sentence: 'Entropy in the selected parents; bright = undecided, dark = fixed',
    figure: (map) => makeTelemetryMap(map, { title: 'entropy (bit)', range: [0, 1] }),
  },
  positionEntropyPerItem: {
    title: 'Position entropy per item',
    sentence:
      'Entropy of the position of each item in the elite; dark = decided, brightest = random order',
    figure: makePositionEntropyMap,
  },
  sigmaVector: {
    title: 'Standard deviation per dimension',
    sentence: 'Model standard deviation (log colour scale); dark = converged',
    figure: (map) => makeLogarithmicMap(map, 'log10 of the standard deviation'),
  },
};

/** Returns the heat maps and eigenvalues of a run; those without data are omitted. */
export function makeModelEntries(insights: Insights): ChartEntry[] {
  const heatMaps = insights.heatmaps.flatMap((map): ChartEntry[] => {
    const rows = maps[map.key];
    if (!rows) return [];
    return [
      {
        id: map.key,
        title: rows.title,
        describe: () => rows.sentence,
        figure: () => rows.figure(map),
        notes: () => makeThinningNotes(map),
      },
    ];
  });
  if (insights.eigenvalues.values.length === 0) return heatMaps;
  return [
    ...heatMaps,
    {
      id: 'eigenvalues',
      title: 'Eigenvalues',
      describe: () =>
        'Eigenvalues of the covariance, largest first; a wide spread means an elongated model',
      figure: () => makeEigenvalueFigure(insights.eigenvalues),
    },
  ];
}

/** Notes on the thinning of a heat map. */
export function makeThinningNotes({
  rows,
  rowName,
  iterations,
  thinnedRows,
  thinnedColumns,
}: HeatMap) {
  const some = (count: number, what: string, all: number | null): string[] =>
    all === null ? [] : [`${count} evenly spaced ${what} of ${all}.`];
  return [
    ...some(rows.length, `${rowName}s`, thinnedRows),
    ...some(iterations.length, 'iterations', thinnedColumns),
  ];
}

const rowPixels = 18;

/** Returns the chart of all metrics of a run. */
export function makeMetricsEntry(insights: Insights): ChartEntry {
  const { figure, constants } = makeMetricHeatMap(insights);
  return {
    id: 'metrics',
    title: 'All metrics',
    describe: () => 'Colour scale per row, from its minimum to its maximum',
    figure: () => figure,
    heightPixels: () => Math.max(160, figure.y.labels.length * rowPixels + 60),
    notes: () =>
      constants.length === 0 ? [] : [`Constant, not plotted: ${constants.join(', ')}.`],
  };
}
