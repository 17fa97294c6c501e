import type { ErtRow, RatioSummary } from '#shared/schemas/coco-analysis.ts';

/** Generated results of a campaign, for the gallery and the figures' tests: always the same numbers. */

const dimensions = [2, 5, 20];

/** Ratios of two optimizers on two functions: the first solves fewer with the dimension, none in the last. */
export function sampleRatios(): { summary: RatioSummary[]; rows: ErtRow[] } {
  const rows = ['es', 'de'].flatMap((optimizerId, optimizer) =>
    dimensions.flatMap((dimension, index) =>
      [1, 2].map((functionId) => {
        const solved = index + functionId + (optimizer === 0 ? 0 : -1) <= 2;
        return sampleRow({ optimizerId, dimension, functionId }, solved ? ratioAt(index) : null);
      }),
    ),
  );
  return { rows, summary: summariesOf(rows) };
}

function ratioAt(index: number): number {
  return [0.8, 2, 30][index] ?? 1;
}

type Place = Pick<ErtRow, 'optimizerId' | 'dimension' | 'functionId'>;

function sampleRow(place: Place, ratio: number | null): ErtRow {
  const ert = ratio === null ? null : 100 * ratio;
  return {
    ...place,
    targetValue: 1e-8,
    trials: 15,
    failedTrials: 0,
    solvedTrials: ratio === null ? 0 : 15,
    successRate: ratio === null ? 0 : 1,
    ert,
    ertInterval: { lower: ert, upper: ert },
    sp1: ert,
    referenceErt: 100,
    hasDoubtfulReference: false,
    ratio,
  };
}

function summariesOf(rows: readonly ErtRow[]): RatioSummary[] {
  const groups = Map.groupBy(rows, ({ optimizerId, dimension }) => `${optimizerId} ${dimension}`);
  return [...groups.values()].map((own) => {
    const solved = own.filter(({ ratio }) => ratio !== null);
    return {
      optimizerId: own[0]?.optimizerId ?? '',
      dimension: own[0]?.dimension ?? 0,
      functions: own.length,
      solvedFunctions: solved.length,
      unsolvedFunctions: own.length - solved.length,
      comparedFunctions: solved.length,
      doubtfulReferences: 0,
      geometricMeanRatio: solved[0]?.ratio ?? null,
    };
  });
}
