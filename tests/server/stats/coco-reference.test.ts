import { describe, expect, test } from 'vitest';
import {
  compareWithReference,
  isDoubtful,
  type ReferenceRuntime,
  summariseRatios,
} from '#server/stats/coco-reference.ts';
import { computeRuntimePerFunction } from '#server/stats/coco-runtime.ts';
import { expectClose, loadOracle } from './oracle.ts';
import { makeTrial, unsolvedFields } from './sample-trials.ts';

interface CampaignOracle {
  meta: { targets: number[] };
  trials: {
    algorithm: string;
    function: number;
    dimension: number;
    max_evals: number[];
    evals_to_target: (number | null)[][];
    ert: number[];
    reference_best2009_ert: (number | null)[];
    ert_ratio_to_reference: (number | null)[];
  }[];
}

describe('of real campaigns', () => {
  const { trials: cells, meta } = loadOracle('coco-real') as CampaignOracle;
  const trials = cells.flatMap((cell) =>
    cell.evals_to_target.flatMap((times, target) =>
      times.map((time, run) =>
        makeTrial({
          optimizerId: cell.algorithm,
          functionId: cell.function,
          dimension: cell.dimension,
          targetValue: meta.targets[target] ?? NaN,
          reachedTarget: time !== null,
          evaluations: cell.max_evals[run] ?? null,
          evaluationsToTarget: time,
        }),
      ),
    ),
  );
  const references = cells.flatMap((cell) =>
    cell.reference_best2009_ert.map((ert, target) => ({
      functionId: cell.function,
      dimension: cell.dimension,
      targetValue: meta.targets[target] ?? NaN,
      ert,
      successRate: ert === null ? 0 : 1,
    })),
  );
  const ratios = compareWithReference(computeRuntimePerFunction(trials), references);

  test('ERT and ratio per function, dimension and target agree with cocopp', () => {
    let comparisons = 0;
    for (const cell of cells) {
      meta.targets.forEach((targetValue, target) => {
        const row = ratios.find(
          (entry) =>
            entry.optimizerId === cell.algorithm &&
            entry.functionId === cell.function &&
            entry.dimension === cell.dimension &&
            entry.targetValue === targetValue,
        );
        const [ert, ratio] = [cell.ert[target], cell.ert_ratio_to_reference[target]];
        expectClose(row?.ert, ert === Infinity ? null : ert);
        expectClose(row?.ratio, ratio === Infinity ? null : ratio);
        comparisons += 1;
      });
    }
    expect(comparisons).toBe(ratios.length);
    expect(ratios.length).toBeGreaterThan(600);
  });
});

describe('a reference', () => {
  const reference = (fields: Partial<ReferenceRuntime>) => ({
    functionId: 1,
    dimension: 2,
    targetValue: 1e-8,
    ert: 100,
    successRate: 1,
    ...fields,
  });
  const runtimes = computeRuntimePerFunction([makeTrial()]);
  const compare = (...references: ReferenceRuntime[]) =>
    compareWithReference(runtimes, Object.freeze(references))[0];

  test('is the best of the runtimes with the same function, dimension and target', () => {
    const row = compare(
      reference({}),
      reference({ ert: 60, targetValue: 1e-8 + 1e-13 }),
      reference({ ert: 1, functionId: 2 }),
      reference({ ert: 1, dimension: 3 }),
      reference({ ert: 1, targetValue: 1e-7 }),
      reference({ ert: 1, targetValue: 1e-9 }),
    );
    expect(row).toMatchObject({ referenceErt: 60, ratio: 5, hasDoubtfulReference: false });
  });

  test('with an ERT but no success is doubtful, and omitted', () => {
    const doubtfulReference = reference({ ert: 1e7, successRate: 0 });
    expect(isDoubtful(doubtfulReference)).toBe(true);
    expect(isDoubtful(reference({ ert: null, successRate: 0 }))).toBe(false);
    expect(isDoubtful(reference({ successRate: null }))).toBe(false);
    expect(compare(doubtfulReference)).toMatchObject({
      referenceErt: null,
      ratio: null,
      hasDoubtfulReference: true,
    });
  });

  test('that is missing, infinite or not positive gives no ratio', () => {
    expect(compare()?.ratio).toBeNull();
    expect(compare(reference({ ert: Infinity }))?.ratio).toBeNull();
    expect(compare(reference({ ert: 0 }))?.ratio).toBeNull();
    expect(compare(reference({ ert: 1 }))?.ratio).toBe(300);
  });
});

test('a dimension is summarised by counts, and by the geometric mean of its ratios where all functions are solved', () => {
  const runtimes = computeRuntimePerFunction([
    makeTrial({ evaluationsToTarget: 200 }),
    makeTrial({ functionId: 2, evaluationsToTarget: 800 }),
    makeTrial({ functionId: 3, ...unsolvedFields }),
    makeTrial({ functionId: 4, status: 'FAILED', ...unsolvedFields }),
    makeTrial({ functionId: 5 }),
  ]);
  const references = [1, 2, 3, 4].map((functionId) => ({
    functionId,
    dimension: 2,
    targetValue: 1e-8,
    ert: 100,
    successRate: 1,
  }));
  expect(summariseRatios(compareWithReference(runtimes, references))).toEqual([
    {
      optimizerId: 'cma-es',
      dimension: 2,
      functions: 5,
      solvedFunctions: 3,
      unsolvedFunctions: 1,
      comparedFunctions: 2,
      infiniteRatios: 1,
      doubtfulReferences: 0,
      geometricMeanRatio: null,
    },
  ]);
  const solvedRuntimes = runtimes.filter(({ functionId }) => functionId < 3);
  expect(summariseRatios(compareWithReference(solvedRuntimes, references))).toMatchObject([
    { comparedFunctions: 2, geometricMeanRatio: expect.closeTo(4, 12) },
  ]);
  const withoutReference = computeRuntimePerFunction([
    makeTrial({ functionId: 6, ...unsolvedFields }),
  ]);
  expect(
    summariseRatios(compareWithReference([...solvedRuntimes, ...withoutReference], references)),
  ).toMatchObject([
    { unsolvedFunctions: 1, infiniteRatios: 0, geometricMeanRatio: expect.closeTo(4, 12) },
  ]);
  // The best of the compared optimizers has no ERT for a function that none of them solved.
  expect(
    summariseRatios(
      compareWithReference([...solvedRuntimes, ...withoutReference], references),
      true,
    ),
  ).toMatchObject([{ unsolvedFunctions: 1, infiniteRatios: 1, geometricMeanRatio: null }]);
  expect(summariseRatios([])).toEqual([]);
});
