/** Improvements of a run: evaluations never decrease, values get better from row to row. */
export interface Trace {
  evaluations: Float64Array;
  values: Float64Array;
}

/** Rows of a run in one file; evaluations never decrease. */
export interface Rows {
  evaluations: ArrayLike<number>;
  values: ArrayLike<number>;
}

/**
 * The improvements of a run over the rows of all its files together, and a closing row with the best at its last
 * evaluation where that comes after the last improvement. `total` are the evaluations used; smaller ones than
 * the last row are ignored. No rows give an empty trace.
 */
export function traceOf(
  files: readonly Rows[],
  direction: 'min' | 'max',
  total: number,
): { trace: Trace; evaluations: number } {
  const rows = files.reduce<Rows>(merge, { evaluations: [], values: [] });
  const evaluations: number[] = [];
  const values: number[] = [];
  const isBetter = direction === 'min' ? lower : higher;
  for (let index = 0; index < rows.evaluations.length; index += 1) {
    const value = rows.values[index] ?? Number.NaN;
    const best = values.at(-1);
    if (best === undefined || isBetter(value, best)) {
      evaluations.push(rows.evaluations[index] ?? 0);
      values.push(value);
    }
  }
  const last = Math.max(total, rows.evaluations[rows.evaluations.length - 1] ?? 0);
  const best = values.at(-1);
  if (best !== undefined && last > (evaluations.at(-1) ?? 0)) {
    evaluations.push(last);
    values.push(best);
  }
  const trace = {
    evaluations: Float64Array.from(evaluations),
    values: Float64Array.from(values),
  };
  return { trace, evaluations: last };
}

function lower(a: number, b: number): boolean {
  return a < b;
}

function higher(a: number, b: number): boolean {
  return a > b;
}

/** Both sorted lists as one; where evaluations are equal, the first comes first. */
function merge(a: Rows, b: Rows): Rows {
  if (a.evaluations.length === 0) return b;
  const evaluations: number[] = [];
  const values: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.evaluations.length || j < b.evaluations.length) {
    const [left, right] = [a.evaluations[i] ?? Infinity, b.evaluations[j] ?? Infinity];
    if (left <= right && i < a.evaluations.length) {
      evaluations.push(left);
      values.push(a.values[i] ?? Number.NaN);
      i += 1;
    } else {
      evaluations.push(right);
      values.push(b.values[j] ?? Number.NaN);
      j += 1;
    }
  }
  return { evaluations, values };
}

/** Evaluations of the first row with a value at least as good as the target; null where none is. */
export function firstHit(
  { evaluations, values }: Trace,
  direction: 'min' | 'max',
  target: number,
): number | null {
  const index = values.findIndex((value) =>
    direction === 'min' ? value <= target : value >= target,
  );
  return evaluations[index] ?? null;
}
