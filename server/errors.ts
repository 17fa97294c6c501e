import type * as z from 'zod';
import {
  isDiskFull,
  type DatabaseConnections,
  type ExplainedError,
  type FailureKind,
} from './db/dialect.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import { errorCatalogue, type ProblemDocument, type ErrorCode } from '#shared/schemas/error.ts';
import { getTextStart } from '#shared/syntax.ts';

/**
 * The fault of one field of a request. `path` names the field, such as `size`. `message` follows the path in a
 * sentence, such as `must be a number`.
 */
export interface FieldFault {
  path: string;
  message: string;
}

/** An error of the catalogue. Its message is the `detail` that users read, so it contains no SQL and no stack. */
export class ProblemError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly FieldFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The identity of the database that the user must confirm. Undefined if the error does not request permission to open
   * a database, and for a database without an identity.
   */
  readonly databaseIdentity: string | undefined;
  /** The current annotation without secrets; undefined if the error is not a conflict. */
  readonly currentAnnotation: Annotation | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    details: {
      faults?: readonly FieldFault[];
      headers?: Readonly<Record<string, string>>;
      databaseIdentity?: string | undefined;
      currentAnnotation?: Annotation | undefined;
    } = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.faults = details.faults;
    this.headers = details.headers ?? {};
    this.databaseIdentity = details.databaseIdentity;
    this.currentAnnotation = details.currentAnnotation;
  }
}

/** Returns VALIDATION_FAILED with these faults. Its detail is the first fault, or a general sentence without faults. */
export function makeValidationError(faults: readonly FieldFault[]): ProblemError {
  const [firstFault] = faults;
  const detail = firstFault
    ? `${firstFault.path} ${firstFault.message}`
    : 'The request is invalid. Correct it, then send it again';
  return new ProblemError('VALIDATION_FAILED', detail, { faults });
}

/**
 * Faults that the caller has found. The error lists `previousFaults` before the faults of the schema, and
 * `furtherFaults` after them.
 */
interface OtherFaults {
  previousFaults?: readonly FieldFault[];
  furtherFaults?: readonly FieldFault[];
}

/**
 * Returns params, query or body of a request, parsed by a schema. Throws VALIDATION_FAILED with all faults of the
 * schema and of the caller if there is one. The path of a fault is `body` if the whole value is invalid. This value is
 * then a body, because params and query are always objects.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { previousFaults = [], furtherFaults = [] }: OtherFaults = {},
): z.output<Schema> {
  const result = parseValue(schema, value);
  const issues = 'issues' in result ? result.issues : [];
  const faults = [...previousFaults, ...issues.map(toFault), ...furtherFaults];
  if ('issues' in result || faults.length > 0) throw makeValidationError(faults);
  return result.data;
}

function toFault({ path, message }: Issue): FieldFault {
  return { path: path.join('.') || 'body', message };
}

/** Names of JSON types in an error message. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** Units of the limits of each kind of value. A number has no unit. */
const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/**
 * Returns the error message for an issue whose schema has no message. The message follows the path of the value:
 * `limit must be at most 10`. Returns undefined for other kinds of issues, for which zod uses its own message.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_big': {
      const word = issue.inclusive === false ? 'below' : 'at most';
      return formatLimit(issue.origin, word, Number(issue.maximum));
    }
    case 'too_small': {
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      const word = issue.inclusive === false ? 'above' : 'at least';
      return formatLimit(issue.origin, word, Number(issue.minimum));
    }
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
    default:
      return undefined;
  }
}

function formatLimit(origin: string, word: string, limit: number): string {
  const unit = units[origin];
  if (!unit) return `must be ${word} ${limit}`;
  return `must have ${word} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

/** An issue of a value: its path in the value, and the message that follows this path. */
type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/**
 * Returns a value parsed by a schema, or all its issues, with the messages of {@link describeIssue}. Use it instead of
 * `safeParse` for a value that another program wrote: zod compares the `length` of a value of any type with the limits
 * of texts and lists. The comparison throws if `length` is an object that has no primitive value, such as
 * `{"toString": 1}`. The result then has one issue, with the path of {@link findObjectLength}.
 */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { data: z.output<Schema> } | { issues: readonly Issue[] } {
  try {
    const result = schema.safeParse(value, { error: describeIssue });
    return result.success ? { data: result.data } : { issues: result.error.issues };
  } catch (error) {
    const path = findObjectLength(value);
    if (path === undefined) throw error;
    return { issues: [{ path, message: 'must not be an object' }] };
  }
}

/**
 * Returns the path of the first property `length` that is an object, in breadth-first order; undefined if there is
 * none.
 */
function findObjectLength(root: unknown): PropertyKey[] | undefined {
  const values: { value: unknown; path: PropertyKey[] }[] = [{ value: root, path: [] }];
  // The loop also visits the values that it adds. A recursion would fail for a deep value.
  for (const { value, path } of values) {
    if (typeof value !== 'object' || value === null) continue;
    if (path.at(-1) === 'length') return path;
    for (const [key, child] of Object.entries(value))
      values.push({ value: child, path: [...path, key] });
  }
  return undefined;
}

/** Returns the problem document (RFC 9457) of an error. Truncates `instance`, the path of the request. */
export function makeProblemDocument(error: ProblemError, instance: string): ProblemDocument {
  const { status, title } = errorCatalogue[error.code];
  return {
    type: `urn:evoscope:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: error.message,
    instance: truncate(instance),
    code: error.code,
    ...(error.databaseIdentity !== undefined && { databaseIdentity: error.databaseIdentity }),
    ...(error.currentAnnotation !== undefined && { current: error.currentAnnotation }),
    ...(error.faults && { errors: error.faults.map((fault) => ({ ...fault })) }),
  };
}

/**
 * Returns the text. If it has more than 200 UTF-16 code units, returns at most the first 200, without half of a
 * surrogate pair at the end, and an ellipsis.
 */
export function truncate(text: string): string {
  return text.length > 200 ? `${getTextStart(text, 200)}…` : text;
}

/**
 * Returns the error for a failed request to the database. The code is DATABASE_BUSY for `busy` and `connections`,
 * ANSWER_TOO_LARGE for `too-large`, READ_ONLY for a forbidden change, else DATABASE_UNAVAILABLE. If the cause is a full
 * disk, the detail reports this. Otherwise it contains the explanation of `cause`. Without an explanation, and for
 * `too-large`, the detail is a general sentence.
 */
export function makeDatabaseFailure(
  kind: Exclude<FailureKind, 'other'>,
  cause?: ExplainedError,
): ProblemError {
  if (kind === 'too-large') {
    return new ProblemError(
      'ANSWER_TOO_LARGE',
      'The response contains a text that is too long to send. Request other rows or fewer fields',
    );
  }
  if (kind === 'forbidden' && cause?.isChange) return makeReadOnlyError(cause.explanation ?? null);
  const { code, detail, retryAfter } = failures[kind];
  const explanation = isDiskFull(cause) ? diskFullMessage : cause?.explanation;
  return new ProblemError(code, explanation ?? detail, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}

const diskFullMessage = 'The disk of the database is full. Free some space, then try again';

/** Returns the error for a database whose file at this path is missing. */
export function makeMissingDatabaseError(path: string): ProblemError {
  return makeDatabaseFailure('unavailable', {
    explanation: `The database file ${path} is missing, so the service read and changed nothing. Restore it, then try again`,
  });
}

const failures = {
  busy: {
    code: 'DATABASE_BUSY',
    detail: 'The database is busy; try again in a moment',
    retryAfter: 1,
  },
  connections: {
    code: 'DATABASE_BUSY',
    detail:
      'The PostgreSQL server has no connection left for this user; try again, or have the limit raised to 10',
    retryAfter: 2,
  },
  forbidden: {
    code: 'DATABASE_UNAVAILABLE',
    detail: 'The database user lacks a privilege; grant it, then try again',
    retryAfter: 30,
  },
  unavailable: {
    code: 'DATABASE_UNAVAILABLE',
    detail: 'The database does not respond; try again in a moment',
    retryAfter: 5,
  },
} as const;

function makeReadOnlyError(
  reason: string | null,
  verb: 'change' | 'import' = 'change',
): ProblemError {
  const cause = reason ?? 'The database is open read-only';
  return new ProblemError(
    'READ_ONLY',
    `${cause}, so the service cannot ${verb} anything. Open the database with write access`,
  );
}

/** Returns the error for a fault of the service. Only the log contains the cause of the fault. */
export function makeInternalError(): ProblemError {
  return new ProblemError(
    'INTERNAL',
    'An unexpected error occurred in the service. See its log for details.',
  );
}

/** Returns the error for a request to a service that is stopping. */
export function makeStoppingError(): ProblemError {
  return new ProblemError(
    'SERVICE_STOPPING',
    'The service is stopping; try again after it has restarted',
    { headers: { 'Retry-After': '5', Connection: 'close' } },
  );
}

const idCodes = {
  run: 'RUN_NOT_FOUND',
  experiment: 'EXPERIMENT_NOT_FOUND',
  campaign: 'CAMPAIGN_NOT_FOUND',
} as const;

/** Returns the error for an unknown id of a run, experiment or campaign. */
export function makeNotFoundError(kind: keyof typeof idCodes, id: string): ProblemError {
  return new ProblemError(
    idCodes[kind],
    `There is no ${kind} with the id "${truncate(id)}". Select another ${kind}`,
  );
}

/**
 * Throws READ_ONLY, with the reason, if the database is read-only. The message states that the service cannot do the
 * action `verb`, by default "change".
 */
export async function requireWritable(
  database: Pick<DatabaseConnections, 'readAccess'>,
  verb?: 'import',
): Promise<void> {
  const { isReadOnly, reason } = await database.readAccess();
  if (isReadOnly) throw makeReadOnlyError(reason, verb);
}

/** Returns the error for documents that together exceed their maximum size; see `DocumentStore`. */
export function makeDocumentsFullError(): ProblemError {
  return new ProblemError(
    'DOCUMENTS_FULL',
    'The service did not save the note, because all notes of this database together may take at most 8 MiB. Shorten or delete some, then save again',
  );
}

/**
 * Returns the error for a file or table whose notes and display names this version cannot read. `fileOrTable` is the
 * name of the file or table. `reason` follows this name in the sentence, such as `contains a damaged row`. `remedy` is
 * an instruction.
 */
export function makeUnreadableDocumentsError(
  fileOrTable: string,
  reason: string,
  remedy = 'Move or repair it',
): ProblemError {
  return new ProblemError(
    'DOCUMENTS_UNREADABLE',
    `Evoscope cannot read notes and display names, and changed nothing: ${fileOrTable} ${reason}. ${remedy}, then try again`,
  );
}

/** Returns whether an error comes from {@link makeUnreadableDocumentsError}. */
export function isUnreadableDocumentsError(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'DOCUMENTS_UNREADABLE';
}
