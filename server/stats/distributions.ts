import betainc from '@stdlib/math-base-special-betainc';
import betaincinv from '@stdlib/math-base-special-betaincinv';
import erfc from '@stdlib/math-base-special-erfc';
import erfcinv from '@stdlib/math-base-special-erfcinv';
import gammainc from '@stdlib/math-base-special-gammainc';

/**
 * Largest shape for the incomplete gamma function of the library. {@link computeUpperGammaOfLargeShape} replaces it for
 * larger shapes.
 */
const largeShape = 100;

/**
 * Returns P(Z > x) of the standard normal distribution, as erfc(x / √2) / 2, which has a relative error of about 1e-13
 * in far tails (3e-138 at x = 25). Infinity gives 0, −Infinity gives 1, NaN gives NaN.
 */
export function computeNormalUpperTail(x: number): number {
  return 0.5 * erfc(x / Math.SQRT2);
}

/** Returns the density of the standard normal distribution; 0 at ±Infinity, NaN for NaN. */
export function computeNormalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/**
 * Returns the x with P(Z ≤ x) = probability for the standard normal distribution. 0 gives −Infinity, 1 gives Infinity,
 * and a value outside [0, 1] gives NaN.
 */
export function computeNormalQuantile(probability: number): number {
  const tail = Math.min(probability, 1 - probability);
  const distance = Math.SQRT2 * erfcinv(2 * tail);
  return probability < 0.5 ? -distance : distance;
}

/**
 * Returns P(T > x) of Student's t distribution with `degrees` > 0 degrees of freedom, by the regularised incomplete
 * beta function (Abramowitz & Stegun 26.7.1). Infinity gives 0, −Infinity gives 1, NaN gives NaN.
 */
export function computeStudentTUpperTail(x: number, degrees: number): number {
  if (x < 0) return 1 - computeStudentTUpperTail(-x, degrees);
  if (x === Infinity) return 0;
  return 0.5 * computeBetaUpperTail((x / degrees) * x, 0.5, degrees / 2);
}

/**
 * Returns the x with P(T ≤ x) = probability for Student's t with `degrees` > 0 degrees of freedom. 0 gives −Infinity, 1
 * gives Infinity, and a value outside [0, 1] gives NaN.
 */
export function computeStudentTQuantile(probability: number, degrees: number): number {
  if (probability < 0.5) return -computeStudentTQuantile(1 - probability, degrees);
  const bothTails = 2 * (1 - probability);
  const outerShare = betaincinv(bothTails, degrees / 2, 0.5);
  if (outerShare < 0.5) return Math.sqrt((degrees * (1 - outerShare)) / outerShare);
  const innerShare = betaincinv(1 - bothTails, 0.5, degrees / 2);
  return Math.sqrt((degrees * innerShare) / (1 - innerShare));
}

/**
 * Returns the x with P(X ≤ x) = probability for X ~ Beta(a, b) with a and b > 0. 0 gives 0, 1 gives 1, and a value
 * outside [0, 1] gives NaN.
 */
export function computeBetaQuantile(probability: number, a: number, b: number): number {
  return betaincinv(probability, a, b);
}

/**
 * Returns P(X > x) of the χ² distribution with `degrees` > 0 degrees of freedom, by the regularised upper incomplete
 * gamma function. x ≤ 0 gives 1, Infinity gives 0, NaN gives NaN.
 */
export function computeChiSquaredUpperTail(x: number, degrees: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  if (degrees > 2 * largeShape) return computeUpperGammaOfLargeShape(degrees / 2, x / 2);
  return gammainc(x / 2, degrees / 2, true, true);
}

/**
 * Returns P(X > x) of the F distribution with `degrees1` and `degrees2` > 0 degrees of freedom, by the regularised
 * incomplete beta function. x ≤ 0 gives 1, Infinity gives 0, NaN gives NaN.
 */
export function computeFUpperTail(x: number, degrees1: number, degrees2: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  return computeBetaUpperTail((degrees1 / degrees2) * x, degrees1 / 2, degrees2 / 2);
}

/**
 * Returns P(B / (1 − B) > odds) for B ~ Beta(a, b). Uses the distribution of B for odds up to 1, and the distribution
 * of 1 − B for larger odds. The argument x of the library is therefore at most 1/2. For an x near 1, 1 − x would lose
 * digits.
 */
function computeBetaUpperTail(odds: number, a: number, b: number): number {
  if (odds > 1) return betainc(1 / (1 + odds), b, a, true, false);
  const share = odds / (1 + odds);
  const lowerTail = betainc(share, a, b, true, false);
  return lowerTail < 0.5 ? 1 - lowerTail : betainc(share, a, b, true, true);
}

/**
 * Returns the regularised upper incomplete gamma function Q(shape, x) for shapes of 100 and more, in whose tails the
 * library loses digits. Uses Legendre's continued fraction if x is above the shape, otherwise the power series of the
 * complement. x ≤ 0 gives 1, NaN and Infinity give NaN. Abramowitz & Stegun 6.5.29, 6.5.31.
 */
export function computeUpperGammaOfLargeShape(shape: number, x: number): number {
  if (x <= 0) return 1;
  const scale = computePoissonTerm(shape, x);
  return x > shape
    ? scale * shape * computeContinuedFraction(shape, x)
    : 1 - scale * computeComplementSeries(shape, x);
}

/** Returns x^a e^(−x) / Γ(a + 1) for a = `shape`, with Stirling's series for Γ, to avoid overflow and cancellation. */
function computePoissonTerm(shape: number, x: number): number {
  const relativeExcess = (x - shape) / shape;
  const exponent = -shape * (relativeExcess - Math.log1p(relativeExcess));
  const correction = 1 / (12 * shape) - 1 / (360 * shape ** 3) + 1 / (1260 * shape ** 5);
  return Math.exp(exponent - correction) / Math.sqrt(2 * Math.PI * shape);
}

/** Returns 1 + x/(a + 1) + x²/((a + 1)(a + 2)) + … for a = `shape`. The terms decrease for x ≤ a. */
function computeComplementSeries(shape: number, x: number): number {
  let term = 1;
  let total = 1;
  for (let index = 1; term > total * Number.EPSILON; index += 1) {
    term *= x / (shape + index);
    total += term;
  }
  return total;
}

/** Returns 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))) for a = `shape`, by Lentz's method. */
function computeContinuedFraction(shape: number, x: number): number {
  const tinyNumber = Number.MIN_VALUE / Number.EPSILON;
  let denominator = x + 1 - shape;
  let numeratorRatio = 1 / tinyNumber;
  let denominatorRatio = 1 / denominator;
  let value = denominatorRatio;
  for (let index = 1, change = 0; Math.abs(change - 1) > Number.EPSILON; index += 1) {
    const factor = -index * (index - shape);
    denominator += 2;
    denominatorRatio = 1 / (factor * denominatorRatio + denominator || tinyNumber);
    numeratorRatio = denominator + factor / numeratorRatio || tinyNumber;
    change = denominatorRatio * numeratorRatio;
    value *= change;
    if (index > 1e6) break;
  }
  return value;
}

/** Number of standard deviations beyond which the normal density is 0 in double precision. */
const maximumDeviations = 38.6;

/**
 * Returns P(Q > q) for the studentised range Q of `groupCount` ≥ 2 independent values with known variance (infinite
 * degrees of freedom): k ∫ φ(z) [Φ(z)^(k−1) − (Φ(z) − Φ(z − q))^(k−1)] dz, where k is `groupCount` and z is the largest
 * value. Computes the difference of the powers without cancellation, so far tails stay accurate. The trapezoidal rule
 * converges exponentially, because the integrand is entire and decays like a Gaussian. q ≤ 0 gives 1, Infinity gives 0,
 * NaN gives NaN. Harter 1960; Demšar 2006 uses this distribution for the Nemenyi test.
 */
export function computeStudentisedRangeUpperTail(q: number, groupCount: number): number {
  if (Number.isNaN(q)) return NaN;
  if (q <= 0) return 1;
  if (q === Infinity) return 0;
  const step = Math.min(0.1, 0.25 / Math.sqrt(groupCount));
  const stepsPerSide = Math.ceil(maximumDeviations / step);
  let sum = 0;
  for (let index = -stepsPerSide; index <= stepsPerSide; index += 1) {
    sum += computeTailDensity(index * step, q, groupCount - 1);
  }
  return Math.min(1, groupCount * sum * step);
}

function computeTailDensity(largestValue: number, q: number, otherGroupCount: number): number {
  const probabilityBelow = computeNormalUpperTail(-largestValue);
  if (probabilityBelow === 0) return 0;
  const probabilityOutside = computeNormalUpperTail(q - largestValue) / probabilityBelow;
  const probabilityOfOthersBelow = Math.exp(
    otherGroupCount * Math.log1p(-computeNormalUpperTail(largestValue)),
  );
  const lowTail = largestValue < 0 ? probabilityBelow ** otherGroupCount : probabilityOfOthersBelow;
  return (
    computeNormalDensity(largestValue) *
    lowTail *
    -Math.expm1(otherGroupCount * Math.log1p(-probabilityOutside))
  );
}

/**
 * Returns the q with P(Q > q) = `tail` for the studentised range of `groupCount` ≥ 2 values with infinite degrees of
 * freedom, by bisection to full precision. `tail` is above 0 and below 1.
 */
export function computeStudentisedRangeQuantile(tail: number, groupCount: number): number {
  const key = `${tail}/${groupCount}`;
  const cachedQuantile = cachedQuantiles.get(key);
  if (cachedQuantile !== undefined) return cachedQuantile;
  const quantile = bisectDecreasing(
    (q) => computeStudentisedRangeUpperTail(q, groupCount),
    tail,
    0,
    2 * maximumDeviations,
  );
  cachedQuantiles.set(key, quantile);
  return quantile;
}

// Computing a quantile takes milliseconds, and comparisons of the same number of groups need the same quantile.
const cachedQuantiles = new Map<string, number>();

/** Returns the x in [low, high] at which a decreasing function crosses `value`, to full precision. */
function bisectDecreasing(
  evaluateDecreasing: (x: number) => number,
  value: number,
  low: number,
  high: number,
): number {
  let [lowerBound, upperBound] = [low, high];
  for (;;) {
    const middle = lowerBound + (upperBound - lowerBound) / 2;
    if (middle === lowerBound || middle === upperBound) return middle;
    if (evaluateDecreasing(middle) > value) lowerBound = middle;
    else upperBound = middle;
  }
}

/**
 * Returns the number of ways to choose k of n items (k ≤ n) as a double; 1 for k = 0, Infinity if the number overflows.
 */
export function computeBinomial(n: number, k: number): number {
  let result = 1;
  for (let index = 1; index <= k; index += 1) {
    const product = result * (n - k + index);
    // The product may overflow although the result does not.
    result = Number.isFinite(product) ? product / index : (result / index) * (n - k + index);
  }
  return result;
}
