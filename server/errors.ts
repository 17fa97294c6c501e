import type { DatabaseConnections, ExplainedError, FailureKind } from './db/dialect.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import { problemCatalogue, type Problem, type ProblemCode } from '#shared/schemas/error.ts';

/** What one field of a request has wrong: `path` says which (`query.size`), `message` what it must be. */
export interface FieldFault {
  path: string;
  message: string;
}

/** An answer from the error catalogue. `detail` is read by the user: no SQL, no file path, no stack. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly faults: readonly FieldFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a question before a database is opened: the identity of that database. */
  readonly databaseIdentity: string | undefined;
  /** Of a conflict: the annotation as it is now, without secrets. */
  readonly current: Annotation | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    extras: {
      faults?: readonly FieldFault[];
      headers?: Readonly<Record<string, string>>;
      databaseIdentity?: string | undefined;
      current?: Annotation | undefined;
    } = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.faults = extras.faults;
    this.headers = extras.headers ?? {};
    this.databaseIdentity = extras.databaseIdentity;
    this.current = extras.current;
  }
}

/** The error of a request whose fields do not fit: all faults at once, and the first of them as detail. */
export function validationError(faults: readonly FieldFault[]): ProblemError {
  const [first] = faults;
  const detail = first ? `${first.path} ${first.message}` : 'The request is not valid';
  return new ProblemError('VALIDATION_FAILED', detail, { faults });
}

/** The problem document (RFC 9457) of an error; `instance` is the path of the request. */
export function problemDocument(error: ProblemError, instance: string): Problem {
  const { status, title } = problemCatalogue[error.code];
  return {
    type: `urn:evoscope:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: error.message,
    instance: shortened(instance),
    code: error.code,
    ...(error.databaseIdentity !== undefined && { databaseIdentity: error.databaseIdentity }),
    ...(error.current !== undefined && { current: error.current }),
    ...(error.faults && { errors: error.faults.map((fault) => ({ ...fault })) }),
  };
}

/** The text, or its first 200 characters and an ellipsis. */
export function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/**
 * The error of a request that the database did not answer: it is busy for now, does not answer, forbids it, or it is
 * too much. `cause` may explain it.
 */
export function databaseFailure(
  kind: Exclude<FailureKind, 'other'>,
  cause?: ExplainedError,
): ProblemError {
  if (kind === 'too-large') {
    return new ProblemError(
      'ANSWER_TOO_LARGE',
      'The response contains a text that is too long to send',
    );
  }
  if (kind === 'forbidden' && cause?.isChange) return readOnlyError(cause.explanation ?? null);
  const { code, detail, retryAfter } = failures[kind];
  return new ProblemError(code, cause?.explanation ?? detail, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}

/** The error of a request to a database whose file at this path is not there any more. */
export function missingDatabase(path: string): ProblemError {
  return databaseFailure('unavailable', {
    explanation: `The database file ${path} is missing, so nothing was read or changed. Put it back, then try again`,
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
    detail: 'The database user lacks a right',
    retryAfter: 30,
  },
  unavailable: {
    code: 'DATABASE_UNAVAILABLE',
    detail: 'The database does not answer',
    retryAfter: 5,
  },
} as const;

function readOnlyError(reason: string | null, verb = 'changed'): ProblemError {
  const because = reason ?? 'The database is open read-only';
  return new ProblemError('READ_ONLY', `${because}: nothing can be ${verb}`);
}

/** The error of a request that failed by a fault of the service, which is in the log. */
export function internalProblem(): ProblemError {
  return new ProblemError(
    'INTERNAL',
    'The service met an error it did not expect; its log says more',
  );
}

/** The error of a request to a service that is stopping. */
export function stoppingProblem(): ProblemError {
  return new ProblemError(
    'SERVICE_STOPPING',
    'The service is stopping; ask again when it is back',
    { headers: { 'Retry-After': '5', Connection: 'close' } },
  );
}

const idCodes = {
  run: 'RUN_NOT_FOUND',
  experiment: 'EXPERIMENT_NOT_FOUND',
  campaign: 'CAMPAIGN_NOT_FOUND',
} as const;

/** The error of an id that no run, experiment or campaign has. */
export function notFound(kind: keyof typeof idCodes, id: string): ProblemError {
  return new ProblemError(idCodes[kind], `There is no ${kind} with the id "${shortened(id)}"`);
}

/** Throws READ_ONLY, with the reason, while nothing can be written to the database; `verb` says what was to be done. */
export async function requireWritable(
  database: Pick<DatabaseConnections, 'access'>,
  verb?: 'imported',
): Promise<void> {
  const { readOnly, reason } = await database.access();
  if (readOnly) throw readOnlyError(reason, verb);
}

/** Returns the error of documents that need more room than they may take together; see `DocumentStore`. */
export function documentsFull(): ProblemError {
  return new ProblemError(
    'DOCUMENTS_FULL',
    'All notes of this database together may take 8 MB. Shorten or delete some, then save again',
  );
}

/** Returns the error for a place that does not hold documents that this program wrote. */
export function unreadableDocuments(place: string, reason: string): ProblemError {
  return new ProblemError(
    'DOCUMENTS_UNREADABLE',
    `Notes and display names cannot be read: ${place} ${reason}. It was not changed; move or repair it, then try again`,
  );
}

/** Returns whether an error is that of {@link unreadableDocuments}. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'DOCUMENTS_UNREADABLE';
}
