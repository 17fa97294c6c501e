import type { FailureKind } from '#server/db/dialect.ts';
import { databaseFailure, ProblemError, type FieldFault } from '#server/errors.ts';
import type { ProblemCode } from '#shared/schemas/error.ts';
import type { AnalysisTask } from './tasks.ts';

/** What a thread is told: a task, or to end. */
export type WorkerRequest = { task: AnalysisTask } | 'end';

/** What a thread says of its task: the answer, or the error in a form that can be sent. */
export type WorkerReply = { text: string } | SentError;

/** An error of the catalogue with all it says, or any other with message and stack for the log. */
export type SentError =
  | {
      code: ProblemCode;
      detail: string;
      faults: readonly FieldFault[] | undefined;
      headers: Readonly<Record<string, string>>;
    }
  | { message: string; stack: string | undefined };

/** An error as it can be sent; a failure of the database becomes the one of the catalogue that it amounts to. */
export function sendError(error: unknown, failureKind: (error: unknown) => FailureKind): SentError {
  if (error instanceof ProblemError) {
    const { code, message: detail, faults, headers } = error;
    return { code, detail, faults, headers };
  }
  const kind = failureKind(error);
  if (kind !== 'other') return sendError(databaseFailure(kind), failureKind);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { message, stack };
}

/** The error that {@link sendError} made ready. */
export function receiveError(sent: SentError): Error {
  if ('code' in sent) {
    const { code, detail, faults, headers } = sent;
    return new ProblemError(code, detail, { ...(faults && { faults }), headers });
  }
  const error = new Error(sent.message);
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}
