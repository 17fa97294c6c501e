import type { Insertable } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { Tables } from '#server/db/schema.ts';
import { insertAll } from './recording.ts';

export type NewCampaign = Insertable<Tables['coco_campaigns']>;
export type NewOptimizer = Insertable<Tables['coco_optimizer_configs']>;
export type NewTrial = Insertable<Tables['coco_trials']>;
export type NewReference = Insertable<Tables['coco_reference_results']>;

/** Writes a campaign, over one with the same id but for when it was made and started. */
export async function writeCampaign({ kysely }: Database, campaign: NewCampaign): Promise<void> {
  const { campaign_id: _id, created_at: _made, started_at: _started, ...columns } = campaign;
  await kysely
    .insertInto('coco_campaigns')
    .values(campaign)
    .onConflict((conflict) => conflict.column('campaign_id').doUpdateSet(columns))
    .execute();
}

/** Writes optimizers of campaigns; one that is there stays as it is. */
export async function insertOptimizers(
  database: Database,
  optimizers: readonly NewOptimizer[],
): Promise<void> {
  const on = ['campaign_id', 'optimizer_id'];
  await insertAll(database, 'coco_optimizer_configs', optimizers, { on, keeps: 'older' });
}

/** What tells a trial from the others of its campaign. */
const trialPlace = [
  'campaign_id',
  'optimizer_id',
  'function_id',
  'instance_id',
  'dimension',
  'repetition',
];

/** Writes trials, each over the one of the same place in its campaign. */
export async function writeTrials(database: Database, trials: readonly NewTrial[]): Promise<void> {
  await insertAll(database, 'coco_trials', trials, { on: trialPlace, keeps: 'newer' });
}

/** Writes reference results of an optimizer of a suite in place of those it has. */
export async function replaceReferences(
  database: Database,
  suite: string,
  optimizer: string,
  references: readonly NewReference[],
): Promise<void> {
  await database.kysely
    .deleteFrom('coco_reference_results')
    .where('suite', '=', suite)
    .where('optimizer_name', '=', optimizer)
    .execute();
  await insertAll(database, 'coco_reference_results', references);
}
