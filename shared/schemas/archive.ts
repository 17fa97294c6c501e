import * as z from 'zod';
import { archiveVersion } from '#shared/words.ts';
import { annotationKind } from './annotation.ts';
import { cocoReference } from './coco.ts';
import { exportedExperiment } from './export.ts';

const queryValues = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** The file `query.json` in the archive of a page: the request for each table in the archive, and further data. */
export const archiveContent = z.object({
  format: z.literal('evoscope-archive'),
  version: z.literal(archiveVersion),
  tables: z.array(
    z.object({
      file: z.string(),
      endpoint: z.string(),
      table: z.string(),
      params: queryValues,
      query: queryValues,
    }),
  ),
  /**
   * SHA-256 of each file with data, a table or a figure, in hexadecimal; null if the browser could not compute the
   * checksum. Earlier archives contain only the checksums of files with data.
   */
  checksums: z.record(z.string(), z.string().nullable()),
  data: z.object({
    /** The experiments. Earlier archives do not contain `instanceId`. */
    experiments: z.array(exportedExperiment.partial({ instanceId: true })),
    campaigns: z.array(
      z.object({
        campaignId: z.string(),
        name: z.string(),
        suite: z.string(),
        status: z.string(),
        references: z.array(cocoReference),
      }),
    ),
    annotations: z.array(
      z.object({
        kind: annotationKind,
        id: z.string(),
        displayName: z.string().nullable(),
        tags: z.array(z.string()),
        note: z.string(),
        isBaseline: z.boolean(),
      }),
    ),
  }),
});
export type ArchiveContent = z.infer<typeof archiveContent>;
