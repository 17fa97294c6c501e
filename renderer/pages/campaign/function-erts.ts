import type { ErtRow } from '#shared/schemas/coco-analysis.ts';

/** The expected runtimes of all optimizers on one function in one dimension to one target. */
export interface FunctionErts {
  id: string;
  functionId: number;
  dimension: number;
  targetValue: number | null;
  referenceErt: number | null;
  hasDoubtfulReference: boolean;
  byOptimizer: ReadonlyMap<string, ErtRow>;
  /** Those with the smallest finite ERT; none where all are equal. */
  best: ReadonlySet<string>;
}

/** The rows of an answer joined per dimension, target (largest first) and function. */
export function functionErts(rows: readonly ErtRow[]): FunctionErts[] {
  const groups = Map.groupBy(rows, ({ functionId, dimension, targetValue }) =>
    JSON.stringify([dimension, targetValue, functionId]),
  );
  return Array.from(groups, ([id, own]) => joined(id, own)).sort(
    (one, other) =>
      one.dimension - other.dimension ||
      (other.targetValue ?? -Infinity) - (one.targetValue ?? -Infinity) ||
      one.functionId - other.functionId,
  );
}

function joined(id: string, rows: readonly ErtRow[]): FunctionErts {
  const { functionId = 0, dimension = 0, targetValue = null } = rows[0] ?? {};
  return {
    id,
    functionId,
    dimension,
    targetValue,
    referenceErt: rows.find(({ referenceErt }) => referenceErt !== null)?.referenceErt ?? null,
    hasDoubtfulReference: rows.some((row) => row.hasDoubtfulReference),
    byOptimizer: new Map(rows.map((row) => [row.optimizerId, row])),
    best: new Set(bestOf(rows)),
  };
}

function bestOf(rows: readonly ErtRow[]): string[] {
  const ran = rows.filter(({ trials }) => trials > 0);
  const least = Math.min(...ran.map(runtimeOf));
  if (!Number.isFinite(least) || ran.every((row) => runtimeOf(row) === least)) return [];
  return ran.filter((row) => runtimeOf(row) === least).map(({ optimizerId }) => optimizerId);
}

/** The ERT of a row whose trials ran: infinite where none reached the target. */
export function runtimeOf({ ert }: Pick<ErtRow, 'ert'>): number {
  return ert ?? Infinity;
}
