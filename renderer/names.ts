import { getShortId } from '#shared/words.ts';

/** Returns the displayed name of a run: the name that a user gave it, else its short id. */
export function getRunName(run: { displayName?: string | null; runId: string }): string {
  return run.displayName ?? getShortId(run.runId);
}

/**
 * Returns the displayed name of an experiment: the name that a user gave it, else the name of its runs, else its short
 * id.
 */
export function getExperimentName(experiment: {
  displayName?: string | null;
  runName: string | null;
  experimentId: string;
}): string {
  return (
    experiment.displayName || experiment.runName?.trim() || getShortId(experiment.experimentId)
  );
}

/** Returns the displayed name of a campaign: its name, else its short id. */
export function getCampaignName(campaign: { name: string; campaignId: string }): string {
  return campaign.name.trim() || getShortId(campaign.campaignId);
}
