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

  constructor(
    code: ProblemCode,
    detail: string,
    extras: { faults?: readonly FieldFault[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.faults = extras.faults;
    this.headers = extras.headers ?? {};
  }
}

/** The error of a request whose fields do not fit: all faults at once, and the first of them as detail. */
export function validationError(faults: readonly FieldFault[]): ProblemError {
  const [first] = faults;
  const detail = first ? `${first.path} ${first.message}` : 'The request is not valid';
  return new ProblemError('VALIDATION_FAILED', detail, { faults });
}

/** The error of a run id that no run has. */
export function runNotFound(runId: string): ProblemError {
  return new ProblemError('RUN_NOT_FOUND', `There is no run with the id "${shortened(runId)}"`);
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
    ...(error.faults && { errors: error.faults.map((fault) => ({ ...fault })) }),
  };
}

/** The text, or its first 200 characters and an ellipsis. */
export function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The error of a request that the database did not answer: it is busy for now, does not answer, or too much. */
export function databaseFailure(kind: 'busy' | 'unavailable' | 'too-large'): ProblemError {
  if (kind === 'too-large') {
    return new ProblemError(
      'ANSWER_TOO_LARGE',
      'What was asked for holds a text that is too long to be sent',
    );
  }
  const headers = { 'Retry-After': kind === 'busy' ? '1' : '5' };
  return kind === 'busy'
    ? new ProblemError('DATABASE_BUSY', 'The database is busy; try again in a moment', { headers })
    : new ProblemError('DATABASE_UNAVAILABLE', 'The database does not answer', { headers });
}

/** The error of what is asked of a service that was asked to stop. */
export function stoppingProblem(): ProblemError {
  return new ProblemError(
    'SERVICE_STOPPING',
    'The service is stopping; ask again when it is back',
    { headers: { 'Retry-After': '5', Connection: 'close' } },
  );
}

/** The error of an experiment id that no experiment has. */
export function experimentNotFound(experimentId: string): ProblemError {
  return new ProblemError(
    'EXPERIMENT_NOT_FOUND',
    `There is no experiment with the id "${shortened(experimentId)}"`,
  );
}

/** The error of a campaign id that no COCO campaign has. */
export function campaignNotFound(campaignId: string): ProblemError {
  return new ProblemError(
    'CAMPAIGN_NOT_FOUND',
    `There is no campaign with the id "${shortened(campaignId)}"`,
  );
}

/** The error of a name that no imported data set has. */
export function dataSetNotFound(name: string): ProblemError {
  return new ProblemError('DATASET_NOT_FOUND', `No data set "${shortened(name)}" was imported`);
}

/** Throws READ_ONLY when the database was opened without the possibility to write. */
export function requireWritable(readOnly: boolean): void {
  if (readOnly) {
    throw new ProblemError('READ_ONLY', 'The database is open read-only: nothing can be changed');
  }
}
