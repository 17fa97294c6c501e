import type {
  PackedTrace,
  TraceToRead,
  SharedTrace,
  RequestedTrace,
} from '#server/analysis/shared-traces.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import type { HandledName } from '#server/handlers.ts';
import type { MlflowCall } from '#server/mlflow/operations.ts';
import type { StateName, WrittenResponse } from './run-handler.ts';
import type { TraceFilesData } from './trace-files.ts';

/** The `workerData` of a thread of a pool. */
export interface ThreadData {
  /** URL of the database, which may contain a password. */
  databaseUrl: DatabaseUrl;
  isReadOnly: boolean;
  /** Maximum number of connections; only for PostgreSQL. */
  maximumConnections: number;
  /** Lock timeout of reads; only for PostgreSQL. */
  lockTimeoutMillis?: number | undefined;
  /** Limit of the thread's cache of intermediate results of analyses, in bytes. */
  memoBytes: number;
  version: string;
  canChoose?: boolean | undefined;
  isRecording?: boolean | undefined;
  artifactsDirectory?: string | undefined;
  traceFiles?: TraceFilesData | undefined;
}

/**
 * The work of a job of a pool: the handler of an endpoint, an operation of MLflow, a read of traces that another job
 * needs, or a read of the state of the database.
 */
export type Work =
  | {
      name: HandledName;
      input: unknown;
      /** Limits the handler to the database with this identity. */
      identity?: string | undefined;
    }
  | { mlflow: MlflowCall }
  | { traces: readonly TraceToRead[] }
  | { state: StateName };

/** A task of a thread: a job, or another task of its pool. */
export type ThreadTask =
  | Work
  /** Runs small analyses, to compile the code for later analyses. */
  | 'warm up'
  | 'open database'
  | 'close database'
  | { releasedChunks: readonly number[] };

/** The result of a job. */
export type WorkResult = WrittenResponse | PackedTrace[] | string;

/**
 * The result of a task; undefined for a task that is not a job, and for a job that its pool has taken from an abandoned
 * thread. `loss`: the files of the database are no longer the files that the thread had open. `before`: the job has not
 * started; `after`: the job has started, and may have changed something.
 */
export type ThreadResult = { result: WorkResult } | { loss: 'before' | 'after' } | undefined;

/**
 * An event of a thread: the files of the database are no longer the files that the thread has open, or the thread has
 * used cached chunks of traces.
 */
export type ThreadEvent = 'lost' | { usedChunks: readonly number[] };

/** A request of a job to the store of traces. */
export type SharedTraceRequest = readonly RequestedTrace[];
/** The traces of a {@link SharedTraceRequest}, in the order of the request. */
export type SharedTraceResponse = readonly SharedTrace[];
