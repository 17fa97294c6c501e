/**
 * Regularised upper incomplete gamma function Q(shape, x) for shapes of 100 and more, where the library's
 * own loses digits from a shape of about 170 on: Legendre's continued fraction above the shape, the power
 * series of the complement below it. x <= 0 gives 1, NaN gives NaN. Abramowitz & Stegun 6.5.29, 6.5.31.
 */
export function upperGammaOfLargeShape(shape: number, x: number): number {
  if (x <= 0) return 1;
  const scale = poissonTerm(shape, x);
  return x > shape
    ? scale * shape * continuedFraction(shape, x)
    : 1 - scale * complementSeries(shape, x);
}

/** x^a e^(−x) / Γ(a + 1), with Stirling's series for Γ, so that nothing overflows or cancels. */
function poissonTerm(shape: number, x: number): number {
  const excess = (x - shape) / shape;
  const exponent = -shape * (excess - Math.log1p(excess));
  const correction = 1 / (12 * shape) - 1 / (360 * shape ** 3) + 1 / (1260 * shape ** 5);
  return Math.exp(exponent - correction) / Math.sqrt(2 * Math.PI * shape);
}

/** 1 + x/(a + 1) + x²/((a + 1)(a + 2)) + …, whose terms fall from the start where x <= a. */
function complementSeries(shape: number, x: number): number {
  let term = 1;
  let total = 1;
  for (let index = 1; term > total * Number.EPSILON; index += 1) {
    term *= x / (shape + index);
    total += term;
  }
  return total;
}

/** 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))), by Lentz's method. */
function continuedFraction(shape: number, x: number): number {
  const tiny = Number.MIN_VALUE / Number.EPSILON;
  let denominator = x + 1 - shape;
  let numeratorRatio = 1 / tiny;
  let denominatorRatio = 1 / denominator;
  let value = denominatorRatio;
  for (let index = 1, change = 0; Math.abs(change - 1) > Number.EPSILON; index += 1) {
    const factor = -index * (index - shape);
    denominator += 2;
    denominatorRatio = 1 / (factor * denominatorRatio + denominator || tiny);
    numeratorRatio = denominator + factor / numeratorRatio || tiny;
    change = denominatorRatio * numeratorRatio;
    value *= change;
    if (index > 1e6) break;
  }
  return value;
}
