import { describe, expect, it } from 'vitest';
import { chooseCells } from '#server/analysis/campaign-cells.ts';
import { makeTrial } from '#tests/server/stats/sample-trials.ts';

const trial = (optimizerId: string, functionId: number, instanceId: number, dimension = 2) =>
  makeTrial({ optimizerId, functionId, instanceId, dimension });

const trials = [
  ...[1, 2].flatMap((instance) => [trial('es', 1, instance), trial('es', 8, instance)]),
  trial('es', 1, 1, 5),
  trial('es', 1, 1),
  trial('bfgs', 1, 1),
];

describe('chooseCells', () => {
  it('keeps the cells that every optimizer of the dimension has, and names those that lack the others', () => {
    const [two, five] = chooseCells(trials, 'shared');
    expect(two?.optimizers.map(({ optimizer, cells }) => [optimizer, cells])).toEqual([
      ['es', 1],
      ['bfgs', 1],
    ]);
    expect(two?.dropped).toEqual([
      { dimension: 2, functionId: 1, instances: 1, missingFor: ['bfgs'] },
      { dimension: 2, functionId: 8, instances: 2, missingFor: ['bfgs'] },
    ]);
    expect(five).toMatchObject({ dimension: 5, optimizers: [{ optimizer: 'es', cells: 1 }] });
    expect(five?.dropped).toEqual([]);
  });

  it('lets the trials of a cell share its weight', () => {
    const [two] = chooseCells(trials, 'shared');
    expect(two?.optimizers[0]?.trials.map(({ weight }) => weight)).toEqual([0.5, 0.5]);
    expect(two?.optimizers[1]?.trials.map(({ weight }) => weight)).toEqual([1]);
  });

  it('keeps the own cells of each optimizer, or counts missing ones without trials', () => {
    const cells = (choice: 'all' | 'unsolved') =>
      chooseCells(trials, choice).map(({ optimizers }) =>
        optimizers.map((own) => [own.optimizer, own.cells, own.trials.length]),
      );
    expect(cells('all')).toEqual([
      [
        ['es', 4, 5],
        ['bfgs', 1, 1],
      ],
      [['es', 1, 1]],
    ]);
    expect(cells('unsolved')).toEqual([
      [
        ['es', 4, 5],
        ['bfgs', 4, 1],
      ],
      [
        ['es', 1, 1],
        ['bfgs', 1, 0],
      ],
    ]);
    expect(chooseCells([], 'shared')).toEqual([]);
  });
});
