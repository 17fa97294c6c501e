import { maximumComparedCampaigns } from '#shared/words.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';

/**
 * Returns why these campaigns cannot be compared: fewer than two, too many, or of several suites. Undefined when they
 * can.
 */
export function getReasonNotToCompare(
  campaigns: readonly Pick<CampaignItem, 'suite'>[],
): string | undefined {
  if (campaigns.length < 2) return 'Select two or more campaigns of one suite.';
  if (campaigns.length > maximumComparedCampaigns) {
    return `At most ${maximumComparedCampaigns} campaigns can be compared.`;
  }
  const suites = [...new Set(campaigns.map(({ suite }) => suite))];
  if (suites.length === 1) return undefined;
  return `Campaigns of different suites cannot be compared: ${suites.sort().join(', ')}.`;
}
