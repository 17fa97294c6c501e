import { destination, pino, type Logger } from 'pino';

/** The levels of the log, quietest last. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What is logged from wherever a handler runs. */
export interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Lines of a second, above which they are only counted: an outage must not fill a disk. */
const maximumLines = 50;

/**
 * A log of JSON lines on standard error, written at once, so that nothing is lost when the process ends; at most
 * {@link maximumLines} a second, and then one that counts those left out.
 */
export function createLogger(level: LogLevel): Logger {
  let lines = 0;
  let second: NodeJS.Timeout | undefined;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      hooks: {
        logMethod(args, method) {
          lines += 1;
          second ??= setTimeout(endSecond, 1_000).unref();
          if (lines <= maximumLines) method.apply(this, args);
        },
      },
    },
    destination({ fd: 2, sync: true }),
  );
  const endSecond = () => {
    const leftOut = lines - maximumLines;
    lines = 0;
    second = undefined;
    if (leftOut > 0) logger.warn(`${leftOut} more lines in a second were left out`);
  };
  return logger;
}
