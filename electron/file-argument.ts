import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Flags of the service that take no value after them. */
const switches = new Set(['--read-only', '--create', '--choose', '--help', '--version']);

/** What a program was started with: a file to open, as systems give it, and the flags of the service. */
export interface StartArguments {
  /** Absolute path. */
  readonly file: string | undefined;
  readonly flags: readonly string[];
}

/**
 * Takes the file out of the arguments: the last that is neither a flag nor the value of one, as path or `file:` address;
 * a relative path is taken from the given folder. What only Chromium knows is left out too.
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
    // An address that names no file of this machine: the service will say that there is none.
  }
  return resolve(workingDirectory, given);
}
