import type { HeatMap, Insights } from '#shared/schemas/insights.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import type { HeatMapFigure } from '#renderer/charts/figure.ts';
import { metricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { eigenvalueFigure } from '#renderer/charts/figures/telemetry-lines.ts';
import { logarithmicMap, telemetryMap } from '#renderer/charts/figures/telemetry-maps.ts';

/** What the heat maps of a family show: title, sentence, and how the numbers become colours. */
const maps: Readonly<
  Record<string, { title: string; sentence: string; figure: (map: HeatMap) => HeatMapFigure }>
> = {
  entropyPerBit: {
    title: 'Entropy per bit',
    sentence: 'Of the selected parents; bright is undecided, dark is fixed',
    figure: (map) => telemetryMap(map, { title: 'entropy (bit)', range: [0, 1] }),
  },
  positionEntropyPerItem: {
    title: 'Position entropy per item',
    sentence: 'How undecided the position of each item is in the elite; dark is decided',
    figure: (map) => telemetryMap(map, { title: 'entropy (bit)' }),
  },
  sigmaVector: {
    title: 'Standard deviation per dimension',
    sentence: 'Of the model, coloured by its logarithm; dark dimensions have closed in',
    figure: (map) => logarithmicMap(map, 'log10 of the standard deviation'),
  },
};

/** Heat maps and eigenvalues of a run; those of which it has nothing are left out. */
export function modelEntries(insights: Insights): ChartEntry[] {
  const heatMaps = insights.heatmaps.flatMap((map): ChartEntry[] => {
    const shown = maps[map.key];
    if (!shown) return [];
    return [
      {
        id: map.key,
        title: shown.title,
        describe: () => shown.sentence,
        figure: () => shown.figure(map),
        notes: () => thinningNotes(map),
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
        'Of the covariance, largest first: their distance is how stretched the model is',
      figure: () => eigenvalueFigure(insights.eigenvalues),
    },
  ];
}

/** What a thinned heat map leaves out. */
export function thinningNotes({ rows, rowName, iterations, thinnedRows, thinnedColumns }: HeatMap) {
  const some = (shown: number, what: string, all: number | null): string[] =>
    all === null ? [] : [`${shown} evenly chosen ${what} of ${all}.`];
  return [
    ...some(rows.length, `${rowName}s`, thinnedRows),
    ...some(iterations.length, 'iterations', thinnedColumns),
  ];
}

const rowPixels = 18;

/** All metrics of a run at one glance. */
export function metricsEntry(insights: Insights): ChartEntry {
  const { figure, constants } = metricHeatMap(insights);
  return {
    id: 'metrics',
    title: 'All metrics',
    describe: () => 'Each row is coloured between its own lowest and highest value',
    figure: () => figure,
    heightPixels: () => Math.max(160, figure.y.labels.length * rowPixels + 60),
    notes: () =>
      constants.length === 0 ? [] : [`Left out, as they never change: ${constants.join(', ')}.`],
  };
}
