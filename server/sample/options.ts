import { parseArgs } from 'node:util';
import { sampleExperiments } from './experiments.ts';

/** Options of the command line. */
export interface RunnerOptions {
  /** URL or path, as on the command line. */
  database: string;
  intervalMillis: number;
  workers: number;
  seeds: number | undefined;
  iterations: number | undefined;
  onlyExperiment: string | undefined;
  /** Whether to import the COCO campaign of the sample instead of running its experiments. */
  isCoco: boolean;
}

/** Parsed command line: a request for help, the message about its first fault, or the options of a sample. */
export type ParsedArguments =
  { kind: 'help' } | { kind: 'invalid'; message: string } | { kind: 'run'; options: RunnerOptions };

const liveIntervalMillis = 300;
const liveWorkers = 2;

/** Help text of the command. */
export const usage = `Usage: npm run sample -- --db <url or path> [options]

Runs small evolutionary searches and writes them into a database as the runner does.
It writes only rows: the files of its checkpoints do not exist.

  --db <url or path>   SQLite file, jdbc:sqlite:…, postgres://… or jdbc:postgresql://…
  --live               write slowly, two runs at a time, to watch the pages update
  --interval <ms>      pause before each iteration (default 0, with --live ${liveIntervalMillis})
  --seeds <n>          number of runs of each repeated experiment (default 10)
  --iterations <n>     maximum number of iterations of a run; overrides the experiment's limit
  --only <experiment>  one of ${sampleExperiments.map(({ key }) => key).join(', ')}
  --coco               write only a campaign of COCO: five algorithms on functions of BBOB
  --help               show this text
`;

/**
 * Parses the command line. Unknown arguments, a missing `--db`, missing or invalid values, and options of experiments
 * with `--coco` are faults.
 */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  try {
    return readArguments(argv);
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) };
  }
}

function readArguments(argv: readonly string[]): ParsedArguments {
  const { values } = parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: false,
    options: {
      db: { type: 'string' },
      live: { type: 'boolean', default: false },
      interval: { type: 'string' },
      seeds: { type: 'string' },
      iterations: { type: 'string' },
      only: { type: 'string' },
      coco: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  if (!values.db) throw new Error('--db is missing: name the database to write into');
  const unusedOption = experimentOptions.find(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  if (values.coco && unusedOption !== undefined)
    throw new Error(`--${unusedOption} has no effect on a campaign: use it without --coco`);
  return {
    kind: 'run',
    options: {
      database: values.db,
      intervalMillis:
        parseInteger('--interval', values.interval, 0) ?? (values.live ? liveIntervalMillis : 0),
      workers: values.live ? liveWorkers : 1,
      seeds: parseInteger('--seeds', values.seeds, 1),
      iterations: parseInteger('--iterations', values.iterations, 1),
      onlyExperiment: checkExperiment(values.only),
      isCoco: values.coco,
    },
  };
}

/** Options that affect only the experiments of the sample, not its campaign. */
const experimentOptions = ['live', 'interval', 'seeds', 'iterations', 'only'] as const;

const maximumInteger = 1_000_000;

function parseInteger(
  option: string,
  text: string | undefined,
  minimum: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= minimum && value <= maximumInteger) return value;
  throw new Error(
    `${option} must be a whole number from ${minimum} to ${maximumInteger}, not "${text}"`,
  );
}

function checkExperiment(key: string | undefined): string | undefined {
  const keys = sampleExperiments.map((plan) => plan.key);
  if (key === undefined || keys.includes(key)) return key;
  throw new Error(
    `--only "${key}" is not an experiment of the sample: use one of ${keys.join(', ')}`,
  );
}
