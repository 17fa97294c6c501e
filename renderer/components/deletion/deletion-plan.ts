import type { DeletionPreview } from '#shared/schemas/experiment.ts';
import { experimentName } from '#renderer/components/experiment-name.ts';
import { countOf } from '#shared/number-format.ts';

/** An experiment that is to be deleted. */
export interface DeletionTarget {
  experimentId: string;
  name: string;
}

/** An experiment as a deletion names it. */
export function deletionTarget(experiment: {
  experimentId: string;
  runName: string | null;
}): DeletionTarget {
  return { experimentId: experiment.experimentId, name: experimentName(experiment) };
}

/** What is known of each target's content; `missing` when the experiment is gone already. */
export type Previews = ReadonlyMap<string, DeletionPreview | 'missing'>;

/** The targets by what a deletion would do to them. */
export interface DeletionPlan {
  deletable: DeletionTarget[];
  /** With a RUNNING run; how many of them in `runningRuns`. */
  blocked: (DeletionTarget & { runningRuns: number })[];
  missing: DeletionTarget[];
  /** Not counted yet. */
  unknown: DeletionTarget[];
}

/** More runs than this are deleted only after their number was typed. */
const mostRunsWithoutTyping = 10;

/** Splits the targets by their previews, each list in the targets' order. */
export function deletionPlan(targets: readonly DeletionTarget[], previews: Previews): DeletionPlan {
  const plan: DeletionPlan = { deletable: [], blocked: [], missing: [], unknown: [] };
  for (const target of targets) {
    const preview = previews.get(target.experimentId);
    if (preview === undefined) plan.unknown.push(target);
    else if (preview === 'missing') plan.missing.push(target);
    else if (preview.deletable) plan.deletable.push(target);
    else plan.blocked.push({ ...target, runningRuns: preview.runningRuns });
  }
  return plan;
}

/** The previews of what a deletion would remove, in the order of the plan. */
export function deletablePreviews(plan: DeletionPlan, previews: Previews): DeletionPreview[] {
  return plan.deletable
    .map(({ experimentId }) => previews.get(experimentId))
    .filter((preview): preview is DeletionPreview => typeof preview === 'object');
}

/** The longest time that a deletion keeps a writing runner waiting, in whole seconds; null when none does. */
export function runnerWaitSeconds(previews: readonly DeletionPreview[]): number | null {
  const waits = previews.filter(({ needsForce }) => needsForce).map((one) => one.lockSeconds);
  return waits.length > 0 ? Math.ceil(Math.max(...waits)) : null;
}

/** The number that must be typed before so many runs in all are deleted; null when the button is enough. */
export function numberToType(runCount: number): number | null {
  return runCount > mostRunsWithoutTyping ? runCount : null;
}

/** Whether the typed text is the number asked for; blanks, between thousands too, do not matter. */
export function isConfirmed(expected: number | null, typed: string): boolean {
  return expected === null || typed.replace(/\s/g, '') === String(expected);
}

const counters = [
  ['runsDeleted', 'Runs'],
  ['iterationsDeleted', 'Iterations'],
  ['eventsDeleted', 'Events'],
  ['checkpointsDeleted', 'Checkpoints'],
  ['runObjectivesDeleted', 'Objectives'],
  ['paramsDeleted', 'Parameters'],
  ['controlRequestsDeleted', 'Stop requests'],
  ['artifactDirectoriesDeleted', 'Artifact directories'],
] as const;

type Counters = Pick<DeletionPreview, (typeof counters)[number][0]>;

/** What goes with some deletions together, one line per kind of row, empty kinds too. */
export function removedRows(counts: readonly Counters[]): { label: string; count: number }[] {
  return counters.map(([key, label]) => ({
    label,
    count: counts.reduce((sum, one) => sum + one[key], 0),
  }));
}

/** The counts of one deletion in a sentence: "5 runs, 120 iterations, 1 artifact directory". */
export function removedText(counts: Counters): string {
  const named = [
    countOf(counts.runsDeleted, 'run'),
    countOf(counts.iterationsDeleted, 'iteration'),
    ...(counts.artifactDirectoriesDeleted > 0
      ? [countOf(counts.artifactDirectoriesDeleted, 'artifact directory', 'artifact directories')]
      : []),
  ];
  return named.join(', ');
}
