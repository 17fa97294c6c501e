import * as z from 'zod';
import { identityHeader } from '../words.ts';
import { trialsFilter } from './common.ts';

const values = z.array(z.string());

/** Numbers of runs by the value of a facet; 0 for a value without runs. The keys are the values in the facet's list. */
const counts = z.record(z.string(), z.int());

/** Query of `GET /api/facets`. */
export const facetsQuery = z.object({ trials: trialsFilter.default('include') });

/**
 * Distinct values for filters, without blank ones. Tags are in alphabetical order, and other values are in natural
 * order ("es-9" before "es-10").
 */
export const facets = z
  .object({
    algorithms: values,
    models: values,
    problems: values,
    statuses: values,
    experimentStatuses: values,
    suites: values,
    campaignStatuses: values,
    representations: values,
    tags: values.meta({ description: 'Tags of runs' }),
    experimentTags: values,
    runCounts: z
      .object({ algorithms: counts, models: counts, problems: counts, statuses: counts })
      .meta({ description: 'Number of runs per value; `trials` selects the runs that count' }),
  })
  .meta({ id: 'Facets' });
export type Facets = z.infer<typeof facets>;

/** The paths of parameters. */
export const paramPaths = z.array(z.string()).meta({
  id: 'ParamPaths',
  description: 'Paths of the flattened scalar parameters of all experiments, sorted by code point',
});

/** Numbers of the dashboard. Counts include rows without an id. */
export const dashboardSummary = z
  .object({
    experimentCount: z.int(),
    runCount: z.int(),
    totalRuntimeMillis: z.number(),
    databaseSizeBytes: z.int().nullable(),
    databaseFile: z.string().nullable().meta({
      description: 'Absolute path of the SQLite file; null for PostgreSQL and in memory',
    }),
    runningCount: z.int(),
    silentCount: z.int().meta({
      description:
        'Number of silent runs among the 1,000 RUNNING runs with the latest starts. A silent run has written nothing for a long time',
    }),
    trialRunCount: z
      .int()
      .meta({ description: 'Number of runs that are trials of a COCO campaign' }),
    trialExperimentCount: z
      .int()
      .meta({ description: 'Number of experiments with only trials as runs' }),
    problemCount: z.int(),
    campaignCount: z.int(),
    rowsWithoutId: z.int().meta({
      description:
        'Number of runs and experiments without an id, which the counts include and no list shows',
    }),
  })
  .meta({ id: 'DashboardSummary' });
export type DashboardSummary = z.infer<typeof dashboardSummary>;

/** State of the service and its database. */
export const health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    dialect: z.enum(['sqlite', 'postgres']).nullable().meta({
      description:
        'Kind of the database; null, like the schema, the name and the identity, while no database is open',
    }),
    schema: z
      .string()
      .nullable()
      .meta({ description: 'Name of the PostgreSQL schema; `main` for SQLite' }),
    readOnly: z.boolean(),
    readOnlyReason: z.string().nullable().meta({
      description:
        'Reason why a PostgreSQL database is read-only; null if the database is writable, if the user requested read-only access, and for SQLite',
    }),
    uptimeMillis: z.int(),
    databaseName: z
      .string()
      .nullable()
      .meta({ description: 'File name, or name of the PostgreSQL database' }),
    databaseIdentity: z
      .string()
      .nullable()
      .meta({
        description:
          'Identity of the database. It changes when another database replaces this one, such as another file at the same path; ' +
          `see the header ${identityHeader}`,
      }),
    choosing: z.boolean().meta({ description: 'Whether users can choose another database' }),
    replica: z
      .object({
        place: z.string().meta({ description: 'The replica as host:port/database' }),
        isUsed: z
          .boolean()
          .meta({ description: 'Whether the service reads lists and analyses from the replica' }),
        lagMillis: z.int().nullable().meta({
          description: 'Lag behind the primary, accurate to about 1 s; null if unknown',
        }),
        note: z.string().nullable().meta({
          description:
            'Reason why the service does not use the replica; null while the service uses it, and before the first check',
        }),
      })
      .nullable()
      .meta({ description: 'The streaming replica of SVC_DB_REPLICA_URL; null if there is none' }),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof health>;

/** An event of `/api/changes`: the state of the database when the stream starts, and after each change. */
export const databaseChange = z
  .object({
    cursor: z.string(),
    running: z.int(),
    database: z.string().meta({ description: 'Id of the open database; `none` without one' }),
    databaseIdentity: z.string().nullable().meta({
      description:
        'Identity of the database, as in `/api/health`; null if no database is open, and in the event that announces another database',
    }),
    annotations: z.string().nullable().meta({
      description:
        'Version of the annotations, which changes with each display name, tag, note and baseline; null if no database is open, and in the event that announces another database',
    }),
  })
  .meta({ id: 'DatabaseChange' });
export type DatabaseChange = z.infer<typeof databaseChange>;
