import type { Database } from '#server/db/database.ts';
import { executeRun, type RunOutcome, type RunIdentity } from './execute-run.ts';
import {
  createExperimentRecord,
  type ExperimentRecord,
} from '#server/recording/experiment-record.ts';
import { listRunIds } from '#server/repositories/recording.ts';
import { createConfig } from './config.ts';
import { sampleExperiments, type ExperimentPlan } from './experiments.ts';

/** What a sample consists of and how fast it is written. */
export interface SampleOptions {
  database: Database;
  /** Key of the one experiment to run; default all. */
  only?: string | undefined;
  /** Runs of every repeated experiment. */
  seeds?: number | undefined;
  /** Instead of the iterations that each experiment allows. */
  iterations?: number | undefined;
  /** Pause before every iteration of a run. */
  intervalMillis?: number | undefined;
  /** Runs at a time; each of these lanes has one run after another. */
  lanes?: number | undefined;
  /** Once aborted, running runs become STOPPED and no further run starts. */
  signal?: AbortSignal | undefined;
  /** Called as each run ends. */
  onRunEnd?: ((outcome: RunOutcome) => void) | undefined;
}

interface PlannedRun {
  plan: ExperimentPlan;
  identity: RunIdentity;
}

const defaultSeeds = 10;

/**
 * Runs the experiments of the sample and writes them the way the runner does. A database that has runs
 * of an experiment already gets the next seeds of it. Resolves with all outcomes, in order of their end.
 */
export async function runSample(options: SampleOptions): Promise<RunOutcome[]> {
  const { database, intervalMillis = 0, signal = new AbortController().signal } = options;
  const databaseUrl = configuredUrl(database);
  const waiting = await planRuns(options, databaseUrl);
  const outcomes: RunOutcome[] = [];
  const runLane = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const execution = { database, intervalMillis, signal, databaseUrl };
      const outcome = await executeRun(next.plan, next.identity, execution);
      outcomes.push(outcome);
      options.onRunEnd?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: options.lanes ?? 1 }, runLane));
  return outcomes;
}

/** How many runs a sample of the usual size has. */
export function countRuns(): number {
  return plansOf({}).reduce((runs, plan) => runs + repetitionsOf(plan, {}), 0);
}

/** By name only, so that the id of an experiment does not depend on where its database is. */
function configuredUrl({ dialect, name }: Database): string {
  return `jdbc:${dialect.name === 'postgres' ? 'postgresql' : 'sqlite'}:${name}`;
}

async function planRuns(options: SampleOptions, url: string): Promise<PlannedRun[]> {
  const planned: PlannedRun[] = [];
  for (const plan of plansOf(options)) {
    const user = 'runner';
    const experiment = createExperimentRecord(
      createConfig(plan, { url, user, password: 'not-a-secret' }),
    );
    const done = await lastRepetition(options.database, plan.key);
    const count = repetitionsOf(plan, options);
    for (let repetition = done + 1; repetition <= done + count; repetition++) {
      planned.push({ plan, identity: identify(plan, experiment, repetition) });
    }
  }
  return planned;
}

function repetitionsOf(
  plan: ExperimentPlan,
  { seeds = defaultSeeds }: Pick<SampleOptions, 'seeds'>,
) {
  return plan.repeated ? seeds : 1;
}

function plansOf({
  only,
  iterations,
}: Pick<SampleOptions, 'only' | 'iterations'>): ExperimentPlan[] {
  const plans = sampleExperiments.filter(({ key }) => only === undefined || key === only);
  return plans.map((plan) => (iterations === undefined ? plan : limited(plan, iterations)));
}

function limited(plan: ExperimentPlan, maxIterations: number): ExperimentPlan {
  return { ...plan, stopping: { ...plan.stopping, maxIterations } };
}

function identify(
  plan: ExperimentPlan,
  experiment: ExperimentRecord,
  repetition: number,
): RunIdentity {
  const runId = `${plan.key}-r${String(repetition).padStart(2, '0')}`;
  return { runId, seed: plan.firstSeed + BigInt(repetition - 1), experiment };
}

/** The highest repetition of an experiment that the database has a run of; 0 for none. */
async function lastRepetition(database: Database, key: string): Promise<number> {
  const runIds = await listRunIds(database, `${key}-r`);
  const repetitions = runIds.map((runId) => Number(runId.slice(key.length + 2)));
  return Math.max(0, ...repetitions.filter(Number.isInteger));
}
