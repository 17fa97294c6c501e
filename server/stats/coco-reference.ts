import type { ErtRow, RatioSummary } from '#shared/schemas/coco-analysis.ts';
import type { FunctionRuntime } from './coco-runtime.ts';
import { computeMean } from './descriptive.ts';

/** Performance of a published or compared optimizer on one function, in one dimension, for one target. */
export interface ReferenceRuntime {
  functionId: number;
  dimension: number;
  /** NaN if it is missing. */
  targetValue: number;
  /** ERT in evaluations; null if it is missing. */
  ert: number | null;
  /** Share of solved trials; null if unknown. */
  successRate: number | null;
}

/** A runtime with its reference. */
export type RuntimeRatio = FunctionRuntime &
  Pick<ErtRow, 'referenceErt' | 'hasDoubtfulReference' | 'ratio'>;

/**
 * Returns whether the reference has a positive finite ERT but a success rate of 0. Published tables contain sort keys
 * in such cells.
 */
export function isDoubtful(reference: ReferenceRuntime): boolean {
  return reference.successRate === 0 && isUsable(reference.ert);
}

function isUsable(ert: number | null): ert is number {
  return ert !== null && Number.isFinite(ert) && ert > 0;
}

/**
 * Returns each runtime, in order, with the smallest reference ERT for the same function, dimension and target, and
 * their ratio. Targets are the same if they differ by at most 1e-6 of the target of the runtime, or by at most 1e-12.
 * Omits references without a positive finite ERT, and doubtful ones, which `hasDoubtfulReference` reports. The
 * reference ERT is null if no reference remains. The ratio is null if either ERT is null.
 */
export function compareWithReference(
  runtimes: readonly FunctionRuntime[],
  references: readonly ReferenceRuntime[],
): RuntimeRatio[] {
  const referencesByFunction = Map.groupBy(references, getCellKey);
  return runtimes.map((runtime) => {
    const matchingReferences = (referencesByFunction.get(getCellKey(runtime)) ?? []).filter(
      (reference) => isSameTarget(reference.targetValue, runtime.targetValue),
    );
    return addReference(runtime, matchingReferences);
  });
}

function getCellKey({ functionId, dimension }: { functionId: number; dimension: number }): string {
  return `${functionId}/${dimension}`;
}

function isSameTarget(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(1e-12, 1e-6 * Math.abs(b));
}

function addReference(
  runtime: FunctionRuntime,
  references: readonly ReferenceRuntime[],
): RuntimeRatio {
  const usableReferences = references.filter((reference) => !isDoubtful(reference));
  const erts = usableReferences.map(({ ert }) => ert).filter(isUsable);
  const referenceErt = erts.length === 0 ? null : Math.min(...erts);
  const ratio = runtime.ert === null || referenceErt === null ? null : runtime.ert / referenceErt;
  return {
    ...runtime,
    referenceErt,
    hasDoubtfulReference: usableReferences.length < references.length,
    ratio,
  };
}

/**
 * Returns the runtimes with a finite ERT as references, in order; empty if there is none. {@link compareWithReference}
 * selects the smallest ERT for each function, dimension and target.
 */
export function makeReferences(runtimes: readonly FunctionRuntime[]): ReferenceRuntime[] {
  return runtimes.flatMap(({ functionId, dimension, targetValue, ert }) =>
    ert === null ? [] : [{ functionId, dimension, targetValue, ert, successRate: null }],
  );
}

/**
 * Returns the numbers of solved and unsolved pairs of a function and a target per optimizer and dimension, in the order
 * of their first ratio, and the geometric mean of the ratios. A pair with only failed trials counts as neither. The
 * mean is null if there are no ratios. It is also null if the optimizer did not solve a pair with a reference, because
 * the ratio of the pair is then infinite. If the references are the best of the compared optimizers
 * (`isBestReference`), no optimizer solved a pair without a reference, so the ratio of such a pair is infinite too.
 * Computes no arithmetic mean over functions, and replaces no infinite ratio by a number.
 */
export function summariseRatios(
  ratios: readonly RuntimeRatio[],
  isBestReference = false,
): RatioSummary[] {
  const groups = Map.groupBy(ratios, ({ optimizerId, dimension }) =>
    JSON.stringify([optimizerId, dimension]),
  );
  return [...groups.values()].flatMap((group) => summariseDimension(group, isBestReference));
}

function summariseDimension(
  ratios: readonly RuntimeRatio[],
  isBestReference: boolean,
): RatioSummary[] {
  const [firstRatio] = ratios;
  if (!firstRatio) return [];
  const triedRatios = ratios.filter(({ trials }) => trials > 0);
  const finiteRatios = ratios.map(({ ratio }) => ratio).filter((ratio) => ratio !== null);
  const isInfinite = ({ ert, referenceErt }: RuntimeRatio) =>
    ert === null && (referenceErt !== null || isBestReference);
  const meanLogarithm = ratios.some(isInfinite) ? null : computeMean(finiteRatios.map(Math.log));
  return [
    {
      optimizerId: firstRatio.optimizerId,
      dimension: firstRatio.dimension,
      functions: ratios.length,
      solvedFunctions: triedRatios.filter(({ ert }) => ert !== null).length,
      unsolvedFunctions: triedRatios.filter(({ ert }) => ert === null).length,
      comparedFunctions: finiteRatios.length,
      infiniteRatios: triedRatios.filter(isInfinite).length,
      doubtfulReferences: ratios.filter(({ hasDoubtfulReference }) => hasDoubtfulReference).length,
      geometricMeanRatio: meanLogarithm === null ? null : Math.exp(meanLogarithm),
    },
  ];
}
