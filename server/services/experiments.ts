import type { Database } from '#server/db/database.ts';
import { notFound } from '#server/errors.ts';
import * as experiments from '#server/repositories/experiments.ts';
import { medianOf } from '#server/domain/outcome.ts';
import { knownAnnotations } from '#server/records/annotations.ts';
import { fetchPage } from '#server/records/page.ts';
import { findObjective, findObjectives } from '#server/records/objectives.ts';
import { listRunItems } from '#server/records/run-items.ts';
import { findStopRequests } from '#server/records/stop-requests.ts';
import { listResultsOf } from '#server/repositories/analysis.ts';
import { listParamsOfExperiment } from '#server/repositories/params.ts';
import { listRunningRanges } from '#server/repositories/progress.ts';
import { finiteValues } from '#server/stats/descriptive.ts';
import { bestOf } from '#server/domain/trace.ts';
import type { Page } from '#shared/schemas/common.ts';
import type {
  ExperimentDetail,
  ExperimentItem,
  ExperimentRunItem,
  ExperimentRunsQuery,
  ExperimentsQuery,
} from '#shared/schemas/experiment.ts';
import { runsQuery, type ParamRow } from '#shared/schemas/run.ts';
import { withExperimentAnnotations } from './annotations.ts';
import { withParams } from './param-columns.ts';
import { withWholePaths } from './param-names.ts';

/** One page of the experiments that match, with their runs counted. */
export async function listExperiments(
  database: Database,
  query: ExperimentsQuery,
): Promise<Page<ExperimentItem>> {
  const annotations = await knownAnnotations(database);
  const annotated = withExperimentAnnotations(annotations, query);
  const asked = await withWholePaths(database, annotated, (paths) =>
    experiments.listParamPathsOfExperiments(database, annotated, paths),
  );
  const page = await fetchPage(
    query,
    () => experiments.listExperimentIds(database, asked, asked),
    () => experiments.countExperiments(database, asked),
  );
  const rows = await experiments.listExperiments(database, page.items);
  const items = (await toItems(database, rows)).map((item) => ({
    ...item,
    ...annotations.fieldsOf('experiment', item.experimentId),
  }));
  return { ...page, items: await withParams(database, items, query.params) };
}

async function toItems(
  database: Database,
  rows: Awaited<ReturnType<typeof experiments.listExperiments>>,
): Promise<Omit<ExperimentItem, 'displayName' | 'tags'>[]> {
  const ids = rows.map(({ experimentId }) => experimentId);
  const objectives = await findObjectives(database, ids);
  const results = await listResultsOf(database, ids);
  const resultsOf = Map.groupBy(results, ({ experimentId }) => experimentId);
  const running = rows.filter(({ runningRuns }) => runningRuns > 0);
  const ranges = await listRunningRanges(
    database,
    running.map(({ experimentId }) => experimentId),
  );
  const items: Omit<ExperimentItem, 'displayName' | 'tags'>[] = [];
  for (const { lowest, highest, ...row } of rows) {
    const objective = objectives.get(row.experimentId);
    if (!objective) continue;
    const live = ranges.find(({ experimentId }) => experimentId === row.experimentId);
    items.push({
      ...row,
      direction: objective.direction,
      bestFitness: bestOf(
        finiteValues(
          objective.direction === 'max' ? [highest, live?.highest] : [lowest, live?.lowest],
        ),
        objective.direction,
      ),
      ...medianOf(resultsOf.get(row.experimentId) ?? []),
    });
  }
  return items;
}

/** Everything about one experiment; throws EXPERIMENT_NOT_FOUND. */
export async function getExperiment(
  database: Database,
  experimentId: string,
): Promise<ExperimentDetail> {
  const row = await experiments.findExperiment(database, experimentId);
  if (!row) throw notFound('experiment', experimentId);
  return {
    ...row,
    ...(await findObjective(database, row)),
    stopRequest: (await findStopRequests(database, [row]))[0] ?? null,
    ...(await knownAnnotations(database)).fieldsOf('experiment', experimentId),
  };
}

/** One page of an experiment's runs; throws EXPERIMENT_NOT_FOUND. */
export async function listRunsOfExperiment(
  database: Database,
  experimentId: string,
  query: ExperimentRunsQuery,
): Promise<Page<ExperimentRunItem>> {
  await requireExperiment(database, experimentId);
  return listRunItems(database, { ...allRuns, experimentId }, query);
}

const allRuns = runsQuery.parse({});

/** The flattened parameters of an experiment; throws EXPERIMENT_NOT_FOUND. */
export async function listExperimentParams(
  database: Database,
  experimentId: string,
): Promise<ParamRow[]> {
  await requireExperiment(database, experimentId);
  return listParamsOfExperiment(database, experimentId);
}

async function requireExperiment(database: Database, experimentId: string): Promise<void> {
  const isThere = await experiments.experimentExists(database, experimentId);
  if (!isThere) throw notFound('experiment', experimentId);
}
