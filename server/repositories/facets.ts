import { sql } from 'kysely';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import { isTrial, trialConditions } from './run-conditions.ts';
import type { Database } from '#server/db/database.ts';

/** Runs of one status of an experiment; of one without runs there is one group, of none. */
export interface RunGroup {
  experimentId: string | null;
  algorithm: string | null;
  model: string | null;
  problem: string | null;
  representation: string | null;
  /** As stored. */
  status: string | null;
  runs: number;
  /** Those of them that take part. */
  counted: number;
}

/** The runs of all experiments, with the types of these. */
export async function groupRuns({ kysely }: Database, trials: TrialsFilter): Promise<RunGroup[]> {
  return kysely
    .selectFrom('experiments as e')
    .leftJoin(
      (eb) =>
        eb
          .selectFrom('runs as r')
          .select([
            'r.experiment_id',
            'r.status',
            sql<number>`count(*)`.as('runs'),
            counted(trials),
          ])
          .groupBy(['r.experiment_id', 'r.status'])
          .as('g'),
      (join) => join.onRef('g.experiment_id', '=', 'e.experiment_id'),
    )
    .select([
      'e.experiment_id as experimentId',
      'e.algorithm_type as algorithm',
      'e.model_type as model',
      'e.problem_type as problem',
      'e.representation_type as representation',
      'g.status',
      sql<number>`coalesce(g.runs, 0)`.as('runs'),
      sql<number>`coalesce(g.counted, 0)`.as('counted'),
    ])
    .execute();
}

/** How many of the runs that take part have each status as stored; null for those without one. */
export async function groupByStatus(
  { kysely }: Database,
  trials: TrialsFilter,
): Promise<{ status: string | null; counted: number }[]> {
  return kysely
    .selectFrom('runs as r')
    .select(['r.status', counted(trials)])
    .groupBy('r.status')
    .execute();
}

/** How many runs of a group take part. */
function counted(trials: TrialsFilter) {
  const [condition] = trialConditions(trials, isTrial);
  const runs = condition ? sql`case when ${condition} then 1 end` : sql`*`;
  return sql<number>`count(${runs})`.as('counted');
}

/** Suites and statuses of the campaigns, each pair once; null where a campaign has none. */
export async function listCampaignKinds({
  kysely,
}: Database): Promise<{ suite: string | null; status: string | null }[]> {
  return kysely.selectFrom('coco_campaigns').select(['suite', 'status']).distinct().execute();
}
