import * as analysis from '#server/repositories/analysis.ts';
import * as deletion from '#server/repositories/campaign-deletion.ts';
import * as coco from '#server/repositories/coco.ts';
import * as trials from '#server/repositories/trials.ts';
import { campaignsQuery, trialsQuery } from '#shared/schemas/coco.ts';
import type { Example } from './repository-examples.ts';

const defaultCampaignsQuery = campaignsQuery.parse({});
const filteredCampaignsQuery = campaignsQuery.parse({
  q: 'text',
  status: ['RUNNING', 'FAILED'],
  suite: 'bbob',
});
const defaultTrialsQuery = trialsQuery.parse({});
const filteredTrialsQuery = trialsQuery.parse({
  optimizer: ['cma-es', 'DIRECT'],
  functionId: ['1', '8'],
  dimension: '2',
  reachedTarget: 'false',
});

/** Calls of repository methods that read COCO campaigns and their trials. */
export const cocoExamples: readonly Example[] = [
  {
    method: coco.listCampaignIds,
    note: 'first page',
    call: (database) =>
      coco.listCampaignIds(database, defaultCampaignsQuery, {
        ...defaultCampaignsQuery,
        pageRequest: defaultCampaignsQuery,
      }),
  },
  {
    method: coco.listCampaignIds,
    note: 'all filters, by name',
    call: (database) =>
      coco.listCampaignIds(database, filteredCampaignsQuery, { sortBy: 'name', sortDir: 'asc' }),
  },
  { method: coco.listCampaigns, call: (database) => coco.listCampaigns(database, ['c1', 'c2']) },
  {
    method: coco.countCampaigns,
    call: (database) => coco.countCampaigns(database, filteredCampaignsQuery),
  },
  { method: coco.findCampaign, call: (database) => coco.findCampaign(database, 'c1') },
  {
    method: coco.findAnyConfiguration,
    call: (database) => coco.findAnyConfiguration(database, 'c1'),
  },
  { method: coco.listOptimizers, call: (database) => coco.listOptimizers(database, 'c1') },
  {
    method: coco.listTrialOptimizers,
    call: (database) => coco.listTrialOptimizers(database, 'c1'),
  },
  { method: coco.listAggregates, call: (database) => coco.listAggregates(database, 'c1') },
  {
    method: coco.listTrialIds,
    note: 'first page',
    call: (database) =>
      coco.listTrialIds(database, 'c1', defaultTrialsQuery, {
        ...defaultTrialsQuery,
        pageRequest: defaultTrialsQuery,
      }),
  },
  {
    method: coco.listTrialIds,
    note: 'all filters, by evaluations to target',
    call: (database) =>
      coco.listTrialIds(database, 'c1', filteredTrialsQuery, {
        sortBy: 'evals_to_target',
        sortDir: 'desc',
      }),
  },
  { method: coco.listTrials, call: (database) => coco.listTrials(database, [1, 2]) },
  {
    method: coco.countTrials,
    call: (database) => coco.countTrials(database, 'c1', filteredTrialsQuery),
  },
  {
    method: trials.findTrialPosition,
    call: (database) => trials.findTrialPosition(database, 'r1'),
  },
  {
    method: trials.listOutcomes,
    call: (database) => trials.listOutcomes(database, 'c1', defaultTrialsQuery),
  },
  { method: trials.listCombinations, call: (database) => trials.listCombinations(database, 'c1') },
  {
    method: trials.listTrialsWithSuites,
    call: (database) => trials.listTrialsWithSuites(database, ['r1', 'r2'], 'c1'),
  },
  { method: trials.listReferences, call: (database) => trials.listReferences(database, 'bbob') },
  {
    method: analysis.listRunsOfCampaign,
    call: (database) => analysis.listRunsOfCampaign(database, 'c1', filteredTrialsQuery),
  },
  {
    method: trials.countTrialsPerFunction,
    call: (database) => trials.countTrialsPerFunction(database, ['c1', 'c2']),
  },
  {
    method: deletion.listDeletableCampaigns,
    call: ({ kysely, dialect }) => deletion.listDeletableCampaigns(kysely, ['c1', 'c2'], dialect),
  },
  {
    method: deletion.listOwnExperiments,
    call: ({ kysely }) => deletion.listOwnExperiments(kysely, ['c1', 'c2']),
  },
];
