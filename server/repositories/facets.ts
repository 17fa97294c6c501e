import { sql } from 'kysely';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import { isTrial, trialConditions } from './run-conditions.ts';
import type { Database } from '#server/db/database.ts';

/** What an experiment is of. */
interface ExperimentTypes {
  experimentId: string | null;
  algorithm: string | null;
  model: string | null;
  problem: string | null;
  representation: string | null;
}

/** The types of all experiments. */
export async function listTypes({ kysely }: Database): Promise<ExperimentTypes[]> {
  return kysely
    .selectFrom('experiments')
    .select([
      'experiment_id as experimentId',
      'algorithm_type as algorithm',
      'model_type as model',
      'problem_type as problem',
      'representation_type as representation',
    ])
    .execute();
}

/** Runs of one status of an experiment. */
interface RunGroup {
  experimentId: string | null;
  /** As stored. */
  status: string | null;
  runs: number;
  /** Those of them that take part. */
  counted: number;
}

/** All runs, in groups that an index has together. */
export async function groupRuns({ kysely }: Database, trials: TrialsFilter): Promise<RunGroup[]> {
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.experiment_id as experimentId',
      'r.status',
      sql<number>`count(*)`.as('runs'),
      counted(trials),
    ])
    .groupBy(['r.experiment_id', 'r.status'])
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
