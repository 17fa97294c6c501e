/** Distances at which points do not cover each other. */
interface Room {
  /** Between points of near height; by default a quarter of the most. */
  step?: number;
  /** Between the heights of points above each other, as a share of the picture's height. */
  near?: number;
}

/** Offsets below it are invisible, and their fractions would not be different numbers. */
const leastOffset = 1e-9;

/**
 * Returns sideways offsets, at most `most` to either side, of points that would cover each other: each is as near to
 * the middle as those below it allow, to the right or else to the left. Where the width is too small for all of them,
 * further ones are between these. No two points of near height have the same offset, unless `most` is invisibly small.
 * The same heights always give the same offsets.
 */
export function swarm(
  heights: readonly number[],
  most: number,
  { step = most / 4, near = 0.02 }: Room = {},
): number[] {
  const offsets = heights.map(() => 0);
  if (!(most > leastOffset)) return offsets;
  const rising = heights
    .map((height, index) => ({ height, index }))
    .sort((one, other) => one.height - other.height);
  /** Height of the latest point at each offset. */
  const latest = new Map<number, number>();
  let candidates = listOffsets(most, step);
  let start = -Infinity;
  for (const { height, index } of rising) {
    // The offsets that were used since a near height are not free again.
    if (!(height - start < near)) {
      candidates = listOffsets(most, step);
      start = height;
    }
    let offset = candidates.next().value;
    while (height - (latest.get(offset) ?? -Infinity) < near) offset = candidates.next().value;
    latest.set(offset, height);
    offsets[index] = offset;
  }
  return offsets;
}

/** Offsets from the middle outwards, then those half a step apart, a quarter, and so on. */
function* listOffsets(most: number, step: number): Generator<number, never> {
  yield 0;
  for (let distance = Math.min(step, most); ; distance /= 2) {
    for (let place = 1; place * distance <= most; place += 1) {
      yield place * distance;
      yield -place * distance;
    }
  }
}
