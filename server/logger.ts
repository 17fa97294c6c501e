import { destination, pino, type Logger } from 'pino';

/** The levels of the log, quietest last. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What is logged from wherever a handler runs. */
export interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** A log of JSON lines on standard error, written at once, so that nothing is lost when the process ends. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
    destination({ fd: 2, sync: true }),
  );
}
