import { describe, expect, test } from 'vitest';
import { createRandom } from '#server/sample/random.ts';
import { computeMean, computeDeviation, listIndices } from '#server/sample/statistics.ts';

const draw = (seed: bigint) => {
  const random = createRandom(seed);
  return listIndices(5).map(() => random.drawUniform());
};

describe('createRandom', () => {
  test('returns the same stream for the same seed', () => {
    expect(draw(1001n)).toEqual(draw(1001n));
  });

  test('returns different streams for seeds that are equal as doubles', () => {
    expect(draw(7_134_074_521_766_642_662n)).not.toEqual(draw(7_134_074_521_766_642_663n));
    expect(draw(-1n)).not.toEqual(draw(1n));
  });

  test('reproduces the reference output of the generator', () => {
    // SplitMix64 with seed 0 returns e220a8397b1dcdaf and 6e789e6aa1b965f4. The low word is first.
    const words = [0x7b1dcdaf, 0xe220a839, 0xa1b965f4, 0x6e789e6a] as const;
    const multiply = (word: number, factor: number) => Math.imul(word, factor);
    const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));
    const firstWord = multiply(rotate(multiply(words[1], 5), 7), 9) >>> 0;
    expect(Math.floor(createRandom(0n).drawUniform() * 2 ** 27)).toBe(firstWord >>> 5);
  });

  test('returns uniform, integer and normal numbers with the expected moments', () => {
    const random = createRandom(42n);
    const uniforms = listIndices(20_000).map(() => random.drawUniform());
    const normals = listIndices(20_000).map(() => random.drawNormal());
    expect(computeMean(uniforms)).toBeCloseTo(0.5, 2);
    expect(computeMean(normals)).toBeCloseTo(0, 1);
    expect(computeDeviation(normals)).toBeCloseTo(1, 1);
    const faces = listIndices(6000).map(() => random.drawBelow(6));
    for (const face of listIndices(6)) {
      const share = faces.filter((value) => value === face).length;
      expect(share).toBeGreaterThan(850);
      expect(share).toBeLessThan(1150);
    }
  });

  test('shuffles all items and does not change the input', () => {
    const items = Object.freeze(listIndices(20));
    const shuffled = createRandom(7n).shuffle(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
  });
});
