import type { HeatMap, TelemetryFamily } from '#shared/schemas/insights.ts';
import type { IterationDiagnostics, InsightKey } from './diagnostics.ts';
import { toFinite, getList } from './json.ts';
import { chooseEvenIndices } from './thinning.ts';

/** Maximum number of columns of a heat map, and of the iterations whose model data a request reads. */
export const maximumColumns = 400;
const maximumRows = 512;

interface Kind extends Pick<HeatMap, 'title' | 'rowName'> {
  key: InsightKey;
}

/** Vectors of each family that have a heat map. */
const kinds: Readonly<Record<TelemetryFamily, readonly Kind[]>> = {
  binary: [
    { key: 'entropyPerBit', title: 'Entropy per bit, in bits', rowName: 'bit' },
    { key: 'probabilities', title: 'Share of ones per bit in the elite', rowName: 'bit' },
  ],
  permutation: [
    { key: 'positionEntropyPerItem', title: 'Position entropy per item, in bits', rowName: 'item' },
  ],
  real: [
    { key: 'sigmaVector', title: 'Standard deviation per dimension', rowName: 'dimension' },
    { key: 'meanVector', title: 'Mean per dimension', rowName: 'dimension' },
  ],
  unknown: [],
};

/**
 * Returns the heat maps of a family, with one column per iteration of `columns`. Omits a map if all its vectors are
 * missing or empty. A missing or non-finite value is null. Of more than 512 rows, returns 512 evenly spaced ones.
 * `total` is the number of iterations before the selection of the columns.
 */
export function makeHeatMaps(
  family: TelemetryFamily,
  columns: readonly IterationDiagnostics[],
  total: number,
): HeatMap[] {
  return kinds[family].flatMap((kind) => {
    const vectors = columns.map(({ insights }) => getList(insights[kind.key]));
    const length = vectors.reduce((maximum, vector) => Math.max(maximum, vector.length), 0);
    if (length === 0) return [];
    const rows = chooseEvenIndices(length, maximumRows);
    return {
      ...kind,
      iterations: columns.map(({ iteration }) => iteration),
      rows: rows.map(String),
      cells: rows.map((row) => vectors.map((vector) => toFinite(vector[row]))),
      thinnedRows: rows.length < length ? length : null,
      thinnedColumns: columns.length < total ? total : null,
    };
  });
}

/**
 * Returns the eigenvalues of the iterations with a non-empty list. `values` has one array per index in the lists, for
 * at most the first 512 indices. A missing or non-finite value is null.
 */
export function getEigenvalues(columns: readonly IterationDiagnostics[]) {
  const presentColumns = columns
    .map(({ iteration, insights }) => ({ iteration, values: getList(insights['eigenvalues']) }))
    .filter(({ values }) => values.length > 0);
  const maximum = presentColumns.reduce((length, { values }) => Math.max(length, values.length), 0);
  return {
    iterations: presentColumns.map(({ iteration }) => iteration),
    values: Array.from({ length: Math.min(maximum, maximumRows) }, (_, rank) =>
      presentColumns.map(({ values }) => toFinite(values[rank])),
    ),
  };
}
