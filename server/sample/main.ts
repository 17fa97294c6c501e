import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { requireOwnVariable } from '#server/db/read-variable.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { sampleCampaign } from '#server/import/sample-campaign.ts';
import { abortOnSignals } from '#server/recording/interruption.ts';
import type { RunOutcome } from './execute-run.ts';
import { formatDouble } from '#server/recording/recorder.ts';
import { parseArguments, type RunnerOptions, usage } from './options.ts';
import { runSample } from './run-sample.ts';

/** Exit codes for an invalid command line or a {@link StartUpError}, and for other failures. */
const exitCodes = { usage: 2, failure: 1 };

async function main(argv: readonly string[]): Promise<number> {
  const commandLine = parseArguments(argv);
  if (commandLine.kind === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (commandLine.kind === 'invalid') {
    process.stderr.write(`${commandLine.message}\nSee npm run sample -- --help\n`);
    return exitCodes.usage;
  }
  const { signal, getExitCode } = abortOnSignals();
  try {
    await writeSample(commandLine.options, signal);
    return signal.aborted ? getExitCode() : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (signal.aborted) return getExitCode();
    return error instanceof StartUpError ? exitCodes.usage : exitCodes.failure;
  }
}

async function writeSample(options: RunnerOptions, signal: AbortSignal): Promise<void> {
  const url = parseDatabaseUrl(options.database, {
    workingDirectory: process.cwd(),
    user: requireOwnVariable('SVC_DB_USER'),
    password: requireOwnVariable('SVC_DB_PASSWORD'),
  });
  const database = await openDatabase(url);
  try {
    if (database.isReadOnly)
      throw new StartUpError(
        `The command cannot write to ${database.name}, which is read-only. Name another database with --db`,
      );
    if (options.isCoco) await importCampaign(database, signal);
    else await runSample({ ...options, database, signal, onRunEnd: printOutcome });
  } finally {
    await database.close();
  }
}

async function importCampaign(database: Database, signal: AbortSignal): Promise<void> {
  const { path, name } = sampleCampaign;
  const result = await importDataSets(database, { path }, { name }, () => {}, signal);
  for (const { suite, optimizers, runs } of result.campaigns)
    process.stdout.write(`${name}: ${optimizers} optimizers on ${suite}, ${runs} runs\n`);
}

function printOutcome({ runId, status, generation }: RunOutcome): void {
  const progress = generation
    ? `iteration ${generation.iteration}, evaluations ${generation.evaluations}, best ${formatDouble(generation.bestSoFar.fitness)}`
    : 'no iteration';
  process.stdout.write(`${runId.padEnd(24)} ${status.padEnd(9)} ${progress}\n`);
}

process.exitCode = await main(process.argv.slice(2));
