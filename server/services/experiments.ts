import { experimentNotFound } from '#server/errors.ts';
import * as control from '#server/repositories/control.ts';
import * as experiment from '#server/repositories/experiment.ts';
import * as experiments from '#server/repositories/experiments.ts';
import { listParamsOfExperiment } from '#server/repositories/params.ts';
import type { Store } from '#server/repositories/store.ts';
import { directionRules } from '#server/stats/objective.ts';
import type { Page } from '#shared/schemas/common.ts';
import type {
  ExperimentDetail,
  ExperimentItem,
  ExperimentRunItem,
  ExperimentRunsQuery,
  ExperimentsQuery,
} from '#shared/schemas/experiment.ts';
import type { ParamRow } from '#shared/schemas/run.ts';
import { findObjective } from './experiment-objective.ts';
import { maskJson } from './mask-json.ts';
import { maskYaml } from './mask-yaml.ts';
import { pageOf } from './page.ts';
import { maskUrls, secretWords } from './secret-words.ts';
import { maskParam } from './secrets.ts';

/** One page of the experiments that match, with their runs counted. */
export async function listExperiments(
  store: Store,
  query: ExperimentsQuery,
): Promise<Page<ExperimentItem>> {
  const filter = { ...query, secretWords };
  return pageOf(
    query,
    () => experiments.listExperiments(store, filter, directionRules, query),
    () => experiments.countExperiments(store, filter),
  );
}

/** Everything about one experiment; throws EXPERIMENT_NOT_FOUND. */
export async function getExperiment(store: Store, experimentId: string): Promise<ExperimentDetail> {
  const row = await experiment.findExperiment(store, experimentId);
  if (!row) throw experimentNotFound(experimentId);
  return {
    ...row,
    configYaml: maskYaml(row.configYaml),
    configJson: maskJson(row.configJson),
    ...(await findObjective(store, row)),
    stopRequest: await control.findNewestStopRequest(store, experimentId),
  };
}

/** One page of an experiment's runs; throws EXPERIMENT_NOT_FOUND. */
export async function listRunsOfExperiment(
  store: Store,
  experimentId: string,
  query: ExperimentRunsQuery,
): Promise<Page<ExperimentRunItem>> {
  await requireExperiment(store, experimentId);
  const page = await pageOf(
    query,
    () => experiment.listRunsOfExperiment(store, experimentId, query),
    () => experiment.countRunsOfExperiment(store, experimentId),
  );
  const items = page.items.map((run) => ({
    ...run,
    resumedFrom: maskUrls(run.resumedFrom),
    errorMessage: maskUrls(run.errorMessage),
  }));
  return { ...page, items };
}

/** The flattened parameters of an experiment, secrets hidden; throws EXPERIMENT_NOT_FOUND. */
export async function listExperimentParams(
  store: Store,
  experimentId: string,
): Promise<ParamRow[]> {
  await requireExperiment(store, experimentId);
  return (await listParamsOfExperiment(store, experimentId)).map(maskParam);
}

async function requireExperiment(store: Store, experimentId: string): Promise<void> {
  const isThere = await experiments.experimentExists(store, experimentId);
  if (!isThere) throw experimentNotFound(experimentId);
}
