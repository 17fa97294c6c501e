import * as z from 'zod';
import { isInteger, toInstantBound } from '#shared/syntax.ts';
import { makeMaskedText } from './masked.ts';
import { repeatedText } from './common.ts';

/** Maximum size of the records in one request, in bytes after decompression. */
export const maximumRecordBytes = 8 * 1_048_576;

/** Maximum number of lines with a record in one request, because the response may name each of them. */
export const maximumRecords = 100_000;

/** The content type of records: one JSON object per line. */
export const recordType = 'application/x-ndjson';

/** Maximum length of the id of a run that a client records, in UTF-16 code units. */
const maximumRunIdLength = 200;

const nonFiniteNumbers = { NaN, Infinity, '-Infinity': -Infinity };

/**
 * A finite number. The parser of records reads a whole number in digits outside ±(2^53 − 1) as a bigint, which becomes
 * the nearest double.
 */
const finiteNumber = z
  .union([z.number(), z.bigint().refine((value) => Number.isFinite(Number(value)))], {
    error: 'must be a number',
  })
  .transform(Number)
  .meta({
    override: ({ jsonSchema }: { jsonSchema: { anyOf?: unknown; type?: unknown } }) => {
      delete jsonSchema.anyOf;
      jsonSchema.type = 'number';
    },
  });

/** A number. NaN and the infinities, which JSON does not have, are texts. */
const recordedNumber = z
  .union([finiteNumber, z.enum(['NaN', 'Infinity', '-Infinity'])], {
    error: 'must be a number, "NaN", "Infinity" or "-Infinity"',
  })
  .transform((value) => (typeof value === 'string' ? nonFiniteNumbers[value] : value));

const runId = z
  .string({ error: 'must be the id of the run' })
  .min(1, 'must not be empty')
  .max(maximumRunIdLength, `must have at most ${maximumRunIdLength} characters`);

/** Returns the schema of a whole number from 0 to a maximum. */
function makeCountSchema(maximum: number) {
  const error = `must be a whole number from 0 to ${maximum}`;
  return z.int({ error }).min(0, { error }).max(maximum, { error });
}

/** A count that both a 64-bit column and a double represent exactly. */
const count = makeCountSchema(Number.MAX_SAFE_INTEGER);
const iterationNumber = makeCountSchema(2_147_483_647);

const minimumSeed = -(2n ** 63n);
const maximumSeed = 2n ** 63n - 1n;

const seedError = 'must be a whole number in decimal digits';

/** A signed 64-bit integer, as a number or as a text of decimal digits with or without a sign. */
const seed = z
  .union(
    [
      z.int({ error: seedError }),
      z.bigint(),
      z.string().max(30, { error: seedError }).refine(isInteger, { error: seedError }),
    ],
    { error: seedError },
  )
  .transform((value) => BigInt(value))
  .refine((value) => value >= minimumSeed && value <= maximumSeed, {
    error: 'must be from -2^63 to 2^63 - 1',
  })
  .meta({ override: { type: ['integer', 'string'] } });

const timeError = 'must be a time from 1970 to 9999, such as 2026-01-31T12:00:00Z';

const time = z
  .string({ error: timeError })
  .max(40, { error: timeError })
  .refine((text) => (toInstantBound(text, 'start') ?? '') >= '1970', { error: timeError })
  .meta({
    description:
      'Time in ISO 8601 from 1970, UTC unless it has an offset. The service replaces a missing or future time by the time at which it stores the record',
  });

const makeObjectSchema = (content: string) =>
  z.record(z.string(), z.unknown(), { error: `must be an object: ${content}` });

const runRecord = z.object({
  type: z.literal('run'),
  runId: runId.optional(),
  config: makeObjectSchema('the configuration of the experiment').meta({
    description:
      'Configuration in free form. `algorithm`, `model`, `problem`, `representation`, `selection`, `replacement` and `stopping` are texts or objects ' +
      'with a `type`; `dimension`, `instance`, `direction`, `budget`, `target` and `name` may be at the top level. Other values at ' +
      'the top level are parameters of the algorithm, except sections of the runner such as `run`. The service ignores `seed` at the top level, and `seed` and `masterSeed` of `run`',
  }),
  seed,
  startTime: time.optional(),
});

const iterationRecord = z.object({
  type: z.literal('iteration'),
  runId,
  iteration: iterationNumber,
  evaluations: count,
  best: recordedNumber,
  mean: recordedNumber.optional(),
  std: recordedNumber.optional(),
  metrics: z.record(z.string().max(200), recordedNumber).optional(),
  diagnostics: makeObjectSchema('diagnostics of the model').optional(),
  time: time.optional(),
});

const eventRecord = z.object({
  type: z.literal('event'),
  runId,
  eventType: z.string().min(1, 'must not be empty').max(200),
  payload: makeObjectSchema('the payload of the event').optional(),
  eventId: z.string().min(1, 'must not be empty').max(200).optional(),
  time: time.optional(),
});

const checkpointRecord = z.object({
  type: z.literal('checkpoint'),
  runId,
  iteration: iterationNumber,
  path: z.string().min(1, 'must not be empty').max(4_096),
  time: time.optional(),
});

const endStatuses = ['COMPLETED', 'FAILED', 'STOPPED'] as const;

const endRecord = z.object({
  type: z.literal('end'),
  runId,
  status: z.enum(endStatuses, { error: `must be one of ${endStatuses.join(', ')}` }),
  best: recordedNumber.optional(),
  summary: z.string().max(100_000).optional(),
  evaluations: count.optional(),
  error: z.string().max(100_000).optional(),
  objectives: z.record(z.string().max(200), finiteNumber).optional(),
  time: time.optional(),
});

const recordTypes = ['run', 'iteration', 'event', 'checkpoint', 'end'] as const;

/** One line of a recording. */
export const recordLine = z.discriminatedUnion(
  'type',
  [runRecord, iterationRecord, eventRecord, checkpointRecord, endRecord],
  {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${recordTypes.join(', ')}` : 'must be an object',
  },
);
export type RecordLine = z.output<typeof recordLine>;

/** Body of `POST /api/record`: a {@link RecordLine} per line. */
export const recordBody = z
  .string()
  .default('')
  .meta({
    description: `One JSON object per line, at most ${maximumRecords} lines that are not blank`,
  });

/** Query of `POST /api/record`. */
export const recordQuery = z.object({
  run: repeatedText
    .refine((ids) => ids.length <= 1_000, { error: 'must name at most 1000 runs' })
    .meta({
      description:
        'Further runs whose pending stop requests the response lists, in addition to the runs of the records',
    }),
});

/** Reasons why the service does not store a record. */
export const recordCodes = [
  'MALFORMED_JSON',
  'VALIDATION_FAILED',
  'RUN_UNKNOWN',
  'RUN_ENDED',
  'RUN_CONFLICT',
  'RUN_OF_OTHERS',
  'BUSY',
] as const;
/** Code of the reason why the service does not store a record. */
export type RecordCode = (typeof recordCodes)[number];

/** Response of `POST /api/record`. */
export const recordResponse = z
  .object({
    accepted: z.int().meta({ description: 'Number of stored records' }),
    unchanged: z.int().meta({
      description:
        'Number of records that the service had already stored, and of iterations that a later record of the same transaction replaces. A request may need several transactions. A record that a client sends again changes nothing, except an event without `eventId` and a `run` record without `runId`',
    }),
    rejected: z
      .array(
        z.object({
          line: z.int().meta({ description: 'Number of the line, from 1' }),
          code: z.enum(recordCodes).meta({
            description:
              'Code of the reason. RUN_UNKNOWN: send the `run` record first, then this record again. BUSY: send this record again',
          }),
          message: makeMaskedText(),
        }),
      )
      .meta({ description: 'Records that the service did not store, with the reason' }),
    runIds: z.array(z.string()).meta({
      description:
        'Ids of the valid `run` records, in order. They include the ids of records that the service rejects, for example with RUN_CONFLICT. A record without `runId` gets a new id',
    }),
    stop: z.array(z.object({ runId: z.string(), reason: makeMaskedText().nullable() })).meta({
      description:
        'RUNNING runs that a user requested to stop. End each of them with the status STOPPED',
    }),
  })
  .meta({ id: 'RecordResponse' });
export type RecordResponse = z.infer<typeof recordResponse>;
