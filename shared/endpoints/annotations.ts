import * as z from 'zod';
import { addresses } from '#shared/addresses.ts';
import * as annotation from '#shared/schemas/annotation.ts';
import * as csv from '#shared/schemas/csv-tables.ts';

const refusals = [
  'VERSION_CONFLICT',
  'DOCUMENTS_FULL',
  'DOCUMENTS_UNREADABLE',
  'READ_ONLY',
] as const;

/** The endpoints for display names, tags, notes and baselines. */
export const annotationEndpoints = {
  listAnnotations: {
    ...addresses.listAnnotations,
    summary: 'Display names, tags, notes and baselines of runs, experiments and algorithms',
    query: annotation.annotationsQuery,
    response: z.array(annotation.annotation),
    csv: csv.listTables,
    errors: ['DOCUMENTS_UNREADABLE'],
  },
  getAnnotation: {
    ...addresses.getAnnotation,
    summary:
      'The annotation of a run, an experiment or an algorithm; an empty one if there is none',
    params: annotation.annotationParams,
    response: annotation.annotation,
    errors: ['RUN_NOT_FOUND', 'EXPERIMENT_NOT_FOUND', 'DOCUMENTS_UNREADABLE'],
  },
  saveAnnotation: {
    ...addresses.saveAnnotation,
    summary:
      'Save an annotation. `version` is the one that the client has read. If another change came first, the ' +
      'service saves nothing, and the response contains the current annotation. The service removes an annotation without content',
    params: annotation.annotationParams,
    body: annotation.annotationBody,
    response: annotation.annotation,
    errors: ['RUN_NOT_FOUND', 'EXPERIMENT_NOT_FOUND', ...refusals],
  },
  removeAnnotation: {
    ...addresses.removeAnnotation,
    summary:
      'Remove an annotation, also that of a deleted run or experiment. `version` is the one that the client has read, ' +
      'as for saving',
    params: annotation.annotationParams,
    query: annotation.annotationRemovalQuery,
    response: annotation.annotation,
    errors: [...refusals],
  },
} as const;
