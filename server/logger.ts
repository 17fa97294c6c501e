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
 * Creates a log of JSON lines on standard error. It writes synchronously, so the end of the process loses no written
 * line. After {@link maximumLines} in a second, the log omits further lines. At the end of this second, it writes one
 * line with the number of omitted lines, unless the process has ended.
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
  // At a quieter level than `warn`, the log would omit a warning, so the line with the number has the level of the log.
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
