import * as z from 'zod';
import { addresses } from '#shared/addresses.ts';
import * as coco from '#shared/schemas/coco.ts';
import * as campaign from '#shared/schemas/coco-analysis.ts';
import * as csv from '#shared/schemas/csv-tables.ts';
import { deletionQuery } from '#shared/schemas/experiment.ts';
import { campaignParams } from '#shared/schemas/path.ts';

/** The endpoints of COCO campaigns. */
export const cocoEndpoints = {
  listCampaigns: {
    ...addresses.listCampaigns,
    summary: 'List COCO campaigns with their numbers of trials, filtered, sorted and paged',
    query: coco.campaignsQuery,
    response: coco.campaignsPage,
    csv: csv.pageTables,
  },
  getCampaign: {
    ...addresses.getCampaign,
    summary: 'One campaign with its plan and its progress',
    params: campaignParams,
    response: coco.campaignDetail,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  listOptimizers: {
    ...addresses.listOptimizers,
    summary: 'Optimizers of a campaign with their configurations',
    params: campaignParams,
    response: z.array(coco.cocoOptimizer),
    csv: csv.listTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  listAggregates: {
    ...addresses.listAggregates,
    summary: 'Stored aggregates of the runner per optimizer and dimension',
    params: campaignParams,
    response: z.array(coco.cocoAggregate),
    csv: csv.listTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  listTrials: {
    ...addresses.listTrials,
    summary: 'Trials of a campaign, filtered, sorted and paged',
    params: campaignParams,
    query: coco.trialsQuery,
    response: coco.trialsPage,
    csv: csv.pageTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  getCompleteness: {
    ...addresses.getCompleteness,
    summary: 'Expected and existing trials per optimizer, dimension and function',
    params: campaignParams,
    response: coco.campaignCompleteness,
    csv: csv.completenessTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  listErts: {
    ...addresses.listErts,
    summary:
      'Expected runtimes per optimizer, dimension, function and target, with those of the reference',
    params: campaignParams,
    query: campaign.ertsQuery,
    response: campaign.campaignErts,
    csv: csv.ertTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  exportErts: {
    ...addresses.exportErts,
    summary: 'The expected runtimes as a LaTeX fragment (`booktabs`, `longtable`, `graphicx`)',
    params: campaignParams,
    query: campaign.ertsQuery,
    response: z.string(),
    kind: 'tex',
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  compareOptimizers: {
    ...addresses.compareOptimizers,
    summary:
      'Rank-sum tests of the runtimes of all pairs of optimizers, per function and dimension, and per dimension',
    params: campaignParams,
    query: campaign.optimizerTestsQuery,
    response: campaign.optimizerTests,
    csv: csv.optimizerTestTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  getEcdf: {
    ...addresses.getEcdf,
    summary:
      'Share of (cell, target) pairs that each optimizer solved within a budget of evaluations / dimension, per dimension ' +
      'and over all dimensions',
    params: campaignParams,
    query: campaign.ecdfQuery,
    response: campaign.campaignEcdf,
    csv: csv.ecdfTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  listReferences: {
    ...addresses.listReferences,
    summary: 'The reference results of the suite of a campaign, to compare with its ERTs',
    params: campaignParams,
    response: z.array(coco.cocoReference),
    csv: csv.listTables,
    errors: ['CAMPAIGN_NOT_FOUND'],
  },
  previewCampaignDeletion: {
    ...addresses.previewCampaignDeletion,
    summary:
      'Preview of the rows and files that deleting a campaign with its experiments would remove now',
    params: campaignParams,
    response: coco.campaignDeletionPreview,
    errors: ['CAMPAIGN_NOT_FOUND', 'DOCUMENTS_UNREADABLE'],
  },
  deleteCampaign: {
    ...addresses.deleteCampaign,
    summary:
      'Delete a campaign with its trials, the experiments that belong only to it, and all their data',
    params: campaignParams,
    query: deletionQuery,
    response: coco.campaignDeletion,
    errors: [
      'CAMPAIGN_NOT_FOUND',
      'RUNS_ACTIVE',
      'RUNNER_WRITING',
      'COUNTS_CHANGED',
      'TABLES_OF_OTHERS',
      'DOCUMENTS_UNREADABLE',
      'READ_ONLY',
    ],
  },
} as const;
