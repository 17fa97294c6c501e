import { findObjective, type OwnObjective } from '#server/analysis/objective.ts';
import type { Database } from '#server/db/database.ts';
import { listConfigurations } from '#server/repositories/experiments.ts';

/** Direction and target of each of these experiments by id; one that is not there is missing. */
export async function findObjectives(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, OwnObjective>> {
  const configurations = await listConfigurations(database, [...new Set(experimentIds)]);
  const objectives = new Map<string, OwnObjective>();
  for (const configuration of configurations) {
    objectives.set(configuration.experimentId, await findObjective(database, configuration));
  }
  return objectives;
}
