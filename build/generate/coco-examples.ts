import * as analysis from '#server/repositories/analysis.ts';
import * as deletion from '#server/repositories/campaign-deletion.ts';
import * as coco from '#server/repositories/coco.ts';
import * as trials from '#server/repositories/trials.ts';
import { campaignsQuery, trialsQuery } from '#shared/schemas/coco.ts';
import type { Example } from './repository-examples.ts';

const allCampaigns = campaignsQuery.parse({});
const someCampaigns = campaignsQuery.parse({
  q: 'text',
  status: ['RUNNING', 'FAILED'],
  suite: 'bbob',
});
const allTrials = trialsQuery.parse({});
const someTrials = trialsQuery.parse({
  optimizer: ['cma-es', 'DIRECT'],
  functionId: ['1', '8'],
  dimension: '2',
  reachedTarget: 'false',
});

/** At least one call of every repository method that reads COCO campaigns. */
export const cocoExamples: readonly Example[] = [
  {
    method: coco.listCampaignIds,
    note: 'first page',
    call: (store) =>
      coco.listCampaignIds(store, allCampaigns, { ...allCampaigns, part: allCampaigns }),
  },
  {
    method: coco.listCampaignIds,
    note: 'all filters, by name',
    call: (store) => coco.listCampaignIds(store, someCampaigns, { sortBy: 'name', sortDir: 'asc' }),
  },
  { method: coco.listCampaigns, call: (store) => coco.listCampaigns(store, ['c1', 'c2']) },
  { method: coco.countCampaigns, call: (store) => coco.countCampaigns(store, someCampaigns) },
  { method: coco.findCampaign, call: (store) => coco.findCampaign(store, 'c1') },
  { method: coco.listOptimizers, call: (store) => coco.listOptimizers(store, 'c1') },
  { method: coco.listAggregates, call: (store) => coco.listAggregates(store, 'c1') },
  {
    method: coco.listTrialIds,
    note: 'first page',
    call: (store) => coco.listTrialIds(store, 'c1', allTrials, { ...allTrials, part: allTrials }),
  },
  {
    method: coco.listTrialIds,
    note: 'all filters, by evaluations to target',
    call: (store) =>
      coco.listTrialIds(store, 'c1', someTrials, { sortBy: 'evals_to_target', sortDir: 'desc' }),
  },
  { method: coco.listTrials, call: (store) => coco.listTrials(store, [1, 2]) },
  { method: coco.countTrials, call: (store) => coco.countTrials(store, 'c1', someTrials) },
  { method: trials.findTrialPosition, call: (store) => trials.findTrialPosition(store, 'r1') },
  { method: trials.listOutcomes, call: (store) => trials.listOutcomes(store, 'c1', allTrials) },
  { method: trials.listCombinations, call: (store) => trials.listCombinations(store, 'c1') },
  {
    method: trials.findTrialsOfRuns,
    call: (store) => trials.findTrialsOfRuns(store, ['r1', 'r2'], 'c1'),
  },
  { method: trials.listReferences, call: (store) => trials.listReferences(store, 'bbob') },
  {
    method: analysis.listRunsOfCampaign,
    call: (store) => analysis.listRunsOfCampaign(store, 'c1', someTrials),
  },
  {
    method: trials.countTrialsPerFunction,
    call: (store) => trials.countTrialsPerFunction(store, ['c1', 'c2']),
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
