import * as z from 'zod';
import { sslModes } from '#shared/words.ts';

const makeTextSchema = (maximum: number) =>
  z.string().trim().min(1, 'must not be empty').max(maximum);

/** Location of a PostgreSQL database, as the fields of a form. */
const postgresLocation = z.object({
  host: makeTextSchema(255),
  port: z.int('must be a whole number').min(1).max(65_535).default(5432),
  database: makeTextSchema(200),
  user: makeTextSchema(200).optional(),
  password: z.string().max(1_000).optional(),
  sslmode: z.enum(sslModes).default('prefer'),
  schema: makeTextSchema(200)
    .optional()
    .describe('Search path of the connection. Default: the search path of the server'),
});

const locationFields = z.object({
  file: makeTextSchema(4_096)
    .optional()
    .describe('Path of a SQLite file: absolute, or relative to the folder of `--choose`'),
  postgres: postgresLocation.optional(),
  url: makeTextSchema(8_192).optional().describe('A database URL in the format of `--db`'),
});

/** Returns the schema that also rejects bodies without a location, or with more than one. */
function requireOneLocation<Schema extends typeof locationFields>(schema: Schema) {
  return schema.refine(
    ({ file, postgres, url }) =>
      [file, postgres, url].filter((value) => value !== undefined).length === 1,
    { error: 'must name one of file, postgres and url', path: ['file'] },
  );
}

/** Location of a database: the path of a file, the fields of a server, or a URL. */
export const databaseLocation = requireOneLocation(locationFields).meta({ id: 'DatabasePlace' });
export type DatabaseLocation = z.infer<typeof databaseLocation>;

/** The database to open, and what the service may create or replace for it. */
export const openDatabaseBody = requireOneLocation(
  locationFields.extend({
    create: z
      .boolean()
      .default(false)
      .describe('Creates a missing file, and the runner’s tables in a database without them'),
    legacy: z
      .literal('replace')
      .optional()
      .describe('Replaces tables of an old runner by empty ones, after a backup'),
    identity: makeTextSchema(200)
      .optional()
      .describe(
        'Expected identity of the database; see `databaseIdentity` of the problem document. If the database has another identity, the service creates and replaces nothing, and responds with 409 `DATABASE_CHANGED`',
      ),
  }),
).meta({ id: 'OpenDatabase' });
export type OpenDatabase = z.input<typeof openDatabaseBody>;

/** Body of `POST /api/databases/sample`. */
export const sampleBody = z.object({
  file: makeTextSchema(4_096).describe(
    'Path of the new file: absolute, or relative to the folder of `--choose`',
  ),
});

/** The open database. */
export const currentDatabase = z
  .object({
    id: z.string().meta({ description: 'The id in the response header X-Evoscope-Database' }),
    name: z.string().meta({ description: 'File name, or name of the PostgreSQL database' }),
    dialect: z.enum(['sqlite', 'postgres']),
    place: z.string().meta({ description: 'Absolute path of the file, or host:port/database' }),
    readOnly: z.boolean(),
  })
  .meta({ id: 'CurrentDatabase' });
export type CurrentDatabase = z.infer<typeof currentDatabase>;

const databaseFile = z
  .object({
    file: z.string().meta({ description: 'Path relative to the folder' }),
    sizeBytes: z.int(),
    changedAt: z.iso.datetime(),
  })
  .meta({ id: 'DatabaseFile' });

const openedAt = z.iso.datetime();

/** A recent database, without a password. */
export const recentDatabase = z
  .discriminatedUnion('dialect', [
    z.object({ dialect: z.literal('sqlite'), file: z.string(), openedAt }),
    z.object({
      dialect: z.literal('postgres'),
      postgres: z.object({
        host: z.string(),
        port: z.int(),
        database: z.string(),
        user: z.string().optional(),
        sslmode: z.enum(sslModes),
        schema: z.string().optional(),
      }),
      openedAt,
    }),
  ])
  .meta({ id: 'RecentDatabase' });
export type RecentDatabase = z.infer<typeof recentDatabase>;

/** The open database and the available ones. */
export const databaseChoices = z
  .object({
    current: currentDatabase.nullable(),
    folder: z.string().nullable().meta({
      description: 'Folder of the files that users can choose; null if any folder is allowed',
    }),
    files: z.array(databaseFile).meta({
      description:
        'At most 200 SQLite files in the folder and the two levels below it, last changed first; empty if `folder` is null. Omits hidden files, links and `node_modules`. The service inspects at most 5,000 files',
    }),
    filesLeftOut: z
      .int()
      .meta({ description: 'Number of further SQLite files that `files` omits' }),
    servers: z.array(z.string()).nullable().meta({
      description: 'Allowed PostgreSQL servers; null if any server is allowed',
    }),
    recent: z.array(recentDatabase).meta({ description: 'Recent databases, newest first' }),
    sample: z.object({ file: z.string(), runs: z.int(), totalRuns: z.int() }).nullable().meta({
      description: 'Progress of the creation of sample data; null if the service creates none',
    }),
  })
  .meta({ id: 'DatabaseChoices' });
export type DatabaseChoices = z.infer<typeof databaseChoices>;

/** The possible verdicts on an inspected database. */
export const databaseVerdicts = [
  'runner',
  'empty',
  'missing',
  'legacy',
  'others',
  'refused',
] as const;

/** Verdict on a database, with a description of the database and its numbers of rows; null for unknown numbers. */
export const inspectionResult = z
  .object({
    verdict: z.enum(databaseVerdicts).meta({
      description:
        'Kind of the database. runner: the service can open the database; empty, missing: the service can open it with `create`; legacy: the service can open it with `legacy`; ' +
        'others: the database has tables of another program, or the runner’s tables in another schema, and `create` creates ' +
        'the runner’s tables next to them; refused: the service cannot open the database',
    }),
    message: z
      .string()
      .meta({ description: 'Description of the database, or the reason for a refusal' }),
    field: z.string().nullable().meta({
      description:
        'The field of the location that causes a refusal; null without a refusal, and if no single field causes the refusal',
    }),
    experiments: z.int().nullable(),
    runs: z.int().nullable(),
    readOnly: z.boolean(),
  })
  .meta({ id: 'DatabaseTest' });
export type InspectionResult = z.infer<typeof inspectionResult>;
