import { maximum, minimum } from '#server/stats/descriptive.ts';
import { reaches } from '#server/stats/trace.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { Pairwise } from '#shared/schemas/analysis-measures.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { InstanceDirections } from './blocks.ts';
import type { JudgedGroup } from './groups.ts';
import { mostPairedGroups, untimedRuns } from './measures.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { noteIf } from './notes.ts';
import { objectiveNotes } from './objective.ts';
import { budgetOf, isCompleted } from './outcomes.ts';
import { runNotes } from './run-notes.ts';
import type { TracedScope } from './scope.ts';
import { statedTargetIn, targetNotes } from './target-notes.ts';

/** What the notes of a comparison are about. */
export interface ComparedGroups {
  scope: TracedScope;
  objective: Objective;
  directions: InstanceDirections;
  groups: readonly JudgedGroup[];
  pairwise: Pairwise;
  friedman: FriedmanResult;
}

/** Everything that a careful reader of a comparison must know. */
export function comparisonNotes(compared: ComparedGroups): AnalysisNote[] {
  const { scope, objective, groups } = compared;
  const others = scope.instances.length - 1;
  return [
    ...objectiveNotes(objective, scope.runs),
    ...targetNotes(scope.runs, statedTargetIn(scope), objective),
    ...noteIf(others > 0, 'OTHER_INSTANCES', scope.selected.label, others),
    ...runNotes(scope.runs),
    ...groupNotes(groups),
    ...budgetNotes(scope.runs, objective),
    ...untimedNotes(groups, objective),
    ...powerNotes(compared.pairwise),
    ...blockNotes(compared),
  ];
}

function groupNotes(groups: readonly JudgedGroup[]): AnalysisNote[] {
  const pooled = groups.filter((group) => group.configurations > 1);
  const empty = groups.filter((group) => group.sample.length === 0).map(({ label }) => label);
  return [
    ...noteIf(pooled.length > 0, 'POOLED_CONFIGURATIONS', pooled),
    ...noteIf(empty.length > 0, 'GROUPS_WITHOUT_COMPLETED_RUNS', empty.join(', ')),
    ...noteIf(groups.length > mostPairedGroups, 'PAIRS_LEFT_OUT', groups.length, mostPairedGroups),
  ];
}

/** Largest share by which budgets may differ without a word about it. */
const budgetTolerance = 0.05;

// A run that stopped at the target does not tell the budget it had.
function budgetNotes(runs: readonly AnalysedRun[], objective: Objective): AnalysisNote[] {
  const whole = runs.filter((run) => isCompleted(run) && !stoppedAtTarget(run, objective));
  const budgets = whole.map(budgetOf).filter((budget) => budget > 0);
  const [least, most] = [minimum(budgets) ?? 0, maximum(budgets) ?? 0];
  const unknown = whole.length - budgets.length;
  return [
    ...noteIf(most > least * (1 + budgetTolerance), 'UNEQUAL_BUDGETS', least, most),
    ...noteIf(unknown > 0, 'BUDGETS_UNKNOWN', unknown),
  ];
}

function stoppedAtTarget(run: AnalysedRun, { targetFitness, direction }: Objective): boolean {
  if (targetFitness === null || run.bestFitness === null) return false;
  return reaches(run.bestFitness, targetFitness, direction);
}

function untimedNotes(groups: readonly JudgedGroup[], objective: Objective): AnalysisNote[] {
  if (objective.targetFitness === null) return [];
  const untimed = groups.reduce((total, group) => total + untimedRuns(group), 0);
  return noteIf(untimed > 0, 'RUNS_NOT_TIMED', untimed);
}

/** Even the arrangement of the values that tells most would leave every pair of every measure without significance. */
function powerNotes(pairwise: Pairwise): AnalysisNote[] {
  const pairs = Object.values(pairwise).flatMap((ofMeasure) => ofMeasure ?? []);
  const attainable = pairs.flatMap(({ attainablePValue }) => attainablePValue ?? []);
  const isHopeless = attainable.length > 0 && attainable.every((pValue) => pValue > 0.05);
  return noteIf(isHopeless, 'SMALL_SAMPLES');
}

function blockNotes({ friedman, scope, directions }: ComparedGroups): AnalysisNote[] {
  if (friedman.algorithms < 2) return [];
  const { blocks, blockBy } = friedman;
  const labels = (direction: string) =>
    scope.instances.filter(({ id }) => directions.get(id) === direction).map(({ label }) => label);
  const [minimised, maximised] = [labels('min'), labels('max')];
  return [
    ...noteIf(blockBy === 'seed', 'SEEDS_AS_BLOCKS', blocks),
    ...noteIf(blockBy === 'instance', 'INSTANCES_AS_BLOCKS', blocks),
    ...noteIf(
      blockBy === 'instance' && minimised.length > 0 && maximised.length > 0,
      'DIRECTIONS_DIFFER',
      minimised.join('; '),
      maximised.join('; '),
    ),
    ...noteIf(blockBy === null, 'NO_BLOCKS'),
  ];
}
