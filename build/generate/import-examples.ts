import * as deletion from '#server/repositories/deletion.ts';
import * as imported from '#server/repositories/imported.ts';
import * as recording from '#server/repositories/recording.ts';
import type { Example } from './repository-examples.ts';

const time = '2026-11-21T10:00:00Z';
const optimizer = { campaign_id: 'c1', optimizer_id: 'DIRECT' };

/** At least one call of every repository method that only the importer uses. */
export const importExamples: readonly Example[] = [
  { method: imported.listImportedRuns, call: (store) => imported.listImportedRuns(store, 'set') },
  {
    method: imported.listImportedExperiments,
    call: (store) => imported.listImportedExperiments(store, 'set'),
  },
  {
    method: imported.listImportedCampaigns,
    call: (store) => imported.listImportedCampaigns(store, 'set'),
  },
  { method: imported.listDataSets, call: (store) => imported.listDataSets(store) },
  {
    method: imported.listCampaignsOfDataSets,
    call: (store) => imported.listCampaignsOfDataSets(store),
  },
  { method: imported.listImportMarks, call: (store) => imported.listImportMarks(store) },
  { method: imported.findImportMark, call: (store) => imported.findImportMark(store, 1) },
  {
    method: imported.listChangingCampaigns,
    call: (store) => imported.listChangingCampaigns(store, 'set'),
  },
  {
    method: imported.listTrialsOfRuns,
    call: (store) => imported.listTrialsOfRuns(store, ['r1', 'r2']),
  },
  {
    method: imported.listPresentIds,
    call: (store) => imported.listPresentIds(store, 'runs', ['r1', 'r2']),
  },
  {
    method: deletion.deleteRows,
    note: 'runs of experiments that are not deleted',
    call: (store) =>
      deletion.deleteRows(store, { campaignIds: [], experimentIds: [], runIds: ['r1'] }),
  },
  {
    method: recording.writeCampaign,
    call: (store) =>
      recording.writeCampaign(store, {
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
    call: (store) =>
      recording.writeRows(store, 'coco_optimizer_configs', [
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
    call: (store) =>
      recording.writeRows(store, 'coco_trials', [
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
    method: recording.listOtherReferences,
    call: (store) => recording.listOtherReferences(store, 'bbob'),
  },
  {
    method: recording.replaceReferences,
    call: (store) =>
      recording.replaceReferences(store, 'bbob', 'DIRECT', [
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
      ]),
  },
];
