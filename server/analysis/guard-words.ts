import type { ComparedPair, ComparedPairs } from '#server/domain/claims/compare-groups.ts';
import type {
  CommonBudget,
  GuardedPair,
  GuardTerms,
  Omission,
  UntestedReason,
} from '#server/domain/claims/guard.ts';
import { fewestConfigurations } from '#server/domain/claims/guard.ts';
import { countOf, formatCount } from '#shared/number-format.ts';
import { counted, listed } from './notes.ts';

/** The name that a group is shown with. */
export type LabelOf = (group: string) => string;

/** Why a pair is not tested, in a sentence. */
export function reasonText(reason: UntestedReason, label: LabelOf): string {
  const group = reason.group === null ? 'one group' : label(reason.group);
  switch (reason.code) {
    case 'NO_RUNS':
      return `Not comparable: ${group} has no runs to test.`;
    case 'NO_ENDED_RUNS':
      return `Not comparable yet: no run of ${group} has ended.`;
    case 'OBSERVED_TOO_SHORT':
      return `Not comparable: ${group} was observed to ${countOf(reason.evaluations, 'evaluation')} only.`;
    case 'ONE_AGAINST_SEVERAL':
      return (
        `Not tested: ${group} has one configuration and ${label(reason.other)} has ${reason.configurations}. ` +
        'Group by configuration to compare them.'
      );
    case 'TOO_FEW_CONFIGURATIONS':
      break;
  }
  return (
    `Not tested: ${counted(reason.configurations, 'configuration')} of ${group} cannot be tested; ` +
    `at least ${fewestConfigurations} are needed. Group by configuration to compare them.`
  );
}

/** Within which budget a pair is compared and why, in a sentence. */
export function budgetText(budget: CommonBudget, hasTarget: boolean, label: LabelOf): string {
  const within = `Compared within ${countOf(budget.evaluations, 'evaluation')}`;
  const ofGroup = budget.group === null ? '' : ` of ${label(budget.group)}`;
  switch (budget.source) {
    case 'granted':
      return `${within}, the smallest granted budget.`;
    case 'observed':
      return `${within}: the shortest run${ofGroup} ended there${hasTarget ? ' without reaching the target' : ''}.`;
    case 'running':
      return `${within}, as far as all runs have come.`;
    case 'stopped':
      return `${within}: a run${ofGroup} was stopped there.`;
    case 'target':
      return hasTarget
        ? `${within}, by which every run had reached the target or failed.`
        : `${within}, the last in the data.`;
    case 'assumed':
      break;
  }
  return `${within}, the last in the data.`;
}

/** What the comparison of a pair rests on: its budget, its units, and what that leaves open. */
export function pairText(
  { guarded }: Pick<ComparedPair, 'guarded'>,
  terms: Pick<GuardTerms, 'target'>,
  label: LabelOf,
): string {
  const { budget, reason } = guarded;
  if (reason) return reasonText(reason, label);
  if (!budget) return '';
  return [
    ...(budget.isAssumed ? ['Assumes equal budgets: the data do not state them.'] : []),
    budgetText(budget, terms.target !== null, label),
    ...stoppedText(budget),
    ...guarded.slowerThanBudget.map(
      (group) =>
        `Half of the runs of ${label(group)} needed longer to reach the target, so nothing beyond this budget can be compared.`,
    ),
    ...unitText(guarded, label),
  ].join(' ');
}

/** Within which budgets the pairs are compared: the words of the one pair, or what several have in common. */
export function budgetsText(
  { pairs, commonBudget }: Pick<ComparedPairs, 'pairs' | 'commonBudget'>,
  terms: Pick<GuardTerms, 'target'>,
  label: LabelOf,
): string {
  const tested = pairs.filter(({ test }) => test !== null);
  const texts = new Set(tested.map((pair) => pairText(pair, terms, label)));
  if (pairs.length === 1 || texts.size === 1) return [...texts].join(' ');
  const budgets = tested.flatMap(({ guarded }) => guarded.budget?.evaluations ?? []);
  if (commonBudget === null || budgets.length === 0) return '';
  const most = Math.max(...budgets);
  const own =
    most === commonBudget
      ? `Every pair is compared within ${countOf(commonBudget, 'evaluation')}.`
      : `Each pair is compared within its own common budget, ${formatCount(commonBudget)} to ${countOf(most, 'evaluation')}; ` +
        'the table of groups uses the smallest.';
  const isAssumed = tested.some(({ guarded }) => guarded.budget?.isAssumed);
  return isAssumed ? `${own} Some pairs assume equal budgets: their data do not state them.` : own;
}

/** A user's stop far below the granted budget leaves little to compare. */
function stoppedText({ source, evaluations, granted }: CommonBudget): string[] {
  if (source !== 'stopped' || granted === null || evaluations >= granted / 2) return [];
  return [
    `This is less than half of the granted ${formatCount(granted)}; you can compare without stopped runs.`,
  ];
}

function unitText({ unit, a, b, configurations, runs }: GuardedPair, label: LabelOf): string[] {
  if (unit === 'run') return [];
  const each = (runs[0].length + runs[1].length) / (configurations[0] + configurations[1]);
  return [
    `${configurations[0]} configurations of ${label(a)} and ${configurations[1]} of ${label(b)}, ` +
      `${counted(each, 'run')} each: tested over configurations.`,
  ];
}

/** Under which conditions the claims of a comparison hold. */
export function headingText(
  compared: Pick<ComparedPairs, 'samples' | 'isInterim' | 'pairs'>,
  terms: GuardTerms,
): string {
  const { samples, isInterim, pairs } = compared;
  const choices = [
    ...(terms.stopped === 'exclude'
      ? ['Exploratory, without stopped runs: stopping may depend on the result.']
      : []),
    ...(terms.failed === 'exclude' ? ['Without failed runs.'] : []),
  ];
  if (isInterim) {
    const running = samples.reduce((sum, sample) => sum + sample.runningRuns, 0);
    return [
      `Interim: ${counted(running, 'run')} still running, so nothing is claimed yet.`,
      ...choices,
    ].join(' ');
  }
  const sizes = pairs.flatMap(({ guarded, test }) =>
    test ? guarded.runs.map(({ length }) => length) : [],
  );
  if (sizes.length === 0) return choices.join(' ');
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const n = least === most ? `n = ${least}` : `n = ${least} to ${most}`;
  return [`For one look at ${n} runs per group.`, ...choices].join(' ');
}

const omissionWords: Record<Omission['code'], (runs: string) => string> = {
  RUNNING_AFTER_LAST_ENDED: (runs) => `${runs} started after the last ended run and still running`,
  FAILED_EXCLUDED: (runs) => `${runs} that failed`,
  STOPPED_EXCLUDED: (runs) => `${runs} that were stopped`,
  WITHOUT_FITNESS: (runs) => `${runs} without any fitness`,
  TIME_UNKNOWN: (runs) => `${runs} that reached the target after an unknown number of evaluations`,
  SMALL_CONFIGURATION: (runs) => `${runs} of configurations with few runs`,
  BEYOND_EQUAL_COUNT: (runs) => `${runs} beyond the number that every configuration has`,
};

/** What the tests leave out, and what they count as a failure, each in a sentence. */
export function guardNotes(
  { samples, pairs }: Pick<ComparedPairs, 'samples' | 'pairs'>,
  terms: GuardTerms,
  label: LabelOf,
): string[] {
  const failed = samples.filter(({ failedRuns }) => failedRuns > 0);
  const unknownStart = samples.reduce((sum, { withoutStartTime }) => sum + withoutStartTime, 0);
  const most = mostOmitted(pairs.flatMap(({ guarded }) => guarded.omitted));
  const left = most.map(
    ({ group, code, runs }) => `${label(group)}: ${omissionWords[code](counted(runs, 'run'))}`,
  );
  return [
    ...(failed.length > 0
      ? [
          `Failed runs count as failures of the algorithm: ${listed(
            failed.map(
              (sample) => `${label(sample.name)} ${sample.failedRuns} of ${sample.runs.length}`,
            ),
          )}.`,
        ]
      : []),
    ...(left.length > 0 ? [`Not in the tests: ${listed(left, 6)}.`] : []),
    ...(unknownStart > 0
      ? [`${counted(unknownStart, 'run')} without a start time: taken as the first to start.`]
      : []),
    ...(terms.silent === 'failed' && samples.some(({ silentRunIds }) => silentRunIds.length > 0)
      ? ['Silent runs count as failed.']
      : []),
  ];
}

/** A group loses different runs in different pairs: the most of each kind is said. */
function mostOmitted(omissions: readonly Omission[]): Omission[] {
  const most = new Map<string, Omission>();
  for (const omission of omissions) {
    const key = JSON.stringify([omission.group, omission.code]);
    if (omission.runs > (most.get(key)?.runs ?? 0)) most.set(key, omission);
  }
  return [...most.values()];
}
