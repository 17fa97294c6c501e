import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Flags of the service without a value. */
const switches = new Set(['--read-only', '--create', '--choose', '--help', '--version']);

/** The arguments of a start: a file to open, as systems pass it, and the flags of the service. */
export interface StartArguments {
  /** Absolute path. */
  readonly file: string | undefined;
  readonly flags: readonly string[];
}

/**
 * Separates the file from the flags: the last argument that is neither a flag nor the value of one, as a path or
 * `file:` address. Relative paths resolve against the given folder. Flags of Chromium are omitted.
 */
export function takeFile(args: readonly string[], workingDirectory: string): StartArguments {
  const known = args.filter((argument) => !/^(--no-sandbox$|-psn_)/.test(argument));
  const at = known.findLastIndex(
    (argument, index) => !argument.startsWith('-') && !takesValue(known[index - 1]),
  );
  const given = known[at];
  if (given === undefined) return { file: undefined, flags: known };
  return { file: pathOf(given, workingDirectory), flags: known.filter((_, index) => index !== at) };
}

function takesValue(before: string | undefined): boolean {
  return before !== undefined && /^--[^=]+$/.test(before) && !switches.has(before);
}

function pathOf(given: string, workingDirectory: string): string {
  try {
    if (given.startsWith('file://')) return fileURLToPath(given);
  } catch {
    // The address names no file of this machine: the service will report that the file is missing.
  }
  return resolve(workingDirectory, given);
}
