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

/** More experiments than this are deleted only after their number was typed. */
export const mostWithoutTyping = 10;

/** What must be typed before anything is deleted; null when a button is enough. */
export type Confirmation = { expected: string; ask: string } | null;

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

/**
 * What must be typed: the first 8 characters of the id for a single experiment, the number of those that
 * will go when more than {@link mostWithoutTyping} were chosen.
 */
export function confirmationOf(chosen: number, deletable: readonly DeletionTarget[]): Confirmation {
  const [only] = deletable;
  if (!only) return null;
  if (deletable.length === 1) {
    const expected = only.experimentId.slice(0, 8);
    return { expected, ask: `Type ${expected}, the beginning of its id, to confirm` };
  }
  if (chosen <= mostWithoutTyping) return null;
  const expected = String(deletable.length);
  return { expected, ask: `Type ${expected}, the number of experiments, to confirm` };
}

/** Whether the typed text is what was asked for; case and outer blanks do not matter. */
export function isConfirmed(confirmation: Confirmation, typed: string): boolean {
  return (
    confirmation === null || typed.trim().toLowerCase() === confirmation.expected.toLowerCase()
  );
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
