import type { Database } from '#server/db/database.ts';
import { runNotFound } from '#server/errors.ts';
import * as control from '#server/repositories/control.ts';
import { listObjectiveRows } from '#server/repositories/objectives.ts';
import * as checkpoints from '#server/repositories/checkpoints.ts';
import * as iterations from '#server/repositories/iterations.ts';
import * as params from '#server/repositories/params.ts';
import * as runs from '#server/repositories/runs.ts';
import type { Page } from '#shared/schemas/common.ts';
import type {
  CheckpointRow,
  ParamRow,
  RunDetail,
  RunItem,
  RunsQuery,
} from '#shared/schemas/run.ts';
import { findObjective } from '#server/analysis/objective.ts';
import { familyOf } from './family.ts';
import { maskJson } from '#server/rules/secrets/mask-json.ts';
import { maskYaml } from '#server/rules/secrets/mask-yaml.ts';
import { trueObjectives } from './objectives.ts';
import { pageOf } from './page.ts';
import { maskUrls, secretWords } from '#server/rules/secrets/secret-words.ts';
import { maskParam, maskParamText } from '#server/rules/secrets/params.ts';

export type { Database };

/** One page of the runs that match, each with the parameters that the query names. */
export async function listRuns(database: Database, query: RunsQuery): Promise<Page<RunItem>> {
  const filter = { ...query, secretWords };
  const page = await pageOf(
    query,
    () => runs.listRuns(database, filter, query),
    () => runs.countRuns(database, filter),
  );
  if (query.params.length === 0) return page;
  return { ...page, items: await withParams(database, page.items, query.params) };
}

async function withParams(
  database: Database,
  rows: readonly runs.RunRow[],
  paths: readonly string[],
): Promise<RunItem[]> {
  const experimentIds = [...new Set(rows.map((row) => row.experimentId))];
  const values = await params.listParamValues(database, experimentIds, paths);
  const texts = new Map<string, Map<string, string | null>>();
  for (const { experimentId, paramPath, valueText, valueJson } of values) {
    const ofExperiment = texts.get(experimentId) ?? new Map<string, string | null>();
    ofExperiment.set(paramPath, maskParamText(paramPath, valueText) ?? maskJson(valueJson));
    texts.set(experimentId, ofExperiment);
  }
  return rows.map((row) => ({
    ...row,
    params: Object.fromEntries(
      paths.map((path) => [path, texts.get(row.experimentId)?.get(path) ?? null]),
    ),
  }));
}

/** Everything about one run; throws RUN_NOT_FOUND. */
export async function getRun(database: Database, runId: string): Promise<RunDetail> {
  const run = await runs.findRun(database, runId);
  if (!run) throw runNotFound(runId);
  return {
    ...run,
    bestSummary: maskUrls(run.bestSummary),
    artifactsJson: maskJson(run.artifactsJson),
    resumedFrom: maskUrls(run.resumedFrom),
    errorMessage: maskUrls(run.errorMessage),
    configYaml: maskYaml(run.configYaml),
    configJson: maskJson(run.configJson),
    objectives: trueObjectives(
      await listObjectiveRows(database, runId),
      await iterations.findLastMetrics(database, runId),
    ),
    representationFamily: familyOf(
      run.representationType,
      await iterations.findFamilyText(database, runId),
    ),
    stopRequest: await control.findNewestStopRequest(database, run.experimentId, runId),
    ...(await findObjective(database, run)),
    siblings: {
      previous: await runs.findSibling(database, runId, 'previous'),
      next: await runs.findSibling(database, runId, 'next'),
    },
  };
}

/** Throws RUN_NOT_FOUND unless there is such a run. */
export async function requireRun(database: Database, runId: string): Promise<void> {
  if (!(await runs.runExists(database, runId))) throw runNotFound(runId);
}

/** The checkpoints of a run; throws RUN_NOT_FOUND. */
export async function listCheckpoints(database: Database, runId: string): Promise<CheckpointRow[]> {
  const rows = await checkpoints.listCheckpoints(database, runId);
  if (rows.length === 0) await requireRun(database, runId);
  return rows.map((row) => ({ ...row, checkpointPath: maskUrls(row.checkpointPath) }));
}

/** The flattened parameters of a run's experiment, secrets hidden; throws RUN_NOT_FOUND. */
export async function listRunParams(database: Database, runId: string): Promise<ParamRow[]> {
  const rows = await params.listParamsOfRun(database, runId);
  if (rows.length === 0) await requireRun(database, runId);
  return rows.map(maskParam);
}
