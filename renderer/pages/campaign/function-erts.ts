import { isClearlyBest } from '#shared/claim-marks.ts';
import type { ErtRow, OptimizerPair, OptimizerTests } from '#shared/schemas/coco-analysis.ts';

/** Expected runtimes of all optimizers on one function in one dimension to one target. */
export interface FunctionErts {
  id: string;
  functionId: number;
  dimension: number;
  targetValue: number | null;
  referenceErt: number | null;
  hasDoubtfulReference: boolean;
  /** Origin of the reference, as in the response. */
  referenceKind: ErtRow['referenceKind'];
  byOptimizer: ReadonlyMap<string, ErtRow>;
  /** The optimizers that are significantly faster than each other compared one. */
  best: readonly string[];
}

/**
 * Joins the rows of a response per dimension, target (largest first) and function, with the significant results of the
 * tests. The tests of a function with several targets do not belong to any one of them.
 */
export function getFunctionErts(
  rows: readonly ErtRow[],
  tests: OptimizerTests['functions'],
): FunctionErts[] {
  const pairs = new Map(
    tests.map((one) => [JSON.stringify([one.dimension, one.functionId]), one.pairs]),
  );
  const groups = Map.groupBy(rows, ({ functionId, dimension, targetValue }) =>
    JSON.stringify([dimension, targetValue, functionId]),
  );
  const targets = Map.groupBy(
    [...groups.values()].flatMap(([first]) => first ?? []),
    ({ dimension, functionId }) => JSON.stringify([dimension, functionId]),
  );
  for (const [key, own] of targets) if (own.length > 1) pairs.delete(key);
  return Array.from(groups, ([id, own]) => makeFunctionErts(id, own, pairs)).sort(
    (one, other) =>
      one.dimension - other.dimension ||
      (other.targetValue ?? -Infinity) - (one.targetValue ?? -Infinity) ||
      one.functionId - other.functionId,
  );
}

function makeFunctionErts(
  id: string,
  rows: readonly ErtRow[],
  pairs: ReadonlyMap<string, readonly OptimizerPair[]>,
): FunctionErts {
  const { functionId = 0, dimension = 0, targetValue = null } = rows[0] ?? {};
  const tested = pairs.get(JSON.stringify([dimension, functionId])) ?? [];
  return {
    id,
    functionId,
    dimension,
    targetValue,
    referenceErt: rows.find(({ referenceErt }) => referenceErt !== null)?.referenceErt ?? null,
    hasDoubtfulReference: rows.some((row) => row.hasDoubtfulReference),
    referenceKind: rows[0]?.referenceKind,
    byOptimizer: new Map(rows.map((row) => [row.optimizerId, row])),
    best: rows
      .map(({ optimizerId }) => optimizerId)
      .filter((optimizer) => isClearlyBest(optimizer, tested)),
  };
}

/** Returns the ERT of a row whose trials ran: infinite where none reached the target. */
export function getRuntime({ ert }: Pick<ErtRow, 'ert'>): number {
  return ert ?? Infinity;
}
