import type { AnalysisNote } from './schemas/analysis-note.ts';

/** The fields of a compared pair that decide which marks tables and diagrams show. */
export interface ClaimedPair {
  a: string;
  b: string;
  /** p-value of the test; null without a test. */
  pValue: number | null;
  /** The group that the test favours; `none` if it favours neither group. */
  better: string;
  /** Whether the test claims a difference: `better` is then significantly better. */
  significant: boolean;
}

/**
 * Returns whether a group is significantly better than the other group in each of its tested pairs; false for a group
 * without a tested pair. Tables of groups print only such a group in bold.
 */
export function isClearlyBest(group: string, pairs: readonly ClaimedPair[]): boolean {
  const testedPairs = pairs.filter(
    ({ a, b, pValue }) => (a === group || b === group) && pValue !== null,
  );
  return (
    testedPairs.length > 0 &&
    testedPairs.every(({ better, significant }) => significant && better === group)
  );
}

/** Returns whether another group is significantly better; null for a group without a tested pair. */
export function isBeaten(group: string, pairs: readonly ClaimedPair[]): boolean | null {
  const testedPairs = pairs.filter(
    ({ a, b, pValue }) => (a === group || b === group) && pValue !== null,
  );
  if (testedPairs.length === 0) return null;
  return testedPairs.some(({ better, significant }) => significant && better !== group);
}

/**
 * Returns whether a group pools several configurations, by the notes of a comparison. Its runs are then not one sample,
 * so tables and pages omit the Kruskal-Wallis test.
 */
export function hasPooledGroups(notes: readonly Pick<AnalysisNote, 'code'>[]): boolean {
  return notes.some(({ code }) => code === 'POOLED_CONFIGURATIONS');
}

/**
 * Returns the first and last index of each bar of a rank diagram. `groups` are in the order of their ranks. Two groups
 * without a claimed difference have a common bar, even if `pairs` does not contain them. A bar may include groups
 * between them that differ. Omits bars that lie inside other bars.
 */
export function findBars(
  groups: readonly string[],
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[],
): [number, number][] {
  const differentPairs = new Set(
    pairs.flatMap(({ a, b, significant }) =>
      significant ? [makePairKey(a, b), makePairKey(b, a)] : [],
    ),
  );
  const bars: [number, number][] = [];
  for (const [firstIndex, group] of groups.entries()) {
    const lastIndex = groups.findLastIndex(
      (candidate) => !differentPairs.has(makePairKey(group, candidate)),
    );
    const isInside = lastIndex <= (bars.at(-1)?.[1] ?? -1);
    if (lastIndex > firstIndex && !isInside) bars.push([firstIndex, lastIndex]);
  }
  return bars;
}

/** Maximum number of pairs that {@link describeJoinedDifferences} names. */
const maximumNamedPairs = 3;

/**
 * Returns a sentence that names pairs with both a claimed difference and a common bar of {@link findBars}; empty
 * without such pairs. Such pairs exist, because a bar that joins two groups also contains the groups between them.
 */
export function describeJoinedDifferences(
  groups: readonly string[],
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[],
  getLabel: (group: string) => string,
): string {
  const positions = new Map(groups.map((group, index) => [group, index]));
  const bars = findBars(groups, pairs);
  const joinedPairs = pairs.filter(({ a, b, significant }) => {
    const [positionA = NaN, positionB = NaN] = [positions.get(a), positions.get(b)];
    const [start, end] = [Math.min(positionA, positionB), Math.max(positionA, positionB)];
    return significant && bars.some(([first, last]) => first <= start && end <= last);
  });
  if (joinedPairs.length === 0) return '';
  const names = joinedPairs
    .slice(0, maximumNamedPairs)
    .map(({ a, b }) => `${getLabel(a)} and ${getLabel(b)}`);
  const furtherCount = joinedPairs.length - names.length;
  const list = [...names, ...(furtherCount > 0 ? [`and ${furtherCount} more`] : [])].join('; ');
  return `Groups with a common bar that differ significantly too: ${list}.`;
}

function makePairKey(a: string, b: string): string {
  return JSON.stringify([a, b]);
}

/**
 * Returns the clause which states that tests count FAILED trials as unsolved, although expected runtimes omit them;
 * empty if the notes of the tests report no such trials.
 */
export function describeFailedTrials(notes: readonly Pick<AnalysisNote, 'code'>[]): string {
  return notes.some(({ code }) => code === 'TRIALS_FAILED_UNSOLVED')
    ? ', where FAILED trials count as unsolved'
    : '';
}
