import type { Database } from '#server/db/database.ts';
import { executeRun, type RunOutcome, type RunIdentity } from './execute-run.ts';
import { createExperimentRecord, type ExperimentRecord } from '#server/recording/recorder.ts';
import { listRunIdsWithPrefix } from '#server/repositories/recording.ts';
import { createConfig } from './config.ts';
import { sampleExperiments, type ExperimentPlan } from './experiments.ts';

/** Options of a sample: its database, its size, and its speed. */
export interface SampleOptions {
  database: Database;
  /** Key of the only experiment to run; all experiments by default, none for an unknown key. */
  onlyExperiment?: string | undefined;
  /** Number of runs of each repeated experiment; 10 by default. */
  seeds?: number | undefined;
  /** Maximum number of iterations of a run; overrides the maximum of each experiment. */
  iterations?: number | undefined;
  /** Pause before each iteration after the initial population, in milliseconds; 0 by default. */
  intervalMillis?: number | undefined;
  /** Number of runs at a time; 1 by default. Each worker executes one run after another. */
  workers?: number | undefined;
  /** Signal that stops each running run before its next iteration, and prevents the start of further runs. */
  signal?: AbortSignal | undefined;
  /** Receives the outcome of each run when it ends. */
  onRunEnd?: ((outcome: RunOutcome) => void) | undefined;
}

interface PlannedRun {
  plan: ExperimentPlan;
  identity: RunIdentity;
}

const defaultSeeds = 10;

/**
 * Runs the experiments of the sample and writes them as the runner does. If the database already has runs of an
 * experiment, continues with the next seeds. Resolves with all outcomes, in the order in which the runs end. Rejects
 * with the errors of the database and of `onRunEnd`.
 */
export async function runSample(options: SampleOptions): Promise<RunOutcome[]> {
  const { database, intervalMillis = 0, signal = new AbortController().signal } = options;
  const databaseUrl = formatConfiguredUrl(database);
  const queue = await planRuns(options, databaseUrl);
  const outcomes: RunOutcome[] = [];
  const runWorker = async () => {
    for (let job = queue.shift(); job && !signal.aborted; job = queue.shift()) {
      const execution = { database, intervalMillis, signal, databaseUrl };
      const outcome = await executeRun(job.plan, job.identity, execution);
      outcomes.push(outcome);
      options.onRunEnd?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: options.workers ?? 1 }, runWorker));
  return outcomes;
}

/** Returns the number of runs of a sample with default options. */
export function countRuns(): number {
  return listPlans({}).reduce((runs, plan) => runs + countRepetitions(plan, {}), 0);
}

/** Returns a URL with only the name of the database, because the ids of experiments must not depend on its location. */
function formatConfiguredUrl({ dialect, name }: Database): string {
  return `jdbc:${dialect.name === 'postgres' ? 'postgresql' : 'sqlite'}:${name}`;
}

async function planRuns(options: SampleOptions, url: string): Promise<PlannedRun[]> {
  const plannedRuns: PlannedRun[] = [];
  for (const plan of listPlans(options)) {
    const user = 'runner';
    const experiment = createExperimentRecord(
      createConfig(plan, { url, user, password: 'not-a-secret' }),
    );
    const lastRepetition = await findLastRepetition(options.database, plan.key);
    const count = countRepetitions(plan, options);
    for (let repetition = lastRepetition + 1; repetition <= lastRepetition + count; repetition++) {
      plannedRuns.push({ plan, identity: createIdentity(plan, experiment, repetition) });
    }
  }
  return plannedRuns;
}

function countRepetitions(
  plan: ExperimentPlan,
  { seeds = defaultSeeds }: Pick<SampleOptions, 'seeds'>,
) {
  return plan.isRepeated ? seeds : 1;
}

function listPlans({
  onlyExperiment,
  iterations,
}: Pick<SampleOptions, 'onlyExperiment' | 'iterations'>): ExperimentPlan[] {
  const plans = sampleExperiments.filter(
    ({ key }) => onlyExperiment === undefined || key === onlyExperiment,
  );
  return plans.map((plan) => (iterations === undefined ? plan : limitIterations(plan, iterations)));
}

function limitIterations(plan: ExperimentPlan, maxIterations: number): ExperimentPlan {
  return { ...plan, stopping: { ...plan.stopping, maxIterations } };
}

function createIdentity(
  plan: ExperimentPlan,
  experiment: ExperimentRecord,
  repetition: number,
): RunIdentity {
  const runId = `${plan.key}-r${String(repetition).padStart(2, '0')}`;
  return { runId, seed: plan.firstSeed + BigInt(repetition - 1), experiment };
}

/** Returns the highest number of a repetition among the runs of an experiment in the database; 0 without runs. */
async function findLastRepetition(database: Database, key: string): Promise<number> {
  const runIds = await listRunIdsWithPrefix(database, `${key}-r`);
  const repetitions = runIds.map((runId) => Number(runId.slice(key.length + 2)));
  return Math.max(0, ...repetitions.filter(Number.isInteger));
}
