import { destination, pino, type Logger } from 'pino';

/** The levels of the log, from the most detailed to the quietest. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** A level of the log. */
export type LogLevel = (typeof logLevels)[number];

/** The functions of a log that code in any thread can call. */
export interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/**
 * Maximum number of lines per second. The logger only counts further lines, so an outage does not fill the disk.
 */
const maximumLines = 50;

/**
 * Creates a log of JSON lines on standard error. It writes synchronously, so no line is lost when the process ends.
 * After {@link maximumLines} in a second, it omits further lines, and writes one line with their number after the
 * second.
 */
export function createLogger(level: LogLevel): Logger {
  let lineCount = 0;
  let secondTimer: NodeJS.Timeout | undefined;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      hooks: {
        logMethod(args, method) {
          lineCount += 1;
          secondTimer ??= setTimeout(endSecond, 1_000).unref();
          if (lineCount <= maximumLines) method.apply(this, args);
        },
      },
    },
    destination({ fd: 2, sync: true }),
  );
  // A quieter log would omit a warning too.
  const reportLevel = logger.isLevelEnabled('warn') ? 'warn' : level;
  const endSecond = () => {
    const omittedLineCount = lineCount - maximumLines;
    lineCount = 0;
    secondTimer = undefined;
    if (omittedLineCount > 0)
      logger[reportLevel](`Omitted ${omittedLineCount} more lines in a second`);
  };
  return logger;
}
