import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A log file of the service. */
export interface LogFile {
  readonly path: string;
  add(text: string): void;
}

/**
 * Returns a log file. The first text creates the file; except on Windows, only the current user has access to it.
 * Before each text, renames a file larger than `limitBytes` to `<file>.1`, which replaces the previous file of this
 * name. Ignores errors of the system, because a full disk must not stop the window.
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
