import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { readVariable } from '#server/db/read-variable.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { abortOnSignals } from '#server/recording/interruption.ts';
import { type ImportCommand, parseArguments, usage } from './arguments.ts';
import { importDataSets } from './import-data-sets.ts';
import { createProgressBar } from './progress-bar.ts';
import { ImportRefused } from './refusal.ts';

/** Exit codes: refused or failed, the command line or the database is wrong. */
const exitCodes = { refused: 1, usage: 2 };

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, process.env);
  if (parsed.kind === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (parsed.kind === 'fault') {
    process.stderr.write(`${parsed.message}\nSee npm run import -- --help\n`);
    return exitCodes.usage;
  }
  const interruption = abortOnSignals();
  try {
    await runImport(parsed.command, interruption.signal);
    return 0;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    if (interruption.signal.aborted) return interruption.exitCode();
    return error instanceof StartUpError ? exitCodes.usage : exitCodes.refused;
  }
}

async function runImport(
  { path, database: url, ...options }: ImportCommand,
  signal: AbortSignal,
): Promise<void> {
  const database = await openDatabase(
    parseDatabaseUrl(url, {
      workingDirectory: process.cwd(),
      user: readVariable('SVC_DB_USER', process.env, process.cwd()) ?? undefined,
      password: readVariable('SVC_DB_PASSWORD', process.env, process.cwd()) ?? undefined,
    }),
  );
  const bar = createProgressBar(process.stderr);
  try {
    const result = await importDataSets(database, { path }, options, bar.show, signal);
    bar.end();
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } finally {
    bar.end();
    await database.close();
  }
}

function describe(error: unknown): string {
  if (!(error instanceof ImportRefused))
    return error instanceof Error ? error.message : String(error);
  const notes = error.notes.map(({ message, file }) => `  ${file ? `${file}: ` : ''}${message}`);
  return [`${error.code}: ${error.message}`, ...notes].join('\n');
}

process.exitCode = await main(process.argv.slice(2));
