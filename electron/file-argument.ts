import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Flags of the service without a value. */
const switches = new Set([
  '--read-only',
  '--record',
  '--mcp-control',
  '--create',
  '--help',
  '--version',
]);

/** The arguments of a start: the file to open, which systems pass, and the flags of the service. */
export interface StartArguments {
  /** Absolute path of the file; undefined without a file. */
  readonly file: string | undefined;
  readonly flags: readonly string[];
}

/**
 * Separates the file from the flags. The file is the last argument that is neither a flag nor the value of a flag. It
 * is a `file://` address, or a path that may be relative to `workingDirectory`. Omits `--no-sandbox` of Chromium and
 * `-psn_…` of macOS.
 */
export function takeFile(args: readonly string[], workingDirectory: string): StartArguments {
  const programArguments = args.filter((argument) => !/^(--no-sandbox$|-psn_)/.test(argument));
  const fileIndex = programArguments.findLastIndex(
    (argument, index) =>
      !argument.startsWith('-') && !hasSeparateValue(programArguments[index - 1]),
  );
  const argument = programArguments[fileIndex];
  if (argument === undefined) return { file: undefined, flags: programArguments };
  return {
    file: getPath(argument, workingDirectory),
    flags: programArguments.filter((_, index) => index !== fileIndex),
  };
}

function hasSeparateValue(flag: string | undefined): boolean {
  return flag !== undefined && /^--[^=]+$/.test(flag) && !switches.has(flag);
}

function getPath(argument: string, workingDirectory: string): string {
  try {
    if (argument.startsWith('file://')) return fileURLToPath(argument);
  } catch {
    // The address is not a file of this machine, so the service reports that the file is missing.
  }
  return resolve(workingDirectory, argument);
}
