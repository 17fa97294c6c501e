import { at, range, sum } from '#server/sample/statistics.ts';

const mostSweeps = 50;

/**
 * Eigenvalues of a symmetric matrix, largest first, by cyclic Jacobi rotations (Golub and Van Loan,
 * Matrix Computations, 8.5). Only symmetric input is meaningful; an empty matrix has none.
 */
export function symmetricEigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const work = matrix.map((row) => [...row]);
  const scale = sum(work.flat().map((value) => value * value));
  for (let sweep = 0; sweep < mostSweeps && offDiagonal(work) > 1e-24 * scale; sweep++) {
    for (const p of range(work.length)) {
      for (const q of range(work.length).slice(p + 1)) rotate(work, p, q);
    }
  }
  return work.map((row, index) => at(row, index)).sort((a, b) => b - a);
}

function offDiagonal(matrix: readonly (readonly number[])[]): number {
  return sum(matrix.flatMap((row, i) => row.map((value, j) => (i === j ? 0 : value * value))));
}

function rotate(matrix: number[][], p: number, q: number): void {
  const [rowP, rowQ] = [at(matrix, p), at(matrix, q)];
  const coupling = at(rowP, q);
  if (coupling === 0) return;
  const theta = (at(rowQ, q) - at(rowP, p)) / (2 * coupling);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  for (const row of matrix) combine(row, p, q, cosine, sine);
  for (const column of range(matrix.length)) {
    const [x, y] = [at(rowP, column), at(rowQ, column)];
    rowP[column] = cosine * x - sine * y;
    rowQ[column] = sine * x + cosine * y;
  }
}

function combine(row: number[], p: number, q: number, cosine: number, sine: number): void {
  const [x, y] = [at(row, p), at(row, q)];
  row[p] = cosine * x - sine * y;
  row[q] = sine * x + cosine * y;
}
