import type { Direction } from '#server/domain/objective.ts';
import { traceOf, type RunTrace } from '#server/domain/trace.ts';

/** Rows of a run; evaluations never decrease. */
export interface Rows {
  evaluations: ArrayLike<number>;
  values: ArrayLike<number>;
}

/**
 * The trace of a run over the rows of all its files together. `total` are the evaluations used; smaller ones than the
 * last row are ignored. No rows give an empty trace.
 */
export function traceOfFiles(
  files: readonly Rows[],
  direction: Direction,
  total: number,
): RunTrace {
  const { evaluations, values } = files.reduce<Rows>(merge, { evaluations: [], values: [] });
  const pairs = new Float64Array(2 * evaluations.length);
  for (let row = 0; row < evaluations.length; row += 1) {
    pairs[2 * row] = evaluations[row] ?? 0;
    pairs[2 * row + 1] = values[row] ?? NaN;
  }
  const trace = traceOf(pairs, direction);
  return { ...trace, spent: Math.max(total, trace.spent) };
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

/** Whether a run used evaluations after its last improvement: its data state its budget. */
export function goesOn({ evaluations, spent }: RunTrace): boolean {
  return spent > (evaluations.at(-1) ?? 0);
}

/** How many rows of `iterations` a trace becomes; see {@link rowsOf}. */
export function countRows(trace: RunTrace): number {
  return trace.best.length + Number(trace.best.length > 0 && goesOn(trace));
}

/** The rows that a trace becomes: its improvements, and a closing one with the best at its last evaluation after them. */
export function rowsOf(trace: RunTrace): Rows {
  const { evaluations, best, spent } = trace;
  if (countRows(trace) === best.length) return { evaluations, values: best };
  return { evaluations: appended(evaluations, spent), values: appended(best, best.at(-1) ?? NaN) };
}

function appended(numbers: Float64Array, last: number): Float64Array {
  const longer = new Float64Array(numbers.length + 1);
  longer.set(numbers);
  longer[numbers.length] = last;
  return longer;
}
