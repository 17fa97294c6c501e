import {
  countHits,
  drawLabellings,
  type Hits,
  type Labellings,
  listLabellings,
} from './labellings.ts';
import { linearStatistic, type LinearStatistic } from './linear-statistic.ts';
import { seededRandom } from './seeded-random.ts';
import { sum } from './sum.ts';
import { estimateUnions, type TailEvent } from './tail-sampling.ts';

/** Two groups and what their units achieved on each measure. */
export interface MinPInput {
  /** For each measure the mid-ranks of the units, or means of equally many mid-ranks: first those of group a, then those of b. */
  scores: readonly (readonly number[])[];
  /** Number of units in group a. */
  sizeA: number;
  /** Number of pairs in the family of this one, default 1: an adjusted p-value that it leaves undecided is estimated more precisely. */
  pairs?: number;
}

/** Result of the min-p test of a pair of groups; p-values are null where nothing can be tested. */
export interface MinPTest {
  /** That the groups are alike on all measures: the smallest of the adjusted p-values. */
  pValue: number | null;
  /** Smallest p-value that any assignment of the units to the groups could give; an upper bound of it where not all are listed. */
  attainablePValue: number | null;
  /** Of each measure, in order. */
  measures: MinPMeasure[];
  /** Whether all labellings were counted, or a single measure decides, so that nothing is estimated. */
  isExact: boolean;
  /** Labellings that the adjusted p-values were counted or estimated from; 0 where distributions of single measures gave them. */
  labellings: number;
}

/** P-values of one measure of a pair. */
export interface MinPMeasure {
  /** Of the rank-sum test on this measure alone. */
  pValue: number | null;
  /** Adjusted for the number of measures, step-down. */
  adjustedPValue: number | null;
}

/** A draw reaches no closer than this to a p-value that it cannot tell from an equal one. */
const tolerance = 1e-9;

/** Level at which claims are made. */
const alpha = 0.05;

/** Upper bound of a p-value from which random labellings resolve it well enough. */
const leastForDraws = 0.05;

/** Draws end when so many of them were at least as extreme (Besag & Clifford 1991), or at the most. */
const sufficientHits = 200;
const mostDraws = 10_000;
const mostDrawnUnits = 2_000_000;

/**
 * Permutation test of two groups on several measures at once, by the smallest p-value, step-down (Westfall & Young 1993,
 * algorithm 2.8). A measure's statistic is the distance of its rank sum from the mean, its p-value the share of all
 * labellings that reach it. Of the M measures, ordered by their p-values p(1) <= ... <= p(M), the j-th gets the
 * share q(j) of labellings under which any of the measures from j on has a p-value of at most p(j), and as adjusted p-value
 * the largest q up to its own.
 *
 * Counts all labellings up to 20,000 of them. Beyond, a large q is estimated from random labellings until 200 of them are
 * as extreme (Besag & Clifford 1991), a small one from labellings drawn from the tails of the measures (see
 * {@link sampleTails}), with a relative error of a few percent whatever its size; where the groups are too large for that, by the sum of the measures' own
 * probabilities, its upper bound.
 *
 * The result does not depend on which group comes first or on the order of units; nor, as far as the measures differ, on theirs.
 * A measure whose values are all equal has p = 1. Without measures, and with an empty group, all p-values are null. Throws a RangeError for a score that is not finite and for measures of different lengths.
 */
export function minPTest({ scores, sizeA, pairs = 1 }: MinPInput): MinPTest {
  const total = scores[0]?.length ?? 0;
  if (scores.some(({ length }) => length !== total)) {
    throw new RangeError('Every measure needs one score for each unit.');
  }
  if (sizeA < 1 || sizeA >= total) return untestable(scores.length);
  const chosen = Math.min(sizeA, total - sizeA);
  const listed = listLabellings(total, chosen);
  const all = scores.map((values) => observe(values, sizeA, listed !== null));
  const measures = inCommonOrder(all);
  const levels = [
    Math.min(...measures.map(({ smallest }) => smallest)),
    ...measures.map(({ pValue }) => pValue),
  ];
  const unions = levels.map((level, first) =>
    measures.map((measure, index) => eventUpTo(level, index + 1 < first ? null : measure)),
  );
  const { shares, isExact, labellings } = sharesOf(unions, { measures, chosen, listed, pairs });
  const adjusted = new Map<string, number>();
  let largest = 0;
  for (const [index, measure] of measures.entries()) {
    largest = Math.max(largest, shares[index + 1] ?? NaN);
    adjusted.set(measure.key, largest);
  }
  return {
    pValue: adjusted.get(measures[0]?.key ?? '') ?? null,
    attainablePValue: Math.min(shares[0] ?? 1, shares[1] ?? 1),
    measures: all.map(({ pValue, key }) => ({
      pValue,
      adjustedPValue: adjusted.get(key) ?? null,
    })),
    isExact,
    labellings,
  };
}

function untestable(measures: number): MinPTest {
  const nothing = { pValue: null, adjustedPValue: null };
  return {
    pValue: null,
    attainablePValue: null,
    measures: Array.from({ length: measures }, () => nothing),
    isExact: true,
    labellings: 0,
  };
}

/** A measure of the pair as it was observed. */
interface ObservedMeasure extends LinearStatistic {
  pValue: number;
  /** Smallest p-value of any labelling. */
  smallest: number;
  /** Equal for measures that order the units alike or in reverse, which have the same p-value under every labelling. */
  key: string;
}

function observe(scores: readonly number[], sizeA: number, isExact: boolean): ObservedMeasure {
  const isFirstChosen = 2 * sizeA <= scores.length;
  const chosen = isFirstChosen ? sizeA : scores.length - sizeA;
  const statistic = linearStatistic(scores, chosen, isExact);
  const { places, pValueOf, lowest, highest } = statistic;
  const observed = isFirstChosen ? places.subarray(0, sizeA) : places.subarray(sizeA);
  const largest = places.reduce((a, b) => Math.max(a, b), 0);
  const keys = [places.join(), places.map((place) => largest - place).join()];
  return {
    ...statistic,
    pValue: pValueOf(observed.reduce((a, b) => a + b, 0)),
    smallest: Math.min(pValueOf(lowest), pValueOf(highest)),
    key: keys.sort()[0] ?? '',
  };
}

/** The different measures by ascending p-value, with their units in an order that does not depend on the groups. */
function inCommonOrder(all: readonly ObservedMeasure[]): ObservedMeasure[] {
  const sortedText = ({ places }: ObservedMeasure) => places.toSorted().join();
  const firsts = new Map(all.toReversed().map((measure) => [measure.key, measure]));
  const measures = [...firsts.values()]
    .map((measure) => ({ measure, text: sortedText(measure) }))
    .sort((a, b) => a.measure.pValue - b.measure.pValue || (a.text < b.text ? -1 : 1))
    .map(({ measure }) => measure);
  const units = [...(measures[0]?.places.keys() ?? [])].sort((a, b) => {
    const decisive = measures.find(({ places }) => places[a] !== places[b]);
    return decisive ? (decisive.places[a] ?? 0) - (decisive.places[b] ?? 0) : 0;
  });
  return measures.map((measure) => ({
    ...measure,
    places: Int32Array.from(units, (unit) => measure.places[unit] ?? 0),
  }));
}

/** The sums of a measure whose p-value is at most the level; an impossible event for no measure. */
function eventUpTo(level: number, measure: ObservedMeasure | null): TailEvent {
  if (!measure) return { lower: -1, upper: Infinity, probability: 0 };
  const { lowest, highest, mean, pValueOf } = measure;
  const isInside = (placeSum: number) => pValueOf(placeSum) <= level * (1 + tolerance);
  const lower = lastInside(lowest, Math.floor(mean), isInside);
  const upper = -lastInside(-highest, -Math.ceil(mean), (negative) => isInside(-negative));
  return {
    lower,
    upper,
    probability: Math.max(
      lower < lowest ? 0 : pValueOf(lower),
      upper > highest ? 0 : pValueOf(upper),
    ),
  };
}

/** The last integer from `first` to `last` that is inside, where those inside come first; `first` − 1 for none. */
function lastInside(first: number, last: number, isInside: (value: number) => boolean): number {
  let [inside, outside] = [first - 1, last + 1];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (isInside(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}

/** What the probability of unions of events is counted or estimated from. */
interface Permutations {
  measures: readonly ObservedMeasure[];
  chosen: number;
  pairs: number;
  /** Every labelling, where they are few. */
  listed: Labellings | null;
}

/** Probability of each union of events under a random labelling, and how many labellings gave it. */
function sharesOf(unions: readonly TailEvent[][], permutations: Permutations): Shares {
  const { measures, chosen, listed, pairs } = permutations;
  if (listed) {
    const all = { most: listed.length, sufficient: Infinity, labellingsUpTo: () => listed };
    const hits = countHits(unions, measures, { chosen, ...all });
    return {
      shares: hits.map(({ count }) => count / listed.length),
      isExact: true,
      labellings: listed.length,
    };
  }
  const bounds = unions.map(boundsOf);
  // The attainable p-value, the first, is a bound already.
  const open = bounds.slice(1).filter(({ lower, upper }) => upper > lower * (1 + tolerance));
  const small = open.filter(({ upper }) => upper < leastForDraws);
  const sampled = estimateSmall(small, permutations);
  const least = sampled ? leastForDraws : sufficientHits / mostDraws;
  const drawn = open.filter(({ upper }) => upper >= least);
  const total = measures[0]?.places.length ?? 0;
  const hits = countHits(
    drawn.map(({ union }) => union),
    measures,
    {
      chosen,
      most: Math.min(mostDraws, Math.floor(mostDrawnUnits / chosen)),
      sufficient: sufficientHits,
      labellingsUpTo: (length) => drawLabellings(total, chosen, length),
    },
  );
  const estimates = new Map([
    ...small.map((bound, index) => [bound, sampled?.[index]] as const),
    ...drawn.map((bound, index) => [bound, shareOf(hits[index])] as const),
  ]);
  return {
    shares: bounds.map((bound) => {
      const { lower, upper } = bound;
      return Math.min(upper, Math.max(lower, estimates.get(bound) ?? upper));
    }),
    isExact: open.length === 0,
    labellings:
      Math.max(0, ...hits.map(({ draws }) => draws)) +
      (sampled ? sum(small.map((bound) => tailDrawsOf(bound, pairs))) : 0),
  };
}

interface Shares extends Pick<MinPTest, 'isExact' | 'labellings'> {
  shares: number[];
}

/** Bounds of the probability of a union: that of its most probable event, and the sum of all. */
interface Bounds {
  union: TailEvent[];
  lower: number;
  upper: number;
}

/** Fewer where the bounds are on one side of every level that Holm's procedure can compare with. */
function tailDrawsOf({ lower, upper }: Bounds, pairs: number): number {
  return lower <= alpha && upper * pairs > alpha ? 1000 : 100;
}

function boundsOf(union: TailEvent[]): Bounds {
  const probabilities = union.map(({ probability }) => probability);
  return { union, lower: Math.max(...probabilities), upper: Math.min(1, sum(probabilities)) };
}

/** Null where the distribution of a measure is not known or too large. */
function estimateSmall(
  small: readonly Bounds[],
  { measures, chosen, pairs }: Permutations,
): number[] | null {
  if (small.length === 0) return [];
  if (!measures.every(({ isExact }) => isExact)) return null;
  const seed = JSON.stringify([chosen, ...measures.map(({ places }) => [...places])]);
  const unions = small.map((bound) => ({
    events: bound.union,
    draws: tailDrawsOf(bound, pairs),
  }));
  return estimateUnions(unions, measures, chosen, seededRandom(seed));
}

/** Besag & Clifford 1991: count / draws where the hits sufficed, else with the observed labelling as one more. */
function shareOf(hits: Hits | undefined): number {
  const { count, draws } = hits ?? { count: 0, draws: 0 };
  return count >= sufficientHits ? count / draws : (count + 1) / (draws + 1);
}
