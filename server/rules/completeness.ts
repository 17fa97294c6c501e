/** Trials of an optimizer on a function in a dimension: how many there should be, are, failed and solved. */
export interface CompletenessCell {
  optimizerId: string;
  dimension: number;
  functionId: number;
  expected: number;
  present: number;
  failed: number;
  reachedTargets: number;
}

/** What a campaign states of its plan, as JSON arrays of whole numbers. */
export interface CampaignPlan {
  dimensionsJson: string;
  functionsJson: string;
  instancesJson: string;
}

/** Trials counted; `repetitions` is the highest number of one. */
export type CountedTrials = Omit<CompletenessCell, 'expected'> & { repetitions: number };

/** The plan of a campaign, and how many of its trials there are in each cell. */
export interface Completeness {
  optimizers: string[];
  dimensions: number[];
  functions: number[];
  instances: number[];
  /** The most that any trial has, at least 1: no campaign states how many it wants. */
  repetitions: number;
  /** By optimizer, dimension and function; those that were not planned but have trials are among them. */
  cells: CompletenessCell[];
}

/**
 * How complete a campaign is. A cell of the plan expects instances × repetitions trials, one outside of it none; an
 * optimizer without a trial has all its cells. Dimensions and functions that the plan does not state, or not
 * readably, are those of the trials.
 */
export function completenessOf(
  plan: CampaignPlan,
  optimizerIds: readonly string[],
  counts: readonly CountedTrials[],
): Completeness {
  const planned = {
    dimensions: integersIn(plan.dimensionsJson),
    functions: integersIn(plan.functionsJson),
  };
  const instances = integersIn(plan.instancesJson);
  const repetitions = Math.max(1, ...counts.map((count) => count.repetitions));
  const optimizers = [...new Set([...optimizerIds, ...counts.map((count) => count.optimizerId)])];
  const dimensions = union(planned.dimensions, counts, 'dimension');
  const functions = union(planned.functions, counts, 'functionId');
  const byPlace = new Map(counts.map((count) => [placeOf(count), count]));
  const cells = optimizers.flatMap((optimizerId) =>
    dimensions.flatMap((dimension) =>
      functions.flatMap((functionId): CompletenessCell[] => {
        const place = { optimizerId, dimension, functionId };
        const found = byPlace.get(placeOf(place));
        const isPlanned =
          planned.dimensions.includes(dimension) && planned.functions.includes(functionId);
        if (!found && !isPlanned) return [];
        const { present = 0, failed = 0, reachedTargets = 0 } = found ?? {};
        const expected = isPlanned ? instances.length * repetitions : 0;
        return [{ ...place, expected, present, failed, reachedTargets }];
      }),
    ),
  );
  return { optimizers, dimensions, functions, instances, repetitions, cells };
}

/** How many trials a plan comes to for so many optimizers and repetitions; 0 where it is not readable. */
export function plannedTrials(plan: CampaignPlan, optimizers: number, repetitions: number): number {
  const lists = [plan.dimensionsJson, plan.functionsJson, plan.instancesJson];
  const perOptimizer = lists.reduce((product, json) => product * integersIn(json).length, 1);
  return perOptimizer * optimizers * Math.max(1, repetitions);
}

/** The cells of each optimizer and dimension added up, in their order. */
export function perDimension(
  cells: readonly CompletenessCell[],
): Omit<CompletenessCell, 'functionId'>[] {
  const groups = Map.groupBy(cells, ({ optimizerId, dimension }) =>
    JSON.stringify([optimizerId, dimension]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const total = (key: keyof Counts) => group.reduce((sum, cell) => sum + cell[key], 0);
    return {
      optimizerId: first.optimizerId,
      dimension: first.dimension,
      expected: total('expected'),
      present: total('present'),
      failed: total('failed'),
      reachedTargets: total('reachedTargets'),
    };
  });
}

function placeOf({ optimizerId, dimension, functionId }: Omit<CompletenessCell, keyof Counts>) {
  return JSON.stringify([optimizerId, dimension, functionId]);
}

type Counts = Pick<CompletenessCell, 'expected' | 'present' | 'failed' | 'reachedTargets'>;

function union(
  planned: readonly number[],
  counts: readonly CountedTrials[],
  key: 'dimension' | 'functionId',
): number[] {
  return [...new Set([...planned, ...counts.map((count) => count[key])])].sort((a, b) => a - b);
}

/** The whole numbers of a JSON array, each once; none where the text is something else. */
function integersIn(json: string): number[] {
  try {
    const values: unknown = JSON.parse(json);
    return Array.isArray(values) ? [...new Set(values.filter(Number.isSafeInteger))] : [];
  } catch {
    return [];
  }
}
