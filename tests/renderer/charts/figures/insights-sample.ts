import type { Insights } from '#shared/schemas/insights.ts';

/** Telemetry of the iterations from `first` to `last`: three bits, the first fixed step by step. */
export function sampleInsights(
  first: number,
  last: number,
  more: Partial<Insights> = {},
): Insights {
  const iterations = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return {
    family: 'binary',
    telemetryLag: 1,
    thinnedIterations: null,
    iterations,
    evaluations: iterations.map((iteration) => 100 * iteration),
    series: { diversity: iterations.map((iteration) => 1 - iteration / 10) },
    model: { step: iterations.map((iteration) => (iteration === 0 ? null : 0.5)) },
    heatmaps: [
      {
        key: 'probabilities',
        title: 'Share of ones',
        rowName: 'bit',
        iterations,
        rows: ['0', '1', '2'],
        cells: [
          iterations.map(() => 0.5),
          iterations.map((iteration) => 0.5 + iteration / 20),
          iterations.map(() => null),
        ],
        thinnedRows: null,
        thinnedColumns: null,
      },
    ],
    edges: [],
    clusters: [],
    adjacency: [],
    eigenvalues: { iterations, values: [iterations.map(() => 4), iterations.map(() => 0.25)] },
    adaptiveActions: iterations.map((iteration) => ({
      iteration,
      trigger: 'entropy_collapse',
      actionType: 'boost',
      reason: '',
    })),
    diagnosis: [],
    ...more,
  };
}
