import { computeBinomial } from '#server/stats/distributions.ts';
import {
  describeBudget,
  describeCount,
  formatCount,
  formatFitness,
  formatPValue,
  formatShare,
  formatShareDifference,
  formatStatistic,
  noValue,
  describePValue,
} from '#shared/number-format.ts';
import type { GuardedPairDetail } from '#shared/schemas/analysis-guard.ts';
import type {
  Interval,
  Measure,
  MeasuredPair,
  VerdictSentence,
} from '#shared/schemas/analysis-measures.ts';
import type { GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';
import { formatNounCount, formatNames } from './notes.ts';

/** Input of a verdict. */
export type VerdictFacts = Pick<
  ProblemComparison,
  'algorithms' | 'pairwise' | 'guard' | 'targetFitness' | 'notes'
>;

/** Tested pairs by measure, including pairs without a test on that measure. */
type OrientedPairs = Partial<Record<Measure, OrientedPair[]>>;

/**
 * Returns the sentences of a comparison. Cautions about RUNNING runs and the target come first. Sentences on the best
 * groups follow, which are significantly better in all of their pairs. If there are none, a sentence names the groups
 * without a significantly better one, but only if there are 9 or more groups. Up to 10 claimed differences come next,
 * the smallest adjusted p-value first, with the number of the others. Disagreements and ties of measures, undecided
 * pairs and untested pairs come last. While a run is RUNNING, the verdict has no sentences on results of tests. The
 * sentences on best groups and undecided pairs use runtime if a run of a pair reached the target within the common
 * budget and a pair has a test on runtime. Otherwise they use fitness. Without groups, there are no sentences. A single
 * group has only the sentence that there is nothing to compare.
 */
export function getVerdict(facts: VerdictFacts): VerdictSentence[] {
  const { algorithms, guard, targetFitness, notes } = facts;
  const [onlyGroup, ...otherGroups] = algorithms;
  if (!onlyGroup) return [];
  if (otherGroups.length === 0) {
    const text = `Only one group (${onlyGroup.label}) has runs, so there is nothing to compare.`;
    return [makeSentence('caution', null, text)];
  }
  const pairs = orientPairs(facts);
  const isTested = guard.pairs.some((pair) => pair.isTested);
  const isSolved = guard.pairs.some(({ solvedA, solvedB }) => (solvedA ?? 0) + (solvedB ?? 0) > 0);
  const hasRuntime = pairs.runtime?.some(({ pair }) => pair.pValue !== null) ?? false;
  const firstMeasure = targetFitness !== null && isSolved && hasRuntime ? 'runtime' : 'fitness';
  const testedMeasures =
    targetFitness === null || isSolved ? measuresByImportance : (['anytime', 'fitness'] as const);
  const targetNote = notes.find(({ code }) => code === 'TARGET_BEYOND_STOPPING');
  const omissionNote = notes.find(({ code }) => code === 'PAIRS_LEFT_OUT');
  const isUnsolved = targetFitness !== null && isTested && !isSolved;
  return [
    ...(guard.isInterim ? [makeSentence('caution', null, guard.heading)] : []),
    ...(targetNote ? [makeSentence('caution', 'runtime', targetNote.message)] : []),
    ...(isUnsolved ? [makeUnsolvedSentence(targetFitness, describeUnsolvedRuns(facts))] : []),
    ...(guard.isInterim ? [] : makeFindingSentences(pairs, firstMeasure, testedMeasures, facts)),
    ...makeUntestedSentences(guard.pairs),
    ...(omissionNote ? [makeSentence('untested', null, omissionNote.message)] : []),
  ];
}

/** Measures in the order of claims with equal p-values. */
const measuresByImportance = ['runtime', 'success', 'anytime', 'fitness'] as const;

/** Maximum number of claims with their own sentence; one more sentence counts the others. */
const maximumClaims = 10;

/** Minimum number of groups for the sentence that names the groups without a significantly better one. */
const minimumGroupsForUnbeatenSentence = 9;

/** Returns the sentences on the results of the tests. */
function makeFindingSentences(
  pairs: OrientedPairs,
  firstMeasure: Measure,
  testedMeasures: readonly Measure[],
  { algorithms, guard, targetFitness }: VerdictFacts,
): VerdictSentence[] {
  const leaderSentences = makeLeaderSentences(
    pairs[firstMeasure] ?? [],
    algorithms,
    guard,
    firstMeasure,
  );
  const claims = makeClaimSentences(pairs, firstMeasure, testedMeasures, targetFitness);
  return [
    ...leaderSentences,
    ...(leaderSentences.length > 0
      ? []
      : makeUnbeatenSentence(pairs[firstMeasure] ?? [], algorithms, firstMeasure)),
    ...claims.slice(0, maximumClaims),
    ...makeFurtherSentence(claims.length - maximumClaims),
    ...(firstMeasure === 'runtime'
      ? [...makeDisagreementSentences(pairs), ...makeTieSentences(pairs)]
      : []),
    ...makeUndecidedSentences(pairs, firstMeasure, testedMeasures),
  ];
}

function orientPairs({ algorithms, pairwise, guard }: VerdictFacts): OrientedPairs {
  const groups = new Map(algorithms.map((group) => [group.algorithm, group]));
  const pairs: OrientedPairs = {};
  for (const measure of measures) {
    pairs[measure] = (pairwise[measure] ?? []).flatMap((pair, index) => {
      const guardedPair = guard.pairs[index];
      return (guardedPair?.isTested && orientPair(measure, pair, guardedPair, groups)) || [];
    });
  }
  return pairs;
}

function makeSentence(
  kind: VerdictSentence['kind'],
  measure: Measure | null,
  text: string,
  a: string | null = null,
  b: string | null = null,
): VerdictSentence {
  return { kind, measure, text, a, b };
}

/** Returns the subject of {@link makeUnsolvedSentence}. Runs outside the tests may have reached the target. */
function describeUnsolvedRuns({ algorithms, guard, notes }: VerdictFacts): string {
  if (algorithms.every(({ successfulRuns }) => successfulRuns === 0)) return 'No run';
  const hasSolvedFailures = notes.some(({ code }) => code === 'RUNS_FAILED_SOLVED');
  return hasSolvedFailures && guard.failed === 'include'
    ? 'No run in the tests, apart from failed runs,'
    : 'No run in the tests';
}

function makeUnsolvedSentence(target: number, runs: string): VerdictSentence {
  return makeSentence(
    'caution',
    'runtime',
    `${runs} reached the target ${formatFitness(target)} within the common budget, so runtime and success rate ` +
      'cannot separate the groups.',
  );
}

/** Returns a sentence for each group that has two or more pairs and is significantly better in all of them. */
function makeLeaderSentences(
  pairs: readonly OrientedPair[],
  groups: readonly GroupSummary[],
  guard: Pick<VerdictFacts['guard'], 'pairs'>,
  measure: Measure,
): VerdictSentence[] {
  const wonPairs = Map.groupBy(pairs.filter(isClaimed), ({ first }) => first.algorithm);
  return groups.flatMap(({ algorithm, label }) => {
    const groupPairs = wonPairs.get(algorithm) ?? [];
    const otherGroupCount = guard.pairs.filter(
      ({ a, b }) => a === algorithm || b === algorithm,
    ).length;
    if (otherGroupCount < 2 || groupPairs.length < otherGroupCount) return [];
    const largestPValue = Math.max(...groupPairs.map(({ pair }) => pair.adjustedPValue ?? 1));
    const text =
      `${label} is the best of ${otherGroupCount + 1} on ${measureWords[measure]}: better than each of the ` +
      `others${otherGroupCount + 1 < groups.length ? ' of its algorithm' : ''}, adjusted p at most ${formatPValue(largestPValue)}.`;
    return [makeSentence('claim', measure, text, algorithm)];
  });
}

/**
 * Returns the sentence on the tested groups without a significantly better one, with up to 5 of their labels. Returns
 * an empty list for fewer than 9 groups, if no group has a better one, and if every tested group has one.
 */
function makeUnbeatenSentence(
  pairs: readonly OrientedPair[],
  groups: readonly GroupSummary[],
  measure: Measure,
): VerdictSentence[] {
  const beatenAlgorithms = new Set(pairs.filter(isClaimed).map(({ second }) => second.algorithm));
  if (groups.length < minimumGroupsForUnbeatenSentence || beatenAlgorithms.size === 0) return [];
  const testedAlgorithms = new Set(
    pairs.flatMap(({ first, second }) => [first.algorithm, second.algorithm]),
  );
  const testedGroups = groups.filter(({ algorithm }) => testedAlgorithms.has(algorithm));
  const unbeatenGroups = testedGroups.filter(({ algorithm }) => !beatenAlgorithms.has(algorithm));
  // Claims on one measure need not be transitive.
  if (unbeatenGroups.length === 0) return [];
  const names = formatNames(
    unbeatenGroups.map(({ label }) => label),
    5,
  );
  const text =
    `${unbeatenGroups.length} of ${testedGroups.length} groups ${unbeatenGroups.length === 1 ? 'has' : 'have'} no significantly ` +
    `better group on ${measureWords[measure]}: ${names}. This does not mean that they are equal.`;
  return [makeSentence('claim', measure, text)];
}

/** Returns the sentence with the number of claims without their own sentence; an empty list if there are none. */
function makeFurtherSentence(count: number): VerdictSentence[] {
  if (count <= 0) return [];
  const text = `${count === 1 ? '1 more difference is' : `${formatCount(count)} more differences are`} significant: see the table of pairs.`;
  return [makeSentence('claim', null, text)];
}

function isClaimed({ pair }: OrientedPair): boolean {
  return pair.significant;
}

/**
 * Returns a sentence for each claimed difference on `testedMeasures`, the smallest adjusted p-value first. Omits claims
 * on other measures for pairs with a claim on `measure`.
 */
function makeClaimSentences(
  pairs: OrientedPairs,
  measure: Measure,
  testedMeasures: readonly Measure[],
  target: number | null,
): VerdictSentence[] {
  const claimedKeys = new Set((pairs[measure] ?? []).filter(isClaimed).map(getPairKey));
  return testedMeasures
    .flatMap((testedMeasure) => pairs[testedMeasure] ?? [])
    .filter(isClaimed)
    .filter((pair) => pair.measure === measure || !claimedKeys.has(getPairKey(pair)))
    .sort((a, b) => (a.pair.adjustedPValue ?? 1) - (b.pair.adjustedPValue ?? 1))
    .map((pair) =>
      makeSentence(
        'claim',
        pair.measure,
        formatClaim(pair, target),
        pair.first.algorithm,
        pair.second.algorithm,
      ),
    );
}

function getPairKey({ pair }: OrientedPair): string {
  return JSON.stringify([pair.a, pair.b]);
}

/** Returns sentences on the pairs with opposite claims on runtime and fitness. */
function makeDisagreementSentences({
  fitness = [],
  runtime = [],
}: OrientedPairs): VerdictSentence[] {
  const fitnessPairs = new Map(fitness.map((pair) => [getPairKey(pair), pair]));
  return runtime.flatMap((runtimePair) => {
    const fitnessPair = fitnessPairs.get(getPairKey(runtimePair));
    if (!fitnessPair || !isClaimed(runtimePair) || !isClaimed(fitnessPair)) return [];
    if (runtimePair.first.algorithm === fitnessPair.first.algorithm) return [];
    const text =
      `For ${runtimePair.first.label} and ${runtimePair.second.label} the measures disagree: ${describeFavour(runtimePair)}, ` +
      `${describeFavour(fitnessPair)}; both are significant.`;
    return [
      makeSentence(
        'claim',
        'fitness',
        text,
        runtimePair.first.algorithm,
        runtimePair.second.algorithm,
      ),
    ];
  });
}

/**
 * Returns the sentence on the pairs with a claimed difference in runtime in which every run reached the target. The
 * tests count the target as the fitness of such a run, so the groups tie. Returns an empty list without such pairs.
 */
function makeTieSentences({ fitness = [], runtime = [] }: OrientedPairs): VerdictSentence[] {
  const claimedKeys = new Set(runtime.filter(isClaimed).map(getPairKey));
  const tiedPairs = fitness.filter(
    (pair) =>
      claimedKeys.has(getPairKey(pair)) &&
      pair.guard.solvedA === pair.guard.runsA &&
      pair.guard.solvedB === pair.guard.runsB,
  );
  return makeListSentence(
    'undecided',
    tiedPairs,
    'fitness',
    (list) => `Fitness does not separate ${list}, because every run reaches the target.`,
  );
}

/** Returns sentences on the tested pairs without a claim on `measure`, by reason; an empty list without such pairs. */
function makeUndecidedSentences(
  pairs: OrientedPairs,
  measure: Measure,
  testedMeasures: readonly Measure[],
): VerdictSentence[] {
  const claimedKeys = new Set(
    testedMeasures.flatMap((testedMeasure) =>
      (pairs[testedMeasure] ?? []).filter(isClaimed).map(getPairKey),
    ),
  );
  const testedPairs = (pairs[measure] ?? []).filter(
    (pair) => pair.pair.pValue !== null && !isClaimed(pair),
  );
  const isUnderpowered = ({ pair }: OrientedPair) => (pair.attainablePValue ?? 0) > 0.05;
  const underpoweredPairs = testedPairs.filter(isUnderpowered);
  const poweredPairs = testedPairs.filter((pair) => !isUnderpowered(pair));
  const smallPairs = underpoweredPairs.filter(
    ({ guard }) => countOpenPairs(pairs) * getSmallestPValue(guard) > 0.05,
  );
  const tiedPairs = underpoweredPairs.filter((pair) => !smallPairs.includes(pair));
  const difference = `difference in ${measureWords[measure]} between`;
  const undecidedPairs = poweredPairs.filter((pair) => !claimedKeys.has(getPairKey(pair)));
  return [
    ...makeListSentence(
      'undecided',
      poweredPairs,
      measure,
      (list) =>
        `No significant ${difference} ${list}. This is not evidence of equivalence.${describeRunsNeeded(undecidedPairs)}`,
    ),
    ...makeListSentence(
      'undecided',
      smallPairs.filter(({ guard }) => guard.unit === 'configuration'),
      measure,
      (list) =>
        `Too few configurations: no ${difference} ${list} can be significant with these numbers of configurations.`,
    ),
    ...makeListSentence(
      'undecided',
      smallPairs.filter(({ guard }) => guard.unit === 'run'),
      measure,
      (list) =>
        `Too few runs: with these sample sizes no ${difference} ${list} can be significant.${describeRunsNeeded(smallPairs)}`,
    ),
    ...makeListSentence(
      'undecided',
      tiedPairs,
      measure,
      (list) =>
        `With these runs no ${difference} ${list} can be significant: there are too few of them, or too many equal values.`,
    ),
  ];
}

/**
 * Returns the number of tested pairs that lack a claim on at least one of their measures. A further claim requires that
 * its p-value, adjusted for the measures, times this number is at most 0.05.
 */
function countOpenPairs(pairs: OrientedPairs): number {
  const testedPairs = Object.values(pairs)
    .flat()
    .filter(({ pair }) => pair.adjustedPValue !== null);
  const testsByPair = [...Map.groupBy(testedPairs, getPairKey).values()];
  return testsByPair.filter((tests) => !tests.every(isClaimed)).length;
}

/**
 * Returns the smallest possible p-value of a two-sided permutation test of two groups with these numbers of units. If
 * the groups have equal sizes, exchanging them gives an equally extreme assignment.
 */
function getSmallestPValue({ unit, ...pair }: GuardedPairDetail): number {
  const [a, b] =
    unit === 'run' ? [pair.runsA, pair.runsB] : [pair.configurationsA, pair.configurationsB];
  return (a === b ? 2 : 1) / computeBinomial(a + b, a);
}

/** Returns the text on the runs per group that detect the smallest effect of interest; empty if no pair needs more. */
function describeRunsNeeded(pairs: readonly OrientedPair[]): string {
  const requirements = pairs.flatMap(({ guard }) => guard.runsNeeded ?? []);
  const [firstRequirement] = requirements;
  const maximum = Math.max(...requirements.map(({ further }) => further));
  if (!firstRequirement) return '';
  if (maximum === 0) return '';
  const effect = `an A12 of ${firstRequirement.effect} or more with power ${firstRequirement.power}`;
  const rates = `${formatShare(firstRequirement.effect)} against ${formatShare(1 - firstRequirement.effect)}`;
  const success =
    firstRequirement.perGroupForSuccess === null
      ? ''
      : ` For success rates of ${rates} it needs ${formatCount(firstRequirement.perGroupForSuccess)}.`;
  return (
    ` To find ${effect}, each group needs ${describeCount(firstRequirement.perGroup, 'run')}: ${formatCount(maximum)} more.` +
    success
  );
}

function makeListSentence(
  kind: VerdictSentence['kind'],
  pairs: readonly OrientedPair[],
  measure: Measure,
  write: (list: string) => string,
): VerdictSentence[] {
  if (pairs.length === 0) return [];
  return [makeSentence(kind, measure, write(describePairs(pairs)), ...getNamesOfOnlyPair(pairs))];
}

function getNamesOfOnlyPair(pairs: readonly OrientedPair[]): [string | null, string | null] {
  const [onlyPair, ...otherPairs] = pairs;
  return onlyPair && otherPairs.length === 0
    ? [onlyPair.first.algorithm, onlyPair.second.algorithm]
    : [null, null];
}

/** Maximum number of reasons with their own sentence. */
const maximumReasons = 5;

/**
 * Returns sentences on the reasons why pairs have no test: one for each of the 5 most common reasons, the most common
 * first, then one with the number of the other pairs.
 */
function makeUntestedSentences(pairs: readonly GuardedPairDetail[]): VerdictSentence[] {
  const pairsByMessage = Map.groupBy(
    pairs.filter(({ reason }) => reason !== null),
    ({ reason }) => reason?.message ?? '',
  );
  const reasons = [...pairsByMessage].sort(
    ([, pairsA], [, pairsB]) => pairsB.length - pairsA.length,
  );
  const sentences = reasons.slice(0, maximumReasons).map(([message, pairsOfReason]) => {
    const [onlyPair, ...otherPairs] = pairsOfReason;
    const hasOnePair = onlyPair && otherPairs.length === 0;
    return makeSentence(
      'untested',
      null,
      message,
      hasOnePair ? onlyPair.a : null,
      hasOnePair ? onlyPair.b : null,
    );
  });
  const furtherPairs = reasons
    .slice(maximumReasons)
    .reduce((sum, [, pairsOfReason]) => sum + pairsOfReason.length, 0);
  if (furtherPairs === 0) return sentences;
  const text = `${formatNounCount(furtherPairs, 'more pair')} ${furtherPairs === 1 ? 'has' : 'have'} no test: see the table of pairs.`;
  return [...sentences, makeSentence('untested', null, text)];
}

/** Name and label of a group. */
type NamedGroup = Pick<GroupSummary, 'algorithm' | 'label'>;

/**
 * A pair of groups. `first` is the group that the effect size favours, or group A if it favours neither. The effect
 * size is above 0.5 unless it favours neither group. `shift` and `difference` are `first` minus `second`.
 */
export interface OrientedPair extends Pick<MeasuredPair, 'effectSize' | 'shift' | 'difference'> {
  /** The simultaneous intervals. */
  effectInterval: Interval | null;
  shiftInterval: Interval | null;
  differenceInterval: Interval | null;
  measure: Measure;
  first: NamedGroup;
  second: NamedGroup;
  pair: MeasuredPair;
  guard: GuardedPairDetail;
}

/**
 * Returns the pair with the favoured group first, or with group A first if the effect size favours neither group; null
 * if a group is missing.
 */
function orientPair(
  measure: Measure,
  pair: MeasuredPair,
  guard: GuardedPairDetail,
  groups: ReadonlyMap<string, NamedGroup>,
): OrientedPair | null {
  const [a, b] = [groups.get(pair.a), groups.get(pair.b)];
  if (!a || !b) return null;
  const isTurned = pair.better === pair.b;
  const turn = (value: number | null, sum: 0 | 1) =>
    value === null || !isTurned ? value : sum - value;
  const turnInterval = (interval: Interval | null, sum: 0 | 1) =>
    interval && isTurned ? mirrorInterval(interval, sum) : interval;
  return {
    measure,
    first: isTurned ? b : a,
    second: isTurned ? a : b,
    effectSize: turn(pair.effectSize, 1),
    effectInterval: turnInterval(pair.simultaneousEffectInterval, 1),
    shift: turn(pair.shift, 0),
    shiftInterval: turnInterval(pair.simultaneousShiftInterval, 0),
    difference: turn(pair.difference, 0),
    differenceInterval: turnInterval(pair.simultaneousDifferenceInterval, 0),
    pair,
    guard,
  };
}

function mirrorInterval({ lower, upper }: Interval, sum: 0 | 1): Interval {
  return { lower: sum - upper, upper: sum - lower };
}

/** Words for the measures within a sentence. */
const measureWords: Record<Measure, string> = {
  fitness: 'fitness',
  runtime: 'runtime',
  success: 'success rate',
  anytime: 'anytime performance',
};

/**
 * Returns the sentence of a claim: the better group, the measure, the budget (except for runtime), the effect and the
 * adjusted p-value.
 */
function formatClaim(claimedPair: OrientedPair, target: number | null): string {
  const { measure, first, second, pair, guard } = claimedPair;
  const budgetText = describeBudget(guard.commonBudget ?? 0);
  const claims: Record<Measure, string> = {
    fitness: `has better fitness ${budgetText} than`,
    runtime: `reaches the target ${formatFitness(target)} in fewer evaluations than`,
    success: `reaches the target ${formatFitness(target)} ${budgetText} more often than`,
    anytime: `has better anytime performance ${budgetText} than`,
  };
  const claim = `${first.label} ${claims[measure]} ${second.label}`;
  return `${claim}: ${describeSize(claimedPair)}; adjusted ${describePValue(pair.adjustedPValue)}.`;
}

function describeSize(pair: OrientedPair): string {
  const { measure, difference, differenceInterval } = pair;
  if (measure !== 'success') return `${describeEffect(pair)}${describeShift(pair)}`;
  const [first, second] = getCounts(pair);
  return (
    `${first.solved} of ${first.runs} runs against ${second.solved} of ${second.runs}, ` +
    `a difference of ${formatShareDifference(difference)}${describeRange(differenceInterval, formatShareDifference)}`
  );
}

/**
 * Returns the number of runs of the first and of the second group in the test, and the number of these runs that
 * reached the target within the budget (0 without a target).
 */
function getCounts({ first, pair, guard }: OrientedPair) {
  const a = { solved: guard.solvedA ?? 0, runs: guard.runsA };
  const b = { solved: guard.solvedB ?? 0, runs: guard.runsB };
  return first.algorithm === pair.a ? ([a, b] as const) : ([b, a] as const);
}

/** Returns the words for an effect, such as "A12 = 0.853 [0.634, 0.951], a large effect". */
function describeEffect({ effectSize, effectInterval, pair }: OrientedPair): string {
  const range = describeRange(effectInterval, formatStatistic);
  return `A12 = ${formatStatistic(effectSize)}${range}, a ${pair.effectLabel ?? noValue} effect`;
}

function describeRange(interval: Interval | null, format: (value: number) => string): string {
  return interval ? ` [${format(interval.lower)}, ${format(interval.upper)}]` : '';
}

function describeShift(pair: OrientedPair): string {
  const { measure, shift, shiftInterval, first, second, guard } = pair;
  if (measure !== 'fitness' && measure !== 'runtime') return '';
  const isNegative = shift !== null && shift < 0;
  const interval = isNegative && shiftInterval ? mirrorInterval(shiftInterval, 0) : shiftInterval;
  // Many ties may make the median of all differences 0, even if A12 favours a group. The sentence then omits the shift.
  if (measure === 'fitness')
    return shift
      ? `, a shift of ${formatFitness(Math.abs(shift))}${describeRange(interval, formatFitness)}`
      : '';
  const range = describeRange(interval, (value) => formatCount(Math.round(value)));
  if (shift !== null)
    return isNegative ? `, ${describeCount(Math.round(-shift), 'evaluation')} fewer${range}` : '';
  const counts = getCounts(pair);
  const failures = [first, second].flatMap(({ label }, index) => {
    const { runs = 0, solved = 0 } = counts[index] ?? {};
    return runs > solved ? `${runs - solved} of ${runs} runs of ${label}` : [];
  });
  if (failures.length === 0) return '';
  const budgetText = describeBudget(guard.commonBudget ?? 0);
  return ` (size of the difference not estimable: ${failures.join(' and ')} missed the target ${budgetText})`;
}

/** Maximum number of pairs that a sentence names. */
const maximumNamedPairs = 3;

/**
 * Returns pairs as words, such as "cga and pbil (adjusted p = 0.904); …; and 2 more". Of more than 3 pairs, names up to
 * 3: those with the smallest adjusted p-values below 1.
 */
function describePairs(pairs: readonly OrientedPair[]): string {
  const clearestPairs = pairs
    .filter(({ pair }) => (pair.adjustedPValue ?? 1) < 1)
    .toSorted((a, b) => (a.pair.adjustedPValue ?? 1) - (b.pair.adjustedPValue ?? 1))
    .slice(0, maximumNamedPairs);
  const listedPairs = pairs.length <= maximumNamedPairs ? pairs : clearestPairs;
  if (listedPairs.length === 0) return `the groups of ${formatCount(pairs.length)} pairs`;
  const texts = listedPairs.map(
    ({ pair, first, second }) =>
      `${first.label} and ${second.label} (adjusted ${describePValue(pair.adjustedPValue)})`,
  );
  const furtherPairs = pairs.length - listedPairs.length;
  return [...texts, ...(furtherPairs > 0 ? [`and ${formatCount(furtherPairs)} more`] : [])].join(
    '; ',
  );
}

/** Returns words such as "runtime favours umda (A12 = 0.8, adjusted p = 0.001)". */
function describeFavour(favouredPair: OrientedPair): string {
  const { measure, first, effectSize, pair } = favouredPair;
  return (
    `${measureWords[measure]} favours ${first.label} (A12 = ${formatStatistic(effectSize)}, adjusted ` +
    `${describePValue(pair.adjustedPValue)})`
  );
}
