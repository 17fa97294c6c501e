/**
 * The value in as few digits as a resolution needs: to the least of 1, 2 and 5 times a power of ten that is not below it. The
 * value itself where the resolution is no positive number.
 */
export function roundedTo(value: number, resolution: number): number {
  if (!(resolution > 0) || !Number.isFinite(resolution)) return value;
  const power = 10 ** Math.floor(Math.log10(resolution));
  const step =
    ([1, 2, 5, 10].find((times) => times * power >= resolution * 0.999999) ?? 10) * power;
  return Number((Math.round(value / step) * step).toPrecision(12));
}
