import { getGroupMetrics, getRuntime } from '#shared/group-metrics.ts';
import {
  describeCount,
  formatCount,
  formatPValue,
  formatRuntime,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
  ExperimentAnalysis,
  GroupSummary,
  ProblemComparison,
} from '#shared/schemas/analysis.ts';
import type { TermsHere } from '#renderer/ui/term-here.ts';
import { getNotesAt } from './note-places.ts';
import { describeDirectionSource, describeTarget, type ReportedObjective } from './objective.ts';
import { describeRankTests } from './rank-words.ts';

/** Number of included runs, and that of all runs of their group if it is another one. */
interface IncludedRuns {
  totalRuns: number;
  runsOfGroup?: number;
}

type SuccessCounts = IncludedRuns &
  Pick<GroupSummary, 'successfulRuns' | 'successRate' | 'ert' | 'sp1'>;

type SampleCounts = Pick<GroupSummary, 'totalRuns' | 'completedRuns'>;

/** A group with its name, which is empty for a single group. */
interface NamedGroup<Group> {
  name: string;
  group: Group;
}

/** Maximum number of lines in a card. */
const mostLines = 8;

/** Returns the terms of an experiment with its own numbers. */
export function getTermsOfExperiment(response: ExperimentAnalysis): TermsHere {
  const groups = [{ name: '', group: response }];
  return { ...getObjectiveTerms(response), ...getRunTerms(groups, response.notes) };
}

/** Returns the terms of a comparison: runtimes as its table has them; curves and samples over the whole groups. */
export function getTermsOfComparison(
  response: ProblemComparison,
  getName: (algorithm: string) => string,
): TermsHere {
  const groups = response.algorithms.map((group) => ({ name: getName(group.algorithm), group }));
  const countedGroups = groups.flatMap(({ name, group }) => {
    const own = getSuccessCounts(group, response);
    return own ? [{ name, group: own }] : [];
  });
  const ranks = getNotesAt(response.notes, 'ranks');
  return {
    ...getObjectiveTerms(response),
    ...getRunTerms(groups, response.notes, countedGroups),
    friedman: { numbers: [describeRankTests(response)], runs: ranks },
    criticalDifference: { numbers: makeCriticalDifferenceLines(response.friedman), runs: ranks },
  };
}

/** Returns the runtimes of a group as its table has them; null for a group that is excluded from the common budget. */
function getSuccessCounts(
  group: GroupSummary,
  { guard, targetFitness }: Pick<ProblemComparison, 'guard' | 'targetFitness'>,
): SuccessCounts | null {
  // Without a target the table has no runtimes.
  if (targetFitness === null) return group;
  const metrics = getGroupMetrics(group, guard, true);
  return (
    metrics && {
      totalRuns: metrics.runs,
      runsOfGroup: group.totalRuns,
      successfulRuns: metrics.solved,
      successRate: metrics.successRate ?? 0,
      ert: metrics.ert,
      sp1: metrics.sp1,
    }
  );
}

/** Returns the terms of the pairs of one measure: the adjustment of each p, and the label of each effect. */
export function getTermsOfPairs(
  pairs: readonly MeasuredPair[],
  getName: (algorithm: string) => string,
  notes: readonly string[],
): TermsHere {
  const name = ({ a, b }: MeasuredPair): string => `${getName(a)}, ${getName(b)}`;
  const testedPairs = pairs
    .filter(({ pValue }) => pValue !== null)
    .sort((one, other) => (one.adjustedPValue ?? 0) - (other.adjustedPValue ?? 0));
  const runs = [...limitLines(makeSampleLines(pairs, getName)), ...notes];
  return {
    holm: {
      numbers: limitLines(testedPairs.map((pair) => `${name(pair)}: ${makeAdjustedLine(pair)}`)),
    },
    a12: {
      numbers: limitLines(
        testedPairs.map(
          (pair) => `${name(pair)}: ${formatStatistic(pair.effectSize)}, ${pair.effectLabel}`,
        ),
      ),
      runs,
    },
    wilcoxon: { runs },
    fisher: { runs },
  };
}

function makeAdjustedLine({ pValue, adjustedPValue }: MeasuredPair): string {
  return `${formatPValue(pValue)} → ${formatPValue(adjustedPValue)}`;
}

function makeSampleLines(
  pairs: readonly MeasuredPair[],
  getName: (algorithm: string) => string,
): string[] {
  const sizes = new Map(pairs.flatMap(({ a, b, nA, nB }) => [[a, nA] as const, [b, nB] as const]));
  return [...sizes].map(([group, size]) => `${getName(group)}: n = ${formatCount(size)}`);
}

function getObjectiveTerms(response: ReportedObjective): TermsHere {
  const { value, source } = describeTarget(response);
  return {
    direction: {
      numbers: [`${response.objectiveDirection}, ${describeDirectionSource(response)}`],
    },
    target: { numbers: [source === undefined ? value : `${value}, ${source}`] },
  };
}

function getRunTerms(
  groups: readonly NamedGroup<SampleCounts & SuccessCounts>[],
  notes: readonly AnalysisNote[],
  countedGroups: readonly NamedGroup<SuccessCounts>[] = groups,
): TermsHere {
  const successNotes = getNotesAt(notes, 'success');
  const runs = [...makeLines(countedGroups, makeRunsLine), ...successNotes];
  return {
    solved: {
      numbers: makeLines(
        countedGroups,
        (group) =>
          `${formatCount(group.successfulRuns)} of ${describeCount(group.totalRuns, 'run')}`,
      ),
    },
    successRate: { numbers: makeLines(countedGroups, makeRateLine), runs },
    ert: { numbers: makeLines(countedGroups, makeErtLine), runs },
    sp1: { numbers: makeLines(countedGroups, makeSp1Line), runs },
    ecdf: { runs: [...makeLines(groups, makeRunsLine), ...successNotes] },
    sampleSize: {
      numbers: makeLines(groups, (group) => describeCount(group.completedRuns, 'completed run')),
      runs: getNotesAt(notes, 'sample'),
    },
  };
}

function makeLines<Group>(
  groups: readonly NamedGroup<Group>[],
  makeLine: (group: Group) => string,
): string[] {
  return limitLines(groups.map(({ name, group }) => `${name && `${name}: `}${makeLine(group)}`));
}

function makeRunsLine({ totalRuns, runsOfGroup = totalRuns }: IncludedRuns): string {
  return totalRuns === runsOfGroup
    ? `all ${describeCount(totalRuns, 'run')}`
    : `${formatCount(totalRuns)} of ${describeCount(runsOfGroup, 'run')}`;
}

function makeRateLine({ successfulRuns, totalRuns, successRate }: SuccessCounts): string {
  const rate = formatShare(successRate);
  const relation = /^[<>]/.test(rate) ? '' : '= ';
  return `${formatCount(successfulRuns)} / ${formatCount(totalRuns)} ${relation}${rate}`;
}

/**
 * Returns the calculation of the ERT. Its evaluations of all runs follow from the ERT, those of solved runs from SP1.
 */
function makeErtLine(group: SuccessCounts): string {
  const { ert, sp1, successRate, successfulRuns: solved } = group;
  if (ert === null || sp1 === null || solved === 0) return formatRuntime(getRuntime(group, ert));
  const toTarget = sp1 * successRate * solved;
  const others = Math.max(0, ert * solved - toTarget);
  const evaluations = (value: number): string => formatCount(Math.round(value));
  return `(${evaluations(toTarget)} + ${evaluations(others)}) / ${formatCount(solved)} = ${formatRuntime(ert)}`;
}

function makeSp1Line(group: SuccessCounts): string {
  const { sp1, successRate, successfulRuns, totalRuns } = group;
  if (sp1 === null || successfulRuns === 0) return formatRuntime(getRuntime(group, sp1));
  const rate = formatShare(successRate);
  // "< 0.1 %" is no number to divide by.
  const divisor = /^[<>]/.test(rate)
    ? `(${formatCount(successfulRuns)} / ${formatCount(totalRuns)})`
    : rate;
  return `${formatRuntime(sp1 * successRate)} / ${divisor} = ${formatRuntime(sp1)}`;
}

function makeCriticalDifferenceLines({
  criticalDifference,
  blocks,
  ranks,
}: ProblemComparison['friedman']): string[] {
  if (criticalDifference === null) return [];
  const groups = ranks.length;
  const root = Math.sqrt((groups * (groups + 1)) / (6 * blocks));
  const quantile = formatStatistic(criticalDifference / root);
  return [
    `${quantile} · √(${groups} · ${groups + 1} / (6 · ${formatCount(blocks)})) = ${formatStatistic(criticalDifference)}`,
  ];
}

function limitLines(lines: readonly string[]): string[] {
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), `… and ${more} more`] : [...lines];
}
