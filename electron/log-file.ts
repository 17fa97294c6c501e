import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The log of the service in a file. */
export interface LogFile {
  readonly path: string;
  add(text: string): void;
}

/**
 * Appends to a file that only its user can read. A file larger than `limitBytes` is renamed to `<file>.1` and replaces
 * the previous one. Write errors are ignored: a full disk must not stop the window.
 */
export function openLogFile(path: string, limitBytes = 5_000_000): LogFile {
  return {
    path,
    add(text) {
      try {
        mkdirSync(dirname(path), { recursive: true });
        if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > limitBytes) {
          renameSync(path, `${path}.1`);
        }
        appendFileSync(path, text, { mode: 0o600 });
      } catch {
        // There is no other place to report this error.
      }
    },
  };
}
