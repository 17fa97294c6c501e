/** Returns the displayed id: the first 8 of 64 hex characters; any other id in full. */
export function shortId(id: string): string {
  return /^[0-9a-f]{64}$/i.test(id) ? id.slice(0, 8) : id;
}

/** Returns the displayed name of a run: the name that a user gave it, else its short id. */
export function runName(run: { displayName?: string | null; runId: string }): string {
  return run.displayName ?? shortId(run.runId);
}

/** Returns the displayed name of an experiment: the name that a user gave it, the name of its runs, else its short id. */
export function experimentName(experiment: {
  displayName?: string | null;
  runName: string | null;
  experimentId: string;
}): string {
  return experiment.displayName || experiment.runName?.trim() || shortId(experiment.experimentId);
}

/** Returns the displayed name of a campaign: its name, else its short id. */
export function campaignName(campaign: { name: string; campaignId: string }): string {
  return campaign.name.trim() || shortId(campaign.campaignId);
}
