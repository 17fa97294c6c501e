import type { Trial } from '#server/stats/coco-runtime.ts';
import { sum } from '#server/stats/descriptive.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { CellChoice, DroppedCells, EcdfQuery } from '#shared/schemas/coco-analysis.ts';
import { makeNote, makeNoteIf } from './notes.ts';

/** The fields of a trial that identify its optimizer and its cell. */
export type CellTrial = Pick<Trial, 'optimizerId' | 'functionId' | 'dimension' | 'instanceId'>;

/** The compared trials of one dimension, and counts of the cells (function, instance). */
export interface DimensionCells<Item extends CellTrial> {
  dimension: number;
  /** The optimizers with a trial in this dimension, or for `unsolved` in any dimension, in the order of the trials. */
  optimizers: OptimizerCells<Item>[];
  /** The cells that `shared` excludes, by function in ascending order; empty for another choice. */
  dropped: DroppedCells[];
}

/** Cells and trials of one optimizer in a dimension. */
export interface OptimizerCells<Item extends CellTrial> {
  optimizer: string;
  /** Number of cells that count: cells with a trial, and missing cells that count as unsolved. */
  cells: number;
  /** Number of these cells that have a trial. */
  coveredCells: number;
  /** Trials in these cells with their weights. */
  trials: WeightedTrial<Item>[];
}

interface WeightedTrial<Item extends CellTrial> {
  trial: Item;
  /** 1 / number of trials of this optimizer in the same cell. */
  weight: number;
}

/** Trials on one function in one dimension, by instance, then by optimizer. */
type Instances<Item> = Map<number, Map<string, Item[]>>;

/**
 * Returns the cells for a comparison of the optimizers, by dimension in ascending order. A cell is a function, a
 * dimension and an instance. `shared` selects the cells in which each optimizer of the dimension has trials; `dropped`
 * counts the other cells by function and by the optimizers that lack them. `all` selects all cells of each optimizer.
 * `unsolved` also selects the cells that only other optimizers have, and counts them as unsolved, even in a dimension
 * in which the optimizer has no trial. The unknown instances (0) of a function are one cell in each dimension. Returns
 * an empty list without trials.
 */
export function chooseCells<Item extends CellTrial>(
  trials: readonly Item[],
  choice: CellChoice,
): DimensionCells<Item>[] {
  const allOptimizers = choice === 'unsolved' ? getOptimizers(trials) : null;
  return Array.from(
    Map.groupBy(trials, ({ dimension }) => dimension),
    ([dimension, dimensionTrials]) =>
      getCellsOfDimension(
        dimension,
        dimensionTrials,
        allOptimizers ?? getOptimizers(dimensionTrials),
        choice,
      ),
  ).sort((a, b) => a.dimension - b.dimension);
}

function getCellsOfDimension<Item extends CellTrial>(
  dimension: number,
  trials: readonly Item[],
  optimizers: readonly string[],
  choice: CellChoice,
): DimensionCells<Item> {
  const cells = new Map(
    optimizers.map((optimizer): [string, OptimizerCells<Item>] => [
      optimizer,
      { optimizer, cells: 0, coveredCells: 0, trials: [] },
    ]),
  );
  const droppedCells = new Map<string, DroppedCells>();
  const functions = Map.groupBy(trials, ({ functionId }) => functionId);
  for (const [functionId, functionTrials] of [...functions].sort(([a], [b]) => a - b)) {
    for (const instance of getInstances(functionTrials).values()) {
      const missingFor = [...cells.keys()].filter((optimizer) => !instance.has(optimizer));
      if (choice === 'shared' && missingFor.length > 0) {
        const key = JSON.stringify([functionId, missingFor]);
        const entry = droppedCells.get(key) ?? { dimension, functionId, instances: 0, missingFor };
        droppedCells.set(key, { ...entry, instances: entry.instances + 1 });
        continue;
      }
      for (const [optimizer, cellTrials] of instance) addCell(cells.get(optimizer), cellTrials);
      if (choice === 'unsolved')
        for (const optimizer of missingFor) addCell(cells.get(optimizer), []);
    }
  }
  return { dimension, optimizers: [...cells.values()], dropped: [...droppedCells.values()] };
}

function getInstances<Item extends CellTrial>(trials: readonly Item[]): Instances<Item> {
  const instances: Instances<Item> = new Map();
  for (const trial of trials) {
    const optimizers = instances.get(trial.instanceId) ?? new Map<string, Item[]>();
    instances.set(trial.instanceId, optimizers);
    const instanceTrials = optimizers.get(trial.optimizerId);
    if (instanceTrials) instanceTrials.push(trial);
    else optimizers.set(trial.optimizerId, [trial]);
  }
  return instances;
}

function addCell<Item extends CellTrial>(
  optimizerCells: OptimizerCells<Item> | undefined,
  trials: readonly Item[],
): void {
  if (!optimizerCells) return;
  optimizerCells.cells += 1;
  if (trials.length > 0) optimizerCells.coveredCells += 1;
  for (const trial of trials) optimizerCells.trials.push({ trial, weight: 1 / trials.length });
}

/** Returns the distinct names of the optimizers of these trials, in the order of the trials; empty without trials. */
export function getOptimizers(trials: readonly Pick<Trial, 'optimizerId'>[]): string[] {
  const names = new Set<string>();
  let lastOptimizer: string | undefined;
  for (const { optimizerId } of trials) {
    // Comparing names is faster than adding them to a set. Most trials of a large campaign follow another trial of the
    // same optimizer.
    if (optimizerId !== lastOptimizer) names.add(optimizerId);
    lastOptimizer = optimizerId;
  }
  return [...names];
}

/**
 * Returns the distinct targets of the trials in the cells in which the optimizers have different targets, in descending
 * order. If one of the targets is NaN (missing), the order is not defined. Returns an empty list if there is no such
 * cell.
 */
export function listDifferentTargets(
  trials: readonly (CellTrial & Pick<Trial, 'targetValue'>)[],
): number[] {
  const [firstTrial] = trials;
  if (trials.every(({ targetValue }) => Object.is(targetValue, firstTrial?.targetValue))) return [];
  const cells = Map.groupBy(trials, ({ functionId, dimension, instanceId }) =>
    JSON.stringify([functionId, dimension, instanceId]),
  );
  const differentTargets = new Set<number>();
  for (const cellTrials of cells.values()) {
    const targets = new Set(cellTrials.map(({ targetValue }) => targetValue));
    const pairs = new Set(
      cellTrials.map(({ optimizerId, targetValue }) => JSON.stringify([optimizerId, targetValue])),
    );
    const hasEqualTargets = pairs.size === targets.size * getOptimizers(cellTrials).length;
    if (!hasEqualTargets) for (const target of targets) differentTargets.add(target);
  }
  return [...differentTargets].sort((a, b) => b - a);
}

/** An optimizer and the number of its missing cells that count as unsolved, above 0. */
export interface UnsolvedCells {
  optimizer: string;
  missingCells: number;
}

/**
 * Returns the number of missing cells that count as unsolved for each dimension and optimizer with such cells, in the
 * order of the dimensions; an empty list without such cells.
 */
export function countUnsolvedCells(
  dimensions: readonly {
    optimizers: readonly Pick<OptimizerCells<CellTrial>, 'optimizer' | 'cells' | 'coveredCells'>[];
  }[],
): UnsolvedCells[] {
  return dimensions
    .flatMap(({ optimizers }) => optimizers)
    .map(({ optimizer, cells, coveredCells }) => ({
      optimizer,
      missingCells: cells - coveredCells,
    }))
    .filter(({ missingCells }) => missingCells > 0);
}

/** Numbers of cells of a dimension, without the trials. */
export interface CellCounts extends Pick<DimensionCells<CellTrial>, 'dimension' | 'dropped'> {
  optimizers: Pick<OptimizerCells<CellTrial>, 'optimizer' | 'cells' | 'coveredCells'>[];
}

/** Returns the numbers of cells of a dimension, without the trials. */
export function getCellCounts({
  dimension,
  dropped,
  optimizers,
}: DimensionCells<CellTrial>): CellCounts {
  return {
    dimension,
    dropped,
    optimizers: optimizers.map(({ optimizer, cells, coveredCells }) => ({
      optimizer,
      cells,
      coveredCells,
    })),
  };
}

/**
 * Returns the notes on dropped cells, on cells that count as unsolved, and on dimensions without a shared cell; an
 * empty list if there are no such cells or dimensions.
 */
export function makeCellNotes(
  dimensions: readonly CellCounts[],
  unsolvedCells: readonly UnsolvedCells[] = countUnsolvedCells(dimensions),
): AnalysisNote[] {
  const { droppedGroups, droppedCells, comparedCells } = sumCells(dimensions);
  const lackingOptimizers = [...new Set(droppedGroups.flatMap(({ missingFor }) => missingFor))];
  const emptyDimensions = dimensions.filter(({ optimizers }) =>
    optimizers.every(({ cells }) => cells === 0),
  );
  return [
    ...makeNoteIf(
      droppedCells > 0,
      'CELLS_DROPPED',
      droppedCells,
      droppedCells + comparedCells,
      lackingOptimizers,
    ),
    ...makeNoteIf(
      unsolvedCells.length > 0,
      'CELLS_UNSOLVED',
      sum(unsolvedCells.map(({ missingCells }) => missingCells)),
      [...new Set(unsolvedCells.map(({ optimizer }) => optimizer))],
    ),
    ...makeNoteIf(
      emptyDimensions.length > 0,
      'NO_SHARED_CELLS',
      emptyDimensions.map(({ dimension }) => dimension),
    ),
  ];
}

/**
 * Returns the note on cells that an optimizer lacks; an empty list without such cells. An optimizer lacks each cell of
 * a dimension in which it has no trial. `sharedCells` are the counts for `shared`.
 */
export function makeCellDifferenceNotes(
  sharedCells: readonly CellCounts[],
  optimizerCount: number,
): AnalysisNote[] {
  const { droppedCells, comparedCells } = sumCells(sharedCells);
  const { comparedCells: sharedCount } = sumCells(
    sharedCells.filter(({ optimizers }) => optimizers.length === optimizerCount),
  );
  const total = droppedCells + comparedCells;
  return makeNoteIf(sharedCount < total, 'CELLS_DIFFER', sharedCount, total);
}

function sumCells(dimensions: readonly CellCounts[]) {
  const droppedGroups = dimensions.flatMap((dimension) => dimension.dropped);
  return {
    droppedGroups,
    droppedCells: sum(droppedGroups.map(({ instances }) => instances)),
    comparedCells: sum(dimensions.map(({ optimizers }) => optimizers[0]?.cells ?? 0)),
  };
}

/** Returns the note on the treatment of FAILED trials; an empty list without FAILED trials. */
export function makeFailedNotes(failedCount: number, choice: EcdfQuery['failed']): AnalysisNote[] {
  if (failedCount === 0) return [];
  const code = choice === 'include' ? 'TRIALS_FAILED_UNSOLVED' : 'TRIALS_FAILED_EXCLUDED';
  return [makeNote(code, failedCount)];
}
