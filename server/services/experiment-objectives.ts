import { findObjective, type OwnObjective } from '#server/analysis/objective.ts';
import type { Database } from '#server/db/database.ts';
import { listExperimentsOf } from '#server/repositories/analysis.ts';

/** Direction and target of each of these experiments by id; one that is not there is missing. */
export async function findObjectives(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, OwnObjective>> {
  const objectives = new Map<string, OwnObjective>();
  for (const experiment of await listExperimentsOf(database, [...new Set(experimentIds)])) {
    objectives.set(experiment.experimentId, await findObjective(database, experiment));
  }
  return objectives;
}
