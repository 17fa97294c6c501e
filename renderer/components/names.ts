/** The id as people read it: the first 8 of 64 hex characters; any other id whole. */
export function shortId(id: string): string {
  return /^[0-9a-f]{64}$/i.test(id) ? id.slice(0, 8) : id;
}

/** What people call an experiment: the name its runs were given, else its short id. */
export function experimentName(experiment: {
  runName: string | null;
  experimentId: string;
}): string {
  return experiment.runName?.trim() || shortId(experiment.experimentId);
}

/** What people call a campaign: its name, else its short id. */
export function campaignName(campaign: { name: string; campaignId: string }): string {
  return campaign.name.trim() || shortId(campaign.campaignId);
}
