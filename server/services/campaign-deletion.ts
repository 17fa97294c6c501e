import { campaignNotFound, shortened } from '#server/errors.ts';
import {
  findDeletableCampaign,
  listOwnExperiments,
} from '#server/repositories/campaign-deletion.ts';
import type { CampaignDeletion, CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import {
  deleteCampaignSet,
  previewCampaignSet,
  type CampaignSet,
} from './campaign-set-deletion.ts';
import type { DeletionTools } from './deletion.ts';

/**
 * Deletes a campaign as a whole: with its trials, and the experiments that are its alone; see
 * {@link deleteCampaignSet}. CAMPAIGN_NOT_FOUND.
 */
export async function deleteCampaign(
  tools: DeletionTools,
  campaignId: string,
  force: boolean,
): Promise<CampaignDeletion> {
  return { campaignId, ...(await deleteCampaignSet(tools, onlyCampaign(campaignId), force)) };
}

/** What {@link deleteCampaign} would remove now, and whether it may. CAMPAIGN_NOT_FOUND. */
export async function previewCampaignDeletion(
  tools: DeletionTools,
  campaignId: string,
): Promise<CampaignDeletionPreview> {
  return { campaignId, ...(await previewCampaignSet(tools, onlyCampaign(campaignId))) };
}

function onlyCampaign(campaignId: string): CampaignSet {
  return {
    id: campaignId,
    subject: `Campaign "${shortened(campaignId)}"`,
    listCampaigns: async (kysely) =>
      (await findDeletableCampaign(kysely, campaignId)) ? [campaignId] : [],
    listExperiments: listOwnExperiments,
    notFound: () => campaignNotFound(campaignId),
  };
}
