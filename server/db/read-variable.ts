import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Returns the value of a variable. If it is missing or empty, returns the first line of the file that the variable with
 * `_FILE` names, as containers pass secrets; null if the file cannot be read or its first line is empty. Undefined or
 * empty without a value.
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
