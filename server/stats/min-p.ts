import { computeNormalQuantile } from './distributions.ts';
import {
  countHits,
  drawLabellings,
  type HitCount,
  type Labellings,
  listLabellings,
} from './labellings.ts';
import { makeLinearStatistic, type LinearStatistic } from './linear-statistic.ts';
import { createSeededRandom } from './seeded-random.ts';
import { sum } from './descriptive.ts';
import { canSampleTails, estimateUnion, type TailEvent } from './tail-sampling.ts';

/** Scores of the units of two groups on each measure. */
export interface MinPInput {
  /**
   * Mid-ranks of the units for each measure, or means of equally many mid-ranks. The units of group a precede those of
   * group b.
   */
  scores: readonly (readonly number[])[];
  /** Number of units in group a. */
  sizeA: number;
  /**
   * Whether to estimate small p-values with a relative error of 2 % instead of 8 %, for p-values near the level of a
   * claim. Default false.
   */
  isPrecise?: boolean;
}

/** Result of the min-p test of a pair of groups; p-values are null without measures, and with an empty group. */
export interface MinPTest {
  /** P-value of the hypothesis that the groups are alike on all measures: the smallest adjusted p-value. */
  pValue: number | null;
  /**
   * Smallest p-value of any labelling. If the test does not count all labellings, the value is an upper bound of this
   * p-value, but at most `pValue`.
   */
  attainablePValue: number | null;
  /** P-values of the measures, in order. */
  measures: MinPMeasure[];
  /**
   * Whether the test counted all labellings, or single measures determine each adjusted p-value; also true without a
   * test.
   */
  isExact: boolean;
  /**
   * Number of labellings that the test counted, or approximate number that it drew, for the adjusted p-values; 0 if all
   * of these come from the distributions of single measures, and without a test.
   */
  labellingCount: number;
}

/** P-values of one measure of a pair. */
export interface MinPMeasure {
  /** P-value of the rank-sum test on this measure alone. */
  pValue: number | null;
  /** P-value adjusted for the number of measures, step-down. */
  adjustedPValue: number | null;
  /** Whether the p-value of the single measure is exact, not a normal approximation; null without a p-value. */
  isExact: boolean | null;
}

/** Relative tolerance for equal p-values. */
const tolerance = 1e-9;

/** Number of labellings to draw from the tails for the p-value of a union. */
const tailDrawCount = 100;
const preciseTailDrawCount = 2000;

/** Smallest upper bound of a p-value for which random labellings are accurate enough. */
const minimumForDraws = 0.2;

/** Number of labellings at least as extreme as the observed one after which draws end (Besag & Clifford 1991). */
const sufficientHits = 200;
/** Maximum numbers of draws, and of drawn units. */
const maximumDraws = 10_000;
const maximumDrawnUnits = 2_000_000;

/**
 * Tests two groups on several measures together, by a step-down permutation test of the smallest p-value (Westfall &
 * Young 1993, algorithm 2.8). A labelling assigns the units to the groups. The statistic of a measure is the distance
 * of its rank sum from the mean. Its p-value is the share of all labellings with at least this distance, or the
 * approximation of this share (see {@link makeLinearStatistic}). The test orders the M measures by their p-values p(1)
 * ≤ … ≤ p(M). q(j) is the share of labellings under which at least one of the measures from j on has a p-value of at
 * most p(j). The adjusted p-value of the j-th measure is the largest of q(1) to q(j).
 *
 * Counts all labellings if there are at most 20,000. Otherwise estimates a large q (with an upper bound of at least
 * 0.2) from random labellings. Draws these labellings until 200 are at least as extreme as the observed one (Besag &
 * Clifford 1991), but at most 10,000, or fewer if each group has more than 200 units. Estimates a small q from
 * labellings in the tails of the measures, with a relative error of about 8 %, or 2 % if `isPrecise` (see {@link
 * estimateUnion}). For groups that are too large for this, random labellings estimate each q with an upper bound of at
 * least 0.02. For every other q, the test uses the upper bound itself: the sum of the probabilities of the measures, at
 * most 1.
 *
 * The result does not depend on the order of the groups and of the units. An estimate can depend on the order of
 * measures with equal p-values. A measure whose values are all equal has p = 1. Without measures, and with an empty
 * group, all p-values are null. Throws a RangeError for measures of different lengths. Unless a group is empty, also
 * throws a RangeError for a score that is not finite.
 */
export function testMinP({ scores, sizeA, isPrecise = false }: MinPInput): MinPTest {
  const total = scores[0]?.length ?? 0;
  if (scores.some(({ length }) => length !== total)) {
    throw new RangeError('Every measure needs one score for each unit.');
  }
  if (sizeA < 1 || sizeA >= total) return makeUntestableResult(scores.length);
  const subsetSize = Math.min(sizeA, total - sizeA);
  const allLabellings = listLabellings(total, subsetSize);
  const observedMeasures = scores.map((values) =>
    observeMeasure(values, sizeA, allLabellings !== null),
  );
  const measures = sortInCommonOrder(observedMeasures);
  const levels = [
    Math.min(...measures.map(({ minimumPValue }) => minimumPValue)),
    ...measures.map(({ pValue }) => pValue),
  ];
  const unions = levels.map((level, rank) =>
    measures.map((measure, index) => makeEventUpTo(level, index + 1 < rank ? null : measure)),
  );
  const { shares, isExact, labellingCount } = getShares(unions, {
    measures,
    subsetSize,
    allLabellings,
    isPrecise,
  });
  const adjustedPValues = new Map<string, number>();
  let adjustedPValue = 0;
  for (const [index, measure] of measures.entries()) {
    adjustedPValue = Math.max(adjustedPValue, shares[index + 1] ?? NaN);
    adjustedPValues.set(measure.key, adjustedPValue);
  }
  return {
    pValue: adjustedPValues.get(measures[0]?.key ?? '') ?? null,
    attainablePValue: Math.min(shares[0] ?? 1, shares[1] ?? 1),
    measures: observedMeasures.map((measure) => ({
      pValue: measure.pValue,
      adjustedPValue: adjustedPValues.get(measure.key) ?? null,
      isExact: measure.isExact,
    })),
    isExact,
    labellingCount,
  };
}

function makeUntestableResult(measureCount: number): MinPTest {
  const emptyResult = { pValue: null, adjustedPValue: null, isExact: null };
  return {
    pValue: null,
    attainablePValue: null,
    measures: Array.from({ length: measureCount }, () => emptyResult),
    isExact: true,
    labellingCount: 0,
  };
}

/** A measure of the pair with its observed p-value. */
interface ObservedMeasure extends LinearStatistic {
  pValue: number;
  /** Smallest p-value of any labelling. */
  minimumPValue: number;
  /** Standard deviation of the sum over all labellings. */
  deviation: number;
  /**
   * Key that is equal for measures with the same or mirrored integer scores. The p-values of such measures are always
   * equal.
   */
  key: string;
}

function observeMeasure(
  scores: readonly number[],
  sizeA: number,
  mustBeExact: boolean,
): ObservedMeasure {
  const isFirstChosen = 2 * sizeA <= scores.length;
  const subsetSize = isFirstChosen ? sizeA : scores.length - sizeA;
  const statistic = makeLinearStatistic(scores, subsetSize, mustBeExact);
  const { integerScores, getPValue, minimumSum, maximumSum } = statistic;
  const observedScores = isFirstChosen
    ? integerScores.subarray(0, sizeA)
    : integerScores.subarray(sizeA);
  const maximumScore = integerScores.reduce((a, b) => Math.max(a, b), 0);
  const [total, center] = [integerScores.length, statistic.mean / subsetSize];
  const squares = integerScores.reduce((a, score) => a + (score - center) ** 2, 0);
  const keys = [integerScores.join(), integerScores.map((score) => maximumScore - score).join()];
  return {
    ...statistic,
    pValue: getPValue(observedScores.reduce((a, b) => a + b, 0)),
    minimumPValue: Math.min(getPValue(minimumSum), getPValue(maximumSum)),
    deviation: Math.sqrt((subsetSize * (total - subsetSize) * squares) / (total * (total - 1))),
    key: keys.sort()[0] ?? '',
  };
}

/**
 * Returns the distinct measures by ascending p-value, with their units in an order that does not depend on the groups.
 */
function sortInCommonOrder(observedMeasures: readonly ObservedMeasure[]): ObservedMeasure[] {
  const formatSortedScores = ({ integerScores }: ObservedMeasure) =>
    integerScores.toSorted().join();
  const firstMeasures = new Map(
    observedMeasures.toReversed().map((measure) => [measure.key, measure]),
  );
  const measures = [...firstMeasures.values()]
    .map((measure) => ({ measure, text: formatSortedScores(measure) }))
    .sort((a, b) => a.measure.pValue - b.measure.pValue || (a.text < b.text ? -1 : 1))
    .map(({ measure }) => measure);
  const units = [...(measures[0]?.integerScores.keys() ?? [])].sort((a, b) => {
    const decisiveMeasure = measures.find(
      ({ integerScores }) => integerScores[a] !== integerScores[b],
    );
    return decisiveMeasure
      ? (decisiveMeasure.integerScores[a] ?? 0) - (decisiveMeasure.integerScores[b] ?? 0)
      : 0;
  });
  return measures.map((measure) => ({
    ...measure,
    integerScores: Int32Array.from(units, (unit) => measure.integerScores[unit] ?? 0),
  }));
}

/**
 * Returns the event that the p-value of a measure is at most the level. If the measure is null, returns an impossible
 * event.
 */
function makeEventUpTo(level: number, measure: ObservedMeasure | null): TailEvent {
  if (!measure) return { lower: -1, upper: Infinity, probability: 0 };
  const { minimumSum, maximumSum, mean, getPValue } = measure;
  const limit = level * (1 + tolerance);
  const lower = findLastUpTo(limit, measure);
  // The upper end is the first sum that is as far from the mean as the lower end, or the sum before it.
  let upper = lower < minimumSum ? maximumSum + 1 : Math.ceil(2 * mean - lower - tolerance);
  const lastUpper = lower < minimumSum ? mean : upper - 1;
  while (upper - 1 >= lastUpper && upper - 1 >= mean && getPValue(upper - 1) <= limit) upper -= 1;
  return {
    lower,
    upper,
    probability: Math.max(
      lower < minimumSum ? 0 : getPValue(lower),
      upper > maximumSum ? 0 : getPValue(upper),
    ),
  };
}

/** Number of sums to try at the position that the normal distribution predicts. */
const maximumGuesses = 5;

/**
 * Returns the largest sum up to the mean with a p-value of at most the limit; `minimumSum` − 1 if there is no such sum.
 */
function findLastUpTo(
  limit: number,
  { minimumSum, mean, deviation, getPValue }: ObservedMeasure,
): number {
  const goal = computeNormalQuantile(Math.min(1, limit) / 2);
  let [lastSumInside, firstSumOutside] = [minimumSum - 1, Math.floor(mean) + 1];
  let guess = mean + goal * deviation;
  for (let guessCount = 0; firstSumOutside - lastSumInside > 1; guessCount += 1) {
    const isGuessed = guessCount < maximumGuesses && Number.isFinite(guess);
    const middle = Math.floor(isGuessed ? guess : (lastSumInside + firstSumOutside) / 2);
    const nextSum = Math.min(firstSumOutside - 1, Math.max(lastSumInside + 1, middle));
    const pValue = getPValue(nextSum);
    if (pValue <= limit) lastSumInside = nextSum;
    else firstSumOutside = nextSum;
    guess = mean + ((nextSum - mean) * goal) / computeNormalQuantile(pValue / 2);
  }
  return lastSumInside;
}

/** Input for counting or estimating the probabilities of unions of events. */
interface Permutations {
  measures: readonly ObservedMeasure[];
  subsetSize: number;
  isPrecise: boolean;
  /** All labellings; null if there are too many. */
  allLabellings: Labellings | null;
}

interface Shares extends Pick<MinPTest, 'isExact' | 'labellingCount'> {
  shares: number[];
}

/**
 * Returns the probability of each union of events in a random labelling, or its estimate or upper bound, and the number
 * of counted or drawn labellings. Unless it counts all labellings, returns only the upper bound for the first union.
 */
function getShares(unions: readonly TailEvent[][], permutations: Permutations): Shares {
  const { measures, subsetSize: size, allLabellings } = permutations;
  if (allLabellings) {
    const hits = countHits(unions, measures, {
      subsetSize: size,
      maximum: allLabellings.length,
      sufficientHits: Infinity,
      getLabellingsUpTo: () => allLabellings,
    });
    return {
      shares: hits.map(({ count }) => count / allLabellings.length),
      isExact: true,
      labellingCount: allLabellings.length,
    };
  }
  const bounds = unions.map(getBounds);
  // The first union is for the attainable p-value, which needs only the upper bound.
  const openBounds = bounds.slice(1).filter(({ lower, upper }) => upper > lower * (1 + tolerance));
  const { estimates, labellingCount } = estimateOpenBounds(openBounds, permutations);
  const shares = bounds.map((bound) => {
    const { lower, upper } = bound;
    return Math.min(upper, Math.max(lower, estimates.get(bound) ?? upper));
  });
  return { shares, isExact: openBounds.length === 0, labellingCount };
}

/**
 * Bounds of the probability of a union: the probability of its most probable event, and the sum of the probabilities of
 * all its events, at most 1.
 */
interface Bounds {
  union: TailEvent[];
  lower: number;
  upper: number;
}

function getBounds(union: TailEvent[]): Bounds {
  const probabilities = union.map(({ probability }) => probability);
  return { union, lower: Math.max(...probabilities), upper: Math.min(1, sum(probabilities)) };
}

/**
 * Returns estimates of the probabilities that the bounds do not determine, and the approximate number of drawn
 * labellings. In groups that are too large for labellings in the tails, omits small probabilities.
 */
function estimateOpenBounds(
  openBounds: readonly Bounds[],
  { measures, subsetSize: size, isPrecise }: Permutations,
) {
  const total = measures[0]?.integerScores.length ?? 0;
  const canUseTails = canSampleTails(total, size);
  const minimum = canUseTails ? minimumForDraws : sufficientHits / maximumDraws;
  const smallBounds = canUseTails ? openBounds.filter(({ upper }) => upper < minimumForDraws) : [];
  const largeBounds = openBounds.filter(({ upper }) => upper >= minimum);
  const hits = countHits(
    largeBounds.map(({ union }) => union),
    measures,
    {
      subsetSize: size,
      maximum: Math.min(maximumDraws, Math.floor(maximumDrawnUnits / size)),
      sufficientHits: sufficientHits,
      getLabellingsUpTo: (length) => drawLabellings(total, size, length),
    },
  );
  const drawCount = isPrecise ? preciseTailDrawCount : tailDrawCount;
  const makeSeed = () =>
    JSON.stringify([size, ...measures.map(({ integerScores }) => [...integerScores])]);
  const random = smallBounds.length === 0 ? null : createSeededRandom(makeSeed());
  const estimates = new Map([
    ...largeBounds.map((bound, index) => [bound, getShare(hits[index])] as const),
    ...smallBounds.map(
      (bound) =>
        [
          bound,
          random && estimateUnion(bound.union, measures, { subsetSize: size, drawCount, random }),
        ] as const,
    ),
  ]);
  const labellingCount =
    Math.max(0, ...hits.map((hit) => hit.drawCount)) + smallBounds.length * drawCount;
  return { estimates, labellingCount };
}

/**
 * Returns count / drawCount if the hits were sufficient, otherwise (count + 1) / (drawCount + 1), which includes the
 * observed labelling (Besag & Clifford 1991).
 */
function getShare(hits: HitCount | undefined): number {
  const { count, drawCount } = hits ?? { count: 0, drawCount: 0 };
  return count >= sufficientHits ? count / drawCount : (count + 1) / (drawCount + 1);
}
