import betainc from '@stdlib/math-base-special-betainc';
import betaincinv from '@stdlib/math-base-special-betaincinv';
import erfc from '@stdlib/math-base-special-erfc';
import erfcinv from '@stdlib/math-base-special-erfcinv';
import gammainc from '@stdlib/math-base-special-gammainc';
import { upperGammaOfLargeShape } from './upper-gamma.ts';

/** From this shape on the library's incomplete gamma function is not relied upon. */
const largeShape = 100;

/**
 * P(Z > x) of the standard normal distribution, as erfc(x / √2) / 2, so that far tails keep all their
 * digits (3e-138 at x = 25). ±Infinity give 0 and 1, NaN gives NaN.
 */
export function normalUpperTail(x: number): number {
  return 0.5 * erfc(x / Math.SQRT2);
}

/** Density of the standard normal distribution; 0 at ±Infinity. */
export function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/** The x with P(Z <= x) = probability. 0 and 1 give ∓Infinity; outside [0, 1] NaN. */
export function normalQuantile(probability: number): number {
  const tail = Math.min(probability, 1 - probability);
  const distance = Math.SQRT2 * erfcinv(2 * tail);
  return probability < 0.5 ? -distance : distance;
}

/**
 * P(T > x) of Student's t distribution with `degrees` > 0 degrees of freedom, by the regularised
 * incomplete beta function (Abramowitz & Stegun 26.7.1). Infinity gives 0, NaN gives NaN.
 */
export function studentTUpperTail(x: number, degrees: number): number {
  if (x < 0) return 1 - studentTUpperTail(-x, degrees);
  if (x === Infinity) return 0;
  return 0.5 * betaUpperTail((x / degrees) * x, 0.5, degrees / 2);
}

/** The x with P(T <= x) = probability for Student's t with `degrees` degrees of freedom. */
export function studentTQuantile(probability: number, degrees: number): number {
  if (probability < 0.5) return -studentTQuantile(1 - probability, degrees);
  const bothTails = 2 * (1 - probability);
  const outer = betaincinv(bothTails, degrees / 2, 0.5);
  if (outer < 0.5) return Math.sqrt((degrees * (1 - outer)) / outer);
  const inner = betaincinv(1 - bothTails, 0.5, degrees / 2);
  return Math.sqrt((degrees * inner) / (1 - inner));
}

/** The x with P(X <= x) = probability for X ~ Beta(a, b), a and b > 0. 0 and 1 give 0 and 1; outside [0, 1] NaN. */
export function betaQuantile(probability: number, a: number, b: number): number {
  return betaincinv(probability, a, b);
}

/**
 * P(X > x) of the χ² distribution with `degrees` > 0 degrees of freedom, by the regularised upper
 * incomplete gamma function. x <= 0 gives 1, Infinity gives 0, NaN gives NaN.
 */
export function chiSquaredUpperTail(x: number, degrees: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  if (degrees > 2 * largeShape) return upperGammaOfLargeShape(degrees / 2, x / 2);
  return gammainc(x / 2, degrees / 2, true, true);
}

/**
 * P(X > x) of the F distribution with `degrees1` and `degrees2` > 0 degrees of freedom, by the
 * regularised incomplete beta function. x <= 0 gives 1, Infinity gives 0, NaN gives NaN.
 */
export function fUpperTail(x: number, degrees1: number, degrees2: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  return betaUpperTail((degrees1 / degrees2) * x, degrees1 / 2, degrees2 / 2);
}

/**
 * P(B / (1 − B) > odds) for B ~ Beta(a, b). Works on whichever of B and 1 − B is the smaller number,
 * because the library loses half its digits when it has to form 1 − x from an x next to 1.
 */
function betaUpperTail(odds: number, a: number, b: number): number {
  if (odds > 1) return betainc(1 / (1 + odds), b, a, true, false);
  const share = odds / (1 + odds);
  const below = betainc(share, a, b, true, false);
  return below < 0.5 ? 1 - below : betainc(share, a, b, true, true);
}
