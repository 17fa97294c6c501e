import { sql, type Kysely } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';
import type { RunState } from './locks.ts';
import { count, nullableText, rowOf, text } from './row.ts';

const countOfCampaign = (table: string) =>
  count(sql`(select count(*) from ${sql.table(table)} t where t.campaign_id = m.campaign_id)`);

const campaign = rowOf({
  status: text('m.status'),
  startedAt: nullableText('m.started_at'),
  newestTrialAt: nullableText(
    sql`(select max(t.created_at) from coco_trials t where t.campaign_id = m.campaign_id)`,
  ),
  trialsDeleted: countOfCampaign('coco_trials'),
  optimizersDeleted: countOfCampaign('coco_optimizer_configs'),
  aggregatesDeleted: countOfCampaign('coco_aggregates'),
});

/** What decides whether a campaign may be deleted, and what of its own tables would go with it. */
export type DeletableCampaign = ReturnType<typeof campaign.read>;

/** The campaign as a deletion judges it, nothing locked; null when there is none. */
export async function findDeletableCampaign(
  database: Kysely<Tables>,
  campaignId: string,
): Promise<DeletableCampaign | null> {
  const row = await database
    .selectFrom('coco_campaigns as m')
    .select(campaign.columns)
    .where('m.campaign_id', '=', campaignId)
    .executeTakeFirst();
  return row ? campaign.read(row) : null;
}

/** Locks the campaign until the transaction ends, so that no trial joins it meanwhile. */
export async function lockCampaign(
  transaction: Kysely<Tables>,
  dialect: DatabaseDialect,
  campaignId: string,
): Promise<void> {
  const query = transaction
    .selectFrom('coco_campaigns')
    .select('campaign_id')
    .where('campaign_id', '=', campaignId);
  await dialect.lockingRows(query).execute();
}

/**
 * The experiments that are these campaigns' alone, by id: all their runs are trials of them and of no other campaign.
 * An experiment that has other runs too belongs to whoever made these.
 */
export async function listOwnExperiments(
  database: Kysely<Tables>,
  campaignIds: readonly string[],
): Promise<string[]> {
  if (campaignIds.length === 0) return [];
  const own = sql.join(campaignIds);
  const { rows } = await sql<{ experimentId: string }>`
    select distinct r.experiment_id as ${sql.ref('experimentId')}
    from coco_trials t join runs r on r.run_id = t.run_id
    where t.campaign_id in (${own}) and not exists (
      select 1 from runs o where o.experiment_id = r.experiment_id and (
        not exists (select 1 from coco_trials u
          where u.run_id = o.run_id and u.campaign_id in (${own}))
        or exists (select 1 from coco_trials u
          where u.run_id = o.run_id and u.campaign_id not in (${own}))))
    order by 1`.execute(database);
  return rows.map(({ experimentId }) => experimentId);
}

/** The runs of these experiments, locked with them where `dialect` is given, so that none starts or ends meanwhile. */
export async function listRunsOfExperiments(
  database: Kysely<Tables>,
  experimentIds: readonly string[],
  dialect?: DatabaseDialect,
): Promise<RunState[]> {
  const experiments = database
    .selectFrom('experiments')
    .select('experiment_id')
    .where('experiment_id', 'in', experimentIds)
    .orderBy('experiment_id');
  const runs = database
    .selectFrom('runs')
    .select(['run_id as runId', 'status'])
    .where('experiment_id', 'in', experimentIds)
    .orderBy('run_id');
  if (!dialect) return runs.execute();
  await dialect.lockingRows(experiments).execute();
  return dialect.lockingRows(runs).execute();
}
