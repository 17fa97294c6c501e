import { describe, expect, it } from 'vitest';
import { knownOptimum } from '#server/domain/known-optimum.ts';

const ofLength = (length: number | string) => ({ representation: { params: { length } } });

describe('knownOptimum', () => {
  it("is the length of onemax, 0 of the runner's functions and of COCO", () => {
    expect(knownOptimum('onemax', ofLength(40), 'max')).toBe(40);
    expect(knownOptimum('OneMax', { representation: { length: 30 } }, 'max')).toBe(30);
    for (const type of ['sphere', 'rosenbrock', 'rastrigin', 'coco-bbob', 'coco-bbob-mixint']) {
      expect(knownOptimum(type, {}, 'min'), type).toBe(0);
    }
  });

  it('is the dimension of OneMax and LeadingOnes of the PBO suite', () => {
    const config = (functionName: string) => ({
      ...ofLength(16),
      problem: { params: { functionName } },
    });
    expect(knownOptimum('ioh-pbo', config('LeadingOnes'), 'max')).toBe(16);
    expect(knownOptimum('ioh-pbo', config('LABS'), 'max')).toBeNull();
  });

  it('is what the configuration states', () => {
    const config = { problem: { params: { optimum: 7542 } } };
    expect(knownOptimum('tsplib-tsp', config, 'min')).toBe(7542);
    expect(knownOptimum('sphere', { problem: { optimum: -3 } }, 'min')).toBe(-3);
    expect(
      knownOptimum('tsplib-tsp', { problem: { params: { optimum: 'known' } } }, 'min'),
    ).toBeNull();
  });

  it('is unknown of other problems, in the other direction, and without a length', () => {
    for (const type of ['knapsack', 'zdt', 'coco-bbob-biobj', '']) {
      expect(knownOptimum(type, ofLength(5), 'min'), type).toBeNull();
    }
    expect(knownOptimum('onemax', ofLength(40), 'min')).toBeNull();
    expect(knownOptimum('sphere', {}, 'max')).toBeNull();
    expect(knownOptimum('onemax', ofLength('forty'), 'max')).toBeNull();
  });
});
