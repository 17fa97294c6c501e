import type {
  CampaignEcdf,
  EcdfCurve,
  ErtRow,
  RatioSummary,
} from '#shared/schemas/coco-analysis.ts';

// Generated results of a campaign, for the gallery and the tests of figures: always the same numbers.

/** Runtime ECDFs of two optimizers up to 1 000 evaluations / dimension, the second of which solves all pairs. */
export function sampleEcdf(): Pick<CampaignEcdf, 'curves' | 'largestBudget'> {
  const curves = ['es', 'de'].map((optimizer, index): EcdfCurve => {
    const points = Array.from({ length: 40 }, (_, step) => ({
      x: 10 ** (3 * ((step + 1) / 40) ** (index === 0 ? 0.6 : 1)),
      y: ((step + 1) / 40) * (index === 0 ? 0.7 : 1),
    }));
    const [pairs, area] = [765, 0.4];
    const crossAt = index === 0 ? 600 : null;
    return { optimizer, trials: 15, cells: 15, pairs, solvedPairs: pairs, points, crossAt, area };
  });
  return { curves, largestBudget: 1000 };
}

const dimensions = [2, 5, 20];

/** Ratios of two optimizers on two functions: the first solves fewer with the dimension, none in the last. */
export function sampleRatios(): { summary: RatioSummary[]; rows: ErtRow[] } {
  const rows = ['es', 'de'].flatMap((optimizerId, optimizer) =>
    dimensions.flatMap((dimension, index) =>
      [1, 2].map((functionId) => {
        const isSolved = index + functionId + (optimizer === 0 ? 0 : -1) <= 2;
        return sampleRow(
          { optimizerId, dimension, functionId },
          isSolved ? getRatioAt(index) : null,
        );
      }),
    ),
  );
  return { rows, summary: getSummaries(rows) };
}

function getRatioAt(index: number): number {
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
    ertMoverInterval: ert === null ? null : { lower: ert, upper: ert },
    sp1: ert,
    referenceErt: 100,
    hasDoubtfulReference: false,
    ratio,
  };
}

function getSummaries(rows: readonly ErtRow[]): RatioSummary[] {
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
      infiniteRatios: own.length - solved.length,
      doubtfulReferences: 0,
      geometricMeanRatio: solved.length === own.length ? (solved[0]?.ratio ?? null) : null,
    };
  });
}
