import {
  formatCount,
  formatFitness,
  formatShare,
  formatStatistic,
  noValue,
  pValueWords,
} from '#shared/number-format.ts';
import type { Interval, Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary } from '#shared/schemas/analysis.ts';
import { listed } from './notes.ts';

/** A pair turned so that the effect size favours the first of the two, or nobody. */
export interface OrientedPair extends Pick<
  MeasuredPair,
  // The effect size is above 0.5 unless nobody is favoured, and differences are first − second.
  'effectSize' | 'effectInterval' | 'shift' | 'difference' | 'differenceInterval'
> {
  measure: Measure;
  first: GroupSummary;
  second: GroupSummary;
  pair: MeasuredPair;
}

/** The pair seen from the group that it favours; from `a` where it favours nobody. */
export function orient(
  measure: Measure,
  pair: MeasuredPair,
  groups: ReadonlyMap<string, GroupSummary>,
): OrientedPair | null {
  const [a, b] = [groups.get(pair.a), groups.get(pair.b)];
  if (!a || !b) return null;
  if (pair.better !== pair.b) return { ...pair, measure, first: a, second: b, pair };
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
  };
}

function mirrored({ lower, upper }: Interval, whole: 0 | 1): Interval {
  return { lower: whole - upper, upper: whole - lower };
}

/** "Final fitness", "Runtime", …, inside a sentence. */
export const measureWords: Record<Measure, string> = {
  fitness: 'final fitness',
  runtime: 'runtime',
  success: 'success',
  anytime: 'anytime performance',
};

/** The sentence of a difference that its test supports: who is better at what, by how much, how sure. */
export function supportedText(oriented: OrientedPair, target: number | null): string {
  const { measure, first, second, pair } = oriented;
  const claims: Record<Measure, string> = {
    fitness: 'ends with better fitness than',
    runtime: `reaches the target ${formatFitness(target)} in fewer evaluations than`,
    success: `reaches the target ${formatFitness(target)} more often than`,
    anytime: 'has the better anytime performance, over the whole budget, than',
  };
  const claim = `${first.label} ${claims[measure]} ${second.label}`;
  return `${claim}: ${sizeWords(oriented)}; adjusted ${pValueWords(pair.holmAdjustedPValue)}.`;
}

function sizeWords(oriented: OrientedPair): string {
  const { measure, first, second, pair, difference, differenceInterval } = oriented;
  if (measure !== 'success') return `${effectWords(oriented)}${shiftWords(oriented)}`;
  const [nFirst, nSecond] = first.algorithm === pair.a ? [pair.nA, pair.nB] : [pair.nB, pair.nA];
  return (
    `${first.successfulRuns} of ${nFirst} runs against ${second.successfulRuns} of ${nSecond}, ` +
    `a difference of ${formatShare(difference)}${rangeWords(differenceInterval, formatShare)}`
  );
}

/** "A12 = 0.853 [0.634, 0.951], a large effect". */
export function effectWords({ effectSize, effectInterval, pair }: OrientedPair): string {
  const range = rangeWords(effectInterval, formatStatistic);
  return `A12 = ${formatStatistic(effectSize)}${range}, a ${pair.effectLabel ?? noValue} effect`;
}

function rangeWords(interval: Interval | null, print: (value: number) => string): string {
  return interval ? ` [${print(interval.lower)}, ${print(interval.upper)}]` : '';
}

function shiftWords({ measure, shift, first, second }: OrientedPair): string {
  if (measure === 'fitness' && shift !== null) {
    return `, a shift of ${formatFitness(Math.abs(shift))}`;
  }
  if (measure !== 'runtime') return '';
  if (shift !== null) return `, ${formatCount(Math.abs(shift))} evaluations fewer`;
  const missed = [first, second].flatMap(({ label, totalRuns, successfulRuns }) => {
    const others = totalRuns - successfulRuns;
    return others > 0 ? `${others} of ${totalRuns} runs of ${label}` : [];
  });
  if (missed.length === 0) return '';
  return ` (how many fewer is not known: ${missed.join(' and ')} did not reach it)`;
}

/** "cga and pbil (adjusted p = 0.904); … and 2 more pairs". */
export function pairList(pairs: readonly OrientedPair[]): string {
  return listed(
    pairs.map(
      ({ pair, first, second }) =>
        `${first.label} and ${second.label} (adjusted ${pValueWords(pair.holmAdjustedPValue)})`,
    ),
  );
}
