import * as z from 'zod';
import { serviceMessage, type StartUpCode } from '#shared/desktop.ts';

const maximumLogLines = 20;

/** Interface to a child process of Electron or Node. */
export interface ServiceProcess {
  onMessage(listener: (message: unknown) => void): void;
  /**
   * Calls the listener once, at the end of the process. The exit code of a Node process is null if a signal ended it.
   * The exit code of an Electron process is never null.
   */
  onExit(listener: (exitCode: number | null) => void): void;
  onErrorOutput(listener: (text: string) => void): void;
  kill(): void;
}

/** Reason why there is no service, for the user: the event, the advice, and the end of the log. */
export interface ServiceFailure {
  readonly message: string;
  readonly advice: string;
  readonly log: readonly string[];
  /** Code of a cause that a permission of the user removes; undefined for other causes. */
  readonly code?: StartUpCode | undefined;
}

/** The process of a service that is ready. */
export interface RunningService {
  /** Address of the pages, for example `http://127.0.0.1:7070/`. */
  readonly url: string;
  /** Resolves when the process ends, with the failure to show if the end was unexpected. */
  readonly end: Promise<ServiceFailure>;
  /** Stops the process. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Options of {@link startService}. */
export interface StartOptions {
  /** Maximum time without a message until the service is ready, unless a step can take a long time. */
  readonly messageTimeoutMillis: number;
  /** Reports the current step of the service. */
  readonly onStep?: (step: string) => void;
  /** Ends the process if the caller aborts the signal before the service is ready. */
  readonly signal?: AbortSignal;
}

/**
 * Waits until a forked service sends `{ type: 'ready', url }`, then resolves with the service. Until then, reports its
 * steps. If the service sends `{ type: 'failed', message }` or an unknown message, ends, or sends nothing for too long,
 * kills the process and rejects with a {@link ServiceStartError}. A cancelled start kills the process, and rejects when
 * the process has ended. Ignores messages after the start has succeeded, failed or been cancelled.
 */
export function startService(
  service: ServiceProcess,
  { messageTimeoutMillis, onStep, signal }: StartOptions,
): Promise<RunningService> {
  const log = createLogTail(maximumLogLines);
  service.onErrorOutput((text) => log.add(text));
  const exit = new Promise<number | null>((resolve) => service.onExit(resolve));
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let isCancelled = false;
    let lastStep: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    const restartTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => settle(makeTimeoutFailure(messageTimeoutMillis, lastStep, log)),
        messageTimeoutMillis,
      );
    };
    const settle = (outcome: RunningService | ServiceFailure) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      if ('url' in outcome) return resolve(outcome);
      service.kill();
      return reject(new ServiceStartError(outcome));
    };
    const handleMessage = (message: unknown) => {
      const progress = readProgress(message);
      if (isSettled || isCancelled) return;
      if (progress === undefined) return settle(readMessage(message, service, exit, log));
      lastStep = progress.step;
      onStep?.(progress.step);
      restartTimer();
      if (progress.canTakeLong === true) clearTimeout(timer);
    };
    const cancel = () => {
      if (isSettled) return;
      isCancelled = true;
      clearTimeout(timer);
      service.kill();
    };
    restartTimer();
    signal?.addEventListener('abort', cancel, { once: true });
    service.onMessage(handleMessage);
    void exit.then((exitCode) =>
      settle(isCancelled ? makeCancelledFailure(log) : makeEarlyEndFailure(exitCode, log)),
    );
    if (signal?.aborted === true) cancel();
  });
}

function readProgress(message: unknown) {
  const result = serviceMessage.safeParse(message);
  return result.data?.type === 'progress' ? result.data : undefined;
}

function readMessage(
  message: unknown,
  service: ServiceProcess,
  exit: Promise<number | null>,
  log: LogTail,
): RunningService | ServiceFailure {
  const result = serviceMessage.safeParse(message);
  if (!result.success || result.data.type === 'progress')
    return makeUnknownMessageFailure(message, log);
  if (result.data.type === 'failed') return makeReportedFailure(result.data, log);
  return {
    url: result.data.url,
    end: exit.then((exitCode) => makeLateEndFailure(exitCode, log)),
    async stop() {
      service.kill();
      await exit;
    },
  };
}

function makeReportedFailure(
  { message, code }: { message: string; code?: StartUpCode | undefined },
  log: LogTail,
): ServiceFailure {
  const advice = code === undefined ? 'Correct this and try again.' : adviceByCode[code];
  return { message, advice, log: log.getLines(), code };
}

const adviceByCode: Readonly<Record<StartUpCode, string>> = {
  LEGACY_SCHEMA:
    'Evoscope can move these tables to a backup and replace them by empty ones; to leave them unchanged, choose another database.',
  TABLES_OF_OTHERS:
    "Evoscope can add the runner's tables and leave the existing ones unchanged; if this is the wrong database, choose another one.",
  FILE_MISSING:
    'Evoscope can create an empty database at this path; if you expected an existing one, check the path and try again.',
};

function makeTimeoutFailure(
  timeoutMillis: number,
  step: string | undefined,
  log: LogTail,
): ServiceFailure {
  const time = step === undefined ? 'during its start' : `after its step "${step}"`;
  return {
    message: `The service sent no message for ${timeoutMillis / 1000} s ${time}.`,
    advice:
      'The drive or server of the database may be slow or unreachable. Check it, then try again.',
    log: log.getLines(),
  };
}

function makeEarlyEndFailure(exitCode: number | null, log: LogTail): ServiceFailure {
  const lines = log.getLines();
  return {
    message: `The service ended before it was ready (${formatEnd(exitCode)}).`,
    advice:
      lines.length > 0
        ? 'Correct the cause that its last messages below state, then try again.'
        : 'It left no messages. Try again, or choose another database.',
    log: lines,
  };
}

function makeLateEndFailure(exitCode: number | null, log: LogTail): ServiceFailure {
  return {
    message: `The service ended unexpectedly (${formatEnd(exitCode)}).`,
    advice: 'This does not affect the database. Try again to continue.',
    log: log.getLines(),
  };
}

function makeUnknownMessageFailure(message: unknown, log: LogTail): ServiceFailure {
  return {
    message: `The service sent an unknown message: ${formatExcerpt(message)}`,
    advice:
      'The service and the window have different versions. Install Evoscope again, or build it again with `npm run build`.',
    log: log.getLines(),
  };
}

function makeCancelledFailure(log: LogTail): ServiceFailure {
  return {
    message: 'Evoscope quit during the start of the service.',
    advice: '',
    log: log.getLines(),
  };
}

/** Returns the failure for an error of the window itself. */
export function makeUnexpectedFailure(error: unknown): ServiceFailure {
  return {
    message: error instanceof Error ? error.message : String(error),
    advice: 'This is a bug in Evoscope: restart it, and report the bug if it happens again.',
    log: [],
  };
}

function formatExcerpt(message: unknown): string {
  return (JSON.stringify(message) ?? 'undefined').slice(0, 200);
}

function formatEnd(exitCode: number | null): string {
  return exitCode === null ? 'killed' : `exit code ${exitCode}`;
}

/** Error of a service that fails to start. Contains the {@link ServiceFailure} to show. */
export class ServiceStartError extends Error {
  readonly failure: ServiceFailure;

  constructor(failure: ServiceFailure) {
    super(failure.message);
    this.name = 'ServiceStartError';
    this.failure = failure;
  }
}

const logEntry = z.object({ msg: z.string(), err: z.object({ message: z.string() }).optional() });

/** The last lines of a text stream that are not blank. A line may arrive in several chunks. */
export interface LogTail {
  add(text: string): void;
  /** Returns the last lines, oldest first, formatted by {@link formatLogLine}. The last line may be incomplete. */
  getLines(): string[];
}

/** Returns an empty {@link LogTail} for `limit` lines. */
export function createLogTail(limit: number): LogTail {
  let completeLines: string[] = [];
  let partialLine = '';
  return {
    add(text) {
      const pieces = (partialLine + text).split(/\r?\n/);
      partialLine = pieces.pop() ?? '';
      completeLines = [...completeLines, ...pieces.filter((piece) => piece.trim() !== '')].slice(
        -limit,
      );
    },
    getLines: () =>
      [...completeLines, ...(partialLine.trim() === '' ? [] : [partialLine])]
        .slice(-limit)
        .map(formatLogLine),
  };
}

/**
 * Returns a readable log line: the `msg` of a JSON line, followed by the message of its `err` if the two differ.
 * Returns the line unchanged if it has no `msg`, or has an `err` without a message.
 */
export function formatLogLine(line: string): string {
  const entry = logEntry.safeParse(parseJson(line));
  if (!entry.success) return line;
  const { msg, err } = entry.data;
  return err === undefined || err.message === msg ? msg : `${msg}: ${err.message}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
