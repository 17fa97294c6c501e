import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { suspiciousParts } from '#server/domain/secrets/secret-words.ts';
import type { CampaignsQuery, TrialsQuery } from '#shared/schemas/coco.ts';
import {
  containsAny,
  countRows,
  sortByIds,
  listValueConditions,
  sortRows,
  type ListId,
  type ListOptions,
} from './list.ts';
import { castInt8, orderNullsLast } from '#server/db/queries.ts';
import { orderByColumn } from './order.ts';
import {
  selectCount,
  selectFlag,
  selectExactInteger,
  selectNullableText,
  selectNumber,
  selectRequiredInteger,
  makeRow,
  readText,
  selectSmallInteger,
  selectText,
} from './row.ts';
import { hasReached, highestRepetition, listTrialConditions, type TrialScope } from './trials.ts';

const campaignFields = {
  campaignId: selectText('m.campaign_id'),
  name: selectText('m.name'),
  suite: selectText('m.suite'),
  status: selectText('m.status'),
  createdAt: selectText('m.created_at'),
  startedAt: selectNullableText('m.started_at'),
  finishedAt: selectNullableText('m.finished_at'),
  dimensionsJson: selectText('m.dimensions_json'),
  instancesJson: selectText('m.instances_json'),
  functionsJson: selectText('m.functions_json'),
};

const countFields = {
  trials: selectCount(selectCountOfCampaign('coco_trials', sql`count(*)`)),
  reachedTargets: selectCount(
    selectCountOfCampaign('coco_trials', sql`sum(case when ${hasReached} then 1 end)`),
  ),
  repetitions: selectCount(selectCountOfCampaign('coco_trials', highestRepetition)),
  optimizerCount: selectCount(selectCountOfCampaign('coco_optimizer_configs', sql`count(*)`)),
};

function selectCountOfCampaign(
  table: string,
  expression: RawBuilder<unknown>,
): RawBuilder<number | null> {
  return sql`(select ${expression} from ${sql.table(table)} t where t.campaign_id = m.campaign_id)`;
}

const listedCampaign = makeRow({ ...campaignFields, ...countFields });

const fullCampaign = makeRow({
  ...campaignFields,
  notes: selectNullableText('m.notes'),
});

const optimizer = makeRow({
  id: selectRequiredInteger('g.id'),
  campaignId: selectText('g.campaign_id'),
  optimizerId: selectText('g.optimizer_id'),
  configPath: selectText('g.config_path'),
  algorithmType: selectText('g.algorithm_type'),
  modelType: selectText('g.model_type'),
  representationType: selectText('g.representation_type'),
  configYaml: selectText('g.config_yaml'),
  createdAt: selectText('g.created_at'),
});

const trial = makeRow({
  id: selectRequiredInteger('t.id'),
  campaignId: selectText('t.campaign_id'),
  optimizerId: selectText('t.optimizer_id'),
  runId: selectText('t.run_id'),
  functionId: selectRequiredInteger('t.function_id'),
  instanceId: selectRequiredInteger('t.instance_id'),
  dimension: selectRequiredInteger('t.dimension'),
  repetition: selectRequiredInteger('t.repetition'),
  budgetEvaluations: selectExactInteger('t.budget_evals'),
  evaluations: selectExactInteger('t.evaluations'),
  bestFitness: selectNumber('t.best_fitness'),
  runtimeMillis: selectExactInteger('t.runtime_millis'),
  status: selectText('t.status'),
  reachedTarget: selectFlag(sql`case when ${hasReached} then 1 else 0 end`),
  evaluationsToTarget: selectExactInteger('t.evals_to_target'),
  targetValue: selectNumber('t.target_value'),
  createdAt: selectText('t.created_at'),
});

/** Returns the row definition of a stored aggregate. The name of the ERT column differs between databases. */
function makeAggregateRow(ertColumn: string) {
  return makeRow({
    id: selectRequiredInteger('a.id'),
    campaignId: selectText('a.campaign_id'),
    optimizerId: selectText('a.optimizer_id'),
    dimension: selectSmallInteger('a.dimension'),
    targetValue: selectNumber('a.target_value'),
    meanEvaluationsToTarget: selectNumber('a.mean_evals_to_target'),
    successRate: selectNumber('a.success_rate'),
    medianBestFitness: selectNumber('a.median_best_fitness'),
    comparedReferenceOptimizer: selectNullableText('a.compared_reference_optimizer'),
    referenceErt: selectNumber('a.reference_ert'),
    svcErt: selectNumber(sql.ref(`a.${ertColumn}`)),
    ertRatio: selectNumber('a.ert_ratio'),
    createdAt: selectText('a.created_at'),
  });
}

/** Filter of a list of campaigns; undefined and empty fields do not restrict it. */
export type CampaignsFilter = Pick<CampaignsQuery, 'q' | 'status' | 'suite'>;

/** Filter of the trials of a campaign; undefined and empty fields do not restrict it. */
export type CampaignTrialsFilter = TrialScope & Pick<TrialsQuery, 'reachedTarget'>;

type CampaignsOptions = Pick<CampaignsQuery, 'sortBy' | 'sortDir'> & ListOptions;
type TrialsOptions = Pick<TrialsQuery, 'sortBy' | 'sortDir'> & ListOptions;

/**
 * Returns the ids of the matching campaigns, or of one page of them. Sorts them by the chosen column, NULLs last, then
 * by campaign id.
 */
export async function listCampaignIds(
  database: Database,
  filter: CampaignsFilter,
  options: CampaignsOptions,
): Promise<ListId[]> {
  const rows = await sortRows(
    selectMatchingCampaigns(database, filter).select('m.campaign_id as id'),
    [orderByColumn(database, 'm', options.sortBy)],
    database.dialect.orderByCodePoint(sql.ref<string>('m.campaign_id')),
    options,
  ).execute();
  return rows.map(({ id }) => id);
}

/** Returns the campaigns with these ids in this order, without deleted ones. */
export async function listCampaigns({ kysely, dialect }: Database, campaignIds: readonly ListId[]) {
  if (campaignIds.length === 0) return [];
  const rows = await kysely
    .selectFrom('coco_campaigns as m')
    .select(listedCampaign.columns)
    .where(dialect.isAmong(sql.ref<string>('m.campaign_id'), campaignIds))
    .execute();
  return sortByIds(campaignIds, rows.map(listedCampaign.read), ({ campaignId }) => campaignId);
}

/** Returns the number of matching campaigns. */
export async function countCampaigns(database: Database, filter: CampaignsFilter): Promise<number> {
  return countRows(selectMatchingCampaigns(database, filter));
}

function selectMatchingCampaigns({ kysely, dialect }: Database, filter: CampaignsFilter) {
  return kysely
    .selectFrom('coco_campaigns as m')
    .where('m.campaign_id', 'is not', null)
    .where((eb) =>
      eb.and([
        ...listValueConditions(dialect, 'm.status', filter.status),
        ...listValueConditions(dialect, 'm.suite', filter.suite),
        ...(filter.q === undefined ? [] : [matchCampaign(dialect, filter.q)]),
      ]),
    );
}

/**
 * Returns the condition that the id, the name or the notes of a campaign contain a substring, ignoring case. Omits
 * notes that may contain a secret, because a search could reveal the secret letter by letter.
 */
function matchCampaign(dialect: DatabaseDialect, substring: string): RawBuilder<SqlBool> {
  const contains = (column: string) =>
    dialect.containsText(sql.ref<string | null>(column), substring);
  const isSuspicious = containsAny(dialect, sql.ref<string | null>('m.notes'), suspiciousParts);
  return sql<SqlBool>`(${contains('m.campaign_id')} or ${contains('m.name')}
    or case when ${isSuspicious} then false else ${contains('m.notes')} end)`;
}

/**
 * Returns the campaign with this id; null if there is none. Omits the counts, because they take long for a large
 * campaign.
 */
export async function findCampaign({ kysely }: Database, campaignId: string) {
  const row = await kysely
    .selectFrom('coco_campaigns as m')
    .select(fullCampaign.columns)
    .where('m.campaign_id', '=', campaignId)
    .executeTakeFirst();
  return row ? fullCampaign.read(row) : null;
}

/** Returns the configuration of any experiment with a trial in a campaign, as JSON; null if there is none. */
export async function findAnyConfiguration(
  { kysely }: Database,
  campaignId: string,
): Promise<string | null> {
  const row = await kysely
    .selectFrom('coco_trials as t')
    .innerJoin('runs as r', 'r.run_id', 't.run_id')
    .innerJoin('experiments as e', 'e.experiment_id', 'r.experiment_id')
    .select('e.config_json')
    .where('t.campaign_id', '=', campaignId)
    .limit(1)
    .executeTakeFirst();
  return row ? readText(row.config_json) : null;
}

/** Returns the optimizers of a campaign in insertion order. */
export async function listOptimizers({ kysely }: Database, campaignId: string) {
  const rows = await kysely
    .selectFrom('coco_optimizer_configs as g')
    .select(optimizer.columns)
    .where('g.campaign_id', '=', campaignId)
    .orderBy('g.id')
    .execute();
  return rows.map(optimizer.read);
}

/**
 * Returns the ids of the optimizers that have trials in a campaign, in any order. Includes optimizers without a
 * configuration, which {@link listOptimizers} omits. The query needs one index lookup per optimizer.
 */
export async function listTrialOptimizers(
  { kysely }: Database,
  campaignId: string,
): Promise<string[]> {
  const selectFirst = (condition = sql`true`) => sql`
    select min(t.optimizer_id) from coco_trials as t where t.campaign_id = ${campaignId} and ${condition}`;
  const { rows } = await sql<{ id: string }>`
    with recursive o(id) as (
      ${selectFirst()}
      union all
      select (${selectFirst(sql`t.optimizer_id > o.id`)}) from o where o.id is not null
    )
    select o.id from o where o.id is not null`.execute(kysely);
  return rows.map(({ id }) => readText(id));
}

/** Returns the runner's aggregates of a campaign by optimizer, dimension, target (descending) and id, NULLs last. */
export async function listAggregates({ kysely, dialect, ertColumn }: Database, campaignId: string) {
  const { columns, read } = makeAggregateRow(ertColumn);
  const rows = await kysely
    .selectFrom('coco_aggregates as a')
    .select(columns)
    .where('a.campaign_id', '=', campaignId)
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('a.optimizer_id')), orderNullsLast('asc'))
    .orderBy('a.dimension', orderNullsLast('asc'))
    .orderBy(
      dialect.selectFiniteNumber(sql.ref<number | null>('a.target_value')),
      orderNullsLast('desc'),
    )
    .orderBy('a.id')
    .execute();
  return rows.map(read);
}

/**
 * Returns the ids of the matching trials, or of one page of them. Sorts them by the chosen column, NULLs last, then by
 * id.
 */
export async function listTrialIds(
  database: Database,
  campaignId: string,
  filter: CampaignTrialsFilter,
  options: TrialsOptions,
): Promise<ListId[]> {
  const { sortBy } = options;
  const rows = await sortRows(
    selectMatchingTrials(database, campaignId, filter).select('t.id'),
    sortBy === 'id' ? [] : [orderByColumn(database, 't', sortBy)],
    sql.ref('t.id'),
    options,
  ).execute();
  return rows.map(({ id }) => id);
}

/** Returns the trials with these ids in this order, without deleted ones. */
export async function listTrials({ kysely }: Database, ids: readonly ListId[]) {
  if (ids.length === 0) return [];
  const rows = await kysely
    .selectFrom('coco_trials as t')
    .select(trial.columns)
    .where('t.id', 'in', ids.map(castInt8))
    .execute();
  return sortByIds(ids, rows.map(trial.read), ({ id }) => id);
}

/** Returns the number of matching trials. */
export async function countTrials(
  database: Database,
  campaignId: string,
  filter: CampaignTrialsFilter,
): Promise<number> {
  return countRows(selectMatchingTrials(database, campaignId, filter));
}

function selectMatchingTrials(
  { kysely, dialect }: Database,
  campaignId: string,
  filter: CampaignTrialsFilter,
) {
  const { reachedTarget } = filter;
  return kysely
    .selectFrom('coco_trials as t')
    .where('t.campaign_id', '=', campaignId)
    .where((eb) =>
      eb.and([
        ...listTrialConditions(dialect, filter),
        ...(reachedTarget === undefined
          ? []
          : [sql<SqlBool>`${reachedTarget ? hasReached : sql`not ${hasReached}`}`]),
      ]),
    );
}
