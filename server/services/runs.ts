import * as checkpoints from '#server/repositories/checkpoints.ts';
import * as iterations from '#server/repositories/iterations.ts';
import * as params from '#server/repositories/params.ts';
import * as recordedRuns from '#server/repositories/recorded-runs.ts';
import * as runs from '#server/repositories/runs.ts';
import type {
  CheckpointRow,
  ParamRow,
  RunDetail,
  RunItem,
  RunsQuery,
} from '#shared/schemas/run.ts';
import type { Database } from '#server/db/database.ts';
import type { GrammarTree } from '#shared/schemas/tree.ts';
import { getFamily } from '#server/domain/problem-instance.ts';
import { findObjective } from '#server/records/objectives.ts';
import { findTrialPosition } from '#server/repositories/trials.ts';
import { readGrammarTree } from '#server/telemetry/grammar-tree.ts';
import { addRunMatches, readAnnotationsOrNone } from '#server/records/annotations.ts';
import { listObjectiveRows } from '#server/repositories/objectives.ts';
import { listRunItems, findProgress, findStopRequests } from '#server/records/runs.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import { makeNotFoundError, ProblemError, truncate } from '#server/errors.ts';
import { computeOnce, type List } from '#server/records/page.ts';
import { addDiagnosis } from './diagnosed-runs.ts';
import { addParams, completePaths } from './params.ts';

/**
 * Returns the list of the runs that match, each with the parameters that the query names. The list throws the errors of
 * {@link completePaths} and {@link addDiagnosis}.
 */
export function makeRunList(database: Database, query: RunsQuery): List<RunItem> {
  const findFilter = computeOnce(async () => {
    const annotatedQuery = addRunMatches(await readAnnotationsOrNone(database), query);
    const wholeFilter = await completePaths(database, annotatedQuery, (paths) =>
      runs.listParamPathsOfRuns(database, annotatedQuery, paths),
    );
    return { filter: await addDiagnosis(database, wholeFilter), sortBy: wholeFilter.sortBy };
  });
  return {
    listIds: async (pageRequest) => {
      const { filter, sortBy } = await findFilter();
      return runs.listRunIds(database, filter, { sortBy, sortDir: query.sortDir, pageRequest });
    },
    listItems: async (ids) => addParams(database, await listRunItems(database, ids), query.params),
    count: async () => runs.countRuns(database, (await findFilter()).filter),
  };
}

/** Returns all details of one run; throws RUN_NOT_FOUND. */
export async function getRun(database: Database, runId: string): Promise<RunDetail> {
  const run = await runs.findRun(database, runId);
  if (!run) throw makeNotFoundError('run', runId);
  return {
    ...run,
    ...(await readAnnotationsOrNone(database)).getDetails('run', runId),
    progress: (await findProgress(database, [run])).get(runId) ?? null,
    objectives: selectObjectiveValues(
      await listObjectiveRows(database, runId),
      await iterations.findLastMetrics(database, runId),
    ),
    representationFamily: await getFamily(run.representationType, () =>
      iterations.findFamilyText(database, runId),
    ),
    iterationsLeftOut: await iterations.countRowsWithoutNumber(database, runId),
    stopRequest: (await findStopRequests(database, [run]))[0] ?? null,
    ...(await findObjective(database, run)),
    trial: await findTrialPosition(database, runId),
    siblings: {
      previous: await runs.findSibling(database, runId, 'previous'),
      next: await runs.findSibling(database, runId, 'next'),
    },
  };
}

/**
 * Returns the best program of a grammar run, without secrets. Throws RUN_NOT_FOUND, and NOT_FOUND if the run has no
 * stored program that {@link readGrammarTree} can read.
 */
export async function getTree(database: Database, runId: string): Promise<GrammarTree> {
  const run = await runs.findRun(database, runId);
  if (!run) throw makeNotFoundError('run', runId);
  const tree = readGrammarTree(maskText(run.artifactsJson), maskText(run.bestSummary));
  if (tree) return { runId, representationType: run.representationType, ...tree };
  throw new ProblemError(
    'NOT_FOUND',
    `Run "${truncate(runId)}" has no program that is a tree. Select another run`,
  );
}

/** Throws RUN_NOT_FOUND unless there is a run with this id. */
export async function requireRun(database: Database, runId: string): Promise<void> {
  if (!(await runs.hasRun(database, runId))) throw makeNotFoundError('run', runId);
}

/** Returns the checkpoints of a run by iteration, NULLs last, then by id; throws RUN_NOT_FOUND. */
export async function listCheckpoints(database: Database, runId: string): Promise<CheckpointRow[]> {
  const rows = await checkpoints.listCheckpoints(database, runId);
  if (rows.length === 0) await requireRun(database, runId);
  return rows;
}

/** Returns the flattened parameters of a run's experiment, by section and path; throws RUN_NOT_FOUND. */
export async function listRunParams(database: Database, runId: string): Promise<ParamRow[]> {
  const rows = await params.listParamsOfRun(database, runId);
  if (rows.length === 0) await requireRun(database, runId);
  return rows;
}

type Objective = RunDetail['objectives'][number];

/**
 * Returns the rows of `run_objectives` that are objectives. The runner also stores a row there for every key of the
 * run's last metrics. The rows `best_obj_0`, `best_obj_1`, … are first, in the order of their numbers. The rows whose
 * name is not a key of these metrics follow. Without readable metrics, these rows may be metrics, so the function
 * returns only the rows `best_obj_k`, or all rows if there is no such row.
 */
export function selectObjectiveValues(
  rows: readonly Objective[],
  lastMetricsJson: string | null,
): Objective[] {
  const numberedRows = rows.filter((row) => findObjectiveNumber(row) !== null);
  const metrics = getKeys(lastMetricsJson);
  const otherRows = rows.filter(
    (row) => findObjectiveNumber(row) === null && !metrics?.has(row.name),
  );
  numberedRows.sort((a, b) => (findObjectiveNumber(a) ?? 0) - (findObjectiveNumber(b) ?? 0));
  return metrics === null && numberedRows.length > 0
    ? numberedRows
    : [...numberedRows, ...otherRows];
}

function findObjectiveNumber({ name }: Objective): number | null {
  const match = /^best_obj_(\d+)$/.exec(name);
  return match ? Number(match[1]) : null;
}

function getKeys(json: string | null): Set<string> | null {
  try {
    const metrics: unknown = JSON.parse(json ?? 'null');
    return typeof metrics === 'object' && metrics !== null ? new Set(Object.keys(metrics)) : null;
  } catch {
    return null;
  }
}

/**
 * Maximum length of {@link listRunningRecordings}. After a switch to another database, each request to record passes
 * this list to its thread.
 */
const maximumRecordings = 1_000;

/** Returns the ids of up to 1,000 RUNNING recorded runs, latest start first. */
export function listRunningRecordings(database: Database): Promise<string[]> {
  return recordedRuns.listRunningRecordings(database, maximumRecordings);
}
