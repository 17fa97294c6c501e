import { sql } from 'kysely';
import type { StoredInteger } from '#server/db/schema.ts';
import type { DashboardSummary } from '#shared/schemas/service.ts';
import type { Database } from '#server/db/database.ts';
import { hasOnlyTrials, hasRareStatus } from './filters.ts';

/**
 * The fields of the summary that {@link countAll} returns: numbers of rows and of problem types, and the total runtime
 * in milliseconds.
 */
export type SummaryCounts = Omit<
  DashboardSummary,
  'databaseSizeBytes' | 'databaseFile' | 'silentCount'
>;

/** Reads all counts with one statement, so they are consistent while a runner writes. */
export async function countAll({ kysely, dialect }: Database): Promise<SummaryCounts> {
  const runtime = dialect.selectInteger(sql.ref<StoredInteger | null>('runtime_millis'));
  const selectCount = (table: ReturnType<typeof sql>) =>
    sql<number>`(select count(*) from ${table})`;
  const row = await kysely
    .selectNoFrom([
      selectCount(sql`experiments`).as('experimentCount'),
      selectCount(sql`runs`).as('runCount'),
      selectCount(sql`runs r where ${hasRareStatus(dialect, 'RUNNING')}`).as('runningCount'),
      sql<number>`(select coalesce(sum(cast(${runtime} as double precision)), 0) from runs)`.as(
        'totalRuntimeMillis',
      ),
      // Starts from the trials, because most databases have none or few.
      selectCount(sql`runs where run_id in (select run_id from coco_trials)`).as('trialRunCount'),
      selectCount(sql`experiments e where ${hasOnlyTrials}`).as('trialExperimentCount'),
      sql<number>`(select count(distinct problem_type) from experiments)`.as('problemCount'),
      selectCount(sql`coco_campaigns`).as('campaignCount'),
      sql<number>`((select count(*) from runs where run_id is null)
        + (select count(*) from experiments where experiment_id is null))`.as('rowsWithoutId'),
    ])
    .executeTakeFirst();
  return row ?? noCounts;
}

const noCounts: SummaryCounts = {
  experimentCount: 0,
  runCount: 0,
  runningCount: 0,
  totalRuntimeMillis: 0,
  trialRunCount: 0,
  trialExperimentCount: 0,
  problemCount: 0,
  campaignCount: 0,
  rowsWithoutId: 0,
};

/** Returns the number of RUNNING runs. */
export async function countRunningRuns({ kysely, dialect }: Database): Promise<number> {
  const row = await kysely
    .selectFrom('runs as r')
    .select((eb) => eb.fn.countAll<number>().as('running_count'))
    .where(hasRareStatus(dialect, 'RUNNING'))
    .executeTakeFirst();
  return row?.running_count ?? 0;
}

/** Resolves when the database responds to a query of the table `runs`; rejects with the error of the query. */
export async function ping({ kysely }: Database): Promise<void> {
  await kysely.selectFrom('runs').select('run_id').limit(1).execute();
}
