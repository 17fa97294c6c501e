import * as z from 'zod';
import { serviceMessage, type StartUpCode } from '#shared/desktop.ts';

const keptLogLines = 20;

/** The common interface of Electron's and Node's child processes. */
export interface ServiceProcess {
  onMessage(listener: (message: unknown) => void): void;
  /** The exit code is null if a signal ended the process. Called once. */
  onExit(listener: (exitCode: number | null) => void): void;
  onErrorOutput(listener: (text: string) => void): void;
  kill(): void;
}

/** Why there is no service, in words for the user: what happened, what to do next, and the end of the log. */
export interface ServiceProblem {
  readonly message: string;
  readonly advice: string;
  readonly log: readonly string[];
  /** Cause that the service reports, if the user can fix it. */
  readonly code?: StartUpCode | undefined;
}

/** A service that is ready. */
export interface RunningService {
  /** Address of its pages, for example `http://127.0.0.1:7070/`. */
  readonly url: string;
  /** Resolves when the process ends, with a message for the user if the end was unexpected. */
  readonly ended: Promise<ServiceProblem>;
  /** Requests that the process ends and resolves when it has ended. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Maximum time without a message until the service is ready, unless a step may take long. */
  readonly silenceTimeoutMillis: number;
  /** Reports the current step of the service. */
  readonly onStep?: (step: string) => void;
  /** Ends the process if aborted before it is ready. */
  readonly signal?: AbortSignal;
}

/**
 * Waits until a forked service sends `{ type: 'ready', url }`, and forwards the steps before it. Rejects with a {@link
 * ServiceStartError} and kills the process if it sends `{ type: 'failed', message }` or an unknown message, ends, or
 * sends nothing for too long. Ignores messages after the first one that is not a step.
 */
export function startService(
  service: ServiceProcess,
  { silenceTimeoutMillis, onStep, signal }: StartOptions,
): Promise<RunningService> {
  const log = createLogTail(keptLogLines);
  service.onErrorOutput((text) => log.add(text));
  const ended = new Promise<number | null>((resolve) => service.onExit(resolve));
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let lastStep: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => settle(silence(silenceTimeoutMillis, lastStep, log)),
        silenceTimeoutMillis,
      );
    };
    const settle = (outcome: RunningService | ServiceProblem) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if ('url' in outcome) return resolve(outcome);
      service.kill();
      return reject(new ServiceStartError(outcome));
    };
    const hear = (message: unknown) => {
      const step = stepIn(message);
      if (isSettled) return;
      if (step === undefined) return settle(readMessage(message, service, ended, log));
      lastStep = step.step;
      onStep?.(step.step);
      wait();
      if (step.mayTakeLong === true) clearTimeout(timer);
    };
    wait();
    signal?.addEventListener('abort', () => settle(cancelled(log)), { once: true });
    service.onMessage(hear);
    void ended.then((exitCode) => settle(earlyEnd(exitCode, log)));
    if (signal?.aborted === true) settle(cancelled(log));
  });
}

function stepIn(message: unknown) {
  const parsed = serviceMessage.safeParse(message);
  return parsed.data?.type === 'progress' ? parsed.data : undefined;
}

function readMessage(
  message: unknown,
  service: ServiceProcess,
  ended: Promise<number | null>,
  log: LogTail,
): RunningService | ServiceProblem {
  const parsed = serviceMessage.safeParse(message);
  if (!parsed.success || parsed.data.type === 'progress') return incomprehension(message, log);
  if (parsed.data.type === 'failed') return refusal(parsed.data, log);
  return {
    url: parsed.data.url,
    ended: ended.then((exitCode) => lateEnd(exitCode, log)),
    async stop() {
      service.kill();
      await ended;
    },
  };
}

function refusal(
  { message, code }: { message: string; code?: StartUpCode | undefined },
  log: LogTail,
): ServiceProblem {
  const advice = code === undefined ? 'Correct this and try again.' : whatCanBeDone[code];
  return { message, advice, log: log.lines(), code };
}

const whatCanBeDone: Readonly<Record<StartUpCode, string>> = {
  LEGACY_SCHEMA:
    'They can be put aside in a backup and replaced by empty ones. To keep them where they are, quit and choose another database.',
  TABLES_OF_OTHERS:
    "The runner's tables can be added; those that are there stay as they are. If it is the wrong database, quit and choose another one.",
  FILE_MISSING:
    'A new database without experiments can be created there. If there should be one, check its path and try again.',
};

function silence(timeoutMillis: number, step: string | undefined, log: LogTail): ServiceProblem {
  const where = step === undefined ? '' : ` Its last step: ${step}.`;
  return {
    message: `The service was not ready after ${timeoutMillis / 1000} s.${where}`,
    advice:
      'A database on a slow or unreachable drive or server can be the cause. Check that it can be reached, then try again.',
    log: log.lines(),
  };
}

function earlyEnd(exitCode: number | null, log: LogTail): ServiceProblem {
  return {
    message: `The service ended before it was ready (${endOf(exitCode)}).`,
    advice: 'Its last messages below say why. Try again when the cause is gone.',
    log: log.lines(),
  };
}

function lateEnd(exitCode: number | null, log: LogTail): ServiceProblem {
  return {
    message: `The service ended unexpectedly (${endOf(exitCode)}).`,
    advice: 'The database is not damaged by this. Try again to go on where you were.',
    log: log.lines(),
  };
}

function incomprehension(message: unknown, log: LogTail): ServiceProblem {
  return {
    message: `The service sent a message that this window does not understand: ${excerpt(message)}`,
    advice:
      'The service and the window are of different versions. Install Evoscope again, or build it again with `npm run build`.',
    log: log.lines(),
  };
}

function cancelled(log: LogTail): ServiceProblem {
  return { message: 'The start was cancelled.', advice: '', log: log.lines() };
}

function excerpt(message: unknown): string {
  return (JSON.stringify(message) ?? 'undefined').slice(0, 200);
}

function endOf(exitCode: number | null): string {
  return exitCode === null ? 'killed' : `exit code ${exitCode}`;
}

/** The service failed to start; contains the {@link ServiceProblem} to show. */
export class ServiceStartError extends Error {
  readonly problem: ServiceProblem;

  constructor(problem: ServiceProblem) {
    super(problem.message);
    this.name = 'ServiceStartError';
    this.problem = problem;
  }
}

const logEntry = z.object({ msg: z.string(), err: z.object({ message: z.string() }).optional() });

/** Keeps the last `limit` lines of a text stream. A line may arrive in several parts. */
export interface LogTail {
  add(text: string): void;
  /** The last lines, oldest first, as {@link readableLogLine} shows them, without empty lines. */
  lines(): string[];
}

/** Returns an empty {@link LogTail} for `limit` lines. */
export function createLogTail(limit: number): LogTail {
  let complete: string[] = [];
  let unfinished = '';
  return {
    add(text) {
      const pieces = (unfinished + text).split(/\r?\n/);
      unfinished = pieces.pop() ?? '';
      complete = [...complete, ...pieces.filter((piece) => piece.trim() !== '')].slice(-limit);
    },
    lines: () =>
      [...complete, ...(unfinished.trim() === '' ? [] : [unfinished])]
        .slice(-limit)
        .map(readableLogLine),
  };
}

/**
 * Returns a log line for people: the message of a JSON line and the message of its error, if any; any other line
 * unchanged.
 */
export function readableLogLine(line: string): string {
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
