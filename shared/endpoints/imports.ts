import * as z from 'zod';
import { addresses } from '#shared/addresses.ts';
import * as csv from '#shared/schemas/csv-tables.ts';
import { deletionQuery } from '#shared/schemas/experiment.ts';
import * as imports from '#shared/schemas/import.ts';

/** The endpoints that import data sets. */
export const importEndpoints = {
  startImport: {
    ...addresses.startImport,
    summary:
      'Import data of COCO, IOHprofiler or pycma, or a table. The body is the archive or table, at most 4 GiB, or JSON with the ' +
      'path of a folder or file on this machine (only from this machine). Only one import runs at a time, not counting watched folders',
    query: imports.importQuery,
    body: imports.importBody,
    uploads: imports.uploadTypes,
    response: imports.startedImport,
    status: 202,
    errors: ['FORBIDDEN_PATH', 'REQUEST_TIMEOUT', 'IMPORT_RUNNING', 'READ_ONLY'],
  },
  listImports: {
    ...addresses.listImports,
    summary:
      'The last 20 imports since the service opened the database, newest first; also older ones that are running, and ' +
      'watches that ended when the service opened the database',
    response: z.array(imports.importState),
  },
  getImport: {
    ...addresses.getImport,
    summary: 'The progress or the result of an import',
    params: imports.importParams,
    response: imports.importState,
    errors: ['IMPORT_NOT_FOUND'],
  },
  watchImport: {
    ...addresses.watchImport,
    summary:
      'Server-sent events: `progress` during an import, `watch` during a watch of a folder, finally `done` with its result or `failed` with the reason',
    params: imports.importParams,
    response: imports.importEvent,
    kind: 'events',
    errors: ['IMPORT_NOT_FOUND', 'TOO_MANY_STREAMS'],
  },
  cancelImport: {
    ...addresses.cancelImport,
    summary:
      'Cancel an import. A cancelled import changes nothing; a cancelled watch reads its folder a last time. The response follows when ' +
      'the import has ended. Has no effect on an ended import',
    params: imports.importParams,
    response: imports.importState,
    errors: ['IMPORT_NOT_FOUND'],
  },
} as const;

/** The endpoints that list and delete imported data sets. */
export const dataSetEndpoints = {
  listDataSets: {
    ...addresses.listDataSets,
    summary:
      'The imported data sets with their campaigns, and their numbers of experiments and runs',
    response: z.array(imports.dataSet),
    csv: csv.listTables,
  },
  previewDataSetDeletion: {
    ...addresses.previewDataSetDeletion,
    summary: 'Preview of the rows and files that deleting an imported data set would remove now',
    params: imports.dataSetParams,
    response: imports.dataSetDeletionPreview,
    errors: ['DATASET_NOT_FOUND', 'DOCUMENTS_UNREADABLE'],
  },
  deleteDataSet: {
    ...addresses.deleteDataSet,
    summary: 'Delete an imported data set with its campaigns, its experiments and all their runs',
    params: imports.dataSetParams,
    query: deletionQuery,
    response: imports.dataSetDeletion,
    errors: [
      'DATASET_NOT_FOUND',
      'RUNS_ACTIVE',
      'RUNNER_WRITING',
      'COUNTS_CHANGED',
      'TABLES_OF_OTHERS',
      'DOCUMENTS_UNREADABLE',
      'READ_ONLY',
    ],
  },
} as const;
