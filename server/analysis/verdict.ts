import { binomial } from '#server/stats/binomial.ts';
import {
  countOf,
  formatCount,
  formatFitness,
  formatPValue,
  formatShare,
} from '#shared/number-format.ts';
import type { GuardedPairAnswer } from '#shared/schemas/analysis-guard.ts';
import type { Measure, VerdictSentence } from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';
import {
  claimText,
  favourWords,
  measureWords,
  orient,
  pairList,
  type OrientedPair,
} from './verdict-words.ts';

/** What a verdict is written from. */
export type VerdictFacts = Pick<
  ProblemComparison,
  'algorithms' | 'pairwise' | 'guard' | 'targetFitness' | 'notes'
>;

/** The pairs of each measure that can be tested. */
type OrientedPairs = Partial<Record<Measure, OrientedPair[]>>;

/**
 * Returns the sentences of a comparison: first what limits it; then which group is better than all others; then each
 * claimed difference, strongest evidence first; then what is undecided; then what could not be tested. While a run is
 * RUNNING it claims nothing. Runtime comes first where a run reached the target, else fitness. Empty without groups.
 */
export function verdictOf(facts: VerdictFacts): VerdictSentence[] {
  const { algorithms, guard, targetFitness, notes } = facts;
  const [only, ...others] = algorithms;
  if (!only) return [];
  if (others.length === 0) {
    const text = `Only one group (${only.label}) has runs, so there is nothing to compare.`;
    return [about('caution', null, text)];
  }
  const pairs = orientPairs(facts);
  const isTested = guard.pairs.some((pair) => pair.isTested);
  const isSolved = guard.pairs.some(({ solvedA, solvedB }) => (solvedA ?? 0) + (solvedB ?? 0) > 0);
  const first = targetFitness !== null && isSolved ? 'runtime' : 'fitness';
  const shown =
    targetFitness === null || isSolved ? byImportance : (['anytime', 'fitness'] as const);
  const caution = notes.find(({ code }) => code === 'TARGET_BEYOND_STOPPING');
  const tooMany = notes.find(({ code }) => code === 'PAIRS_LEFT_OUT');
  const isUnsolved = targetFitness !== null && isTested && !isSolved;
  return [
    ...(guard.isInterim ? [about('caution', null, guard.heading)] : []),
    ...(caution ? [about('caution', 'runtime', caution.message)] : []),
    ...(isUnsolved ? [unsolvedSentence(targetFitness)] : []),
    ...(guard.isInterim ? [] : findings(pairs, first, shown, facts)),
    ...untestedSentences(guard.pairs),
    ...(tooMany ? [about('untested', null, tooMany.message)] : []),
  ];
}

/** Measures in the order in which claims of one p-value are listed. */
const byImportance = ['runtime', 'success', 'anytime', 'fitness'] as const;

/** What the tests of ended runs say. */
function findings(
  pairs: OrientedPairs,
  first: Measure,
  shown: readonly Measure[],
  { algorithms, targetFitness }: VerdictFacts,
): VerdictSentence[] {
  return [
    ...leaderSentence(pairs[first] ?? [], algorithms, first),
    ...claimSentences(pairs, first, shown, targetFitness),
    ...(first === 'runtime' ? [...disagreements(pairs), ...tiedAtTarget(pairs)] : []),
    ...undecidedSentences(pairs, first, shown),
  ];
}

function orientPairs({ algorithms, pairwise, guard }: VerdictFacts): OrientedPairs {
  const groups = new Map(algorithms.map((group) => [group.algorithm, group]));
  const pairs: OrientedPairs = {};
  for (const measure of measures) {
    pairs[measure] = (pairwise[measure] ?? []).flatMap((pair, index) => {
      const guarded = guard.pairs[index];
      return (guarded?.isTested && orient(measure, pair, guarded, groups)) || [];
    });
  }
  return pairs;
}

function about(
  kind: VerdictSentence['kind'],
  measure: Measure | null,
  text: string,
  a: string | null = null,
  b: string | null = null,
): VerdictSentence {
  return { kind, measure, text, a, b };
}

function unsolvedSentence(target: number): VerdictSentence {
  return about(
    'caution',
    'runtime',
    `No run reached the target ${formatFitness(target)} within the common budget, so runtime and success rate ` +
      'cannot separate the groups.',
  );
}

/** The group that is better than each of two or more others, every difference claimed. */
function leaderSentence(
  pairs: readonly OrientedPair[],
  groups: readonly GroupSummary[],
  measure: Measure,
): VerdictSentence[] {
  const won = Map.groupBy(pairs.filter(isClaimed), ({ first }) => first.algorithm);
  const leader = groups.find(
    ({ algorithm }) => (won.get(algorithm)?.length ?? 0) === groups.length - 1,
  );
  if (!leader || groups.length < 3) return [];
  const worst = Math.max(
    ...(won.get(leader.algorithm) ?? []).map(({ pair }) => pair.adjustedPValue ?? 1),
  );
  const text =
    `${leader.label} is the best of ${groups.length} on ${measureWords[measure]}: better than each of the ` +
    `others, adjusted p at most ${formatPValue(worst)}.`;
  return [about('claim', measure, text, leader.algorithm)];
}

function isClaimed({ pair }: OrientedPair): boolean {
  return pair.significant;
}

/** Each claimed difference on the first measure, and on another one where the first has none. */
function claimSentences(
  pairs: OrientedPairs,
  measure: Measure,
  shown: readonly Measure[],
  target: number | null,
): VerdictSentence[] {
  const settled = new Set((pairs[measure] ?? []).filter(isClaimed).map(pairKey));
  return shown
    .flatMap((other) => pairs[other] ?? [])
    .filter(isClaimed)
    .filter((pair) => pair.measure === measure || !settled.has(pairKey(pair)))
    .sort((a, b) => (a.pair.adjustedPValue ?? 1) - (b.pair.adjustedPValue ?? 1))
    .map((pair) =>
      about(
        'claim',
        pair.measure,
        claimText(pair, target),
        pair.first.algorithm,
        pair.second.algorithm,
      ),
    );
}

function pairKey({ pair }: OrientedPair): string {
  return JSON.stringify([pair.a, pair.b]);
}

/** Pairs of which runtime and fitness claim opposite differences. */
function disagreements({ fitness = [], runtime = [] }: OrientedPairs): VerdictSentence[] {
  const byFitness = new Map(fitness.map((pair) => [pairKey(pair), pair]));
  return runtime.flatMap((timed) => {
    const ended = byFitness.get(pairKey(timed));
    if (!ended || !isClaimed(timed) || !isClaimed(ended)) return [];
    if (timed.first.algorithm === ended.first.algorithm) return [];
    const text =
      `For ${timed.first.label} and ${timed.second.label} the measures disagree: ${favourWords(timed)}, ` +
      `${favourWords(ended)}; both are significant.`;
    return [about('claim', 'fitness', text, timed.first.algorithm, timed.second.algorithm)];
  });
}

/** Pairs that runtime separates, and of which every run reached the target: fitness ties there. */
function tiedAtTarget({ fitness = [], runtime = [] }: OrientedPairs): VerdictSentence[] {
  const claimed = new Set(runtime.filter(isClaimed).map(pairKey));
  const tied = fitness.filter(
    (pair) =>
      claimed.has(pairKey(pair)) &&
      pair.guard.solvedA === pair.guard.runsA &&
      pair.guard.solvedB === pair.guard.runsB,
  );
  return listSentence(
    'undecided',
    tied,
    'fitness',
    (list) => `Fitness does not separate ${list}, because every run reaches the target.`,
  );
}

/** Pairs without any claim on the measures shown. */
function undecidedSentences(
  pairs: OrientedPairs,
  measure: Measure,
  shown: readonly Measure[],
): VerdictSentence[] {
  const claimed = new Set(
    shown.flatMap((one) => (pairs[one] ?? []).filter(isClaimed).map(pairKey)),
  );
  const tested = (pairs[measure] ?? []).filter(
    (pair) => pair.pair.pValue !== null && !isClaimed(pair),
  );
  const isHopeless = ({ pair }: OrientedPair) => (pair.attainablePValue ?? 0) > 0.05;
  const hopeless = tested.filter(isHopeless);
  const open = tested.filter((pair) => !isHopeless(pair));
  const few = hopeless.filter(({ guard }) => openPairs(pairs) * leastPValue(guard) > 0.05);
  const tied = hopeless.filter((pair) => !few.includes(pair));
  const difference = `difference in ${measureWords[measure]} between`;
  const undecided = open.filter((pair) => !claimed.has(pairKey(pair)));
  return [
    ...listSentence(
      'undecided',
      open,
      measure,
      (list) =>
        `No significant ${difference} ${list}. This is not evidence of equivalence.${neededWords(undecided)}`,
    ),
    ...listSentence(
      'undecided',
      few,
      measure,
      (list) =>
        `Too few runs: with these sample sizes no ${difference} ${list} can be significant.${neededWords(few)}`,
    ),
    ...listSentence(
      'undecided',
      tied,
      measure,
      (list) =>
        `With these runs no ${difference} ${list} can be significant: there are too few of them, or too many equal values.`,
    ),
  ];
}

/** How many tested pairs are not claimed on all measures: the factor that adjusts the others for the number of pairs. */
function openPairs(pairs: OrientedPairs): number {
  const tested = Object.values(pairs)
    .flat()
    .filter(({ pair }) => pair.adjustedPValue !== null);
  const byPair = [...Map.groupBy(tested, pairKey).values()];
  return byPair.filter((ofPair) => !ofPair.every(isClaimed)).length;
}

/** Smallest p-value of a test of two groups with so many units, whatever their values. */
function leastPValue({ unit, ...pair }: GuardedPairAnswer): number {
  const [a, b] =
    unit === 'run' ? [pair.runsA, pair.runsB] : [pair.configurationsA, pair.configurationsB];
  return Math.min(1, 2 / binomial(a + b, a));
}

/** How many runs would find the smallest effect of interest; the same for every pair. */
function neededWords(pairs: readonly OrientedPair[]): string {
  const needed = pairs.flatMap(({ guard }) => guard.runsNeeded ?? []);
  const [one] = needed;
  const most = Math.max(...needed.map(({ further }) => further));
  if (!one) return '';
  if (most === 0) return '';
  const effect = `an A12 of ${one.effect} or more with power ${one.power}`;
  const rates = `${formatShare(one.effect)} against ${formatShare(1 - one.effect)}`;
  const success =
    one.perGroupForSuccess === null
      ? ''
      : ` For success rates of ${rates} it needs ${formatCount(one.perGroupForSuccess)}.`;
  return (
    ` To find ${effect}, each group needs ${countOf(one.perGroup, 'run')}: ${formatCount(most)} more.` +
    success
  );
}

function listSentence(
  kind: VerdictSentence['kind'],
  pairs: readonly OrientedPair[],
  measure: Measure,
  write: (list: string) => string,
): VerdictSentence[] {
  if (pairs.length === 0) return [];
  return [about(kind, measure, write(pairList(pairs)), ...namesOfOnly(pairs))];
}

function namesOfOnly(pairs: readonly OrientedPair[]): [string | null, string | null] {
  const [only, ...others] = pairs;
  return only && others.length === 0 ? [only.first.algorithm, only.second.algorithm] : [null, null];
}

/** Why pairs could not be tested; a reason that several pairs share is given once. */
function untestedSentences(pairs: readonly GuardedPairAnswer[]): VerdictSentence[] {
  const byMessage = Map.groupBy(
    pairs.filter(({ reason }) => reason !== null),
    ({ reason }) => reason?.message ?? '',
  );
  return Array.from(byMessage, ([message, same]) => {
    const [only, ...others] = same;
    const isOne = only && others.length === 0;
    return about('untested', null, message, isOne ? only.a : null, isOne ? only.b : null);
  });
}
