import { sql, type RawBuilder } from 'kysely';
import type { TrialsFilter } from '#shared/schemas/common.ts';
import type { Database } from '#server/db/database.ts';

/** The id of an experiment, and its types; null for a missing value. */
interface ExperimentTypes {
  experimentId: string | null;
  algorithm: string | null;
  model: string | null;
  problem: string | null;
  representation: string | null;
}

/** Returns the ids and types of all experiments, in any order. */
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

/**
 * Counts of the runs of an experiment with one status. A group of trials corrects the counts of the group of all runs
 * with the same experiment and status.
 */
interface RunGroup {
  experimentId: string | null;
  /** Status as stored. */
  status: string | null;
  /** Number of runs; 0 for a group of trials. */
  runs: number;
  /**
   * Number to add to the count of the runs that the filter includes. It is negative for trials that the filter
   * excludes.
   */
  countedRuns: number;
}

const rowCount = sql<number>`count(*)`;
const zero = sql<number>`0`;

/**
 * Counts all runs by experiment and stored status, in any order. One index contains both columns. If the filter
 * excludes runs, adds groups of trials that correct the counts.
 */
export async function groupRuns(database: Database, filter: TrialsFilter): Promise<RunGroup[]> {
  const runGroups = selectGroups(database, {
    runs: rowCount,
    countedRuns: filter === 'only' ? zero : rowCount,
  });
  if (filter === 'include') return runGroups.execute();
  const countedRuns = filter === 'only' ? rowCount : sql<number>`-count(*)`;
  const trialGroups = selectGroups(database, { runs: zero, countedRuns }).where(
    'r.run_id',
    'in',
    (eb) => eb.selectFrom('coco_trials').select('run_id'),
  );
  return runGroups.unionAll(trialGroups).execute();
}

function selectGroups(
  { kysely }: Database,
  { runs, countedRuns }: Record<'runs' | 'countedRuns', RawBuilder<number>>,
) {
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.experiment_id as experimentId',
      'r.status',
      runs.as('runs'),
      countedRuns.as('countedRuns'),
    ])
    .groupBy(['r.experiment_id', 'r.status']);
}

/** Returns each pair of suite and stored status of the campaigns once, in any order; null for a missing value. */
export async function listCampaignKinds({
  kysely,
}: Database): Promise<{ suite: string | null; status: string | null }[]> {
  return kysely.selectFrom('coco_campaigns').select(['suite', 'status']).distinct().execute();
}
