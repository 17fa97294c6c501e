import {
  formatFitness,
  formatPValue,
  formatStatistic,
  pValueWords,
} from '#shared/number-format.ts';
import type { Measure, VerdictSentence } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';
import {
  measureWords,
  orient,
  pairList,
  supportedText,
  type OrientedPair,
} from './verdict-words.ts';

/** What a verdict is written from. */
export type VerdictFacts = Pick<
  ProblemComparison,
  'algorithms' | 'pairwise' | 'targetFitness' | 'notes'
>;

/** The pairs of each measure that can be asked. */
type OrientedPairs = Partial<Record<Measure, OrientedPair[]>>;

/**
 * What a careful colleague would say of a comparison: who is better than all others; then each difference that
 * a test supports, best supported first; then where fitness and runtime disagree, what is not shown, and
 * what could not be tested; before all, that runs stopped at an easier target. What a test does not support is never said to be different, nor alike. Runtime
 * speaks first where a run reached the target, else fitness. Empty without groups.
 */
export function verdictOf(facts: VerdictFacts): VerdictSentence[] {
  const { algorithms, pairwise, targetFitness, notes } = facts;
  const [only, ...others] = algorithms;
  if (!only) return [];
  if (others.length === 0) {
    return [about(null, `Only ${only.label} has runs: there is nothing to compare it with.`)];
  }
  const groups = new Map(algorithms.map((group) => [group.algorithm, group]));
  const pairs: OrientedPairs = {};
  for (const measure of measures) {
    pairs[measure] =
      pairwise[measure]?.flatMap((pair) => orient(measure, pair, groups) ?? []) ?? [];
  }
  const isSolved = algorithms.some(({ successfulRuns }) => successfulRuns > 0);
  const first = targetFitness !== null && isSolved ? 'runtime' : 'fitness';
  const asked = targetFitness === null || isSolved ? measures : (['fitness', 'anytime'] as const);
  const caution = notes.find(({ code }) => code === 'TARGET_BEYOND_STOPPING');
  const untested = notes.find(({ code }) => code === 'PAIRS_LEFT_OUT');
  return [
    ...(caution ? [about('runtime', caution.message)] : []),
    ...(isSolved || targetFitness === null ? [] : [unsolvedSentence(targetFitness)]),
    ...leaderSentence(pairs[first] ?? [], algorithms, first),
    ...supportedSentences(pairs, first, asked, targetFitness),
    ...(first === 'runtime' ? disagreements(pairs) : []),
    ...unsupportedSentences(pairs[first] ?? [], first),
    ...untestedSentences(pairs[first] ?? [], first),
    ...(untested ? [about(null, untested.message)] : []),
  ];
}

function about(
  measure: Measure | null,
  text: string,
  a: string | null = null,
  b: string | null = null,
): VerdictSentence {
  return { measure, text, a, b };
}

function unsolvedSentence(target: number): VerdictSentence {
  return about(
    'runtime',
    `No run reached the target ${formatFitness(target)}: runtime and success tell nothing of the groups.`,
  );
}

/** The group that is better than each of two or more others, every difference supported. */
function leaderSentence(
  pairs: readonly OrientedPair[],
  groups: readonly GroupSummary[],
  measure: Measure,
): VerdictSentence[] {
  const won = Map.groupBy(pairs.filter(isSupported), ({ first }) => first.algorithm);
  const leader = groups.find(
    ({ algorithm }) => (won.get(algorithm)?.length ?? 0) === groups.length - 1,
  );
  if (!leader || groups.length < 3) return [];
  const worst = Math.max(
    ...(won.get(leader.algorithm) ?? []).map(({ pair }) => pair.holmAdjustedPValue ?? 1),
  );
  const text =
    `${leader.label} is the best of ${groups.length} on ${measureWords[measure]}: better than each of the ` +
    `others, adjusted p at most ${formatPValue(worst)}.`;
  return [about(measure, text, leader.algorithm)];
}

function isSupported({ pair }: OrientedPair): boolean {
  return pair.significant && pair.better !== 'none';
}

/** Each supported difference on the first measure, and on another one where the first supports none. */
function supportedSentences(
  pairs: OrientedPairs,
  measure: Measure,
  asked: readonly Measure[],
  target: number | null,
): VerdictSentence[] {
  const settled = new Set((pairs[measure] ?? []).filter(isSupported).map(pairKey));
  return asked
    .flatMap((other) => pairs[other] ?? [])
    .filter(isSupported)
    .filter((pair) => pair.measure === measure || !settled.has(pairKey(pair)))
    .sort((a, b) => (a.pair.holmAdjustedPValue ?? 1) - (b.pair.holmAdjustedPValue ?? 1))
    .map((pair) =>
      about(pair.measure, supportedText(pair, target), pair.first.algorithm, pair.second.algorithm),
    );
}

function pairKey({ pair }: OrientedPair): string {
  return JSON.stringify([pair.a, pair.b]);
}

/** Where the target censors final fitness: it favours the other group, or does not show what runtime shows. */
function disagreements({ fitness = [], runtime = [] }: OrientedPairs): VerdictSentence[] {
  const byFitness = new Map(fitness.map((pair) => [pairKey(pair), pair]));
  const both = runtime.flatMap((timed) => {
    const ended = byFitness.get(pairKey(timed));
    return ended && ended.pair.pValue !== null && timed.pair.pValue !== null
      ? [{ timed, ended }]
      : [];
  });
  const turned = both.filter(
    ({ timed, ended }) => isTold(timed) && isTold(ended) && timed.first !== ended.first,
  );
  const hidden = both.filter(
    (one) => isSupported(one.timed) && !isSupported(one.ended) && !turned.includes(one),
  );
  return [
    ...turned.map(({ timed, ended }) => turnedSentence(timed, ended)),
    ...hiddenSentence(hidden.map(({ ended }) => ended)),
  ];
}

/** A negligible effect points nowhere. */
function isTold({ pair }: OrientedPair): boolean {
  return pair.better !== 'none' && pair.effectLabel !== 'negligible';
}

function turnedSentence(timed: OrientedPair, ended: OrientedPair): VerdictSentence {
  const favour = (pair: OrientedPair) =>
    `${pair.first.label} (A12 = ${formatStatistic(pair.effectSize)}, adjusted ` +
    `${pValueWords(pair.pair.holmAdjustedPValue)})`;
  const text =
    `Between ${timed.first.label} and ${timed.second.label} the measures point in opposite directions: ` +
    `runtime to ${favour(timed)}, final fitness to ${favour(ended)}. ${supportWords(timed, ended)}`;
  return about('fitness', text, timed.first.algorithm, timed.second.algorithm);
}

function supportWords(timed: OrientedPair, ended: OrientedPair): string {
  if (isSupported(timed) && isSupported(ended)) return 'Both are supported.';
  if (isSupported(timed)) return 'Only the former is supported.';
  return isSupported(ended) ? 'Only the latter is supported.' : 'Neither is supported.';
}

function hiddenSentence(pairs: readonly OrientedPair[]): VerdictSentence[] {
  if (pairs.length === 0) return [];
  const text =
    `Final fitness alone shows no difference between ${pairList(pairs)}: whoever reaches the target ` +
    'stops there, whatever it took.';
  return [about('fitness', text, ...namesOfOnly(pairs))];
}

function unsupportedSentences(pairs: readonly OrientedPair[], measure: Measure): VerdictSentence[] {
  const tested = pairs.filter((pair) => pair.pair.pValue !== null && !isSupported(pair));
  const isHopeless = ({ pair }: OrientedPair) => (pair.attainablePValue ?? 0) > 0.05;
  const hopeless = tested.filter(isHopeless);
  const unsupported = tested.filter((pair) => !isHopeless(pair));
  return [
    ...listSentence(
      unsupported,
      measure,
      (list) =>
        `No difference in ${measureWords[measure]} is shown between ${list}. That does not show that they are alike.`,
    ),
    ...listSentence(
      hopeless,
      measure,
      (list) =>
        `There are too few runs to show any difference in ${measureWords[measure]} between ${list}, ` +
        'however large it is.',
    ),
  ];
}

function listSentence(
  pairs: readonly OrientedPair[],
  measure: Measure,
  write: (list: string) => string,
): VerdictSentence[] {
  if (pairs.length === 0) return [];
  return [about(measure, write(pairList(pairs)), ...namesOfOnly(pairs))];
}

function namesOfOnly(pairs: readonly OrientedPair[]): [string | null, string | null] {
  const [only, ...others] = pairs;
  return only && others.length === 0 ? [only.first.algorithm, only.second.algorithm] : [null, null];
}

/** Groups without a run that the first measure could be taken of. */
function untestedSentences(pairs: readonly OrientedPair[], measure: Measure): VerdictSentence[] {
  const empty = new Map(
    pairs.flatMap(({ pair, first, second }) => {
      const [a, b] = first.algorithm === pair.a ? [first, second] : [second, first];
      return [...(pair.nA === 0 ? [a] : []), ...(pair.nB === 0 ? [b] : [])].map(
        (group) => [group.algorithm, group.label] as const,
      );
    }),
  );
  if (empty.size === 0) return [];
  const text = `Not compared on ${measureWords[measure]}, for want of runs to test: ${[...empty.values()].join(', ')}.`;
  const [only = null] = empty.size === 1 ? empty.keys() : [];
  return [about(measure, text, only)];
}
