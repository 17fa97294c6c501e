import { experimentNotFound } from '#server/errors.ts';
import * as control from '#server/repositories/control.ts';
import * as experiment from '#server/repositories/experiment.ts';
import * as experiments from '#server/repositories/experiments.ts';
import { listParamsOfExperiment } from '#server/repositories/params.ts';
import type { Database } from '#server/db/database.ts';
import { directionRules } from '#server/rules/objective.ts';
import type { Page } from '#shared/schemas/common.ts';
import type {
  ExperimentDetail,
  ExperimentItem,
  ExperimentRunItem,
  ExperimentRunsQuery,
  ExperimentsQuery,
} from '#shared/schemas/experiment.ts';
import type { ParamRow } from '#shared/schemas/run.ts';
import { findObjective } from '#server/analysis/objective.ts';
import { maskJson } from '#server/rules/secrets/mask-json.ts';
import { maskYaml } from '#server/rules/secrets/mask-yaml.ts';
import { pageOf } from './page.ts';
import { maskUrls, secretWords } from '#server/rules/secrets/secret-words.ts';
import { maskParam } from '#server/rules/secrets/params.ts';

/** One page of the experiments that match, with their runs counted. */
export async function listExperiments(
  database: Database,
  query: ExperimentsQuery,
): Promise<Page<ExperimentItem>> {
  const filter = { ...query, secretWords };
  return pageOf(
    query,
    () => experiments.listExperiments(database, filter, directionRules, query),
    () => experiments.countExperiments(database, filter),
  );
}

/** Everything about one experiment; throws EXPERIMENT_NOT_FOUND. */
export async function getExperiment(
  database: Database,
  experimentId: string,
): Promise<ExperimentDetail> {
  const row = await experiment.findExperiment(database, experimentId);
  if (!row) throw experimentNotFound(experimentId);
  return {
    ...row,
    configYaml: maskYaml(row.configYaml),
    configJson: maskJson(row.configJson),
    ...(await findObjective(database, row)),
    stopRequest: await control.findNewestStopRequest(database, experimentId),
  };
}

/** One page of an experiment's runs; throws EXPERIMENT_NOT_FOUND. */
export async function listRunsOfExperiment(
  database: Database,
  experimentId: string,
  query: ExperimentRunsQuery,
): Promise<Page<ExperimentRunItem>> {
  await requireExperiment(database, experimentId);
  const page = await pageOf(
    query,
    () => experiment.listRunsOfExperiment(database, experimentId, query),
    () => experiment.countRunsOfExperiment(database, experimentId),
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
  database: Database,
  experimentId: string,
): Promise<ParamRow[]> {
  await requireExperiment(database, experimentId);
  return (await listParamsOfExperiment(database, experimentId)).map(maskParam);
}

async function requireExperiment(database: Database, experimentId: string): Promise<void> {
  const isThere = await experiments.experimentExists(database, experimentId);
  if (!isThere) throw experimentNotFound(experimentId);
}
