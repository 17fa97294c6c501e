import type { ProblemDocument, ErrorCode } from '#shared/schemas/error.ts';

/** Code of a failure. The pages set `UNREACHABLE` when there is no response. */
export type FailureCode = ErrorCode | 'UNREACHABLE';

/** An error response of the service, or a missing response; `detail` is a sentence for the user. */
export class ProblemError extends Error {
  readonly code: FailureCode;
  readonly detail: string;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Errors of single parts of the request, by their paths such as `run.1`; empty without any. */
  readonly faults: NonNullable<ProblemDocument['errors']>;
  /** Identity of the database, for a confirmation before it is opened. */
  readonly databaseIdentity: string | undefined;
  /** The annotation as it is now, of a conflict. */
  readonly current: ProblemDocument['current'];

  constructor(
    code: FailureCode,
    detail: string,
    status: number,
    {
      errors = [],
      databaseIdentity,
      current,
    }: Pick<Partial<ProblemDocument>, 'errors' | 'databaseIdentity' | 'current'> = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
    this.code = code;
    this.detail = detail;
    this.status = status;
    this.faults = errors;
    this.databaseIdentity = databaseIdentity;
    this.current = current;
  }
}

/**
 * Converts any thrown value to an error that can be shown: a missing script becomes `UNREACHABLE`, an unknown one
 * `INTERNAL` with its own message.
 */
export function asProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isScriptMissing(error)) return new ProblemError('UNREACHABLE', missingScript, 0);
  return new ProblemError('INTERNAL', error instanceof Error ? error.message : String(error), 0);
}

const missingScript =
  'A script of this page could not be loaded, because Evoscope was updated or does not respond. Reload the page.';

/** Whether an error is the browser's for a script of the pages that could not be fetched. */
export function isScriptMissing(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /dynamically imported module|importing a module script|unable to preload/i.test(message);
}
