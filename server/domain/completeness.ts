import type { CampaignCompleteness, FunctionCompleteness } from '#shared/schemas/coco.ts';

/** Plan of a campaign, as JSON arrays of whole numbers. */
export interface CampaignPlan {
  campaignId: string;
  dimensionsJson: string;
  functionsJson: string;
  instancesJson: string;
}

/**
 * Counts of the trials in a cell. `repetitions` is the highest repetition; `instances` is the number of known
 * instances, which only imported campaigns need.
 */
export type CountedTrials = Omit<FunctionCompleteness, 'expected'> & {
  repetitions: number;
  instances: number;
};

/** Returns whether a campaign comes from an import, by its id. */
export function isImported({ campaignId }: Pick<CampaignPlan, 'campaignId'>): boolean {
  return /^imp-[0-9a-f]{16}$/.test(campaignId);
}

/**
 * Returns the completeness of a campaign. Each cell of the plan expects instances × repetitions trials, even for an
 * optimizer without trials; `repetitions` is the highest repetition of any cell, at least 1. The result includes the
 * dimensions and functions of trials outside of the plan, but their cells expect no trials. The data sets of an
 * imported campaign have no common plan, so {@link makeExpectedTrialsGetter} returns the expected trials of each
 * optimizer from its own data instead. Omits cells outside of the plan that have no trials. Cells are in the order of
 * the optimizers, dimensions and functions of the result.
 */
export function computeCompleteness(
  plan: CampaignPlan,
  optimizerIds: readonly string[],
  counts: readonly CountedTrials[],
): Omit<CampaignCompleteness, 'campaignId'> {
  const plannedScope = {
    dimensions: getIntegersIn(plan.dimensionsJson),
    functions: getIntegersIn(plan.functionsJson),
  };
  const planSource = isImported(plan) ? 'data' : 'campaign';
  const instances = getIntegersIn(plan.instancesJson);
  const repetitions = Math.max(1, ...counts.map((count) => count.repetitions));
  const getExpectedTrialsByPlan = ({ dimension, functionId }: TrialCell) =>
    plannedScope.dimensions.includes(dimension) && plannedScope.functions.includes(functionId)
      ? instances.length * repetitions
      : null;
  const getExpectedTrials =
    planSource === 'data' ? makeExpectedTrialsGetter(counts) : getExpectedTrialsByPlan;
  const optimizers = [...new Set([...optimizerIds, ...counts.map((count) => count.optimizerId)])];
  const dimensions = mergeNumbers(plannedScope.dimensions, counts, 'dimension');
  const functions = mergeNumbers(plannedScope.functions, counts, 'functionId');
  const countByCell = new Map(counts.map((count) => [getCellKey(count), count]));
  const cells = optimizers.flatMap((optimizerId) =>
    dimensions.flatMap((dimension) =>
      functions.flatMap((functionId): FunctionCompleteness[] => {
        const cell = { optimizerId, dimension, functionId };
        const count = countByCell.get(getCellKey(cell));
        const expectedTrials = getExpectedTrials(cell);
        if (!count && expectedTrials === null) return [];
        const { present = 0, failed = 0, reachedTargets = 0 } = count ?? {};
        return [{ ...cell, expected: expectedTrials ?? 0, present, failed, reachedTargets }];
      }),
    ),
  );
  return { planSource, optimizers, dimensions, functions, instances, repetitions, cells };
}

/**
 * Returns a function that returns the expected number of trials of an optimizer in a cell, from the optimizer's own
 * data: its largest number of instances in a cell (at least 1) times its most frequent number of repetitions, but at
 * least the number of trials in the cell. The returned function returns null for functions and dimensions on which the
 * optimizer has no trials, because another optimizer may have added these functions and dimensions.
 */
export function makeExpectedTrialsGetter(
  counts: readonly CountedTrials[],
): (cell: TrialCell) => number | null {
  const groups = Map.groupBy(counts, ({ optimizerId }) => optimizerId);
  const designs = new Map(
    [...groups].map(([optimizer, optimizerTrials]) => [optimizer, getDesign(optimizerTrials)]),
  );
  const presentTrials = new Map(counts.map((count) => [getCellKey(count), count.present]));
  return (cell) => {
    const design = designs.get(cell.optimizerId);
    if (!design?.dimensions.has(cell.dimension) || !design.functions.has(cell.functionId))
      return null;
    return Math.max(design.trials, presentTrials.get(getCellKey(cell)) ?? 0);
  };
}

function getDesign(optimizerTrials: readonly CountedTrials[]) {
  const instances = Math.max(1, ...optimizerTrials.map((count) => count.instances));
  return {
    dimensions: new Set(optimizerTrials.map(({ dimension }) => dimension)),
    functions: new Set(optimizerTrials.map(({ functionId }) => functionId)),
    trials:
      instances * getMostFrequentNumber(optimizerTrials.map(({ repetitions }) => repetitions)),
  };
}

/** Returns the most frequent number; on ties the smallest, to report the fewest missing trials; 1 without numbers. */
function getMostFrequentNumber(numbers: readonly number[]): number {
  const groups = [...Map.groupBy(numbers, (number) => number)];
  const [largestGroup] = groups.sort(
    ([a, numbersA], [b, numbersB]) => numbersB.length - numbersA.length || a - b,
  );
  return largestGroup?.[0] ?? 1;
}

/**
 * Returns the number of trials in a plan for these numbers of optimizers and repetitions; 0 for an invalid plan. Fewer
 * than one repetition counts as one.
 */
export function getPlannedTrials(
  plan: CampaignPlan,
  optimizerCount: number,
  repetitions: number,
): number {
  const lists = [plan.dimensionsJson, plan.functionsJson, plan.instancesJson];
  const trialsPerOptimizer = lists.reduce(
    (product, json) => product * getIntegersIn(json).length,
    1,
  );
  return trialsPerOptimizer * optimizerCount * Math.max(1, repetitions);
}

/** Returns the sums of the cells of each optimizer and dimension, in the order of the cells. */
export function sumPerDimension(
  cells: readonly FunctionCompleteness[],
): Omit<FunctionCompleteness, 'functionId'>[] {
  const groups = Map.groupBy(cells, ({ optimizerId, dimension }) =>
    JSON.stringify([optimizerId, dimension]),
  );
  return [...groups.values()].flatMap((group) => {
    const [firstCell] = group;
    if (!firstCell) return [];
    const sumCells = (key: keyof Counts) => group.reduce((sum, cell) => sum + cell[key], 0);
    return {
      optimizerId: firstCell.optimizerId,
      dimension: firstCell.dimension,
      expected: sumCells('expected'),
      present: sumCells('present'),
      failed: sumCells('failed'),
      reachedTargets: sumCells('reachedTargets'),
    };
  });
}

function getCellKey({ optimizerId, dimension, functionId }: TrialCell): string {
  return JSON.stringify([optimizerId, dimension, functionId]);
}

type TrialCell = Omit<FunctionCompleteness, keyof Counts>;
type Counts = Pick<FunctionCompleteness, 'expected' | 'present' | 'failed' | 'reachedTargets'>;

function mergeNumbers(
  values: readonly number[],
  counts: readonly CountedTrials[],
  key: 'dimension' | 'functionId',
): number[] {
  return [...new Set([...values, ...counts.map((count) => count[key])])].sort((a, b) => a - b);
}

/** Returns the safe integers of a JSON array without duplicates; empty for any other text. */
function getIntegersIn(json: string): number[] {
  try {
    const values: unknown = JSON.parse(json);
    return Array.isArray(values) ? [...new Set(values.filter(Number.isSafeInteger))] : [];
  } catch {
    return [];
  }
}
