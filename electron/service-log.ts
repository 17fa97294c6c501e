import * as z from 'zod';

const logEntry = z.object({ msg: z.string(), err: z.object({ message: z.string() }).optional() });

/** Keeps the last `limit` lines of a stream of text; a line may arrive in pieces. */
export interface LogTail {
  add(text: string): void;
  /** The kept lines, oldest first, as {@link readableLogLine} shows them; empty lines are left out. */
  lines(): string[];
}

/** An empty {@link LogTail} for `limit` lines. */
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
 * What a person reads of one line of the service's log: of a JSON line its message, followed by the message
 * of its error when it has one; any other line as it is.
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
