import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Database } from '#server/db/database.ts';
import { runInBatches } from '#server/db/queries.ts';
import { makeValidationError } from '#server/errors.ts';
import {
  countRuns,
  listRunsToDiagnose,
  type DiagnosedRun,
  type RunsFilter,
} from '#server/repositories/runs.ts';
import { listSearchedCodes } from '#server/telemetry/diagnosis/diagnose.ts';
import type { RunsQuery } from '#shared/schemas/run.ts';
import { formatCount } from '#shared/number-format.ts';
import { isRunning, type SearchedDiagnosis } from '#shared/words.ts';
import type { Direction } from '#server/domain/objective.ts';
import { findObjectives } from '#server/records/objectives.ts';
import { findGoals, getResult } from '#server/records/run-goals.ts';
import { findProgress } from '#server/records/runs.ts';

/** Maximum number of runs in a batch. Other tasks of the thread can run between batches of diagnoses. */
const runsPerBatch = 200;

/**
 * Maximum number of experiments whose directions one batch reads. Other tasks of the thread can run between batches.
 */
const experimentsPerBatch = 100;

/** Default maximum number of runs in a cache. */
const maximumCachedRuns = 200_000;

/** The codes of a run, valid while its row and its direction do not change. */
interface CachedDiagnosis {
  version: string;
  /**
   * The direction if it follows from the traces of the experiment, because other runs can then change it; otherwise
   * null.
   */
  traceDirection: Direction | null;
  codes: readonly SearchedDiagnosis[];
}

/**
 * Cache of the codes of runs that have ended, by run id. Their iterations do not change, and reading the iterations of
 * all runs takes seconds. Evicts the least recently used runs above a maximum number of runs.
 */
export type DiagnosisCache = LRUCache<string, CachedDiagnosis>;

/** Returns an empty cache for a maximum number of runs. */
export function createDiagnosisCache(maximum = maximumCachedRuns): DiagnosisCache {
  // Limits the size, because a limit of the number of entries would reserve their memory now.
  return new LRUCache({ maxSize: maximum, sizeCalculation: () => 1 });
}

/** The cache of each database of the thread. */
const cacheByDatabase = new WeakMap<Database['kysely'], DiagnosisCache>();

/**
 * Returns the filter with the ids of the runs that have any of the requested codes; without codes, adds no ids. Throws
 * VALIDATION_FAILED if more runs match the filter than the cache can contain, because each page would then read all
 * their iterations.
 */
export async function addDiagnosis(
  database: Database,
  { diagnosis, ...filter }: RunsFilter & Pick<RunsQuery, 'diagnosis'>,
  cache = getDiagnosisCache(database),
): Promise<RunsFilter> {
  if (diagnosis.length === 0) return filter;
  const total = await countRuns(database, filter);
  if (total > cache.maxSize) {
    const message = `can search at most ${formatCount(cache.maxSize)} runs, but ${formatCount(total)} match the other filters: add a filter`;
    throw makeValidationError([{ path: 'diagnosis', message }]);
  }
  const runs = await listRunsToDiagnose(database, filter);
  const silentRunIds = diagnosis.includes('SILENT') ? await listSilentRunIds(database, runs) : [];
  const runIds = new Set(silentRunIds);
  if (diagnosis.some((code) => code !== 'SILENT')) {
    for (const [runId, codes] of await diagnoseRuns(database, runs, cache)) {
      if (codes.some((code) => diagnosis.includes(code))) runIds.add(runId);
    }
  }
  return { ...filter, runIds: [...runIds] };
}

function getDiagnosisCache({ kysely }: Database): DiagnosisCache {
  const cache = cacheByDatabase.get(kysely) ?? createDiagnosisCache();
  cacheByDatabase.set(kysely, cache);
  return cache;
}

async function listSilentRunIds(
  database: Database,
  runs: readonly DiagnosedRun[],
): Promise<string[]> {
  const runningRuns = runs.filter(isRunning).map((run) => ({ ...run, maxIterations: null }));
  return runInBatches(runningRuns, runsPerBatch, async (batch) => {
    const progress = await findProgress(database, batch);
    return batch.flatMap(({ runId }) => (progress.get(runId)?.silent ? runId : []));
  });
}

async function diagnoseRuns(
  database: Database,
  runs: readonly DiagnosedRun[],
  cache: DiagnosisCache,
): Promise<Map<string, readonly SearchedDiagnosis[]>> {
  const diagnosesByRun = new Map<string, readonly SearchedDiagnosis[]>();
  const pendingRuns: DiagnosedRun[] = [];
  const cachedDiagnoses = new Map(
    runs.flatMap((run) => {
      const cachedDiagnosis = isRunning(run) ? undefined : cache.get(run.runId);
      return cachedDiagnosis?.version === getVersion(run) ? [[run, cachedDiagnosis] as const] : [];
    }),
  );
  const tracedExperimentIds = new Set(
    [...cachedDiagnoses].flatMap(([run, { traceDirection }]) =>
      traceDirection === null ? [] : run.experimentId,
    ),
  );
  const objectives = new Map(
    await runInBatches([...tracedExperimentIds], experimentsPerBatch, async (batch) => {
      const objectivesOfBatch = await findObjectives(database, batch);
      await waitForNextTurn();
      return [...objectivesOfBatch];
    }),
  );
  for (const run of runs) {
    const cachedDiagnosis = cachedDiagnoses.get(run);
    const direction = objectives.get(run.experimentId)?.direction;
    const isValid = [null, direction].includes(cachedDiagnosis?.traceDirection);
    if (cachedDiagnosis && isValid) diagnosesByRun.set(run.runId, cachedDiagnosis.codes);
    else pendingRuns.push(run);
  }
  const diagnosedRuns = await runInBatches(pendingRuns, runsPerBatch, async (batch) => {
    const diagnoses = await diagnose(database, batch);
    await waitForNextTurn();
    return diagnoses;
  });
  for (const { run, codes, traceDirection } of diagnosedRuns) {
    if (!isRunning(run)) cache.set(run.runId, { version: getVersion(run), traceDirection, codes });
    diagnosesByRun.set(run.runId, codes);
  }
  return diagnosesByRun;
}

function getVersion(run: DiagnosedRun): string {
  const { experimentId, status, startTime, endTime, iterations, evaluations, bestFitness } = run;
  return `${experimentId} ${status} ${startTime} ${endTime} ${iterations} ${evaluations} ${bestFitness}`;
}

/**
 * Returns the codes of each run, from its trace. A run has no codes if its experiment is missing, because the direction
 * and the target follow from the experiment.
 */
async function diagnose(
  database: Database,
  runs: readonly DiagnosedRun[],
): Promise<(Omit<CachedDiagnosis, 'version'> & { run: DiagnosedRun })[]> {
  const goals = await findGoals(
    database,
    runs.map(({ experimentId }) => experimentId),
  );
  const diagnosedRuns: Awaited<ReturnType<typeof diagnose>> = [];
  await database.dialect.readTraces(runs, (_runId, pairs) => {
    const run = runs[diagnosedRuns.length];
    const goal = run && goals.get(run.experimentId);
    const evaluations = pairs.filter((_value, index) => index % 2 === 0);
    const bestValues = pairs.filter((_value, index) => index % 2 === 1);
    const codes = goal
      ? listSearchedCodes({ evaluations, bests: bestValues }, goal, getResult(run))
      : [];
    const isFromTraces = goal?.directionSource === 'trace' || goal?.directionSource === 'default';
    if (run)
      diagnosedRuns.push({ run, codes, traceDirection: isFromTraces ? goal.direction : null });
  });
  return diagnosedRuns;
}
