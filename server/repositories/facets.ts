import { sql } from 'kysely';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import { runsWithExperiments, trialConditions } from './runs-filter.ts';
import type { Store } from './store.ts';

/** How many runs share a status and the types of their experiment; null where the row has none. */
export interface RunGroup {
  algorithm: string | null;
  model: string | null;
  problem: string | null;
  status: string | null;
  runs: number;
}

/** The runs that take part, grouped by what facets count. */
export async function groupRuns(store: Store, trials: TrialsFilter): Promise<RunGroup[]> {
  return runsWithExperiments(store)
    .select((eb) => [
      'e.algorithm_type as algorithm',
      'e.model_type as model',
      'e.problem_type as problem',
      'r.status as status',
      eb.fn.countAll<number>().as('runs'),
    ])
    .where((eb) => eb.and(trialConditions(trials)))
    .groupBy(['e.algorithm_type', 'e.model_type', 'e.problem_type', 'r.status'])
    .execute();
}

/** How the runs of experiments end: how many experiments have which mixture of statuses. */
export interface StatusMixture {
  total: number;
  running: number;
  completed: number;
  failed: number;
}

/** Every mixture of run statuses that an experiment has, once; statuses compare without regard to case. */
export async function listStatusMixtures({ kysely }: Store): Promise<StatusMixture[]> {
  const having = (status: string) =>
    sql<number>`count(case when upper(r.status) = ${sql.lit(status)} then 1 end)`;
  return kysely
    .selectFrom((eb) =>
      eb
        .selectFrom('experiments as e')
        .leftJoin('runs as r', 'r.experiment_id', 'e.experiment_id')
        .select([
          sql<number>`count(r.run_id)`.as('total'),
          having('RUNNING').as('running'),
          having('COMPLETED').as('completed'),
          having('FAILED').as('failed'),
        ])
        .groupBy('e.experiment_id')
        .as('experiment'),
    )
    .select(['total', 'running', 'completed', 'failed'])
    .distinct()
    .execute();
}

/** The distinct texts of a column; null where a row has none. */
export async function listDistinct(
  { kysely }: Store,
  table: 'experiments' | 'runs' | 'coco_campaigns',
  column: string,
): Promise<(string | null)[]> {
  const { rows } = await sql<{ value: string | null }>`
    select distinct ${sql.ref(column)} as value from ${sql.table(table)}`.execute(kysely);
  return rows.map((row) => row.value);
}
