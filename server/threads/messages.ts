import { existsSync } from 'node:fs';
import type { ProblemCode } from '#shared/schemas/error.ts';
import type { StartUpError } from '#server/db/start-up-error.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import type { ExplainedError, FailureKind } from '#server/db/dialect.ts';
import type { HandledName } from '#server/handlers.ts';
import { databaseFailure, missingDatabase, ProblemError, type FieldFault } from '#server/errors.ts';
import type { MemoryQuestion } from '#server/analysis/memory.ts';
import type { PackedTrace, TraceToRead } from '#server/analysis/packed-traces.ts';
import type { WrittenAnswer } from './run-handler.ts';

/** What a thread is started with. */
export interface ThreadData {
  /** May hold a password. */
  source: DatabaseUrl;
  readOnly: boolean;
  /** Matters for PostgreSQL only. */
  maximumConnections: number;
  /** Of reads; matters for PostgreSQL only. */
  lockTimeoutMillis?: number | undefined;
  version: string;
  choosing?: boolean | undefined;
  artifactsDirectory?: string | undefined;
}

/** A question about the state of the database; see {@link DatabaseDialect}. */
export type StateQuestion = 'changeCursor' | 'snapshotKey' | 'identity';

/**
 * What a thread works on: the handler of an endpoint, for the database with this identity only if one is named, traces
 * that another one wants, or the database's state.
 */
export type Work =
  | { name: HandledName; input: unknown; identity?: string | undefined }
  | { traces: readonly TraceToRead[] }
  | { state: StateQuestion };

/** What comes of {@link Work}. */
export type Worked = WrittenAnswer | PackedTrace[] | string;

/**
 * What a thread is told: to work, what the shared memory answers to a question of its own, to open or close the database, or to
 * end. All
 * crosses by structured clone, in which a `SharedArrayBuffer` is not copied: both sides see the same memory.
 */
export type ThreadRequest =
  | ({ job: number } & Work)
  | ({ question: number } & ({ answer: unknown } | { error: SentError }))
  | 'open'
  | 'close'
  | 'end';

/**
 * What a thread says: that it has loaded all it needs, that the files of the database are not those that it has open, which a
 * job may have noticed before it began or after it ended, that it has closed the database, how a job ended, a question to the
 * shared memory, a text for it to keep, or a line for the log.
 */
export type ThreadReply =
  | 'started'
  | 'lost'
  | 'closed'
  | { job: number; lost: 'before' | 'after' }
  | ({ job: number } & ({ answer: Worked } | { error: SentError }))
  | ({ question: number } & MemoryQuestion)
  | { key: string; text: string }
  | { log: 'warn' | 'error'; details: object; message: string };

/** An error of the catalogue with all it says, or any other with message and stack for the log. */
export type SentError =
  | {
      code: ProblemCode;
      detail: string;
      faults: readonly FieldFault[] | undefined;
      headers: Readonly<Record<string, string>>;
    }
  | { message: string; stack: string | undefined };

/** The error of a request to a database that was open and cannot be opened again. */
export function openingFailure(error: StartUpError, source: DatabaseUrl): ProblemError {
  if (source.dialect === 'sqlite' && !existsSync(source.file)) return missingDatabase();
  const explanation = error.kind === 'forbidden' ? error.message : undefined;
  return databaseFailure(error.kind, { explanation });
}

/** An error as it can be sent; a failure of the database becomes the one of the catalogue that it amounts to. */
export function sendError(error: unknown, failureKind: (error: unknown) => FailureKind): SentError {
  if (error instanceof ProblemError) {
    const { code, message: detail, faults, headers } = error;
    return { code, detail, faults, headers };
  }
  const kind = failureKind(error);
  if (kind !== 'other')
    return sendError(databaseFailure(kind, error as ExplainedError), failureKind);
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
