import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartUpError } from './start-up-error.ts';

/**
 * Returns the value of a variable. If it is missing or empty, returns the first line of the file that the variable with
 * the suffix `_FILE` names, relative to `workingDirectory`. Containers pass secrets in this way. Returns null if the
 * file is unreadable or its first line is empty. Returns undefined or an empty text if both variables are missing or
 * empty.
 */
export function readVariable(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
  workingDirectory: string,
): string | null | undefined {
  const file = environment[`${variable}_FILE`];
  if (environment[variable] || !file) return environment[variable];
  try {
    return readFileSync(resolve(workingDirectory, file), 'utf8').split(/\r?\n/, 1)[0] || null;
  } catch {
    return null;
  }
}

/** Returns the message for a variable with the suffix `_FILE` whose file is unreadable or has an empty first line. */
export function getFileFault(variable: string): string {
  return `${variable}_FILE must name a readable file with the value in its first line`;
}

/**
 * Returns the value of {@link readVariable} for this process; undefined if it is missing or empty. Throws a {@link
 * StartUpError} if the file is unreadable or its first line is empty.
 */
export function requireOwnVariable(variable: string): string | undefined {
  const value = readVariable(variable, process.env, process.cwd());
  if (value === null) throw new StartUpError(getFileFault(variable));
  return value || undefined;
}
