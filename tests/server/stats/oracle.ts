import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';

/** A file of reference values, computed with SciPy, R, mpmath and cocopp (see its `meta`), frozen; large files are packed. */
export function loadOracle(name: string): unknown {
  const file = new URL(`../../fixtures/oracle/${name}.json`, import.meta.url);
  const text = existsSync(file)
    ? readFileSync(file, 'utf8')
    : gunzipSync(readFileSync(`${file.pathname}.gz`)).toString();
  return JSON.parse(text, (_key, value: unknown) => Object.freeze(decode(value)));
}

function decode(value: unknown): unknown {
  if (value === 'inf') return Infinity;
  if (value === '-inf') return -Infinity;
  return value === 'nan' ? NaN : value;
}

/** Returns the distance of `actual` from `expected`, relative to `expected`; 0 if both are equal or missing. */
export function getRelativeError(
  actual: number | null | undefined,
  expected: number | null | undefined,
): number {
  const [a, b] = [actual ?? null, expected ?? null];
  if (Object.is(a, b) || a === b) return 0;
  if (a === null || b === null || !Number.isFinite(a) || !Number.isFinite(b)) return Infinity;
  return Math.abs(a - b) / (b === 0 ? 1 : Math.abs(b));
}

/** Expects agreement to a relative tolerance (absolute where the expected value is 0). */
export function expectClose(
  actual: number | null | undefined,
  expected: number | null | undefined,
  tolerance = 1e-12,
): void {
  expect(
    getRelativeError(actual, expected),
    `${actual} instead of ${expected}`,
  ).toBeLessThanOrEqual(tolerance);
}

/** Expects two lists to agree element by element. */
export function expectAllClose(
  actual: readonly (number | null | undefined)[],
  expected: readonly (number | null | undefined)[],
  tolerance = 1e-12,
): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, index) => expectClose(actual[index], value, tolerance));
}
