import * as z from 'zod';
import { annotation } from './annotation.ts';

/** The catalogue of all errors: the stable code of each error, with its HTTP status and title. */
export const errorCatalogue = {
  VALIDATION_FAILED: { status: 400, title: 'Invalid request' },
  MALFORMED_JSON: { status: 400, title: 'Malformed JSON' },
  UNAUTHORIZED: { status: 401, title: 'Token required' },
  FORBIDDEN_HOST: { status: 403, title: 'Host not allowed' },
  FORBIDDEN_ORIGIN: { status: 403, title: 'Origin not allowed' },
  FORBIDDEN_USER: { status: 403, title: 'User not allowed' },
  FORBIDDEN_PATH: { status: 403, title: 'Path not allowed' },
  RECORDING_OFF: { status: 403, title: 'Recording is off' },
  FORBIDDEN_SERVER: { status: 403, title: 'Server not allowed' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  RUN_NOT_FOUND: { status: 404, title: 'Run not found' },
  EXPERIMENT_NOT_FOUND: { status: 404, title: 'Experiment not found' },
  CAMPAIGN_NOT_FOUND: { status: 404, title: 'Campaign not found' },
  DATASET_NOT_FOUND: { status: 404, title: 'Data set not found' },
  IMPORT_NOT_FOUND: { status: 404, title: 'Import not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timed out' },
  NOT_STOPPABLE: { status: 409, title: 'Not stoppable' },
  NOT_RUNNING: { status: 409, title: 'Not running' },
  STILL_ALIVE: { status: 409, title: 'Run is still writing' },
  RUNS_ACTIVE: { status: 409, title: 'Runs are active' },
  RUNNER_WRITING: { status: 409, title: 'A runner is writing' },
  COUNTS_CHANGED: { status: 409, title: 'Data changed since the preview' },
  IMPORT_CONFLICT: { status: 409, title: 'Name already in use' },
  IMPORT_RUNNING: { status: 409, title: 'Another import is running' },
  IMPORT_CANCELLED: { status: 409, title: 'Import cancelled' },
  EXPERIMENT_EXISTS: { status: 409, title: 'Experiment exists' },
  VERSION_CONFLICT: { status: 409, title: 'Changed meanwhile' },
  DOCUMENTS_FULL: { status: 409, title: 'No space for notes' },
  DOCUMENTS_UNREADABLE: { status: 409, title: 'Notes not readable' },
  READ_ONLY: { status: 409, title: 'Read-only database' },
  NO_DATABASE: { status: 409, title: 'No database' },
  DATABASE_CHANGED: { status: 409, title: 'Database has changed' },
  CREATE_NEEDED: { status: 409, title: 'Database does not exist' },
  LEGACY_SCHEMA: { status: 409, title: 'Tables of an old runner version' },
  TABLES_OF_OTHERS: { status: 409, title: 'Not an Evoscope database' },
  FILE_EXISTS: { status: 409, title: 'File exists' },
  SAMPLE_RUNNING: { status: 409, title: 'Creation of sample data is running' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  ANSWER_TOO_LARGE: { status: 413, title: 'Result too large' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Request too large' },
  URI_TOO_LONG: { status: 414, title: 'URL too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  RANGE_NOT_SATISFIABLE: { status: 416, title: 'Range not satisfiable' },
  EXPORT_IMPOSSIBLE: { status: 422, title: 'Not possible in this format' },
  FORMAT_UNKNOWN: { status: 422, title: 'Unknown format' },
  SOURCE_UNREADABLE: { status: 422, title: 'Source not readable' },
  DATABASE_REFUSED: { status: 422, title: 'Database not usable' },
  RECORDING_BUSY: { status: 429, title: 'Too many records' },
  TOO_MANY_STREAMS: { status: 429, title: 'Too many event streams' },
  INTERNAL: { status: 500, title: 'Internal error' },
  DATABASE_BUSY: { status: 503, title: 'Database busy' },
  DATABASE_UNAVAILABLE: { status: 503, title: 'Database unavailable' },
  SERVICE_STOPPING: { status: 503, title: 'Service is stopping' },
} as const;

/** Code of an error of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue;

/** A problem document, RFC 9457 (`application/problem+json`), with the stable `code` of the catalogue. */
export const problemDocument = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]),
    databaseIdentity: z
      .string()
      .optional()
      .meta({
        description:
          'Identity of the database to open. Send it as `identity` when you repeat the request with a permission: ' +
          'the service then creates and replaces nothing in another database at the same location',
      }),
    current: annotation.optional().meta({ description: 'The current annotation after a conflict' }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type ProblemDocument = z.infer<typeof problemDocument>;
