/** Values nearer than this share of the picture's height would cover each other. */
const tooNear = 0.02;

/**
 * Sideways offsets, at most `most` to either side, that keep points of near height apart: the first of a crowd stands
 * in the middle, the next ones right and left of it by turns. The same heights always give the same offsets.
 */
export function swarm(heights: readonly number[], most: number): number[] {
  const offsets = heights.map(() => 0);
  const rising = heights
    .map((_, index) => index)
    .sort((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0));
  for (const crowd of crowdsOf(rising, heights)) {
    const step = most / Math.max(4, Math.ceil((crowd.length - 1) / 2));
    for (const [place, index] of crowd.entries()) {
      const side = place % 2 === 0 ? -1 : 1;
      offsets[index] = place === 0 ? 0 : side * Math.ceil(place / 2) * step;
    }
  }
  return offsets;
}

function crowdsOf(rising: readonly number[], heights: readonly number[]): number[][] {
  const crowds: number[][] = [];
  for (const index of rising) {
    const crowd = crowds.at(-1);
    const first = heights[crowd?.[0] ?? -1];
    if (crowd && first !== undefined && (heights[index] ?? 0) - first < tooNear) crowd.push(index);
    else crowds.push([index]);
  }
  return crowds;
}
