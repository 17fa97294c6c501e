import { parseArgs } from 'node:util';
import { directions } from '#shared/words.ts';
import type { ImportOptions } from './read-data-set.ts';

/** What the command line asks for. */
export interface ImportCommand extends ImportOptions {
  path: string;
  /** URL or path of the database. */
  database: string;
}

/** A request for help, a fault of the command line in one sentence, or what to do. */
export type ParsedArguments =
  | { kind: 'help' }
  | { kind: 'fault'; message: string }
  | { kind: 'import'; command: ImportCommand };

const defaultDatabase = 'jdbc:sqlite:evoscope.db';

/** How the command is used. */
export const usage = `Usage: npm run import -- <path> [options]

Imports benchmark data that others wrote: a folder, tar, tar.gz or zip of COCO or IOHprofiler, or a table
(.csv, .jsonl). Imported again, it adds only what is new. Prints what was found as JSON.

  --db <url or path>   database to write into (default SVC_DB_URL, else ${defaultDatabase})
  --name <name>        name of the data set (default: that of the folder or archive)
  --dry-run            say what would be written, and write nothing
  --replace            delete what is there under the name first
  --force              write even where a runner that is writing is kept waiting until its run may fail
  --as-reference       write the expected runtimes as reference results too
  --direction <d>      min or max, for data that do not say whether less is better
  --budget <n>         evaluations that each run was granted, for data that end with the last improvement
  --kind <kind>        read only coco, iohprofiler or table (default auto)
  --help               show this text
`;

/** Reads the command line; unknown options, missing and impossible values are faults. */
export function parseArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedArguments {
  try {
    return readArguments(argv, environment);
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
  }
}

function readArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedArguments {
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
      kind: { type: 'string', default: 'auto' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0)
    throw new Error('Name one folder, archive or table to import');
  if (values.name?.trim() === '') throw new Error('--name must not be empty');
  return {
    kind: 'import',
    command: {
      path,
      database: values.db ?? environment['SVC_DB_URL'] ?? defaultDatabase,
      name: values.name?.trim(),
      dryRun: values['dry-run'],
      replace: values.replace,
      force: values.force,
      asReference: values['as-reference'],
      budget: countIn('--budget', values.budget),
      direction: oneOf('--direction', values.direction, directions),
      kind: oneOf('--kind', values.kind, ['auto', 'coco', 'iohprofiler', 'table'] as const),
    },
  };
}

function countIn(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`${option} must be a whole number, at least 1, not "${text}"`);
  return count;
}

function oneOf<Word extends string>(
  option: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const word = words.find((known) => known === text);
  if (text !== undefined && word === undefined)
    throw new Error(`${option} must be one of ${words.join(', ')}, not "${text}"`);
  return word;
}
