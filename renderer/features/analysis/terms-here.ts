import {
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
import { getRuntime } from './group-looks.ts';
import { getNotesAt } from './note-places.ts';
import { describeDirectionSource, describeTarget, type AnsweredObjective } from './objective.ts';
import { rankTestWords } from './rank-words.ts';

type Counted = Pick<
  GroupSummary,
  'totalRuns' | 'completedRuns' | 'successfulRuns' | 'successRate' | 'ert' | 'sp1'
>;

/** A group with its name, which is empty for a single group. */
interface Named<Group> {
  name: string;
  group: Group;
}

/** Maximum number of lines in a card. */
const mostLines = 8;

/** Returns the terms of an experiment with its own numbers. */
export function getTermsOfExperiment(answer: ExperimentAnalysis): TermsHere {
  const groups = [{ name: '', group: answer }];
  return { ...getObjectiveTerms(answer), ...runTerms(groups, answer.notes) };
}

/** Returns the terms of a comparison with the numbers of each group, as its table has them. */
export function getTermsOfComparison(
  answer: ProblemComparison,
  getName: (algorithm: string) => string,
): TermsHere {
  const groups = answer.algorithms.flatMap((group) => {
    const counted = getCounted(group, answer);
    return counted ? [{ name: getName(group.algorithm), group: counted }] : [];
  });
  const ranks = getNotesAt(answer.notes, 'ranks');
  return {
    ...getObjectiveTerms(answer),
    ...runTerms(groups, answer.notes),
    friedman: { numbers: [rankTestWords(answer)], runs: ranks },
    criticalDifference: { numbers: makeCriticalDifferenceLines(answer.friedman), runs: ranks },
  };
}

/** Returns the numbers of a group within the common budget, if there is one; null for a group that is excluded from it. */
function getCounted(
  group: GroupSummary,
  { guard, targetFitness }: Pick<ProblemComparison, 'guard' | 'targetFitness'>,
): Counted | null {
  if (guard.commonBudget === null || targetFitness === null) return group;
  const { atCommonBudget: common, completedRuns } = group;
  return (
    common && {
      completedRuns,
      totalRuns: common.runs,
      successfulRuns: common.solved,
      successRate: common.successRate ?? 0,
      ert: common.ert,
      sp1: common.sp1,
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
  const tested = pairs
    .filter(({ pValue }) => pValue !== null)
    .sort((one, other) => (one.adjustedPValue ?? 0) - (other.adjustedPValue ?? 0));
  const runs = [...atMost(sampleLines(pairs, getName)), ...notes];
  return {
    holm: {
      numbers: atMost(tested.map((pair) => `${name(pair)}: ${makeAdjustedLine(pair)}`)),
    },
    a12: {
      numbers: atMost(
        tested.map(
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

function sampleLines(
  pairs: readonly MeasuredPair[],
  getName: (algorithm: string) => string,
): string[] {
  const sizes = new Map(pairs.flatMap(({ a, b, nA, nB }) => [[a, nA] as const, [b, nB] as const]));
  return [...sizes].map(([group, size]) => `${getName(group)}: n = ${formatCount(size)}`);
}

function getObjectiveTerms(answer: AnsweredObjective): TermsHere {
  const { value, source } = describeTarget(answer);
  return {
    direction: { numbers: [`${answer.objectiveDirection}, ${describeDirectionSource(answer)}`] },
    target: { numbers: [source === undefined ? value : `${value}, ${source}`] },
  };
}

function runTerms(groups: readonly Named<Counted>[], notes: readonly AnalysisNote[]): TermsHere {
  const each = (line: (group: Counted) => string): string[] =>
    atMost(groups.map(({ name, group }) => `${name && `${name}: `}${line(group)}`));
  const counted = each(({ totalRuns }) => `all ${formatCount(totalRuns)} runs`);
  const runs = [...counted, ...getNotesAt(notes, 'success')];
  const solved = each(
    (group) => `${formatCount(group.successfulRuns)} of ${formatCount(group.totalRuns)} runs`,
  );
  return {
    solved: { numbers: solved },
    successRate: { numbers: each(makeRateLine), runs },
    ert: { numbers: each(makeErtLine), runs },
    sp1: { numbers: each(makeSp1Line), runs },
    ecdf: { runs },
    sampleSize: {
      numbers: each((group) => `${formatCount(group.completedRuns)} completed runs`),
      runs: getNotesAt(notes, 'sample'),
    },
  };
}

function makeRateLine({ successfulRuns, totalRuns, successRate }: Counted): string {
  const rate = formatShare(successRate);
  const relation = /^[<>]/.test(rate) ? '' : '= ';
  return `${formatCount(successfulRuns)} / ${formatCount(totalRuns)} ${relation}${rate}`;
}

/** The evaluations of all runs follow from the ERT, those of the solved runs from SP1. */
function makeErtLine(group: Counted): string {
  const { ert, sp1, successRate, successfulRuns: solved } = group;
  if (ert === null || sp1 === null) return formatRuntime(getRuntime(group, null));
  const toTarget = sp1 * successRate * solved;
  const others = Math.max(0, ert * solved - toTarget);
  const evaluations = (value: number): string => formatCount(Math.round(value));
  return `(${evaluations(toTarget)} + ${evaluations(others)}) / ${formatCount(solved)} = ${formatRuntime(ert)}`;
}

function makeSp1Line(group: Counted): string {
  const { sp1, successRate, successfulRuns, totalRuns } = group;
  if (sp1 === null) return formatRuntime(getRuntime(group, null));
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

function atMost(lines: readonly string[]): string[] {
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), `… and ${more} more`] : [...lines];
}
