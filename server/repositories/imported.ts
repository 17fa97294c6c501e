import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { count, integerOf, nullableText, rowOf, text, textOf } from './row.ts';

/** A run that an import wrote before, as it is stored. */
export interface StoredRun {
  runId: string;
  experimentId: string;
  status: string;
  evaluations: StoredInteger | null;
}

/** The runs of the data set of this name, in no order. */
export async function listImportedRuns(database: Database, dataSet: string): Promise<StoredRun[]> {
  const rows = await database.kysely
    .selectFrom('runs')
    .select(['run_id', 'experiment_id', 'status', 'evaluations'])
    .where('experiment_id', 'in', importedExperiments(database, dataSet))
    .execute();
  return rows.map((row) => ({
    runId: row.run_id,
    experimentId: row.experiment_id,
    status: textOf(row.status),
    evaluations: integerOf(row.evaluations),
  }));
}

/** The ids of the experiments of the data set of this name, in no order. */
export async function listImportedExperiments(
  database: Database,
  dataSet: string,
): Promise<string[]> {
  const rows = await importedExperiments(database, dataSet).execute();
  return rows.map(({ experiment_id }) => experiment_id);
}

/** Those of them by id, none of whose runs is a trial of any campaign. */
export async function listImportedWithoutTrials(
  database: Pick<Database, 'kysely'>,
  dataSet: string,
): Promise<string[]> {
  const rows = await importedExperiments(database, dataSet)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('runs as r')
            .innerJoin('coco_trials as t', 't.run_id', 'r.run_id')
            .select('r.run_id')
            .whereRef('r.experiment_id', '=', 'experiment_params.experiment_id'),
        ),
      ),
    )
    .orderBy('experiment_id')
    .execute();
  return rows.map(({ experiment_id }) => experiment_id);
}

const dataSetRow = rowOf({
  name: text('p.value_text'),
  experimentCount: count(sql`count(distinct e.experiment_id)`),
  runCount: count(sql`count(r.run_id)`),
  importedAt: nullableText(sql`max(e.created_at)`),
});

/** Every data set that has experiments, by name: how many, with how many runs, and when the newest of them came. */
export async function listDataSets({ kysely }: Database) {
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .innerJoin('experiments as e', 'e.experiment_id', 'p.experiment_id')
    .leftJoin('runs as r', 'r.experiment_id', 'e.experiment_id')
    .select(dataSetRow.columns)
    .where('p.param_path', '=', 'import.dataset')
    .where('p.value_text', 'is not', null)
    .groupBy('p.value_text')
    .orderBy('p.value_text')
    .execute();
  return rows.map(dataSetRow.read);
}

/** The campaigns that imports have made, with the names of their data sets, by suite. */
export async function listCampaignsOfDataSets({ kysely }: Database) {
  const rows = await kysely
    .selectFrom('coco_campaigns')
    .select(['campaign_id', 'name', 'suite'])
    .where('campaign_id', 'like', 'imp-%')
    .orderBy('suite')
    .orderBy('campaign_id')
    .execute();
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    dataSet: textOf(row.name),
    suite: textOf(row.suite),
  }));
}

function importedExperiments({ kysely }: Pick<Database, 'kysely'>, dataSet: string) {
  return kysely
    .selectFrom('experiment_params')
    .select('experiment_id')
    .where('param_path', '=', 'import.dataset')
    .where('value_text', '=', dataSet);
}

/** The payloads of imports whose event holds this, newest first. */
export async function listImportEvents(
  { kysely, dialect }: Database,
  part: string,
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('events')
    .select('payload_json')
    .where('run_id', 'is', null)
    .where('event_type', '=', 'imported')
    .where((builder) => dialect.containsText(builder.ref('payload_json'), part))
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ payload_json }) => textOf(payload_json));
}

/** The ids of the campaigns of the data set of this name, in no order. */
export async function listImportedCampaigns(
  { kysely }: Pick<Database, 'kysely'>,
  dataSet: string,
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('coco_campaigns')
    .select('campaign_id')
    .where('name', '=', dataSet)
    .where('campaign_id', 'like', 'imp-%')
    .execute();
  return rows.map(({ campaign_id }) => campaign_id);
}
