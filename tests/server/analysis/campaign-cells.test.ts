import { describe, expect, it } from 'vitest';
import { chooseCells } from '#server/analysis/campaign-cells.ts';
import { makeTrial } from '#tests/server/stats/sample-trials.ts';

const makeCellTrial = (
  optimizerId: string,
  functionId: number,
  instanceId: number,
  dimension = 2,
) => makeTrial({ optimizerId, functionId, instanceId, dimension });

const trials = [
  ...[1, 2].flatMap((instance) => [
    makeCellTrial('es', 1, instance),
    makeCellTrial('es', 8, instance),
  ]),
  makeCellTrial('es', 1, 1, 5),
  makeCellTrial('es', 1, 1),
  makeCellTrial('bfgs', 1, 1),
];

describe('chooseCells', () => {
  it('returns the cells that every optimizer of the dimension has, and names the optimizers that lack the other cells', () => {
    const [dimensionTwo, dimensionFive] = chooseCells(trials, 'shared');
    expect(
      dimensionTwo?.optimizers.map(({ optimizer, cells: getCells }) => [optimizer, getCells]),
    ).toEqual([
      ['es', 1],
      ['bfgs', 1],
    ]);
    expect(dimensionTwo?.dropped).toEqual([
      { dimension: 2, functionId: 1, instances: 1, missingFor: ['bfgs'] },
      { dimension: 2, functionId: 8, instances: 2, missingFor: ['bfgs'] },
    ]);
    expect(dimensionFive).toMatchObject({
      dimension: 5,
      optimizers: [{ optimizer: 'es', cells: 1 }],
    });
    expect(dimensionFive?.dropped).toEqual([]);
  });

  it('lets the trials of a cell share its weight', () => {
    const [dimensionTwo] = chooseCells(trials, 'shared');
    expect(dimensionTwo?.optimizers[0]?.trials.map(({ weight }) => weight)).toEqual([0.5, 0.5]);
    expect(dimensionTwo?.optimizers[1]?.trials.map(({ weight }) => weight)).toEqual([1]);
  });

  it('returns all cells of each optimizer, or counts missing cells without trials', () => {
    const getCells = (choice: 'all' | 'unsolved') =>
      chooseCells(trials, choice).map(({ optimizers }) =>
        optimizers.map((optimizerCells) => [
          optimizerCells.optimizer,
          optimizerCells.cells,
          optimizerCells.trials.length,
        ]),
      );
    expect(getCells('all')).toEqual([
      [
        ['es', 4, 5],
        ['bfgs', 1, 1],
      ],
      [['es', 1, 1]],
    ]);
    expect(getCells('unsolved')).toEqual([
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
