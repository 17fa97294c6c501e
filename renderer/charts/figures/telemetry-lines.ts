import type { Insights } from '#shared/schemas/insights.ts';
import {
  isValue,
  type Axis,
  type Cell,
  type LineFigure,
  type Mark,
} from '#renderer/charts/figure.ts';

/** Some numbers of the telemetry that are drawn together over the iterations. */
export interface TelemetryLines {
  /** Key in `series`, or in `model`, and what it is called. */
  names: readonly (readonly [key: string, name: string])[];
  y: Axis;
}

type Telemetry = Pick<Insights, 'iterations' | 'series' | 'model'>;

/** Returns the numbers of a key of `series`, else of `model`; undefined if neither has it. */
export function getNumbers(
  telemetry: Pick<Telemetry, 'series' | 'model'>,
  key: string,
): readonly Cell[] | undefined {
  return telemetry.series[key] ?? telemetry.model[key];
}

/** Curves of telemetry over the iterations, with marks; a key that no iteration has is omitted. */
export function makeTelemetryLines(
  telemetry: Telemetry,
  { names, y }: TelemetryLines,
  marks: readonly Mark[] = [],
): LineFigure {
  return {
    kind: 'lines',
    x: { title: 'iteration', isWhole: true },
    y,
    series: names.flatMap(([key, name], paletteIndex) => {
      const values = getNumbers(telemetry, key);
      if (!values?.some(isValue)) return [];
      return { name, x: telemetry.iterations, y: values, shape: 'line' as const, paletteIndex };
    }),
    references: [],
    marks,
    empty: 'The telemetry of this run has no such numbers.',
  };
}

/**
 * Returns the rows of a heat map by the difference of their largest and least value, the largest difference first, ties
 * by place; rows without values last.
 */
export function getMostChanging(cells: readonly (readonly Cell[])[]): number[] {
  const reach = cells.map((row) => {
    const values = row.filter(isValue);
    return values.length === 0
      ? -1
      : getLargest(values) + getLargest(values.map((value) => -value));
  });
  return reach.map((_, row) => row).sort((one, other) => (reach[other] ?? 0) - (reach[one] ?? 0));
}

function getLargest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity);
}

/** Some rows of a heat map as curves. */
export function getRowTrajectories(
  map: Pick<Insights['heatmaps'][number], 'iterations' | 'rows' | 'rowName' | 'cells'>,
  rows: readonly number[],
  y: Axis,
): LineFigure {
  return {
    kind: 'lines',
    x: { title: 'iteration', isWhole: true },
    y,
    series: rows.map((row, paletteIndex) => ({
      name: `${map.rowName} ${map.rows[row] ?? row}`,
      x: map.iterations,
      y: map.cells[row] ?? [],
      shape: 'line',
      paletteIndex,
    })),
    references: [],
    empty: `No such ${map.rowName}.`,
  };
}

/** Most eigenvalues that are drawn: as many as there are looks. */
const mostRanks = 8;

/** The eigenvalues over the iterations, a curve a rank; of more than eight evenly chosen ones, the ends among them. */
export function makeEigenvalueFigure({ iterations, values }: Insights['eigenvalues']): LineFigure {
  const count = Math.min(mostRanks, values.length);
  const ranks = Array.from({ length: count }, (_, index) =>
    count < 2 ? 0 : Math.round((index * (values.length - 1)) / (count - 1)),
  );
  return {
    kind: 'lines',
    x: { title: 'iteration', isWhole: true },
    y: { title: 'eigenvalue' },
    series: ranks.map((rank, paletteIndex) => ({
      name: `rank ${rank + 1}`,
      x: iterations,
      y: values[rank] ?? [],
      shape: 'line',
      paletteIndex,
    })),
    references: [],
    empty: 'The telemetry of this run has no eigenvalues.',
  };
}
