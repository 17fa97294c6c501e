import { formatCount, formatStatistic, describePValue } from '#shared/number-format.ts';
import {
  describeJoinedDifferences,
  hasPooledGroups,
  type ClaimedPair,
} from '#shared/claim-marks.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';

/** Data of the tests over all groups. */
export interface RankTests extends Pick<ProblemComparison, 'friedman' | 'kruskalWallis' | 'notes'> {
  guard: Pick<ProblemComparison['guard'], 'isInterim'>;
}

/**
 * Describes the tests over all groups in one line: Friedman with Iman-Davenport, else Kruskal-Wallis unless a group
 * pools configurations, else the reason for no test. The line of a test begins with "Interim" while a run is RUNNING.
 */
export function describeRankTests(rankTests: RankTests): string {
  const { friedman, kruskalWallis, notes, guard } = rankTests;
  const isTested =
    friedman.statistic !== null || (kruskalWallis !== null && !hasPooledGroups(notes));
  return `${isTested && guard.isInterim ? 'Interim · ' : ''}${describeTest(rankTests)}`;
}

function describeTest({ friedman, kruskalWallis, notes }: Omit<RankTests, 'guard'>): string {
  if (friedman.statistic !== null) {
    const { blocks, blockBy, statistic, pValue, exactPValue, imanDavenport } = friedman;
    const kind = exactPValue === null ? '' : 'exact ';
    const words = [
      `${formatCount(blocks)} blocks by ${blockBy ?? 'none'}`,
      `χ² = ${formatStatistic(statistic)}, ${kind}${describePValue(exactPValue ?? pValue)}`,
    ];
    if (imanDavenport) {
      const f = formatStatistic(imanDavenport.statistic);
      words.push(`Iman-Davenport F = ${f}, ${describePValue(imanDavenport.pValue)}`);
    }
    return words.join(' · ');
  }
  if (!kruskalWallis) {
    return friedman.ranks.length > 1
      ? 'Average ranks; too few blocks for a test'
      : 'A comparison of ranks needs two or more groups with completed runs';
  }
  if (hasPooledGroups(notes))
    return 'No common blocks; runs of several configurations are not tested';
  const { statistic, df, pValue } = kruskalWallis;
  return `No common blocks · Kruskal-Wallis H(${formatCount(df)}) = ${formatStatistic(statistic)}, asymptotic ${describePValue(pValue)}`;
}

/**
 * Completes "differ significantly" for the groups of a comparison. Names the tested instance if the ranks are over
 * several ones.
 */
export function describeRankClaim({
  friedman,
  instances,
}: Pick<ProblemComparison, 'friedman' | 'instances'>): string {
  const claim = 'in fitness within their common budget';
  const label = instances.find(({ selected }) => selected)?.label;
  return friedman.blockBy === 'instance' && label !== undefined ? `${claim} on ${label}` : claim;
}

/** Explains the bars of the chart, or lists the mean ranks where there is no chart; empty for fewer than two groups. */
export function makeBarNotes(
  {
    friedman,
    claim,
    pairs,
  }: Pick<RankTests, 'friedman'> & {
    claim: string;
    pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[];
  },
  getName: (algorithm: string) => string,
): string[] {
  const { criticalDifference, ranks } = friedman;
  if (criticalDifference !== null) {
    return [
      `Groups without a common bar differ significantly ${claim}. The critical difference ` +
        `(Nemenyi, ${formatStatistic(criticalDifference)}) is drawn for scale only.`,
      describeJoinedDifferences(
        ranks.map(({ algorithm }) => algorithm),
        pairs,
        getName,
      ),
    ].filter(Boolean);
  }
  if (ranks.length < 2) return [];
  const means = ranks.map(
    ({ algorithm, averageRank }) => `${getName(algorithm)} ${formatStatistic(averageRank)}`,
  );
  return [`Mean ranks over all completed runs, 1 = best: ${means.join(', ')}.`];
}
