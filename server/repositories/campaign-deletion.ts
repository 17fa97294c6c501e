import { sql, type Kysely } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';

/**
 * The data of a campaign that decide whether a deletion is safe. `newestTrialAt` is the latest stored creation time of
 * a trial; null without trials.
 */
export interface DeletableCampaign {
  campaignId: string;
  status: string;
  startedAt: string | null;
  newestTrialAt: string | null;
}

/**
 * Returns these campaigns by id, without missing ones. With `lockingDialect`, locks them until the transaction ends.
 */
export async function listDeletableCampaigns(
  database: Kysely<Tables>,
  campaignIds: readonly string[],
  lockingDialect?: DatabaseDialect,
): Promise<DeletableCampaign[]> {
  if (campaignIds.length === 0) return [];
  const query = database
    .selectFrom('coco_campaigns as m')
    .select(['m.campaign_id as campaignId', 'm.status', 'm.started_at as startedAt'])
    .where('m.campaign_id', 'in', campaignIds)
    .orderBy('m.campaign_id');
  const campaigns = await (lockingDialect ? lockingDialect.lockRows(query) : query).execute();
  // This is a separate statement, to include the trials that a runner added before the lock.
  const newestTrials = await database
    .selectFrom('coco_trials')
    .select((eb) => ['campaign_id', eb.fn.max('created_at').as('time')])
    .where('campaign_id', 'in', campaignIds)
    .groupBy('campaign_id')
    .execute();
  const newestTimes = new Map(newestTrials.map((row) => [row.campaign_id, row.time]));
  return campaigns.map((campaign) => ({
    ...campaign,
    newestTrialAt: newestTimes.get(campaign.campaignId) ?? null,
  }));
}

/**
 * Returns the ids of the experiments that belong only to these campaigns, by id. All runs of such an experiment are
 * trials of these campaigns and of no other. An experiment with other runs belongs to the program that wrote them.
 */
export async function listOwnExperiments(
  database: Kysely<Tables>,
  campaignIds: readonly string[],
): Promise<string[]> {
  if (campaignIds.length === 0) return [];
  const idList = sql.join(campaignIds);
  // Checks each run once, because comparing all runs of an experiment with each other takes hours.
  const { rows } = await sql<{ experimentId: string }>`
    with candidates as (
      select distinct r.experiment_id from runs r
      where r.run_id in (select t.run_id from coco_trials t where t.campaign_id in (${idList}))
    )
    select experiment_id as ${sql.ref('experimentId')} from candidates
    except
    select o.experiment_id from runs o where o.experiment_id in (select experiment_id from candidates) and (
      not exists (select 1 from coco_trials u
        where u.run_id = o.run_id and u.campaign_id in (${idList}))
      or exists (select 1 from coco_trials u
        where u.run_id = o.run_id and u.campaign_id not in (${idList})))
    order by 1`.execute(database);
  return rows.map(({ experimentId }) => experimentId);
}
