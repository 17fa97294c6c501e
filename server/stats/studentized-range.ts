import { normalDensity, normalUpperTail } from './distributions.ts';

/** Beyond this many standard deviations the normal density is 0 in double precision. */
const reach = 38.6;

/**
 * P(Q > q) for the studentised range Q of `groups` >= 2 independent values with known variance (infinite
 * degrees of freedom): k ∫ φ(z) [Φ(z)^(k−1) − (Φ(z) − Φ(z − q))^(k−1)] dz, z being the largest of them.
 * The difference of the powers is formed without cancellation, so far tails keep their digits. The
 * trapezoidal rule converges exponentially here, as the integrand is entire and decays like a Gaussian.
 * q <= 0 gives 1, Infinity 0, NaN gives NaN. Harter 1960; Demšar 2006 uses it for the Nemenyi test.
 */
export function studentizedRangeUpperTail(q: number, groups: number): number {
  if (Number.isNaN(q)) return NaN;
  if (q <= 0) return 1;
  if (q === Infinity) return 0;
  const step = Math.min(0.1, 0.25 / Math.sqrt(groups));
  const halfSteps = Math.ceil(reach / step);
  let sum = 0;
  for (let index = -halfSteps; index <= halfSteps; index += 1) {
    sum += tailDensity(index * step, q, groups - 1);
  }
  return Math.min(1, groups * sum * step);
}

function tailDensity(largest: number, q: number, others: number): number {
  const below = normalUpperTail(-largest);
  if (below === 0) return 0;
  const outside = normalUpperTail(q - largest) / below;
  const allBelow = Math.exp(others * Math.log1p(-normalUpperTail(largest)));
  const lowTail = largest < 0 ? below ** others : allBelow;
  return normalDensity(largest) * lowTail * -Math.expm1(others * Math.log1p(-outside));
}

/**
 * The q with P(Q > q) = `tail` for the studentised range of `groups` >= 2 values with infinite degrees of
 * freedom, by bisection to the last bits. `tail` lies strictly between 0 and 1.
 */
export function studentizedRangeQuantile(tail: number, groups: number): number {
  const key = `${tail}/${groups}`;
  const known = knownQuantiles.get(key);
  if (known !== undefined) return known;
  const quantile = bisectDecreasing(
    (q) => studentizedRangeUpperTail(q, groups),
    tail,
    0,
    2 * reach,
  );
  knownQuantiles.set(key, quantile);
  return quantile;
}

// It takes milliseconds, and every comparison of so many groups asks for the same one.
const knownQuantiles = new Map<string, number>();

/**
 * The x in [low, high] at which a falling function passes `value`, to the last bits of x. `high` itself
 * where the function stays above `value`, `low` where it stays below.
 */
function bisectDecreasing(
  falling: (x: number) => number,
  value: number,
  low: number,
  high: number,
): number {
  let [below, above] = [low, high];
  for (;;) {
    const middle = below + (above - below) / 2;
    if (middle === below || middle === above) return middle;
    if (falling(middle) > value) below = middle;
    else above = middle;
  }
}
