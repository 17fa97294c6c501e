import * as z from 'zod';

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
