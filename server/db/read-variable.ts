import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartUpError } from './start-up-error.ts';

/**
 * Returns the value of a variable. If it is missing or empty, returns the first line of the file that the variable with
 * `_FILE` names, as containers pass secrets; null if the file is unreadable or its first line is empty. Returns
 * undefined or an empty text if there is neither a value nor such a variable.
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

/** Returns the message about the `_FILE` of a variable that is unreadable or whose first line is empty. */
export function getFileFault(variable: string): string {
  return `${variable}_FILE must name a readable file with the value in its first line`;
}

/**
 * Returns the value of {@link readVariable} for this process; undefined if it is empty. Throws StartUpError if the file
 * is unreadable or its first line is empty.
 */
export function requireOwnVariable(variable: string): string | undefined {
  const value = readVariable(variable, process.env, process.cwd());
  if (value === null) throw new StartUpError(getFileFault(variable));
  return value || undefined;
}
