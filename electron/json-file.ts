import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns the content of a JSON file; undefined if the file is missing, unreadable or invalid. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Creates or replaces a file atomically, and creates its folder if necessary. After a crash, the file has the old or
 * the new content. Except on Windows, gives only the current user access. Throws the error of the system if writing
 * fails.
 */
export function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporaryFile = `${file}.new`;
  writeFileSync(temporaryFile, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporaryFile, file);
}
