import { parseArgs } from 'node:util';
import { ArchiveRefusal, readPageArchive } from './archive.ts';
import { verifyArchive, type Difference } from './recompute.ts';

/**
 * Exit codes. `difference`: a table or another file differs. `usage`: the command line is invalid, or the program
 * cannot read or verify the archive.
 */
const exitCodes = { difference: 1, usage: 2 };

const usage = `Usage: evoscope verify <archive.zip>

Recomputes the numbers in the tables of a page's archive from the runs and traces in it, and prints those that differ. It
names the tables that it cannot verify, because they depend on other data: comparisons across instances, and the
completeness of campaigns. It also names the other files that have changed, such as LaTeX and figures.
The exit code is 0 if all agree, 1 if some differ or a file has changed, and 2 if the command line is invalid, or if
the program cannot read or verify the archive.
`;

/** Maximum number of printed differences. */
const maximumLines = 100;

/** Where a command writes: the streams of the process, or those of a test. */
export interface CommandOutput {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs the command `evoscope verify` with these arguments, without the program and its name. Writes the results and the
 * errors to `stdout` and `stderr`, and resolves with the exit code of {@link usage}.
 */
export async function runVerifyCommand(
  argv: readonly string[],
  { stdout, stderr }: CommandOutput,
): Promise<number> {
  const { path, isHelp, fault } = parseArguments(argv);
  if (isHelp) {
    stdout.write(usage);
    return 0;
  }
  if (path === undefined) {
    stderr.write(`${fault}\nSee evoscope verify --help\n`);
    return exitCodes.usage;
  }
  try {
    const archive = await readPageArchive(path);
    const { valueCount, tableCount, differences, skippedTables } = await verifyArchive(archive);
    for (const difference of differences.slice(0, maximumLines))
      stdout.write(`${describe(difference)}\n`);
    for (const { file, reason } of skippedTables)
      stdout.write(`The program cannot verify ${file}: ${reason}\n`);
    const tablesText = describeCount(tableCount, 'verified table');
    const details =
      skippedTables.length > 0
        ? ` The program skipped ${describeCount(skippedTables.length, 'table')}.`
        : '';
    if (differences.length === 0) {
      stdout.write(`All ${valueCount} values in ${tablesText} agree.${details}\n`);
      return 0;
    }
    stdout.write(
      `${describeCount(differences.length, 'difference')} in ${tablesText}.${details}\n`,
    );
    return exitCodes.difference;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    stderr.write(
      error instanceof ArchiveRefusal
        ? `${message}\n`
        : `The program cannot verify the archive: ${message}. Save the archive again, then try again\n`,
    );
    return exitCodes.usage;
  }
}

function parseArguments(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const [path] = positionals;
    const isHelp = values.help === true;
    if (positionals.length !== 1 && !isHelp)
      return {
        fault: `Expected 1 path, got ${positionals.length}. Name one archive to verify`,
        isHelp,
      };
    return { path, isHelp, fault: '' };
  } catch (error) {
    return { fault: (error as Error).message, isHelp: false };
  }
}

function describeCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describe(difference: Difference): string {
  if ('message' in difference) return `${difference.file}: ${difference.message}`;
  const { file, row, column, storedValue, recomputedValue } = difference;
  return `${file}, row ${row}, ${column}: stored ${storedValue || '(empty)'}, recomputed ${recomputedValue || '(empty)'}`;
}
