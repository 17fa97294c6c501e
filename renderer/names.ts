/** Returns the displayed id: the first 8 of 64 hex characters; any other id in full. */
export function shortId(id: string): string {
  return /^[0-9a-f]{64}$/i.test(id) ? id.slice(0, 8) : id;
}

/** Returns the displayed name of an experiment: the name of its runs, else its short id. */
export function experimentName(experiment: {
  runName: string | null;
  experimentId: string;
}): string {
  return experiment.runName?.trim() || shortId(experiment.experimentId);
}

/** Returns the displayed name of a campaign: its name, else its short id. */
export function campaignName(campaign: { name: string; campaignId: string }): string {
  return campaign.name.trim() || shortId(campaign.campaignId);
}
