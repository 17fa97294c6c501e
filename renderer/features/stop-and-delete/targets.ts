import { describeCount } from '#shared/number-format.ts';
import { getCampaignName, getExperimentName } from '#renderer/names.ts';
import { getShortId } from '#shared/words.ts';

/** An object to stop, or to delete with everything that belongs to it. */
interface Target<Kind extends string> {
  kind: Kind;
  id: string;
  name: string;
}

/** A run or experiment to stop. */
export type StopTarget = Target<'run' | 'experiment'>;

/** An object to delete. Several at once are experiments. */
export type DeletionTarget = Target<'experiment' | 'campaign' | 'data set'>;

/** Returns a run as a target, with its short id as name. */
export function getRunTarget({ runId }: { runId: string }): Target<'run'> {
  return { kind: 'run', id: runId, name: getShortId(runId) };
}

/** Returns an experiment as a target, with its displayed name. */
export function getExperimentTarget(
  experiment: Parameters<typeof getExperimentName>[0],
): Target<'experiment'> {
  return { kind: 'experiment', id: experiment.experimentId, name: getExperimentName(experiment) };
}

/** Returns a campaign as a target, with its displayed name. */
export function getCampaignTarget(
  campaign: Parameters<typeof getCampaignName>[0],
): Target<'campaign'> {
  return { kind: 'campaign', id: campaign.campaignId, name: getCampaignName(campaign) };
}

/** Returns the count of targets: "1 run", "3 experiments"; "0 experiments" for an empty list. */
export function formatTargets(targets: readonly Target<string>[]): string {
  return describeCount(targets.length, targets[0]?.kind ?? 'experiment');
}

/** Returns the title of a dialog: "Stop run r1?", "Delete 3 experiments?". */
export function getTitle(verb: string, targets: readonly Target<string>[]): string {
  const [first] = targets;
  return `${verb} ${targets.length === 1 && first ? `${first.kind} ${first.name}` : formatTargets(targets)}?`;
}
