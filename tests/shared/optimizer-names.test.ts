import { describe, expect, it } from 'vitest';
import { makeOptimizerTitleGetter, makeOptimizerNameGetter } from '#shared/optimizer-names.ts';

describe('makeOptimizerNameGetter', () => {
  const algorithms = [
    { id: 'cma', displayName: 'CMA-ES', isBaseline: false },
    { id: 'de', displayName: null, isBaseline: false },
    { id: 'pso-1', displayName: 'PSO', isBaseline: false },
    { id: 'pso-2', displayName: 'PSO', isBaseline: false },
  ];
  const getName = makeOptimizerNameGetter(algorithms, []);

  it('returns the display name of an algorithm, else the stored name', () => {
    expect(['cma', 'de', 'other'].map(getName)).toEqual(['CMA-ES', 'de', 'other']);
  });

  it('adds the stored name where algorithms have the same display name', () => {
    expect(['pso-1', 'pso-2'].map(getName)).toEqual(['PSO (pso-1)', 'PSO (pso-2)']);
  });

  it.each([
    [
      ['cma', 'CMA-ES'],
      ['CMA-ES (cma)', 'CMA-ES'],
    ],
    [
      ['cma', 'de'],
      ['CMA-ES', 'de'],
    ],
    [
      ['cma', 'CMA-ES (run 2)'],
      ['CMA-ES', 'CMA-ES (run 2)'],
    ],
    [
      ['cma (run 1)', 'cma (run 2)', 'CMA-ES (run 2)'],
      ['CMA-ES (run 1)', 'CMA-ES (cma) (run 2)', 'CMA-ES (run 2)'],
    ],
  ])('adds the stored name where %j include the display name', (optimizers, names) => {
    expect(optimizers.map(makeOptimizerNameGetter(algorithms, optimizers))).toEqual(names);
  });

  it('gives algorithms with exchanged names no further words', () => {
    const exchanged = [
      { id: 'cma', displayName: 'de', isBaseline: false },
      { id: 'de', displayName: 'cma', isBaseline: false },
    ];
    const optimizers = ['cma', 'de'];
    expect(optimizers.map(makeOptimizerNameGetter(exchanged, optimizers))).toEqual(['de', 'cma']);
  });

  it('keeps the suffix of an optimizer of several campaigns', () => {
    expect(['cma (first (2))', 'other (first)'].map(getName)).toEqual([
      'CMA-ES (first (2))',
      'other (first)',
    ]);
  });

  it('finds an algorithm with parentheses in its stored name before a suffix', () => {
    const getNameOfVariant = makeOptimizerNameGetter(
      [...algorithms, { id: 'cma (IPOP)', displayName: 'IPOP-CMA-ES', isBaseline: false }],
      [],
    );
    expect(getNameOfVariant('cma (IPOP) (first (2))')).toBe('IPOP-CMA-ES (first (2))');
  });

  it.each([
    ['de', 'de (baseline)'],
    ['cma', 'CMA-ES (baseline)'],
    ['pso-1', 'PSO (pso-1) (baseline)'],
  ])('marks the baseline %s', (baseline, name) => {
    const markedAlgorithms = algorithms.map((algorithm) => ({
      ...algorithm,
      isBaseline: algorithm.id === baseline,
    }));
    expect(makeOptimizerNameGetter(markedAlgorithms, [])(baseline)).toBe(name);
    expect(makeOptimizerNameGetter(markedAlgorithms, [])(`${baseline} (run 2)`)).toBe(
      name.replace(' (baseline)', ' (run 2) (baseline)'),
    );
    const getTitle = makeOptimizerTitleGetter(markedAlgorithms, []);
    expect(['cma', 'de', 'pso-1', 'other'].filter((id) => getTitle(id).isBaseline)).toEqual([
      baseline,
    ]);
  });
});
