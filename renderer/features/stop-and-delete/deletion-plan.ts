import type { CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import type { DeletionPreview } from '#shared/schemas/experiment.ts';
import type { DeletionTarget } from './targets.ts';
import { describeCount } from '#shared/number-format.ts';

/** Rows that a deletion would remove now. */
export type Preview = Omit<DeletionPreview, 'experimentId'> & Counters;

/** Content of each target that is already counted; `missing` for a target that no longer exists. */
export type Previews = ReadonlyMap<string, Preview | 'missing'>;

/** A target that cannot be deleted, with the number of its RUNNING runs. */
export type BlockedTarget = DeletionTarget & { runningRuns: number };

/** Whether a blocked target has no RUNNING run: it is a campaign that adds trials. */
export function isWriting({ runningRuns }: { runningRuns: number }): boolean {
  return runningRuns === 0;
}

/** The targets, grouped by the effect of the deletion on them. */
export interface DeletionPlan {
  deletable: DeletionTarget[];
  blocked: BlockedTarget[];
  missing: DeletionTarget[];
  /** Not counted yet. */
  unknown: DeletionTarget[];
}

/** Maximum number of runs that a user can delete without typing their number. */
const mostRunsWithoutTyping = 10;

/** Groups the targets by their previews; each list keeps the order of the targets. */
export function makeDeletionPlan(
  targets: readonly DeletionTarget[],
  previews: Previews,
): DeletionPlan {
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

/** Returns the previews of these targets, in their order; omits missing targets and those that are not counted yet. */
export function getPreviewsOf(targets: readonly DeletionTarget[], previews: Previews): Preview[] {
  return targets
    .map(({ id }) => previews.get(id))
    .filter((preview): preview is Preview => typeof preview === 'object');
}

/** Returns the longest time in whole seconds for which a deletion blocks a writing runner; null when none does. */
export function getRunnerWaitSeconds(previews: readonly Preview[]): number | null {
  const waits = previews.filter(({ needsForce }) => needsForce).map((one) => one.lockSeconds);
  return waits.length > 0 ? Math.ceil(Math.max(...waits)) : null;
}

/** Returns the number to type before a deletion of so many runs; null when it needs no confirmation. */
export function getNumberToType(runCount: number): number | null {
  return runCount > mostRunsWithoutTyping ? runCount : null;
}

/** Whether the typed text is the expected number, with spaces ignored; always for null. */
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
  ['annotationsDeleted', 'Notes'],
] as const;

/** Counts of the deleted rows by kind; with the counts of a campaign if the target is one. */
export type Counters = Pick<DeletionPreview, (typeof counters)[number][0]> &
  Partial<Pick<CampaignDeletionPreview, (typeof campaignCounters)[number][0]>>;

/**
 * Returns the total of several deletions, one line per kind of row, zeros included; with the kinds of campaigns if any
 * target is one.
 */
export function makeRemovedRows(counts: readonly Counters[]): { label: string; count: number }[] {
  const isCampaign = counts.some(({ trialsDeleted }) => trialsDeleted !== undefined);
  return [...(isCampaign ? campaignCounters : []), ...counters].map(([key, label]) => ({
    label,
    count: counts.reduce((sum, one) => sum + (one[key] ?? 0), 0),
  }));
}

/** Returns the counts of one deletion as text: "5 runs, 120 iterations, 1 artifact directory". */
export function formatRemoved(counts: Counters): string {
  const parts = [
    describeCount(counts.runsDeleted, 'run'),
    describeCount(counts.iterationsDeleted, 'iteration'),
    ...(counts.artifactDirectoriesDeleted > 0
      ? [
          describeCount(
            counts.artifactDirectoriesDeleted,
            'artifact directory',
            'artifact directories',
          ),
        ]
      : []),
    ...(counts.annotationsDeleted > 0 ? [describeCount(counts.annotationsDeleted, 'note')] : []),
  ];
  return parts.join(', ');
}
