import * as deletion from '#server/repositories/deletion.ts';
import * as dataSets from '#server/repositories/data-sets.ts';
import * as recording from '#server/repositories/recording.ts';
import type { Example } from './repository-examples.ts';

const time = '2026-11-21T10:00:00Z';
const optimizer = { campaign_id: 'c1', optimizer_id: 'DIRECT' };

/** At least one call of every repository method for data sets, and calls of other methods that the importer uses. */
export const importExamples: readonly Example[] = [
  {
    method: dataSets.listImportedRuns,
    call: (database) => dataSets.listImportedRuns(database, 'set'),
  },
  {
    method: dataSets.listRunIdPrefixes,
    call: (database) => dataSets.listRunIdPrefixes(database, 'set'),
  },
  {
    method: dataSets.listImportedExperiments,
    call: (database) => dataSets.listImportedExperiments(database, 'set'),
  },
  {
    method: dataSets.listImportedCampaigns,
    call: (database) => dataSets.listImportedCampaigns(database, 'set'),
  },
  {
    method: dataSets.listConfigs,
    call: (database) => dataSets.listConfigs(database, ['e1', 'e2']),
  },
  { method: dataSets.listDataSets, call: (database) => dataSets.listDataSets(database) },
  {
    method: dataSets.listCampaignsOfDataSets,
    call: (database) => dataSets.listCampaignsOfDataSets(database),
  },
  { method: dataSets.listImportMarks, call: (database) => dataSets.listImportMarks(database) },
  { method: dataSets.findImportMark, call: (database) => dataSets.findImportMark(database, 1) },
  {
    method: dataSets.listChangingCampaigns,
    call: (database) => dataSets.listChangingCampaigns(database, 'set'),
  },
  {
    method: dataSets.listTrialsOfRuns,
    call: (database) =>
      dataSets.listTrialsOfRuns(database, [
        { runId: 'r1', experimentId: 'e1' },
        { runId: 'r2', experimentId: 'e1' },
      ]),
  },
  {
    method: dataSets.deleteImportedRuns,
    call: (database) => dataSets.deleteImportedRuns(database, 'set', ['r1', 'r2']),
  },
  {
    method: dataSets.lockDataSet,
    call: (database) => dataSets.lockDataSet(database, 'set'),
  },
  {
    method: recording.setUnreachedTarget,
    call: (database) => recording.setUnreachedTarget(database, 'c1', ['r1', 'r2'], 12),
  },
  {
    method: dataSets.listPresentIds,
    call: (database) => dataSets.listPresentIds(database, 'runs', ['r1', 'r2']),
  },
  {
    method: deletion.deleteRows,
    note: 'runs without their experiments',
    call: (database) =>
      deletion.deleteRows(database, { campaignIds: [], experimentIds: [], runIds: ['r1'] }),
  },
  {
    method: recording.writeCampaign,
    call: (database) =>
      recording.writeCampaign(database, {
        campaign_id: 'c1',
        name: 'set',
        suite: 'bbob',
        dimensions_json: '[2]',
        instances_json: '[1]',
        functions_json: '[1]',
        status: 'COMPLETED',
        created_at: time,
        started_at: time,
        finished_at: time,
        notes: null,
      }),
  },
  {
    method: recording.writeRows,
    note: 'coco_optimizer_configs',
    call: (database) =>
      recording.writeRows(database, 'coco_optimizer_configs', [
        {
          ...optimizer,
          config_path: 'import:set',
          algorithm_type: 'DIRECT',
          model_type: 'none',
          representation_type: 'real-vector',
          config_yaml: '',
          created_at: time,
        },
      ]),
  },
  {
    method: recording.writeRows,
    note: 'coco_trials',
    call: (database) =>
      recording.writeRows(database, 'coco_trials', [
        {
          ...optimizer,
          run_id: 'r1',
          function_id: 1,
          instance_id: 1,
          dimension: 2,
          repetition: 1,
          budget_evals: 100,
          evaluations: 100,
          best_fitness: 0.5,
          runtime_millis: null,
          status: 'COMPLETED',
          reached_target: 0,
          evals_to_target: null,
          target_value: 1e-8,
          created_at: time,
        },
      ]),
  },
  {
    method: recording.listOptimizersWithOtherReferences,
    call: (database) => recording.listOptimizersWithOtherReferences(database, 'bbob'),
  },
  {
    method: recording.replaceReferences,
    call: (database) =>
      recording.replaceReferences(database, {
        suite: 'bbob',
        optimizer: 'DIRECT',
        dimensions: new Map([[1, [2]]]),
        rows: [
          {
            suite: 'bbob',
            optimizer_name: 'DIRECT',
            function_id: 1,
            dimension: 2,
            target_value: 1e-8,
            ert: 429,
            success_rate: 1,
            source_url: null,
            imported_at: time,
          },
        ],
      }),
  },
];
