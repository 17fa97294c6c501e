import {
  countOf,
  formatCount,
  formatFitness,
  formatShare,
  formatStatistic,
  noValue,
  pValueWords,
} from '#shared/number-format.ts';
import type { GuardedPairAnswer } from '#shared/schemas/analysis-guard.ts';
import type { Interval, Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary } from '#shared/schemas/analysis.ts';
import { listed } from './notes.ts';

/** A group as sentences name it. */
type NamedGroup = Pick<GroupSummary, 'algorithm' | 'label'>;

/** A pair turned so that the effect size favours the first of the two, or neither. */
export interface OrientedPair extends Pick<
  MeasuredPair,
  // The effect size is above 0.5 unless neither is favoured, and differences are first − second.
  'effectSize' | 'effectInterval' | 'shift' | 'difference' | 'differenceInterval'
> {
  measure: Measure;
  first: NamedGroup;
  second: NamedGroup;
  pair: MeasuredPair;
  guard: GuardedPairAnswer;
}

/** The pair seen from the group that it favours; from `a` where it favours neither. */
export function orient(
  measure: Measure,
  pair: MeasuredPair,
  guard: GuardedPairAnswer,
  groups: ReadonlyMap<string, NamedGroup>,
): OrientedPair | null {
  const [a, b] = [groups.get(pair.a), groups.get(pair.b)];
  if (!a || !b) return null;
  if (pair.better !== pair.b) return { ...pair, measure, first: a, second: b, pair, guard };
  const { effectSize, effectInterval, shift, difference, differenceInterval } = pair;
  return {
    measure,
    first: b,
    second: a,
    effectSize: effectSize === null ? null : 1 - effectSize,
    effectInterval: effectInterval && mirrored(effectInterval, 1),
    shift: shift === null ? null : -shift,
    difference: difference === null ? null : -difference,
    differenceInterval: differenceInterval && mirrored(differenceInterval, 0),
    pair,
    guard,
  };
}

function mirrored({ lower, upper }: Interval, whole: 0 | 1): Interval {
  return { lower: whole - upper, upper: whole - lower };
}

/** "fitness", "runtime", …, inside a sentence. */
export const measureWords: Record<Measure, string> = {
  fitness: 'fitness',
  runtime: 'runtime',
  success: 'success rate',
  anytime: 'anytime performance',
};

/** The sentence of a claim: which group is better at what, within which budget, by how much, how sure. */
export function claimText(oriented: OrientedPair, target: number | null): string {
  const { measure, first, second, pair, guard } = oriented;
  const within = `within ${countOf(guard.commonBudget ?? 0, 'evaluation')}`;
  const claims: Record<Measure, string> = {
    fitness: `has better fitness ${within} than`,
    runtime: `reaches the target ${formatFitness(target)} in fewer evaluations than`,
    success: `reaches the target ${formatFitness(target)} ${within} more often than`,
    anytime: `has better anytime performance ${within} than`,
  };
  const claim = `${first.label} ${claims[measure]} ${second.label}`;
  return `${claim}: ${sizeWords(oriented)}; adjusted ${pValueWords(pair.adjustedPValue)}.`;
}

function sizeWords(oriented: OrientedPair): string {
  const { measure, difference, differenceInterval } = oriented;
  if (measure !== 'success') return `${effectWords(oriented)}${shiftWords(oriented)}`;
  const [first, second] = countsOf(oriented);
  return (
    `${first.solved} of ${first.runs} runs against ${second.solved} of ${second.runs}, ` +
    `a difference of ${formatShare(difference)}${rangeWords(differenceInterval, formatShare)}`
  );
}

/** How many runs of either group are in the test, and how many of them reached the target. */
function countsOf({ first, pair, guard }: OrientedPair) {
  const a = { solved: guard.solvedA ?? 0, runs: guard.runsA };
  const b = { solved: guard.solvedB ?? 0, runs: guard.runsB };
  return first.algorithm === pair.a ? ([a, b] as const) : ([b, a] as const);
}

/** "A12 = 0.853 [0.634, 0.951], a large effect". */
function effectWords({ effectSize, effectInterval, pair }: OrientedPair): string {
  const range = rangeWords(effectInterval, formatStatistic);
  return `A12 = ${formatStatistic(effectSize)}${range}, a ${pair.effectLabel ?? noValue} effect`;
}

function rangeWords(interval: Interval | null, print: (value: number) => string): string {
  return interval ? ` [${print(interval.lower)}, ${print(interval.upper)}]` : '';
}

function shiftWords(oriented: OrientedPair): string {
  const { measure, shift, first, second, guard } = oriented;
  if (measure === 'fitness' && shift !== null) {
    return `, a shift of ${formatFitness(Math.abs(shift))}`;
  }
  if (measure !== 'runtime') return '';
  // The median of all differences may point the other way than A12: then it is not given.
  if (shift !== null) return shift < 0 ? `, ${formatCount(-shift)} evaluations fewer` : '';
  const counts = countsOf(oriented);
  const missed = [first, second].flatMap(({ label }, index) => {
    const { runs = 0, solved = 0 } = counts[index] ?? {};
    return runs > solved ? `${runs - solved} of ${runs} runs of ${label}` : [];
  });
  if (missed.length === 0) return '';
  const within = `within ${countOf(guard.commonBudget ?? 0, 'evaluation')}`;
  return ` (size of the difference not estimable: ${missed.join(' and ')} missed the target ${within})`;
}

/** "cga and pbil (adjusted p = 0.904); … and 2 more". */
export function pairList(pairs: readonly OrientedPair[]): string {
  return listed(
    pairs.map(
      ({ pair, first, second }) =>
        `${first.label} and ${second.label} (adjusted ${pValueWords(pair.adjustedPValue)})`,
    ),
  );
}

/** "Runtime favours umda (A12 = 0.8, adjusted p = 0.001)", from the measure on. */
export function favourWords(oriented: OrientedPair): string {
  const { measure, first, effectSize, pair } = oriented;
  return (
    `${measureWords[measure]} favours ${first.label} (A12 = ${formatStatistic(effectSize)}, adjusted ` +
    `${pValueWords(pair.adjustedPValue)})`
  );
}
