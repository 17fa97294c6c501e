import { describe, expect, it } from 'vitest';
import { nameOptimizers } from '#shared/optimizer-names.ts';

describe('nameOptimizers', () => {
  const getName = nameOptimizers([
    { id: 'cma', displayName: 'CMA-ES' },
    { id: 'de', displayName: null },
    { id: 'pso-1', displayName: 'PSO' },
    { id: 'pso-2', displayName: 'PSO' },
  ]);

  it('returns the display name of an algorithm, else the stored name', () => {
    expect(['cma', 'de', 'other'].map(getName)).toEqual(['CMA-ES', 'de', 'other']);
  });

  it('adds the stored name where algorithms have the same display name', () => {
    expect(['pso-1', 'pso-2'].map(getName)).toEqual(['PSO (pso-1)', 'PSO (pso-2)']);
  });

  it('keeps the suffix of an optimizer of several campaigns', () => {
    expect(['cma (first (2))', 'other (first)'].map(getName)).toEqual([
      'CMA-ES (first (2))',
      'other (first)',
    ]);
  });
});
