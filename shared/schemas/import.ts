import * as z from 'zod';
import { directions } from '#shared/words.ts';
import { makeFlagFilter, makeIntegerFilter, pathId, storedTime, textFilter } from './common.ts';
import { campaignDeletionCounters } from './coco.ts';
import { problemDocument } from './error.ts';
import { countsKey } from './experiment.ts';

/** The formats of an import. */
export const importKinds = ['auto', 'coco', 'iohprofiler', 'table'] as const;

/** Maximum length of the name of a data set, in UTF-16 code units. */
export const maximumDataSetNameLength = 200;

/** Content types of an uploaded archive or table. The service detects the kind of an archive from its content. */
export const uploadTypes = [
  'application/octet-stream',
  'application/gzip',
  'application/x-gzip',
  'application/zip',
  'application/x-tar',
  'text/csv',
  'text/tab-separated-values',
  'application/x-ndjson',
] as const;

/** A JSON object of new names of algorithms by their names in the source, such as `{"alg":"CMA-ES"}`. */
const renameFilter = z
  .string()
  .transform((text, context): Record<string, string> | undefined => {
    if (text.trim() === '') return undefined;
    const names = parseNewNames(text);
    if (names !== null) return names;
    context.addIssue({
      code: 'custom',
      message: 'must be a JSON object of names, such as {"alg":"CMA-ES"}',
    });
    return z.NEVER;
  })
  .optional()
  .meta({
    description:
      'New names of algorithms by their names in the source, as a JSON object such as {"alg":"CMA-ES"}',
    override: { type: 'string' },
  });

/** Returns the names in a JSON object of strings; null for anything else. */
export function parseNewNames(text: string): Record<string, string> | null {
  try {
    const result = z.record(z.string(), z.string()).safeParse(JSON.parse(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

/** Query of `POST /api/import`. */
export const importQuery = z.object({
  name: textFilter
    .refine((name) => (name ?? '').length <= maximumDataSetNameLength, {
      error: `must have at most ${maximumDataSetNameLength} characters`,
    })
    .describe(
      'Name of the data set. Default: the name of the folder or file; `data set` for an upload',
    ),
  kind: z.enum(importKinds).default('auto').describe('The formats to read'),
  direction: z
    .enum(directions)
    .optional()
    .describe('Direction of the data, if the data state none'),
  budget: makeIntegerFilter(1).describe(
    'Evaluation budget of each run, for data that end with the last improvement of a run. The import ignores it for data that state their budget',
  ),
  replace: makeFlagFilter(false).describe('Deletes the stored data set of this name first'),
  force: makeFlagFilter(false).describe(
    'Writes even if a runner waits so long that its run may fail',
  ),
  dryRun: makeFlagFilter(false).describe('Reports the result of the import, and writes nothing'),
  watch: makeFlagFilter(false).describe(
    'Watches the folder at the path: imports its rows while loggers write them, until a client cancels the import. Other ' +
      'imports can run meanwhile. Excludes `dryRun`, `replace`, `force`, `asReference`, `budget` and the kind `table`',
  ),
  rename: renameFilter,
  asReference: makeFlagFilter(false).describe(
    'Writes the expected runtimes also as reference results',
  ),
});

/** The JSON body instead of an upload: a folder or file on the service's machine, or the sample campaign. */
export const importBody = z.union(
  [
    z.object({
      path: z
        .string()
        .min(1)
        .max(4_096)
        .meta({ description: 'Absolute path on the service’s machine' }),
    }),
    z.object({
      sample: z.literal(true).meta({ description: 'The sample campaign' }),
    }),
  ],
  { error: 'must have a path of 1 to 4,096 characters, or sample: true' },
);

/** Path parameter of the endpoints of an import. */
export const importParams = z.object({
  importId: pathId.describe('Id of an import'),
});

/** Response to the start of an import. */
export const startedImport = z.object({ importId: z.string() }).meta({ id: 'ImportStarted' });

/** Progress of an import. */
export const importProgress = z
  .object({
    phase: z.enum(['reading', 'writing']),
    bytes: z.int().meta({
      description:
        'Number of bytes that the import has read from the source: packed while reading, unpacked while writing',
    }),
    totalBytes: z.int().nullable(),
    runs: z.int().meta({ description: 'Number of runs written so far' }),
    totalRuns: z.int(),
    rows: z.int().meta({ description: 'Number of iterations written so far' }),
    totalRows: z.int(),
  })
  .meta({ id: 'ImportProgress' });
export type ImportProgress = z.infer<typeof importProgress>;

/** A note about the source of an import. */
export const importNote = z
  .object({
    code: z.string(),
    file: z.string().nullable(),
    line: z.int().nullable().meta({ description: 'Line of the first occurrence, from 1' }),
    count: z.int(),
    message: z.string(),
  })
  .meta({ id: 'ImportNote' });
export type ImportNote = z.infer<typeof importNote>;

/** Result of an import. */
export const importResult = z
  .object({
    dataset: z.string(),
    campaigns: z.array(
      z.object({
        campaignId: z.string().nullable().meta({
          description:
            'Id of the campaign; null, like `suite`, for experiments of an unknown suite without a stored campaign',
        }),
        suite: z.string().nullable(),
        optimizers: z.int(),
        experiments: z.int(),
        runs: z.int(),
        iterations: z.int(),
      }),
    ),
    algorithms: z.array(
      z.object({
        source: z.string().meta({ description: 'Name in the source' }),
        name: z.string().meta({ description: 'Name in the data set' }),
      }),
    ),
    skipped: z.int().meta({
      description:
        'Number of runs that the database already contained with the same or further rows. After a watch: number of runs of the data set that the database contained before the watch, with any rows',
    }),
    extended: z
      .int()
      .meta({ description: 'Number of stored runs that the import overwrites; 0 after a watch' }),
    notes: z.array(importNote),
  })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.infer<typeof importResult>;

/** The reason for a failed import: fields of a problem document, with the notes about the source. */
export const importFailure = problemDocument
  .pick({ code: true, title: true, status: true, detail: true })
  .extend({ notes: z.array(importNote) })
  .meta({ id: 'ImportFailure' });
export type ImportFailure = z.infer<typeof importFailure>;

/** The state of a watched folder. */
export const watchState = z
  .object({
    dataSet: z.string().meta({ description: 'Name of the data set' }),
    files: z.int().meta({ description: 'Number of indexes and data files' }),
    runs: z
      .int()
      .meta({ description: 'Number of stored runs of the data set; 0 before the first write' }),
    running: z.int().meta({ description: 'Number of these runs that are RUNNING' }),
    addedRuns: z.int(),
    addedRows: z.int().meta({
      description: 'Number of iterations that the watch has written, including rewritten ones',
    }),
    changedAt: z.string().nullable().meta({
      description: 'Time of the last change that the watch wrote; null before the first change',
    }),
    problem: z.string().nullable().meta({
      description:
        'Reason why the service cannot read or write at the moment; null if there is none. The watch continues',
    }),
    notes: z.array(importNote),
  })
  .meta({ id: 'WatchState' });
export type WatchState = z.infer<typeof watchState>;

/** State of an import. `result` is null until the import is done. `failure` is null unless the import has failed. */
export const importState = z
  .object({
    importId: z.string(),
    source: z.string().meta({
      description:
        'Name of the source: `name` in the request, otherwise the name of the folder or file, or `upload`. For a watched folder, it is always the path of the folder',
    }),
    dryRun: z.boolean(),
    status: z.enum(['running', 'done', 'failed']),
    progress: importProgress,
    watch: watchState
      .nullable()
      .meta({ description: 'State of the watched folder; null unless the import watches one' }),
    result: importResult.nullable(),
    failure: importFailure.nullable(),
  })
  .meta({ id: 'ImportState' });
export type ImportState = z.infer<typeof importState>;

/** Events of an import: `progress`, `watch` for a watched folder, `done` with the result, `failed` with the failure. */
export const importEvent = z.union([importProgress, watchState, importResult, importFailure]);

/** Path parameter of the endpoints of a data set. */
export const dataSetParams = z.object({ name: pathId.describe('Name of a data set, URL-encoded') });

/** All imported data under one name. */
export const dataSet = z
  .object({
    name: z.string(),
    campaigns: z.array(z.object({ campaignId: z.string(), suite: z.string() })),
    experimentCount: z.int(),
    runCount: z.int(),
    importedAt: storedTime.nullable().meta({
      description: 'Time of the import of the newest experiment; null if no experiment has a time',
    }),
  })
  .meta({ id: 'DataSet' });
export type DataSet = z.infer<typeof dataSet>;

/** Response to the deletion of a data set, with {@link campaignDeletionCounters}. */
export const dataSetDeletion = z
  .object({ name: z.string(), deleted: z.boolean(), ...campaignDeletionCounters })
  .meta({ id: 'DataSetDeletion' });
export type DataSetDeletion = z.infer<typeof dataSetDeletion>;

/** The {@link campaignDeletionCounters} of a possible deletion of a data set, and whether it is possible now. */
export const dataSetDeletionPreview = z
  .object({
    name: z.string(),
    deletable: z.boolean().meta({
      description:
        'Whether the service can delete the data set now. It cannot while one of its runs is RUNNING, or for 10 minutes after the start or a new trial of a RUNNING campaign',
    }),
    runningRuns: z.int(),
    lockSeconds: z.number(),
    needsForce: z.boolean(),
    countsKey,
    ...campaignDeletionCounters,
  })
  .meta({ id: 'DataSetDeletionPreview' });
export type DataSetDeletionPreview = z.infer<typeof dataSetDeletionPreview>;
