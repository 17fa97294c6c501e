import { parseArgs } from 'node:util';
import { sampleExperiments } from './experiments.ts';

/** The options of the command line. */
export interface RunnerOptions {
  /** URL or path as given. */
  database: string;
  intervalMillis: number;
  lanes: number;
  seeds: number | undefined;
  iterations: number | undefined;
  only: string | undefined;
  /** Whether to write a COCO campaign instead of runs. */
  coco: boolean;
}

/** A request for help, a fault of the command line in one sentence, or what to do. */
export type ParsedArguments =
  { kind: 'help' } | { kind: 'fault'; message: string } | { kind: 'run'; options: RunnerOptions };

const liveIntervalMillis = 300;
const liveLanes = 2;

/** How the command is used. */
export const usage = `Usage: npm run sample -- --db <url or path> [options]

Runs small evolutionary searches and writes them into a database the way the runner does.
It writes rows only: the paths of checkpoints in them lead to no files.

  --db <url or path>   SQLite file, jdbc:sqlite:…, postgres://… or jdbc:postgresql://…
  --live               write slowly, two runs at a time, to watch them run
  --interval <ms>      pause before every iteration (default 0, with --live ${liveIntervalMillis})
  --seeds <n>          runs of every repeated experiment (default 10)
  --iterations <n>     most iterations of a run, instead of what the experiment says
  --only <experiment>  one of ${sampleExperiments.map(({ key }) => key).join(', ')}
  --coco               write a campaign of COCO instead: five algorithms on functions of BBOB
  --help               show this text
`;

/** Reads the command line; unknown options, missing and impossible values are faults. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  try {
    return readArguments(argv);
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
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
  return {
    kind: 'run',
    options: {
      database: values.db,
      intervalMillis:
        wholeNumber('--interval', values.interval, 0) ?? (values.live ? liveIntervalMillis : 0),
      lanes: values.live ? liveLanes : 1,
      seeds: wholeNumber('--seeds', values.seeds, 1),
      iterations: wholeNumber('--iterations', values.iterations, 1),
      only: knownExperiment(values.only),
      coco: values.coco,
    },
  };
}

const largestNumber = 1_000_000;

function wholeNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= largestNumber) return value;
  throw new Error(
    `${option} must be a whole number from ${least} to ${largestNumber}, not "${text}"`,
  );
}

function knownExperiment(key: string | undefined): string | undefined {
  const known = sampleExperiments.map((plan) => plan.key);
  if (key === undefined || known.includes(key)) return key;
  throw new Error(`--only "${key}" is no experiment of the sample: use one of ${known.join(', ')}`);
}
