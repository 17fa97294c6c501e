import { makeNotFoundError } from '#server/errors.ts';
import type { Database } from '#server/db/database.ts';
import * as coco from '#server/repositories/coco.ts';
import * as trials from '#server/repositories/trials.ts';
import {
  computeCompleteness,
  isImported,
  sumPerDimension,
  getPlannedTrials,
} from '#server/domain/completeness.ts';
import type {
  CampaignCompleteness,
  CampaignDetail,
  CampaignItem,
  CampaignsQuery,
  CocoAggregate,
  CocoOptimizer,
  CocoReference,
  CocoTrial,
  TrialsQuery,
} from '#shared/schemas/coco.ts';
import { readOptimizerNames } from '#server/records/annotations.ts';
import type { List } from '#server/records/page.ts';

/** Returns the list of the campaigns that match, with the counts of their trials and optimizers. */
export function makeCampaignList(database: Database, query: CampaignsQuery): List<CampaignItem> {
  const { sortBy, sortDir } = query;
  return {
    listIds: (pageRequest) =>
      coco.listCampaignIds(database, query, { sortBy, sortDir, pageRequest }),
    listItems: async (ids) => {
      const campaigns = await coco.listCampaigns(database, ids);
      const expectedTrials = await countExpectedTrials(database, campaigns);
      return campaigns.map((campaign) => ({
        ...campaign,
        expectedTrials: expectedTrials.get(campaign.campaignId) ?? countPlannedTrials(campaign),
      }));
    },
    count: () => coco.countCampaigns(database, query),
  };
}

/** Returns the reference results of the suite of a campaign, in the order of their ids; throws CAMPAIGN_NOT_FOUND. */
export async function listReferences(
  database: Database,
  campaignId: string,
): Promise<CocoReference[]> {
  const { suite } = await requireCampaign(database, campaignId);
  return trials.listReferences(database, suite);
}

/** Returns one campaign with its counts and its completeness per optimizer and dimension; throws CAMPAIGN_NOT_FOUND. */
export async function getCampaign(database: Database, campaignId: string): Promise<CampaignDetail> {
  const campaign = await requireCampaign(database, campaignId);
  const { counts, optimizerIds } = await countTrials(database, campaignId);
  const { cells, planSource } = computeCompleteness(campaign, optimizerIds, counts);
  const optimizerCount = optimizerIds.length;
  const repetitions = counts.reduce((maximum, count) => Math.max(maximum, count.repetitions), 0);
  return {
    ...campaign,
    trials: counts.reduce((sum, { present }) => sum + present, 0),
    reachedTargets: counts.reduce((sum, { reachedTargets }) => sum + reachedTargets, 0),
    optimizerCount,
    expectedTrials:
      planSource === 'data'
        ? sumExpectedTrials(cells)
        : getPlannedTrials(campaign, optimizerCount, repetitions),
    completeness: sumPerDimension(cells),
  };
}

type ListedCampaign = Awaited<ReturnType<typeof coco.listCampaigns>>[number];

function countPlannedTrials(campaign: ListedCampaign): number {
  return getPlannedTrials(campaign, campaign.optimizerCount, campaign.repetitions);
}

/** Returns the expected number of trials of each imported campaign among these, by campaign id. */
async function countExpectedTrials(
  database: Database,
  campaigns: readonly ListedCampaign[],
): Promise<Map<string, number>> {
  const importedCampaigns = campaigns.filter(isImported);
  const counts = await trials.countTrialsPerFunction(
    database,
    importedCampaigns.map(({ campaignId }) => campaignId),
  );
  const countsByCampaign = Map.groupBy(counts, ({ campaignId }) => campaignId);
  return new Map(
    importedCampaigns.map((campaign) => {
      const campaignCounts = countsByCampaign.get(campaign.campaignId) ?? [];
      return [
        campaign.campaignId,
        sumExpectedTrials(computeCompleteness(campaign, [], campaignCounts).cells),
      ];
    }),
  );
}

function sumExpectedTrials(cells: readonly { expected: number }[]): number {
  return cells.reduce((sum, { expected }) => sum + expected, 0);
}

/** Returns the completeness of a campaign; throws CAMPAIGN_NOT_FOUND. */
export async function getCompleteness(
  database: Database,
  campaignId: string,
): Promise<CampaignCompleteness> {
  const campaign = await requireCampaign(database, campaignId);
  const { counts, optimizerIds } = await countTrials(database, campaignId);
  const completeness = computeCompleteness(campaign, optimizerIds, counts);
  return {
    campaignId,
    ...completeness,
    cells: await addLabels(database, campaignId, completeness.cells),
  };
}

async function countTrials(database: Database, campaignId: string) {
  const optimizers = await coco.listOptimizers(database, campaignId);
  const counts = await trials.countTrialsPerFunction(database, [campaignId]);
  return { counts, optimizerIds: optimizers.map(({ optimizerId }) => optimizerId) };
}

/** Returns the optimizers of a campaign in insertion order; throws CAMPAIGN_NOT_FOUND. */
export async function listOptimizers(
  database: Database,
  campaignId: string,
): Promise<CocoOptimizer[]> {
  const rows = await coco.listOptimizers(database, campaignId);
  if (rows.length === 0) await requireCampaign(database, campaignId);
  return addLabels(database, campaignId, rows);
}

/**
 * Returns the runner's aggregates of a campaign by optimizer, dimension, descending target and id. `edafErt` repeats
 * `svcErt` for older scripts. Throws CAMPAIGN_NOT_FOUND.
 */
export async function listAggregates(
  database: Database,
  campaignId: string,
): Promise<CocoAggregate[]> {
  const rows = await coco.listAggregates(database, campaignId);
  if (rows.length === 0) await requireCampaign(database, campaignId);
  return addLabels(
    database,
    campaignId,
    rows.map((row) => ({ ...row, edafErt: row.svcErt })),
  );
}

/** Returns the list of the trials of a campaign that match. The list throws CAMPAIGN_NOT_FOUND. */
export function makeTrialList(
  database: Database,
  campaignId: string,
  query: TrialsQuery,
): List<CocoTrial> {
  const { sortBy, sortDir } = query;
  return {
    listIds: (pageRequest) =>
      coco.listTrialIds(database, campaignId, query, { sortBy, sortDir, pageRequest }),
    listItems: async (ids) => addLabels(database, campaignId, await coco.listTrials(database, ids)),
    count: () => coco.countTrials(database, campaignId, query),
    requireOwner: async () => void (await requireCampaign(database, campaignId)),
  };
}

/**
 * Returns the rows with the displayed names of their optimizers. Different optimizers of the campaign have different
 * names.
 */
async function addLabels<Row extends { optimizerId: string }>(
  database: Database,
  campaignId: string,
  rows: readonly Row[],
): Promise<(Row & { label: string })[]> {
  const optimizers = [...(await coco.listOptimizers(database, campaignId)), ...rows];
  const getName = await readOptimizerNames(database, [
    ...optimizers.map(({ optimizerId }) => optimizerId),
    ...(await coco.listTrialOptimizers(database, campaignId)),
  ]);
  return rows.map((row) => ({ ...row, label: getName(row.optimizerId) }));
}

async function requireCampaign(database: Database, campaignId: string) {
  const campaign = await coco.findCampaign(database, campaignId);
  if (!campaign) throw makeNotFoundError('campaign', campaignId);
  return campaign;
}
