import { sql, type Kysely } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';
import { count, nullableText, rowOf, text } from './row.ts';

const countOfCampaign = (table: string) =>
  count(sql`(select count(*) from ${sql.table(table)} t where t.campaign_id = m.campaign_id)`);

const campaign = rowOf({
  campaignId: text('m.campaign_id'),
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

/** Those of these campaigns that are there, nothing locked, in no order. */
export async function listDeletableCampaigns(
  database: Kysely<Tables>,
  campaignIds: readonly string[],
): Promise<DeletableCampaign[]> {
  if (campaignIds.length === 0) return [];
  const rows = await database
    .selectFrom('coco_campaigns as m')
    .select(campaign.columns)
    .where('m.campaign_id', 'in', campaignIds)
    .execute();
  return rows.map(campaign.read);
}

/** Locks these campaigns until the transaction ends, so that no trial joins them meanwhile. */
export async function lockCampaigns(
  transaction: Kysely<Tables>,
  dialect: DatabaseDialect,
  campaignIds: readonly string[],
): Promise<void> {
  if (campaignIds.length === 0) return;
  const query = transaction
    .selectFrom('coco_campaigns')
    .select('campaign_id')
    .where('campaign_id', 'in', campaignIds)
    .orderBy('campaign_id');
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
