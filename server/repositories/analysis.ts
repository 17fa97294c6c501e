import { sql } from 'kysely';
import type { StoredInteger } from '#server/db/schema.ts';
import { createPreparedQuery } from '#server/db/queries.ts';
import {
  toDouble,
  readExactInteger,
  selectNullableText,
  makeRow,
  selectText,
  readText,
} from './row.ts';
import { iterationScalars } from '#server/db/auxiliary-indexes.ts';
import type { Database } from '#server/db/database.ts';
import { compareStoredTimes } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';
import { stepsNote } from './mlflow.ts';
import { listProblemConditions, type ProblemScope } from './trials.ts';
import { hasStatus } from './filters.ts';

const problemExperiment = makeRow({
  experimentId: selectText('e.experiment_id'),
  runName: selectNullableText('e.run_name'),
  algorithmType: selectText('e.algorithm_type'),
  modelType: selectText('e.model_type'),
  problemType: selectText('e.problem_type'),
  configJson: selectText('e.config_json'),
});

/** The fields of an experiment that analyses use. */
export type ProblemExperimentRow = ReturnType<typeof problemExperiment.read>;

/** A run for analyses, without its iterations. */
export interface RunRecord {
  runId: string;
  experimentId: string;
  seed: StoredInteger | null;
  /** Status in upper case. */
  status: string;
  /** Start time as stored; null if it is NULL or empty. */
  startTime: string | null;
  /** Smallest budget of the COCO trials of the run; null if there is none, or if it is not an integer. */
  trialBudget: number | null;
  /** `runs.evaluations`; null if it is missing or not an integer. */
  evaluations: number | null;
  /** `runs.best_fitness`, which may be infinite; null if it is missing, text or NaN. */
  bestFitness: number | null;
  runtimeMillis: number | null;
  /** Whether the run continued from a checkpoint. */
  isResumed: boolean;
  /**
   * Whether the evaluations are the steps of a client of MLflow, which logged no evaluations; false until the run ends
   * for the first time.
   */
  hasMlflowSteps: boolean;
  /** Highest number of an iteration up to 2^53 − 1; null if there is none, or if it is not an integer. */
  newestIteration: number | null;
  /**
   * Text that changes with the status, the times, the budget, the result or the newest iteration of the run. The
   * version of an ended run also changes with its other iterations; see {@link toRuns}. The version of a resumed
   * RUNNING run changes on each read.
   */
  version: string;
  /** Text that stays equal while a RUNNING run only adds iterations; null for ended and resumed runs. */
  lineage: string | null;
}

/** Returns the experiments on a problem type, by id; all experiments for an undefined type. */
export async function listProblemExperiments(
  database: Database,
  problemType?: string,
): Promise<ProblemExperimentRow[]> {
  const rows = await (problemType === undefined
    ? selectAllExperiments(database)
    : selectExperimentsOn(database, problemType));
  return rows.map(problemExperiment.read);
}

/** Returns all experiments with the problem type of this one, including it, by id; empty if it does not exist. */
export async function listExperimentsOfSameProblem(
  database: Database,
  experimentId: string,
): Promise<ProblemExperimentRow[]> {
  return (await selectExperimentsOfSameProblem(database, experimentId)).map(problemExperiment.read);
}

function selectExperiments({ kysely, dialect }: Database) {
  return kysely
    .selectFrom('experiments as e')
    .select(problemExperiment.columns)
    .where('e.experiment_id', 'is not', null)
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('e.experiment_id')));
}

const selectAllExperiments = createPreparedQuery(selectExperiments);

const selectExperimentsOn = createPreparedQuery((database, problemType: string) =>
  selectExperiments(database).where('e.problem_type', '=', problemType),
);

const selectExperimentsOfSameProblem = createPreparedQuery((database, experimentId: string) =>
  selectExperiments(database).where('e.problem_type', 'in', (eb) =>
    eb.selectFrom('experiments').select('problem_type').where('experiment_id', '=', experimentId),
  ),
);

/** Returns the experiments with these ids, in the order of the ids, without missing ones. */
export async function listExperiments(
  database: Database,
  experimentIds: readonly string[],
): Promise<ProblemExperimentRow[]> {
  return (await selectExperimentsByIds(database, experimentIds)).map(problemExperiment.read);
}

const selectExperimentsByIds = createPreparedQuery((database, experimentIds: readonly string[]) =>
  selectExperiments(database).where(
    database.dialect.isAmong(sql.ref<string>('e.experiment_id'), experimentIds),
  ),
);

/** Returns the runs with these ids, in any order, without missing ones. */
export async function listRunsById(
  database: Database,
  runIds: readonly string[],
): Promise<RunRecord[]> {
  return toRuns(database, await selectRunsByIds(database, runIds));
}

const selectRunsByIds = createPreparedQuery((database, runIds: readonly string[]) =>
  selectRuns(database).where(database.dialect.isAmong(sql.ref<string>('r.run_id'), runIds)),
);

/** Maximum number of runs per batch. It limits memory, because a record needs about 1 kB. */
export const runsPerBatch = 8_000;

/** Yields the runs with these ids in batches, without missing ones. The runs of a batch are in any order. */
export async function* readRunsById(
  database: Database,
  runIds: readonly string[],
): AsyncGenerator<RunRecord[]> {
  const counter = { iterationCount: 0 };
  for (let start = 0; start < runIds.length; start += runsPerBatch) {
    const rows = await selectRunsByIds(database, runIds.slice(start, start + runsPerBatch));
    yield await toRuns(database, rows, counter);
  }
}

/**
 * Returns the runs of these experiments by start time, then by id. Runs without a start time are first. All calls for
 * one response must share `counter`.
 */
export async function listRuns(
  database: Database,
  experimentIds: readonly string[],
  counter: IterationCounter = { iterationCount: 0 },
): Promise<RunRecord[]> {
  const rows = await selectRunsOfExperiments(database, experimentIds);
  return (await toRuns(database, rows, counter)).sort(compareEarliestFirst);
}

const selectRunsOfExperiments = createPreparedQuery((database, experimentIds: readonly string[]) =>
  selectRuns(database).where(
    database.dialect.isAmong(sql.ref<string>('r.experiment_id'), experimentIds),
  ),
);

/**
 * Returns the runs of the trials of a COCO campaign on these functions and dimensions, in any order. May include runs
 * on other functions and dimensions; see {@link listProblemConditions}.
 */
export async function listRunsOfCampaign(
  database: Database,
  campaignId: string,
  filter: ProblemScope,
): Promise<RunRecord[]> {
  const runIds = database.kysely
    .selectFrom('coco_trials as t')
    .select('t.run_id')
    .where('t.campaign_id', '=', campaignId)
    .where((eb) => eb.and(listProblemConditions(filter)));
  const rows = await selectRuns(database).where('r.run_id', 'in', runIds).execute();
  return toRuns(database, rows);
}

/** Experiment, status and result of a run. */
export type StoredRunResult = Pick<RunRecord, 'experimentId' | 'status' | 'bestFitness'>;

/** Returns experiment, status and result of each run of these experiments, in any order. */
export async function listResults(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<StoredRunResult[]> {
  const rows = await kysely
    .selectFrom('runs')
    .select(['experiment_id', 'status', 'best_fitness'])
    .where(dialect.isAmong(sql.ref<string>('experiment_id'), experimentIds))
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    status: readText(row.status).toUpperCase(),
    bestFitness: getNumber(row.best_fitness),
  }));
}

/** Columns that identify the newest iteration of a run; the first column is the number of the iteration. */
const newestColumns = ['i.iteration', 'i.id', 'i.evaluations', 'i.best_fitness'];

/**
 * Selects runs that have an id. `newest_row` is the newest iteration of a run with a number up to 2^53 − 1, as one
 * text; NULL if there is none. The query reads this iteration once, without its JSON, from the index of the service if
 * this index exists.
 */
function selectRuns({ kysely, dialect }: Database) {
  const literals = newestColumns.map((column) => dialect.quoteLiteral(sql.ref(column)));
  const trialBudget = sql<StoredInteger | null>`(select min(t.budget_evals) from coco_trials t
    where t.run_id = r.run_id)`;
  const newestRow = sql<string | null>`(select ${sql.join(literals, sql` || ' ' || `)}
    from iterations i where i.run_id = r.run_id and i.iteration <= ${sql.lit(Number.MAX_SAFE_INTEGER)}
    order by i.iteration desc limit 1)`;
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.run_id',
      'r.experiment_id',
      'r.seed',
      'r.status',
      'r.start_time',
      'r.end_time',
      'r.evaluations',
      'r.best_fitness',
      'r.runtime_millis',
      'r.resumed_from',
      newestRow.as('newest_row'),
      trialBudget.as('trial_budget'),
    ])
    .where('r.run_id', 'is not', null);
}

/**
 * Maximum number of iterations of ended runs that each response reads, in about 0.1 s, to detect changes in place. The
 * number is lower without the index, because the rows also contain the JSON.
 */
const maximumFingerprintRows = { fromIndex: 200_000, fromRows: 20_000 };

/** Estimated number of iterations of all ended runs that one response has read so far. */
export interface IterationCounter {
  iterationCount: number;
}

/**
 * Converts rows to runs, with {@link RunRecord.hasMlflowSteps}. Adds a fingerprint of the iterations to the version of
 * each ended run with iterations, to show changes by other programs. If the response has too many iterations, adds the
 * counters of the database instead; SQLite has none, so its versions do not show such changes. See {@link
 * DatabaseDialect.readIterationChanges}. Adds the estimated number of these iterations to `counter`.
 */
async function toRuns(
  database: Database,
  rows: readonly SelectedRun[],
  counter: IterationCounter = { iterationCount: 0 },
): Promise<RunRecord[]> {
  const { dialect } = database;
  const runs = rows.map(toRun);
  const stepRunIds = await listRunsWithStepsNote(
    database,
    rows.filter(hasStepsAsEvaluations).map((row) => row.run_id),
  );
  for (const run of runs) run.hasMlflowSteps = stepRunIds.has(run.runId);
  const endedRuns = runs.filter((run) => !isRunning(run) && run.newestIteration !== null);
  const iterationCount = endedRuns.reduce(
    (sum, run) => sum + Math.max(0, run.newestIteration ?? 0) + 1,
    0,
  );
  if (iterationCount === 0) return runs;
  counter.iterationCount += iterationCount;
  const { fromIndex, fromRows } = maximumFingerprintRows;
  const hasFewIterations =
    counter.iterationCount <= fromRows ||
    (counter.iterationCount <= fromIndex && (await dialect.hasIndex(iterationScalars.name)));
  const runIds = endedRuns.map(({ runId }) => runId);
  const fingerprints = hasFewIterations ? await computeFingerprints(database, runIds) : undefined;
  const changes = hasFewIterations ? '' : await dialect.readIterationChanges();
  for (const run of endedRuns) run.version += `,${fingerprints?.get(run.runId) ?? changes}`;
  return runs;
}

/**
 * Returns a text for each run with iterations, by run id. The text differs if the number, evaluations or best fitness
 * of an iteration differs; see {@link DatabaseDialect.iterationFingerprint}.
 */
export async function computeFingerprints(
  { kysely, dialect }: Database,
  runIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await kysely
    .selectFrom('iterations as i')
    .select(['i.run_id', dialect.iterationFingerprint.as('fingerprint')])
    .where(dialect.isAmong(sql.ref('i.run_id'), runIds))
    .groupBy('i.run_id')
    .execute();
  return new Map(rows.map((row) => [row.run_id, row.fingerprint]));
}

type SelectedRun = Awaited<ReturnType<ReturnType<typeof selectRuns>['execute']>>[number];

/** Returns the ids of the runs among these that have the event {@link stepsNote}, in any order. */
export async function listRunsWithStepsNote(
  { kysely, dialect }: Database,
  runIds: readonly string[],
): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const rows = await kysely
    .selectFrom('events as v')
    .select('v.run_id')
    .where(dialect.isAmong(sql.ref<string>('v.run_id'), runIds))
    .where('v.event_type', '=', stepsNote.eventType)
    .where((eb) =>
      dialect.containsText(eb.ref('v.payload_json'), `"eventId":"${stepsNote.eventId}"`),
    )
    .execute();
  return new Set(rows.flatMap((row) => row.run_id ?? []));
}

/**
 * Returns whether the newest iteration has as many evaluations as its number, as in a run whose steps count as
 * evaluations.
 */
function hasStepsAsEvaluations({ newest_row }: SelectedRun): boolean {
  const [iteration, , evaluations] = newest_row?.split(' ') ?? [];
  return iteration !== undefined && iteration === evaluations;
}

function toRun(row: SelectedRun): RunRecord {
  const status = readText(row.status).toUpperCase();
  return {
    runId: row.run_id,
    experimentId: row.experiment_id,
    seed: readExactInteger(row.seed),
    status,
    startTime: readText(row.start_time) || null,
    trialBudget: toDouble(row.trial_budget),
    evaluations: toDouble(row.evaluations),
    bestFitness: getNumber(row.best_fitness),
    runtimeMillis: toDouble(row.runtime_millis),
    isResumed: row.resumed_from !== null,
    hasMlflowSteps: false,
    newestIteration: toDouble(Number(row.newest_row?.split(' ', 1)[0] ?? NaN)),
    ...getIdentity(row, isRunning({ status })),
  };
}

/**
 * Returns the version and the lineage of a run. A runner that resumes a run overwrites existing iterations, and no
 * other value shows this change. Therefore, a resumed run counts as changed on each read until it ends.
 */
function getIdentity(row: SelectedRun, isActive: boolean): Pick<RunRecord, 'version' | 'lineage'> {
  const isRewritten = isActive && row.resumed_from !== null;
  const lineage = JSON.stringify([row.experiment_id, row.start_time]);
  const version = [
    lineage,
    row.status,
    row.end_time,
    String(row.evaluations),
    String(row.best_fitness),
    row.newest_row,
    String(row.trial_budget),
    String(row.resumed_from !== null),
    isRewritten ? performance.timeOrigin + performance.now() : '',
  ].join();
  return { version, lineage: isActive && !isRewritten ? lineage : null };
}

function compareEarliestFirst(a: RunRecord, b: RunRecord): number {
  return compareStoredTimes(a.startTime, b.startTime) || (a.runId < b.runId ? -1 : 1);
}

/** Returns the number, which may be infinite; null for missing values, text and NaN. */
function getNumber(value: unknown): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? value : null;
}

/** Returns the numbers of runs and of COMPLETED runs of each experiment with runs, in any order. */
export async function countRunsPerExperiment({ kysely, dialect }: Database) {
  const completedMark = sql`case when ${hasStatus(dialect, 'COMPLETED')} then 1 end`;
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.experiment_id as experimentId',
      sql<number>`count(*)`.as('runs'),
      sql<number>`count(${completedMark})`.as('completedRuns'),
    ])
    .groupBy('r.experiment_id')
    .execute();
}
