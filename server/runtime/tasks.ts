import { isMainThread, parentPort, Worker, type ResourceLimits } from 'node:worker_threads';
import type { ErrorCode } from '#shared/schemas/error.ts';
import type { ExplainedError, FailureKind } from '#server/db/dialect.ts';
import { makeDatabaseFailure, ProblemError, type FieldFault } from '#server/errors.ts';
import type { Log } from '#server/logger.ts';

/*
 * The protocol between the thread that responds to requests and its other threads: for requests, imports, indexes, and
 * the inspection, preparation and sample data of databases.
 *
 * Piscina 5.3 does not fit, for three reasons. Aborting a running task terminates its thread, which closes SQLite
 * without a checkpoint of the log and ends the other tasks of the thread; a task here ends cooperatively. Piscina
 * counts a terminated thread as ended immediately and replaces the thread, although its query may use a processor for
 * minutes; the pool here limits the number of such threads. Piscina has no progress reports, no requests from a thread
 * to its owner, and no way to make every thread close its database before any of them opens it again.
 */

/**
 * A message to a thread. All values are copies by structured clone, except a `SharedArrayBuffer`, which both threads
 * share.
 */
type MessageToThread<Task> =
  | { taskId: number; input: Task; cancelFlag: Int32Array<SharedArrayBuffer> }
  | { cancelledTaskId: number }
  | ({ requestId: number } & ({ response: unknown } | { error: SerialisedError }))
  | 'end';

/** A message from a thread. */
type MessageFromThread<Result> =
  /** The thread has loaded all native code. Terminating it earlier would end the process. */
  | 'started'
  | { taskId: number; progress: unknown }
  | { taskId: number; result: Result }
  | { taskId: number; error: SerialisedError }
  | { requestId: number; input: unknown }
  | { event: unknown }
  | { log: 'warn' | 'error'; details: object; message: string };

/**
 * A {@link ProblemError} without `databaseIdentity`, which no task sets, or the message and the stack of any other
 * error, for the log.
 */
export type SerialisedError =
  | {
      code: ErrorCode;
      detail: string;
      faults: readonly FieldFault[] | undefined;
      headers: Readonly<Record<string, string>>;
      currentAnnotation: ProblemError['currentAnnotation'];
    }
  | { message: string; stack: string | undefined };

/**
 * Serialises an error for a message. A failure of the database that `classifyFailure` recognises becomes the error of
 * {@link makeDatabaseFailure}; by default, `classifyFailure` recognises no failure.
 */
export function serialiseError(
  error: unknown,
  classifyFailure: (error: unknown) => FailureKind = () => 'other',
): SerialisedError {
  if (error instanceof ProblemError) {
    const { code, message: detail, faults, headers, currentAnnotation } = error;
    return { code, detail, faults, headers, currentAnnotation };
  }
  const kind = classifyFailure(error);
  if (kind !== 'other')
    return serialiseError(makeDatabaseFailure(kind, error as ExplainedError), classifyFailure);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { message, stack };
}

/** Returns the error of a message. */
export function deserialiseError(message: SerialisedError): Error {
  if ('code' in message) {
    const { code, detail, faults, headers, currentAnnotation } = message;
    return new ProblemError(code, detail, {
      ...(faults && { faults }),
      headers,
      currentAnnotation,
    });
  }
  const error = new Error(message.message);
  if (message.stack !== undefined) error.stack = message.stack;
  return error;
}

/** Options for starting a thread, and listeners for its messages that name no task. */
export interface TaskThreadOptions {
  workerData?: unknown;
  resourceLimits?: ResourceLimits;
  logger?: Log | undefined;
  onEvent?: (event: unknown) => void;
  /** Responds to the requests of the thread. */
  onRequest?: (input: unknown) => Promise<unknown>;
}

/** Options of one task. */
export interface TaskOptions {
  /** Signal to cancel the task; the task decides when and how it ends. */
  signal?: AbortSignal | undefined;
  onProgress?: (progress: unknown) => void;
}

interface PendingTask<Result> extends PromiseWithResolvers<Result> {
  onProgress: TaskOptions['onProgress'];
}

/**
 * A thread that runs a task for each call of {@link TaskThread.runTask}. While a task waits, the thread runs the
 * others.
 */
export class TaskThread<Task, Result> {
  /**
   * Settles when the program of the thread calls {@link TaskThreadContext.reportStart}. Never settles if the thread
   * ends before this call, or if the program never makes the call.
   */
  readonly startup: Promise<void>;
  /** Settles when the thread has ended. */
  readonly exit: Promise<void>;
  readonly #worker: Worker;
  readonly #options: TaskThreadOptions;
  readonly #tasks = new Map<number, PendingTask<Result>>();
  #lastTaskId = 0;
  #hasStarted = false;
  #isRunning = true;

  /**
   * If `program` is a path or URL, starts a worker with it. Otherwise uses this existing worker, and ignores
   * `workerData` and `resourceLimits`. An idle thread does not keep the process alive.
   */
  constructor(program: string | URL | Worker, options: TaskThreadOptions = {}) {
    const { workerData, resourceLimits } = options;
    const start = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    this.#options = options;
    this.#worker =
      program instanceof Worker
        ? program
        : new Worker(program, { workerData, ...(resourceLimits && { resourceLimits }) });
    this.startup = start.promise;
    this.exit = end.promise;
    this.#worker.unref();
    this.#worker.on('message', (message: MessageFromThread<Result>) => {
      if (message !== 'started') return this.#receive(message);
      this.#hasStarted = true;
      start.resolve();
    });
    this.#worker.on('error', (error) => {
      this.#isRunning = false;
      this.#rejectAll(error);
    });
    this.#worker.on('exit', () => {
      this.#isRunning = false;
      end.resolve();
      this.#rejectAll(new Error('The thread has ended'));
    });
  }

  /** Whether {@link startup} has resolved. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Whether the thread has neither ended nor failed. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Runs a task in the thread and returns its result. Rejects with the error of the task or of a failed thread, and
   * with an Error if the thread ends first. Never settles if the thread has already ended.
   */
  async runTask(input: Task, { signal, onProgress }: TaskOptions = {}): Promise<Result> {
    const taskId = ++this.#lastTaskId;
    const cancelFlag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const cancel = () => {
      // A thread that is busy receives no message, but sees the shared number.
      Atomics.store(cancelFlag, 0, 1);
      this.#send({ cancelledTaskId: taskId });
    };
    const pendingTask = { ...Promise.withResolvers<Result>(), onProgress };
    this.#tasks.set(taskId, pendingTask);
    this.#worker.ref();
    this.#send({ taskId, input, cancelFlag });
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    try {
      return await pendingTask.promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Makes the thread end after its tasks. */
  end(): void {
    this.#worker.ref();
    this.#send('end');
  }

  /**
   * Terminates the thread. Has no effect until {@link startup} resolves. A running query of SQLite delays the end of
   * the thread.
   */
  terminate(): void {
    if (this.#hasStarted) void this.#worker.terminate();
  }

  #send(message: MessageToThread<Task>): void {
    this.#worker.postMessage(message);
  }

  #receive(message: Exclude<MessageFromThread<Result>, 'started'>): void {
    const { onEvent, logger } = this.#options;
    if ('event' in message) onEvent?.(message.event);
    else if ('log' in message) logger?.[message.log](message.details, message.message);
    else if ('requestId' in message) void this.#respond(message.requestId, message.input);
    else if ('progress' in message) this.#tasks.get(message.taskId)?.onProgress?.(message.progress);
    else if ('result' in message) this.#removeTask(message.taskId)?.resolve(message.result);
    else this.#removeTask(message.taskId)?.reject(deserialiseError(message.error));
  }

  #removeTask(taskId: number): PendingTask<Result> | undefined {
    const pendingTask = this.#tasks.get(taskId);
    this.#tasks.delete(taskId);
    if (this.#tasks.size === 0) this.#worker.unref();
    return pendingTask;
  }

  async #respond(requestId: number, input: unknown): Promise<void> {
    try {
      this.#send({ requestId, response: await this.#options.onRequest?.(input) });
    } catch (error) {
      this.#send({ requestId, error: serialiseError(error) });
    }
  }

  #rejectAll(error: unknown): void {
    for (const taskId of this.#tasks.keys()) this.#removeTask(taskId)?.reject(error);
  }
}

/**
 * Runs a task in a new thread of `program`, and returns the result of the task when the thread has ended. Rejects like
 * {@link TaskThread.runTask}. With `canTerminate`, also terminates the thread when the signal is aborted, but not
 * before {@link TaskThread.startup} resolves. The task then does not need to end itself.
 */
export async function runTask<Result>(
  program: string | URL,
  input: unknown,
  options: TaskOptions & TaskThreadOptions & { canTerminate?: boolean } = {},
): Promise<Result> {
  const thread = new TaskThread<unknown, Result>(program, options);
  const { signal, canTerminate = false } = options;
  const terminate = () => void thread.startup.then(() => thread.terminate());
  if (canTerminate) signal?.addEventListener('abort', terminate, { once: true });
  if (canTerminate && signal?.aborted) terminate();
  try {
    return await thread.runTask(input, options);
  } finally {
    signal?.removeEventListener('abort', terminate);
    thread.end();
    await thread.exit;
  }
}

/** Signal and functions that a task in a thread can use. */
export interface TaskContext {
  /** Signal to cancel the task. */
  signal: AbortSignal;
  /**
   * Returns whether the task is cancelled, also while the thread is too busy to receive messages. If the task is
   * cancelled, aborts the signal.
   */
  isCancelled: () => boolean;
  /** Reports progress to the owner of the thread. */
  report: (progress: unknown) => void;
}

/** Logger and functions that the program of a thread can use, also outside of its tasks. */
export interface TaskThreadContext {
  logger: Log;
  /** Reports that the thread has loaded all native code, so its owner can terminate it. */
  reportStart: () => void;
  /** Reports an event to the owner of the thread. */
  emit: (event: unknown) => void;
  /** Sends a request to the owner of the thread, and resolves with the response. Rejects with the owner's error. */
  request: (input: unknown) => Promise<unknown>;
}

/** Functions with which a thread runs its tasks. */
export interface TaskRunner<Task, Result> {
  run: (input: Task, context: TaskContext) => Result | Promise<Result>;
  /** Returns the buffers of a result to transfer instead of copying them. */
  getTransferList?: (result: Result) => ArrayBuffer[];
  /**
   * Uses the idle time. The thread calls it after a second without a task. After a minute without such a second, the
   * thread calls it as soon as no task runs.
   */
  onIdle?: () => void;
  /** Closes the resources of the thread before it ends by {@link TaskThread.end}. */
  close?: () => Promise<void>;
}

/**
 * Times of {@link TaskRunner.onIdle}. The requests of a page follow each other within a second. A page that watches
 * runs never stops sending requests.
 */
const idleTimes = { idleMillis: 1_000, busyMillis: 60_000 };

/**
 * Runs the tasks of the owner in this thread until the owner ends the thread. While a task waits, runs the others.
 * Throws an Error in the main thread.
 */
export function serveTasks<Task, Result>(
  runner: TaskRunner<Task, Result>,
  { idleMillis, busyMillis } = idleTimes,
): TaskThreadContext {
  if (isMainThread || parentPort === null)
    throw new Error('This program runs only in a thread: start it with a TaskThread');
  const port = parentPort;
  const post = (message: MessageFromThread<Result>, transferList: ArrayBuffer[] = []) =>
    port.postMessage(message, transferList);
  const cancellations = new Map<number, () => void>();
  const runningTasks = new Set<Promise<void>>();
  let idleTimer: NodeJS.Timeout | undefined;
  /** Start of the first task since the last call of `onIdle`, in milliseconds of `performance.now()`. */
  let busyStartMillis: number | undefined;
  const requests = new Map<number, PromiseWithResolvers<unknown>>();
  let lastRequestId = 0;

  const executeTask = async (
    taskId: number,
    input: Task,
    cancelFlag: Int32Array,
  ): Promise<void> => {
    const controller = new AbortController();
    cancellations.set(taskId, () => controller.abort());
    const isCancelled = () => {
      if (Atomics.load(cancelFlag, 0) === 1) controller.abort();
      return controller.signal.aborted;
    };
    const report = (progress: unknown) => post({ taskId, progress });
    try {
      const { signal } = controller;
      const result = await runner.run(input, { signal, isCancelled, report });
      post({ taskId, result }, runner.getTransferList?.(result));
    } catch (error) {
      post({ taskId, error: serialiseError(error) });
    } finally {
      cancellations.delete(taskId);
    }
  };
  const scheduleIdle = (onIdle: () => void) => {
    const callOnIdle = () => {
      busyStartMillis = undefined;
      onIdle();
    };
    if (performance.now() - (busyStartMillis ?? Infinity) > busyMillis) callOnIdle();
    else idleTimer = setTimeout(callOnIdle, idleMillis).unref();
  };
  const endThread = async () => {
    await Promise.all(runningTasks);
    await runner.close?.();
    port.close();
  };
  port.on('message', (message: MessageToThread<Task>) => {
    if (message === 'end') {
      void endThread();
    } else if ('cancelledTaskId' in message) {
      cancellations.get(message.cancelledTaskId)?.();
    } else if ('requestId' in message) {
      const pendingRequest = requests.get(message.requestId);
      requests.delete(message.requestId);
      if ('error' in message) pendingRequest?.reject(deserialiseError(message.error));
      else pendingRequest?.resolve(message.response);
    } else {
      clearTimeout(idleTimer);
      busyStartMillis ??= performance.now();
      const runEnd = executeTask(message.taskId, message.input, message.cancelFlag).finally(() => {
        runningTasks.delete(runEnd);
        if (runner.onIdle && runningTasks.size === 0) scheduleIdle(runner.onIdle);
      });
      runningTasks.add(runEnd);
    }
  });
  return {
    logger: {
      warn: (details, message) => post({ log: 'warn', details, message }),
      error: (details, message) => post({ log: 'error', details, message }),
    },
    reportStart: () => post('started'),
    emit: (event) => post({ event }),
    request: (input) => {
      const requestId = ++lastRequestId;
      const pendingRequest = Promise.withResolvers<unknown>();
      requests.set(requestId, pendingRequest);
      post({ requestId, input });
      return pendingRequest.promise;
    },
  };
}
