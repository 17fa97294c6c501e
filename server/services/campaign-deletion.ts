import { notFound, shortened } from '#server/errors.ts';
import { listOwnExperiments } from '#server/repositories/campaign-deletion.ts';
import type { CampaignDeletion, CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import { deleteSet, previewSet, type DeletionSet, type DeletionTools } from './set-deletion.ts';

/**
 * Deletes a campaign as a whole: with its trials, and the experiments that are its alone; see
 * {@link deleteSet}. CAMPAIGN_NOT_FOUND.
 */
export async function deleteCampaign(
  tools: DeletionTools,
  campaignId: string,
  force: boolean,
): Promise<CampaignDeletion> {
  return { campaignId, ...(await deleteSet(tools, onlyCampaign(campaignId), force)) };
}

/** What {@link deleteCampaign} would remove now, and whether it may. CAMPAIGN_NOT_FOUND. */
export async function previewCampaignDeletion(
  tools: DeletionTools,
  campaignId: string,
): Promise<CampaignDeletionPreview> {
  return { campaignId, ...(await previewSet(tools, onlyCampaign(campaignId))) };
}

function onlyCampaign(campaignId: string): DeletionSet {
  return {
    id: campaignId,
    subject: `Campaign "${shortened(campaignId)}"`,
    listCampaigns: async () => [campaignId],
    listExperiments: listOwnExperiments,
    notFound: () => notFound('campaign', campaignId),
  };
}
