import type { Store } from '#server/repositories/store.ts';
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
import { findObjective } from './experiment-objective.ts';
import { familyOf } from './family.ts';
import { maskJson } from './mask-json.ts';
import { maskYaml } from './mask-yaml.ts';
import { trueObjectives } from './objectives.ts';
import { pageOf } from './page.ts';
import { maskUrls, secretWords } from './secret-words.ts';
import { maskParam, maskParamText } from './secrets.ts';

export type { Store };

/** One page of the runs that match, each with the parameters that the query names. */
export async function listRuns(store: Store, query: RunsQuery): Promise<Page<RunItem>> {
  const filter = { ...query, secretWords };
  const page = await pageOf(
    query,
    () => runs.listRuns(store, filter, query),
    () => runs.countRuns(store, filter),
  );
  if (query.params.length === 0) return page;
  return { ...page, items: await withParams(store, page.items, query.params) };
}

async function withParams(
  store: Store,
  rows: readonly runs.RunRow[],
  paths: readonly string[],
): Promise<RunItem[]> {
  const experimentIds = [...new Set(rows.map((row) => row.experimentId))];
  const values = await params.listParamValues(store, experimentIds, paths);
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
export async function getRun(store: Store, runId: string): Promise<RunDetail> {
  const run = await runs.findRun(store, runId);
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
      await listObjectiveRows(store, runId),
      await iterations.findLastMetrics(store, runId),
    ),
    representationFamily: familyOf(
      run.representationType,
      await iterations.findFamilyText(store, runId),
    ),
    stopRequest: await control.findNewestStopRequest(store, run.experimentId, runId),
    ...(await findObjective(store, run)),
    siblings: {
      previous: await runs.findSibling(store, runId, 'previous'),
      next: await runs.findSibling(store, runId, 'next'),
    },
  };
}

/** Throws RUN_NOT_FOUND unless there is such a run. */
export async function requireRun(store: Store, runId: string): Promise<void> {
  if (!(await runs.runExists(store, runId))) throw runNotFound(runId);
}

/** The checkpoints of a run; throws RUN_NOT_FOUND. */
export async function listCheckpoints(store: Store, runId: string): Promise<CheckpointRow[]> {
  const rows = await checkpoints.listCheckpoints(store, runId);
  if (rows.length === 0) await requireRun(store, runId);
  return rows.map((row) => ({ ...row, checkpointPath: maskUrls(row.checkpointPath) }));
}

/** The flattened parameters of a run's experiment, secrets hidden; throws RUN_NOT_FOUND. */
export async function listRunParams(store: Store, runId: string): Promise<ParamRow[]> {
  const rows = await params.listParamsOfRun(store, runId);
  if (rows.length === 0) await requireRun(store, runId);
  return rows.map(maskParam);
}
