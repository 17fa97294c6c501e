import type { Database } from '#server/db/database.ts';
import { makeNotFoundError } from '#server/errors.ts';
import * as experiments from '#server/repositories/experiments.ts';
import { summariseBestFitness } from '#server/domain/outcome.ts';
import { addExperimentMatches, readAnnotationsOrNone } from '#server/records/annotations.ts';
import { computeOnce, type List } from '#server/records/page.ts';
import { countSilentRuns } from '#server/records/liveness.ts';
import { findObjective, findObjectives } from '#server/records/objectives.ts';
import { listRunItems, findStopRequests } from '#server/records/runs.ts';
import { listResults } from '#server/repositories/analysis.ts';
import { listParamsOfExperiment } from '#server/repositories/params.ts';
import { countRuns, listRunIds } from '#server/repositories/runs.ts';
import { listRunningRanges } from '#server/repositories/iterations.ts';
import { getFiniteValues } from '#server/stats/descriptive.ts';
import { getBest } from '#server/domain/trace.ts';
import type {
  ExperimentDetail,
  ExperimentItem,
  ExperimentRunItem,
  ExperimentRunsQuery,
  ExperimentsQuery,
} from '#shared/schemas/experiment.ts';
import { runsQuery, type ParamRow } from '#shared/schemas/run.ts';
import { addParams, completePaths } from './params.ts';

/**
 * Returns the list of the experiments that match, with run counts and the parameters that the query names. The list
 * throws the errors of {@link completePaths}.
 */
export function makeExperimentList(
  database: Database,
  query: ExperimentsQuery,
): List<ExperimentItem> {
  const findFilter = computeOnce(async () => {
    const annotatedQuery = addExperimentMatches(await readAnnotationsOrNone(database), query);
    return completePaths(database, annotatedQuery, (paths) =>
      experiments.listParamPathsOfExperiments(database, annotatedQuery, paths),
    );
  });
  return {
    listIds: async (pageRequest) => {
      const filter = await findFilter();
      const { sortBy, sortDir } = filter;
      return experiments.listExperimentIds(database, filter, { sortBy, sortDir, pageRequest });
    },
    listItems: async (ids) => {
      const annotations = await readAnnotationsOrNone(database);
      const rows = await experiments.listExperiments(database, ids);
      const items = (await makeItems(database, rows)).map((item) => ({
        ...item,
        ...annotations.getFields('experiment', item.experimentId),
      }));
      return addParams(database, items, query.params);
    },
    count: async () => experiments.countExperiments(database, await findFilter()),
  };
}

async function makeItems(
  database: Database,
  rows: Awaited<ReturnType<typeof experiments.listExperiments>>,
): Promise<Omit<ExperimentItem, 'displayName' | 'tags'>[]> {
  const ids = rows.map(({ experimentId }) => experimentId);
  const objectives = await findObjectives(database, ids);
  const results = await listResults(database, ids);
  const resultsByExperiment = Map.groupBy(results, ({ experimentId }) => experimentId);
  const runningIds = rows.flatMap((row) => (row.runningRuns > 0 ? row.experimentId : []));
  const ranges = await listRunningRanges(database, runningIds);
  const silentRuns = await countSilentRuns(database, runningIds);
  const items: Omit<ExperimentItem, 'displayName' | 'tags'>[] = [];
  for (const { lowestFitness, highestFitness, ...row } of rows) {
    const objective = objectives.get(row.experimentId);
    if (!objective) continue;
    const runningRange = ranges.find(({ experimentId }) => experimentId === row.experimentId);
    items.push({
      ...row,
      silentRuns: silentRuns.get(row.experimentId) ?? 0,
      direction: objective.direction,
      bestFitness: getBest(
        getFiniteValues(
          objective.direction === 'max'
            ? [highestFitness, runningRange?.highestFitness]
            : [lowestFitness, runningRange?.lowestFitness],
        ),
        objective.direction,
      ),
      ...summariseBestFitness(resultsByExperiment.get(row.experimentId) ?? []),
    });
  }
  return items;
}

/** Returns all details of one experiment; throws EXPERIMENT_NOT_FOUND. */
export async function getExperiment(
  database: Database,
  experimentId: string,
): Promise<ExperimentDetail> {
  const row = await experiments.findExperiment(database, experimentId);
  if (!row) throw makeNotFoundError('experiment', experimentId);
  const runningIds = row.runningRuns > 0 ? [experimentId] : [];
  const silentRuns = await countSilentRuns(database, runningIds);
  return {
    ...row,
    silentRuns: silentRuns.get(experimentId) ?? 0,
    ...(await findObjective(database, row)),
    stopRequest: (await findStopRequests(database, [row]))[0] ?? null,
    ...(await readAnnotationsOrNone(database)).getDetails('experiment', experimentId),
  };
}

/** Returns the list of an experiment's runs. The list throws EXPERIMENT_NOT_FOUND. */
export function makeExperimentRunList(
  database: Database,
  experimentId: string,
  { sortBy, sortDir }: ExperimentRunsQuery,
): List<ExperimentRunItem> {
  // Parses here and not when the service starts, because the first parse takes 40 ms.
  const filter = { ...runsQuery.parse({}), experimentId };
  return {
    listIds: async (pageRequest) => {
      await requireExperiment(database, experimentId);
      return listRunIds(database, filter, { sortBy, sortDir, pageRequest });
    },
    listItems: (ids) => listRunItems(database, ids),
    count: () => countRuns(database, filter),
  };
}

/** Returns the flattened parameters of an experiment, by section and path; throws EXPERIMENT_NOT_FOUND. */
export async function listExperimentParams(
  database: Database,
  experimentId: string,
): Promise<ParamRow[]> {
  await requireExperiment(database, experimentId);
  return listParamsOfExperiment(database, experimentId);
}

async function requireExperiment(database: Database, experimentId: string): Promise<void> {
  const hasExperiment = await experiments.hasExperiment(database, experimentId);
  if (!hasExperiment) throw makeNotFoundError('experiment', experimentId);
}
