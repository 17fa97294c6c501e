import * as z from 'zod';
import { addresses } from '#shared/addresses.ts';
import * as csv from '#shared/schemas/csv-tables.ts';
import {
  exportDescription,
  exportedExperiment,
  exportedPoint,
  exportedRun,
  exportParams,
  exportQuery,
} from '#shared/schemas/export.ts';

const commonFields = {
  params: exportParams,
  query: exportQuery,
  errors: ['CAMPAIGN_NOT_FOUND', 'EXPERIMENT_NOT_FOUND', 'NOT_FOUND'],
} as const;

/** Schema of an archive, which the OpenAPI document describes as binary. */
const archive = z.string().meta({ override: { type: 'string', format: 'binary' } });

const archiveErrors = [...commonFields.errors, 'RUN_NOT_FOUND', 'EXPORT_IMPOSSIBLE'] as const;

/** The endpoints under `/api/export`. */
export const exportEndpoints = {
  describeExport: {
    ...addresses.describeExport,
    summary:
      'Number of runs of a campaign, a problem or an experiment that each format can express',
    ...commonFields,
    response: exportDescription,
  },
  exportIohprofiler: {
    ...addresses.exportIohprofiler,
    summary:
      'The runs as IOHprofiler data, which IOHanalyzer and IOHinspector read: a zip archive with one folder for each ' +
      'algorithm and suite, and for each configuration of an algorithm with several on one problem. ' +
      'README.txt in the archive lists what the format cannot express',
    ...commonFields,
    response: archive,
    kind: 'zip',
    errors: archiveErrors,
  },
  exportCoco: {
    ...addresses.exportCoco,
    summary:
      'The runs on BBOB suites as COCO data, which cocopp reads: a zip archive with one folder for each algorithm ' +
      'and suite, and for each configuration of an algorithm with several on one problem. ' +
      'README.txt in the archive lists what the format cannot express',
    ...commonFields,
    response: archive,
    kind: 'zip',
    errors: archiveErrors,
  },
  exportExperiments: {
    ...addresses.exportExperiments,
    summary:
      'The experiments of the runs with their configurations; for a problem or an experiment, also those without runs',
    ...commonFields,
    response: z.array(exportedExperiment),
    csv: csv.listTables,
  },
  exportRuns: {
    ...addresses.exportRuns,
    summary: 'The runs with their problems and results',
    ...commonFields,
    response: z.array(exportedRun),
    csv: csv.listTables,
  },
  exportTraces: {
    ...addresses.exportTraces,
    summary:
      'The traces of the runs: all improvements, and the last evaluation of each run if it is later',
    ...commonFields,
    response: z.array(exportedPoint),
    csv: csv.listTables,
  },
} as const;
