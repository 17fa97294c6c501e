import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the service logs, kept for the user. */
export interface LogFile {
  readonly path: string;
  add(text: string): void;
}

/**
 * Appends to a file that only its user can read. One that has grown beyond `limitBytes` becomes `<file>.1`, in the place
 * of an older one. What cannot be written is lost: a full disk must not stop the window.
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
        // Nobody is left to be told.
      }
    },
  };
}
