import { expect, test } from 'vitest';
import { chooseEvenIndices, thin } from '#server/telemetry/thinning.ts';

test('chooseEvenIndices returns all indices if there are at most the requested number', () => {
  expect(chooseEvenIndices(3, 3)).toEqual([0, 1, 2]);
  expect(chooseEvenIndices(0, 5)).toEqual([]);
});

test('chooseEvenIndices returns distinct, evenly spaced indices with the first and the last', () => {
  expect(thin(['a', 'b', 'c', 'd', 'e'], 3)).toEqual(['a', 'c', 'e']);
  for (const [count, maximumCount] of [
    [401, 400],
    [1_000, 400],
    [999_983, 2_000],
    [7, 2],
  ] as const) {
    const indices = chooseEvenIndices(count, maximumCount);
    expect(new Set(indices).size).toBe(maximumCount);
    expect([indices[0], indices.at(-1)]).toEqual([0, count - 1]);
  }
});
