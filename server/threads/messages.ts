import type { DatabaseUrl } from '#server/db/url.ts';
import type { HandledName } from '#server/handlers.ts';
import type { SentError } from '#server/runtime/tasks.ts';
import type { PackedTrace, TraceToRead } from '#server/analysis/packed-traces.ts';
import type { SharedTrace, WantedTrace } from '#server/analysis/trace-store.ts';
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
  /** How much its intermediate results of analyses may take. */
  memoBytes: number;
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
 * What a thread is told: to work, the traces that it requested, which shares of traces to release, to open or close the
 * database, or to end. All crosses by structured clone, in which a `SharedArrayBuffer` is not copied: both sides see the same
 * memory.
 */
export type ThreadRequest =
  | ({ job: number } & Work)
  | ({ question: number } & ({ traces: SharedTrace[] } | { error: SentError }))
  | { release: readonly number[] }
  | 'open'
  | 'close'
  | 'end';

/**
 * What a thread says: that it has loaded all it needs, that the files of the database are not those that it has open, which a
 * job may have noticed before it began or after it ended, that it has closed the database, how a job ended and which shares of
 * traces it used, a request for traces, or a line for the log.
 */
export type ThreadReply =
  | 'started'
  | 'lost'
  | 'closed'
  | { job: number; lost: 'before' | 'after' }
  | { job: number; answer: Worked; usedShares: readonly number[] }
  | { job: number; error: SentError }
  | { question: number; wanted: readonly WantedTrace[] }
  | { log: 'warn' | 'error'; details: object; message: string };
