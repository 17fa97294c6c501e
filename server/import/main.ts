import { parseArgs } from 'node:util';
import { openDatabase } from '#server/db/open.ts';
import { requireOwnVariable } from '#server/db/read-variable.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { abortOnSignals } from '#server/recording/interruption.ts';
import { parseNewNames } from '#shared/schemas/import.ts';
import { directions } from '#shared/words.ts';
import type { Database } from '#server/db/database.ts';
import { importDataSets, type ImportResult } from './import-data-sets.ts';
import type { ImportOptions, ImportProgress } from './read-data-set.ts';
import { ImportRefusal } from './refusal.ts';
import type { WatchState } from './watch/watch-folder.ts';

/**
 * Exit codes. `refusal`: a refused or failed import. `usage`: an invalid command line, or a database that the program
 * cannot open.
 */
const exitCodes = { refusal: 1, usage: 2 };

async function main(argv: readonly string[]): Promise<number> {
  const commandLine = parseArguments(argv);
  if (commandLine.kind === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (commandLine.kind === 'invalid') {
    process.stderr.write(`${commandLine.message}\nSee ${userCommand} --help\n`);
    return exitCodes.usage;
  }
  const interruption = abortOnSignals();
  try {
    await runCommand(commandLine.command, interruption.signal);
    return 0;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    if (interruption.signal.aborted) return interruption.getExitCode();
    return error instanceof StartUpError ? exitCodes.usage : exitCodes.refusal;
  }
}

async function runCommand(
  { path, database: url, isWatch, ...options }: ImportCommand,
  signal: AbortSignal,
): Promise<void> {
  const urlOfVariable = requireOwnVariable('SVC_DB_URL');
  const database = await openDatabase(
    parseDatabaseUrl(url ?? urlOfVariable ?? defaultDatabase, {
      workingDirectory: process.cwd(),
      user: requireOwnVariable('SVC_DB_USER'),
      password: requireOwnVariable('SVC_DB_PASSWORD'),
    }),
  );
  try {
    const runSource = isWatch ? runWatch : runImport;
    const result = await runSource(database, path, options, signal);
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await database.close();
  }
}

async function runImport(
  database: Database,
  path: string,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportResult> {
  const bar = createProgressBar(process.stderr);
  try {
    return await importDataSets(database, { path }, options, bar.show, signal);
  } finally {
    bar.end();
  }
}

async function runWatch(
  database: Database,
  path: string,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { watchFolder } = await import('./watch/watch-folder.ts');
  const report = createWatchReport(process.stderr);
  const reportEnd = () => report.end();
  signal.addEventListener('abort', reportEnd);
  return watchFolder(database, path, options, report.show, signal);
}

function describe(error: unknown): string {
  if (!(error instanceof ImportRefusal))
    return error instanceof Error ? error.message : String(error);
  const notes = error.notes.map(({ message, file }) => `  ${file ? `${file}: ` : ''}${message}`);
  return [`${error.code}: ${error.message}`, ...notes].join('\n');
}

/** The options of the command line. */
interface ImportCommand extends ImportOptions {
  path: string;
  /**
   * URL or path of the database. If it is undefined, the variable `SVC_DB_URL` applies, otherwise {@link
   * defaultDatabase}.
   */
  database: string | undefined;
  /** Whether to watch the folder until the user interrupts the program. */
  isWatch: boolean;
}

/** The parsed command line: a request for help, an error message, or an import or watch. */
type ParsedArguments =
  | { kind: 'help' }
  | { kind: 'invalid'; message: string }
  | { kind: 'import'; command: ImportCommand };

const defaultDatabase = 'jdbc:sqlite:evoscope.db';

/** Command that started the program: that of the npm package, or that of the project. */
const userCommand = process.argv[1] === 'evoscope import' ? 'evoscope import' : 'npm run import --';

/** Help text of the command. */
const usage = `Usage: ${userCommand} <path> [options]

Imports benchmark data of other programs: a folder, tar, tar.gz or zip of COCO, IOHprofiler or pycma, or a table
(.csv, .jsonl). A second import adds only new runs and rows. Prints the result as JSON.

  --db <url or path>   database to write into (default SVC_DB_URL, else ${defaultDatabase})
  --name <name>        name of the data set (default: name of the folder or file)
  --dry-run            report the changes that an import would make, and write nothing
  --replace            delete the stored data set of this name first
  --force              write even if a runner waits so long that its run may fail
  --as-reference       also write the expected runtimes as reference results
  --direction <d>      min or max, for data that do not state their direction
  --budget <n>         evaluation budget of each run, for data that end with the last improvement
  --rename <json>      new names of algorithms, such as '{"alg":"CMA-ES"}'
  --kind <kind>        read only coco, iohprofiler or table (default auto)
  --watch              import the rows of a folder while loggers write it, until you press Ctrl+C
  --help               show this text
`;

/**
 * Parses the command line. Returns `invalid` for unknown options, a missing path, further paths, missing and invalid
 * values, and options that exclude each other.
 */
function parseArguments(argv: readonly string[]): ParsedArguments {
  try {
    return readArguments(argv);
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) };
  }
}

function readArguments(argv: readonly string[]): ParsedArguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: true,
    options: {
      db: { type: 'string' },
      name: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      'as-reference': { type: 'boolean', default: false },
      direction: { type: 'string' },
      budget: { type: 'string' },
      rename: { type: 'string' },
      kind: { type: 'string', default: 'auto' },
      watch: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  const [path, ...otherPaths] = positionals;
  if (path === undefined || otherPaths.length > 0)
    throw new Error(
      `Expected 1 path, got ${positionals.length}. Name one folder, archive or table to import`,
    );
  if (values.name?.trim() === '')
    throw new Error('--name must not be empty: enter a name, or omit the option');
  if (values.watch) refuseWithWatch(values);
  return {
    kind: 'import',
    command: {
      path,
      isWatch: values.watch,
      database: values.db,
      name: values.name?.trim(),
      dryRun: values['dry-run'],
      replace: values.replace,
      force: values.force,
      asReference: values['as-reference'],
      budget: parseCount('--budget', values.budget),
      rename: parseRenameOption(values.rename),
      direction: parseOneOf('--direction', values.direction, directions),
      kind: parseOneOf('--kind', values.kind, ['auto', 'coco', 'iohprofiler', 'table'] as const),
    },
  };
}

/** Throws an Error if the command line has an option that does not apply to data that still grow. */
function refuseWithWatch(values: Readonly<Record<string, string | boolean | undefined>>): void {
  const refusedOption = ['dry-run', 'replace', 'force', 'as-reference', 'budget'].find(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  if (refusedOption !== undefined)
    throw new Error(
      `--${refusedOption} is not possible with --watch. Import the finished folder with --${refusedOption}`,
    );
  if (values['kind'] === 'table')
    throw new Error('--kind table is not possible with --watch. Import tables without --watch');
}

function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`${option} must be a whole number, at least 1, not "${text}"`);
  return count;
}

function parseRenameOption(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  const names = parseNewNames(text);
  if (names === null)
    throw new Error(
      `--rename must be a JSON object of names, such as {"alg":"CMA-ES"}, not "${text}"`,
    );
  return names;
}

function parseOneOf<Word extends string>(
  option: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((candidate) => candidate === text);
  if (text !== undefined && word === undefined)
    throw new Error(`${option} must be one of ${words.join(', ')}, not "${text}"`);
  return word;
}

/** Output of a progress bar or of the report of a watch: a terminal, or a log file. */
interface ReportOutput {
  isTTY?: boolean;
  write: (text: string) => unknown;
}

/** Width of a progress bar in characters. */
const barWidth = 30;
/**
 * Minimum time between two updates of a line in a terminal. The end of an import, and the first runs and each changed
 * problem of a watch, appear immediately.
 */
const redrawMillis = 100;

/**
 * Creates a progress bar of an import: the first half is reading, the second half is writing. In a terminal, `show`
 * redraws it in place, and `end` clears it. In other output, `show` writes a line whenever the import has reached a
 * further tenth.
 */
function createProgressBar(
  output: ReportOutput,
  getNowMillis: () => number = () => performance.now(),
): { show: (progress: ImportProgress) => void; end: () => void } {
  let drawnAt = -Infinity;
  let lastTenth = -1;
  return {
    show(progress) {
      const share = getShare(progress);
      if (!output.isTTY) {
        const tenth = Math.floor(share * 10);
        if (tenth > lastTenth) output.write(`${describeProgress(progress, share)}\n`);
        lastTenth = Math.max(tenth, lastTenth);
      } else if (getNowMillis() - drawnAt >= redrawMillis || share === 1) {
        drawnAt = getNowMillis();
        output.write(`\r\u001b[K${drawBar(share)} ${describeProgress(progress, share)}`);
      }
    },
    end() {
      if (output.isTTY) output.write('\r\u001b[K');
    },
  };
}

/**
 * Minimum time between two lines with the numbers of a watch in other output than a terminal. The exceptions are those
 * of {@link redrawMillis}.
 */
const reportMillis = 10_000;

/**
 * Creates the report of a watch. `show` prints each note once, and each new problem, immediately as a line. In a
 * terminal, it redraws the numbers in place, at most every 100 ms. In other output, it prints them as a line, at most
 * every 10 s. After the first runs or a changed problem, it shows them immediately. `end` prints that the last reading
 * begins.
 */
function createWatchReport(
  output: ReportOutput,
  getNowMillis: () => number = () => performance.now(),
): { show: (state: WatchState) => void; end: () => void } {
  let drawnAt = -Infinity;
  let problemText: string | null = null;
  let hasRuns = false;
  const printedTexts = new Set<string>();
  const write = (line: string) => output.write(output.isTTY ? `\r\u001b[K${line}\n` : `${line}\n`);
  return {
    show(state) {
      for (const { message, file } of state.notes) {
        const text = file ? `${file}: ${message}` : message;
        if (!printedTexts.has(text)) write(text);
        printedTexts.add(text);
      }
      if (state.problem !== null && state.problem !== problemText) write(state.problem);
      const hasChanged = state.problem !== problemText || state.runs > 0 !== hasRuns;
      ({ problem: problemText } = state);
      hasRuns = state.runs > 0;
      const interval = output.isTTY ? redrawMillis : reportMillis;
      if (!hasChanged && getNowMillis() - drawnAt < interval) return;
      drawnAt = getNowMillis();
      const line = describeWatch(state);
      if (output.isTTY) output.write(`\r\u001b[K${line}`);
      else write(line);
    },
    end: () => write('Watching ends: reading the folder a last time'),
  };
}

function describeWatch({ files, runs, running, addedRows }: WatchState): string {
  if (runs === 0)
    return files === 0
      ? 'watching, no files of COCO, IOHprofiler or pycma yet'
      : `watching ${files} files, no runs yet`;
  return `watching ${files} files, ${runs} runs, ${running} of them RUNNING, ${addedRows} new rows`;
}

function getShare({ phase, bytes, totalBytes, rows, totalRows }: ImportProgress): number {
  const share = phase === 'reading' ? bytes / (totalBytes || Infinity) : rows / (totalRows || 1);
  return Math.min(share, 1) / 2 + (phase === 'reading' ? 0 : 0.5);
}

function drawBar(share: number): string {
  const filledWidth = Math.round(share * barWidth);
  return `[${'#'.repeat(filledWidth)}${'.'.repeat(barWidth - filledWidth)}]`;
}

function describeProgress(
  { phase, bytes, runs, totalRuns, rows }: ImportProgress,
  share: number,
): string {
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  if (phase === 'reading') return `${percent}  reading, ${(bytes / 2 ** 20).toFixed(1)} MB`;
  return `${percent}  writing, ${runs} of ${totalRuns} runs, ${rows} rows`;
}

process.exitCode = await main(process.argv.slice(2));
