import type { AnalysisNote, FriedmanResult } from '#shared/schemas/analysis.ts';
import type { AnalysedRun, Objective } from './analysis-input.ts';
import { counted, noteIf, objectiveNotes, runNotes } from './analysis-notes.ts';
import { binomial } from '#server/stats/binomial.ts';
import type { ComparisonScope } from './comparison-scope.ts';
import { maximum, minimum } from '#server/stats/descriptive.ts';
import type { RunGroup } from './problem-groups.ts';
import { budgetOf, isCompleted } from './run-outcome.ts';
import { reaches } from '#server/stats/trace.ts';

/** Everything that a careful reader of a comparison must know. */
export function comparisonNotes(
  scope: ComparisonScope,
  objective: Objective,
  groups: readonly RunGroup[],
  friedman: FriedmanResult,
): AnalysisNote[] {
  return [
    ...objectiveNotes(objective),
    ...instanceNotes(scope),
    ...runNotes(scope.runs),
    ...groupNotes(groups, objective),
    ...blockNotes(friedman),
  ];
}

function instanceNotes({ instances, selected }: ComparisonScope): AnalysisNote[] {
  const others = instances.length - 1;
  return noteIf(
    others > 0,
    'OTHER_INSTANCES',
    `Compared on ${selected.label}; there ${others === 1 ? 'is' : 'are'} ` +
      `${counted(others, 'other instance')} of this problem, which must not be pooled with it.`,
  );
}

function groupNotes(groups: readonly RunGroup[], objective: Objective): AnalysisNote[] {
  const pooled = groups.filter((group) => group.configurations > 1);
  const empty = groups.filter((group) => group.sample.length === 0);
  return [
    ...pooled.map(({ label, configurations }) => ({
      code: 'POOLED_CONFIGURATIONS',
      message: `${label} pools ${counted(configurations, 'configuration')}.`,
    })),
    ...noteIf(
      empty.length > 0,
      'GROUPS_WITHOUT_COMPLETED_RUNS',
      `Left out of the tests for want of completed runs: ${listed(empty)}.`,
    ),
    ...budgetNotes(groups, objective),
    ...powerNotes(groups),
  ];
}

function listed(groups: readonly RunGroup[]): string {
  return groups.map((group) => group.label).join(', ');
}

/** Largest share by which budgets of groups may differ without a word about it. */
const budgetTolerance = 0.05;

// A run that stopped at the target does not tell the budget it had.
function budgetNotes(groups: readonly RunGroup[], objective: Objective): AnalysisNote[] {
  const budgets = groups.flatMap(({ runs }) => {
    const whole = runs.filter((run) => isCompleted(run) && !stoppedAtTarget(run, objective));
    return maximum(whole.map(budgetOf)) ?? [];
  });
  const [least, most] = [minimum(budgets) ?? 0, maximum(budgets) ?? 0];
  return noteIf(
    most > least * (1 + budgetTolerance),
    'UNEQUAL_BUDGETS',
    `The groups had unequal budgets, from ${least} to ${most} evaluations.`,
  );
}

function stoppedAtTarget(run: AnalysedRun, { targetFitness, direction }: Objective): boolean {
  if (targetFitness === null || run.bestFitness === null) return false;
  return reaches(run.bestFitness, targetFitness, direction);
}

// Even complete separation gives no less than p = 2 / C(nA + nB, nA).
function powerNotes(groups: readonly RunGroup[]): AnalysisNote[] {
  const sizes = groups.map((group) => group.sample.length).filter((size) => size > 0);
  const [least = 0, next = 0] = sizes.sort((a, b) => a - b);
  const leastProbability = 2 / binomial(least + next, least);
  return noteIf(
    sizes.length >= 2 && leastProbability >= 0.05,
    'SMALL_SAMPLES',
    `The smallest samples have ${least} and ${next} values: too few for any difference between them to ` +
      'be significant at 0.05.',
  );
}

function blockNotes(friedman: FriedmanResult): AnalysisNote[] {
  if (friedman.algorithms < 2) return [];
  return [
    ...noteIf(
      friedman.blockBy === 'seed',
      'SEEDS_AS_BLOCKS',
      `The Friedman test pairs runs by ${friedman.blocks} common seeds, which is sound only if a seed ` +
        'fixes conditions that all groups share.',
    ),
    ...noteIf(
      friedman.blockBy === 'instance',
      'INSTANCES_AS_BLOCKS',
      `The Friedman test ranks the groups on ${friedman.blocks} problem instances that all of them share.`,
    ),
    ...noteIf(
      friedman.blockBy === null,
      'NO_BLOCKS',
      'The groups share fewer than two instances and fewer than two seeds: there is no Friedman test, ' +
        'and the ranks are mean ranks over the pooled sample.',
    ),
  ];
}
