import type { CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import type { DeletionPreview } from '#shared/schemas/experiment.ts';
import type { DeletionTarget } from '#renderer/components/targets.ts';
import { countOf } from '#shared/number-format.ts';

/** What a deletion would remove now. */
export type Preview = Omit<DeletionPreview, 'experimentId'> & Counters;

/** What is known of each target's content; `missing` when it is gone already. */
export type Previews = ReadonlyMap<string, Preview | 'missing'>;

/** A target that stays, with how many of its runs are RUNNING. */
export type BlockedTarget = DeletionTarget & { runningRuns: number };

/** Whether something is not deletable though none of its runs is RUNNING: a campaign that adds trials. */
export function isWriting({ runningRuns }: { runningRuns: number }): boolean {
  return runningRuns === 0;
}

/** The targets by what a deletion would do to them. */
export interface DeletionPlan {
  deletable: DeletionTarget[];
  blocked: BlockedTarget[];
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
    const preview = previews.get(target.id);
    if (preview === undefined) plan.unknown.push(target);
    else if (preview === 'missing') plan.missing.push(target);
    else if (preview.deletable) plan.deletable.push(target);
    else plan.blocked.push({ ...target, runningRuns: preview.runningRuns });
  }
  return plan;
}

/** The previews of what a deletion would remove, in the order of the plan. */
export function deletablePreviews(plan: DeletionPlan, previews: Previews): Preview[] {
  return plan.deletable
    .map(({ id }) => previews.get(id))
    .filter((preview): preview is Preview => typeof preview === 'object');
}

/** The longest time that a deletion keeps a writing runner waiting, in whole seconds; null when none does. */
export function runnerWaitSeconds(previews: readonly Preview[]): number | null {
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

const campaignCounters = [
  ['trialsDeleted', 'Trials'],
  ['optimizersDeleted', 'Optimizers'],
  ['aggregatesDeleted', 'Aggregates'],
  ['experimentsDeleted', 'Experiments'],
] as const;

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

/** Rows that go, by kind; those of a campaign where it is one. */
export type Counters = Pick<DeletionPreview, (typeof counters)[number][0]> &
  Partial<Pick<CampaignDeletionPreview, (typeof campaignCounters)[number][0]>>;

/** What goes with some deletions together, one line per kind of row, empty kinds too; those of a campaign if any is one. */
export function removedRows(counts: readonly Counters[]): { label: string; count: number }[] {
  const isCampaign = counts.some(({ trialsDeleted }) => trialsDeleted !== undefined);
  return [...(isCampaign ? campaignCounters : []), ...counters].map(([key, label]) => ({
    label,
    count: counts.reduce((sum, one) => sum + (one[key] ?? 0), 0),
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
