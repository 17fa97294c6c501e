import { maximum, minimum } from '#server/stats/descriptive.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { Pairwise } from '#shared/schemas/analysis-measures.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { InstanceDirections } from './blocks.ts';
import type { JudgedGroup } from './groups.ts';
import type { GroupSample, SampledRun } from '#server/domain/claims/guard.ts';
import { mostPairedGroups } from '#server/domain/claims/compare-groups.ts';
import type { Objective } from './model.ts';
import { noteIf } from './notes.ts';
import { objectiveNotes } from './objective.ts';
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
  samples: readonly GroupSample[];
}

/** Everything that a careful reader of a comparison must know. */
export function comparisonNotes(compared: ComparedGroups): AnalysisNote[] {
  const { scope, objective, groups } = compared;
  const others = scope.instances.length - 1;
  return [
    ...objectiveNotes(objective, scope.runs),
    ...targetNotes(scope.runs, statedTargetIn(scope), objective),
    ...noteIf(others > 0, 'OTHER_INSTANCES', scope.selected.label, others),
    // Which RUNNING runs are compared, and within which budget, is in the words of the guard.
    ...runNotes(scope.runs, false),
    ...groupNotes(groups),
    ...budgetNotes(compared.samples),
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

/** The budgets that runs were granted, else what they used without reaching the target. */
function budgetNotes(samples: readonly GroupSample[]): AnalysisNote[] {
  const runs = samples.flatMap((sample) => sample.runs);
  const isOver = (run: SampledRun) => !run.isRunning && !run.isFailed && run.time === Infinity;
  const budgets = runs.flatMap(
    (run) => run.granted ?? (isOver(run) && run.spent > 0 ? run.spent : []),
  );
  const [least, most] = [minimum(budgets) ?? 0, maximum(budgets) ?? 0];
  const unknown = runs.filter(
    (run) => isOver(run) && run.granted === null && run.spent === 0,
  ).length;
  return [
    ...noteIf(most > least * (1 + budgetTolerance), 'UNEQUAL_BUDGETS', least, most),
    ...noteIf(unknown > 0, 'BUDGETS_UNKNOWN', unknown),
  ];
}

/** No assignment of the values to the groups would make any pair of any measure significant. */
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
