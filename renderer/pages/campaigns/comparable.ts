import { maximumComparedCampaigns } from '#shared/words.ts';
import type { CampaignItem } from '#shared/schemas/coco.ts';

/** Why these cannot be shown on one page: fewer than two, too many, or of several suites. Undefined when they can. */
export function reasonNotToCompare(
  campaigns: readonly Pick<CampaignItem, 'suite'>[],
): string | undefined {
  if (campaigns.length < 2) return 'Select two or more campaigns of one suite.';
  if (campaigns.length > maximumComparedCampaigns) {
    return `At most ${maximumComparedCampaigns} campaigns are compared.`;
  }
  const suites = [...new Set(campaigns.map(({ suite }) => suite))];
  if (suites.length === 1) return undefined;
  return `Functions of different suites are not the same functions: ${suites.sort().join(', ')}.`;
}
