import { sql } from 'kysely';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import { runsWithExperiments, trialConditions } from './runs-filter.ts';
import type { Database } from '#server/db/database.ts';

/** How many runs share a status and the types of their experiment; null where the row has none. */
export interface RunGroup {
  algorithm: string | null;
  model: string | null;
  problem: string | null;
  status: string | null;
  runs: number;
}

/** The runs that take part, grouped by what facets count. */
export async function groupRuns(database: Database, trials: TrialsFilter): Promise<RunGroup[]> {
  const conditions = trialConditions(trials);
  return runsWithExperiments(database)
    .select((eb) => [
      'e.algorithm_type as algorithm',
      'e.model_type as model',
      'e.problem_type as problem',
      'r.status as status',
      eb.fn.countAll<number>().as('runs'),
    ])
    .$if(conditions.length > 0, (query) => query.where((eb) => eb.and(conditions)))
    .groupBy(['e.algorithm_type', 'e.model_type', 'e.problem_type', 'r.status'])
    .execute();
}

/** The distinct texts of a column; null where a row has none. */
export async function listDistinct(
  { kysely }: Database,
  table: 'experiments' | 'runs' | 'coco_campaigns',
  column: string,
): Promise<(string | null)[]> {
  const { rows } = await sql<{ value: string | null }>`
    select distinct ${sql.ref(column)} as value from ${sql.table(table)}`.execute(kysely);
  return rows.map((row) => row.value);
}
