import type { DeletionTarget } from './deletion/deletion-plan.ts';
import { shortId } from './short-id.ts';

interface Named {
  campaignId: string;
  name: string;
}

/** What people call a campaign: its name, else its short id. */
export function campaignName({ name, campaignId }: Named): string {
  return name.trim() || shortId(campaignId);
}

/** A campaign as a deletion names it. */
export function campaignTarget(campaign: Named): DeletionTarget {
  return { kind: 'campaign', id: campaign.campaignId, name: campaignName(campaign) };
}
