import * as z from 'zod';
import { addresses } from '#shared/addresses.ts';
import * as csv from '#shared/schemas/answer-tables.ts';
import { deletionQuery } from '#shared/schemas/experiment.ts';
import * as imports from '#shared/schemas/import.ts';

/** The endpoints that import data sets. */
export const importEndpoints = {
  startImport: {
    ...addresses.startImport,
    summary:
      'Import COCO, IOHprofiler or a table: the archive or table as the body, of any length, or as JSON the path ' +
      'of a folder or file of this machine (from this machine only). One at a time',
    query: imports.importQuery,
    body: imports.importBody,
    uploads: imports.uploadTypes,
    answer: imports.importStarted,
    status: 202,
    errors: ['FORBIDDEN_PATH', 'REQUEST_TIMEOUT', 'IMPORT_RUNNING', 'READ_ONLY'],
  },
  listImports: {
    ...addresses.listImports,
    summary: 'The imports since the service started, newest first, the last 20 of them',
    answer: z.array(imports.importState),
  },
  getImport: {
    ...addresses.getImport,
    summary: 'How far an import is, or what became of it',
    params: imports.importParams,
    answer: imports.importState,
    errors: ['IMPORT_NOT_FOUND'],
  },
  watchImport: {
    ...addresses.watchImport,
    summary:
      'Server-sent events: `progress` as an import goes on, at last `done` with its result or `failed` with why',
    params: imports.importParams,
    answer: imports.importEvent,
    kind: 'events',
    errors: ['IMPORT_NOT_FOUND', 'TOO_MANY_STREAMS'],
  },
  cancelImport: {
    ...addresses.cancelImport,
    summary:
      'Cancel an import: nothing of it stays. Answers when it has ended; one that had ended stays as it is',
    params: imports.importParams,
    answer: imports.importState,
    errors: ['IMPORT_NOT_FOUND'],
  },
} as const;

/** The endpoints that list and delete imported data sets. */
export const dataSetEndpoints = {
  listDataSets: {
    ...addresses.listDataSets,
    summary: 'The imported data sets with their campaigns, experiments and runs counted',
    answer: z.array(imports.dataSet),
    csv: csv.rows,
  },
  previewDataSetDeletion: {
    ...addresses.previewDataSetDeletion,
    summary: 'What deleting an imported data set would remove now',
    params: imports.dataSetParams,
    answer: imports.dataSetDeletionPreview,
    errors: ['DATASET_NOT_FOUND'],
  },
  deleteDataSet: {
    ...addresses.deleteDataSet,
    summary:
      'Delete an imported data set as a whole: its campaigns, experiments and all their runs',
    params: imports.dataSetParams,
    query: deletionQuery,
    answer: imports.dataSetDeletion,
    errors: ['DATASET_NOT_FOUND', 'RUNS_ACTIVE', 'RUNNER_WRITING', 'TABLES_OF_OTHERS', 'READ_ONLY'],
  },
} as const;
