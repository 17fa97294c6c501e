import { binomial } from './binomial.ts';
import type { UniformRandom } from './seeded-random.ts';

/** A measure as integer scores of the units, whose test statistic is their sum over the chosen units. */
export interface TailMeasure {
  places: Int32Array;
  /** Smallest and largest sum that a labelling can have. */
  lowest: number;
  highest: number;
}

/** One event for each measure, of probability 0 where the measure does not take part, and from how many labellings to estimate the probability that any happens. */
export interface SampledUnion {
  events: readonly TailEvent[];
  draws: number;
}

/** The event that the sum of a measure is at most `lower` or at least `upper`, and its probability. */
export interface TailEvent {
  lower: number;
  upper: number;
  probability: number;
}

/** Doubles that the table of one tail may hold: 32 MB. */
const mostEntries = 4_000_000;

/**
 * Estimates, for each union, the probability that at least one of its events happens under a random labelling of `chosen`
 * units, with a relative standard error of about 1 / √(4 · draws) however small it is: the sum over the events of P(event) times
 * the mean of 1 / (number of events that happen) over labellings drawn from that event (Karp & Luby 1983). Null where
 * a tail is too large to draw from.
 */
export function estimateUnions(
  unions: readonly SampledUnion[],
  measures: readonly TailMeasure[],
  chosen: number,
  random: UniformRandom,
): number[] | null {
  const bounds = unions.map(({ events }) =>
    events.reduce((total, one) => total + one.probability, 0),
  );
  const tails = measures.flatMap((_, index) => tailsOf(index, unions, measures, chosen));
  if (tails.some((tail) => entriesOf(tail, chosen) > mostEntries)) return null;
  const estimates = unions.map(() => 0);
  const labelling = new Int32Array(chosen);
  const labellings = binomial(measures[0]?.places.length ?? 0, chosen);
  for (const tail of tails) {
    const table = countWays(tail.sorted, chosen, Math.max(...tail.lasts));
    for (const [index, { events, draws: wanted }] of unions.entries()) {
      const last = tail.lasts[index] ?? -1;
      if (last < 0) continue;
      const cumulated = cumulate(table, last);
      const probability = (tail.weight * (cumulated[last] ?? 0)) / labellings;
      const draws = Math.ceil((wanted * probability) / (bounds[index] ?? 1));
      let share = 0;
      for (let draw = 0; draw < draws; draw += 1) {
        drawPositions(table, cumulated, random, labelling);
        for (let place = 0; place < chosen; place += 1) {
          labelling[place] = tail.order[labelling[place] ?? 0] ?? 0;
        }
        share += 1 / countEvents(labelling, events, measures, tail.measure);
      }
      estimates[index] = (estimates[index] ?? 0) + (probability * share) / draws;
    }
  }
  return estimates;
}

/** The labellings with the lowest sums of a measure, or by mirrored places those with the highest. */
interface Tail {
  measure: number;
  /** Units in ascending order of their places, and these places. */
  order: number[];
  sorted: number[];
  /** For each union how far above the lowest sum its event goes; -1 for an event without labellings here. */
  lasts: number[];
  /** 2 where the lower tail also stands for the upper one. */
  weight: number;
}

/** Both tails of a measure; with groups of equal sizes the lower one, whose complements are the upper one and have the same statistics. */
function tailsOf(
  measure: number,
  unions: readonly SampledUnion[],
  measures: readonly TailMeasure[],
  chosen: number,
): Tail[] {
  const { places, lowest, highest } = measures[measure] ?? noMeasure;
  const largest = places.reduce((a, b) => Math.max(a, b), 0);
  const isSymmetric = 2 * chosen === places.length;
  const tailOf = (values: Int32Array, lasts: (number | undefined)[]): Tail => {
    const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
    const sorted = order.map((unit) => values[unit] ?? 0);
    return {
      measure,
      order,
      sorted,
      lasts: lasts.map((last) => last ?? -1),
      weight: isSymmetric ? 2 : 1,
    };
  };
  const events = unions.map((union) => union.events[measure]);
  const lower = tailOf(
    places,
    events.map((event) => event && event.lower - lowest),
  );
  const mirrored = places.map((place) => largest - place);
  const upper = tailOf(
    mirrored,
    events.map((event) => event && highest - event.upper),
  );
  const tails = isSymmetric ? [lower] : [lower, upper];
  return tails.filter(({ lasts }) => lasts.some((last) => last >= 0));
}

const noMeasure: TailMeasure = { places: new Int32Array(0), lowest: 0, highest: 0 };

function entriesOf({ sorted, lasts }: Tail, chosen: number): number {
  return (chosen + 1) * (sorted.length - chosen + 1) * (Math.max(...lasts) + 1);
}

/** How many of the events happen; that of the measure whose tail was drawn from always does. */
function countEvents(
  labelling: Int32Array,
  events: readonly TailEvent[],
  measures: readonly TailMeasure[],
  drawn: number,
): number {
  let count = 1;
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index];
    const places = measures[index]?.places;
    if (index === drawn || !event || !places || event.probability === 0) continue;
    let placeSum = 0;
    for (let unit = 0; unit < labelling.length; unit += 1) {
      placeSum += places[labelling[unit] ?? 0] ?? 0;
    }
    if (placeSum <= event.lower || placeSum >= event.upper) count += 1;
  }
  return count;
}

/** Number of ways to choose a of the first a + b places with a sum of s above the lowest, at (a · (others + 1) + b) · width + s. */
interface WaysTable {
  ways: Float64Array;
  width: number;
  others: number;
  places: readonly number[];
}

/**
 * Counts the ways for all a and b and each s up to `last`: ways(a, b, s) = ways(a, b − 1, s) + ways(a − 1, b, s − shift),
 * without the last place or with it, as `countSums` does. Takes ascending places.
 */
function countWays(places: readonly number[], chosen: number, last: number): WaysTable {
  const others = places.length - chosen;
  const width = last + 1;
  const ways = new Float64Array((chosen + 1) * (others + 1) * width);
  for (let a = 0; a <= chosen; a += 1) {
    for (let b = 0; b <= others; b += 1) {
      const start = (a * (others + 1) + b) * width;
      if (a === 0 || b === 0) {
        ways[start] = 1;
        continue;
      }
      const shift = shiftAt(places, a, b);
      const without = start - width;
      const withLast = start - (others + 1) * width - shift;
      ways.copyWithin(start, without, without + width);
      for (let s = shift; s < width; s += 1) {
        ways[start + s] = (ways[start + s] ?? 0) + (ways[withLast + s] ?? 0);
      }
    }
  }
  return { ways, width, others, places };
}

/** By how much the a-th place rises when the last of the first a + b takes it. */
function shiftAt(places: readonly number[], a: number, b: number): number {
  return (places[a + b - 1] ?? 0) - (places[a - 1] ?? 0);
}

/** Number of ways with each sum up to `last` or a smaller one. */
function cumulate({ ways, width }: WaysTable, last: number): Float64Array {
  const cumulated = ways.slice(ways.length - width, ways.length - width + last + 1);
  for (let s = 1; s <= last; s += 1) cumulated[s] = (cumulated[s] ?? 0) + (cumulated[s - 1] ?? 0);
  return cumulated;
}

/** Writes the positions of a random choice among all that the cumulated ways count into `positions`. */
function drawPositions(
  table: WaysTable,
  cumulated: Float64Array,
  random: UniformRandom,
  positions: Int32Array,
): void {
  const { ways, width, others, places } = table;
  const target = random() * (cumulated.at(-1) ?? 0);
  let s = 0;
  while (s < cumulated.length - 1 && (cumulated[s] ?? 0) <= target) s += 1;
  let [a, b] = [positions.length, others];
  while (a > 0) {
    const here = (a * (others + 1) + b) * width + s;
    const without = b > 0 ? (ways[here - width] ?? 0) : 0;
    if (random() * (ways[here] ?? 0) < without) {
      b -= 1;
    } else {
      positions[a - 1] = a + b - 1;
      s -= shiftAt(places, a, b);
      a -= 1;
    }
  }
}
