import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { castInt8 } from '#server/db/queries.ts';
import { isImported } from '#server/domain/completeness.ts';
import { hasStatus } from './filters.ts';
import { listValueConditions } from './list.ts';
import {
  selectCount,
  selectDouble,
  selectFlag,
  selectNumber,
  makeRow,
  selectExactInteger,
  selectSmallInteger,
  selectText,
} from './row.ts';

/**
 * Condition that a trial `t` reached its target; false for NULL and for text. SQLite also stores text, and sorts it
 * after all numbers.
 */
export const hasReached = sql<SqlBool>`coalesce(t.reached_target <> 0 and t.reached_target <= ${sql.lit(Number.MAX_SAFE_INTEGER)}, false)`;

/** Highest repetition of trials `t`, an aggregate that ignores text and fractions, which SQLite also stores. */
export const highestRepetition = sql`max(case when t.repetition = cast(t.repetition as integer) then t.repetition end)`;

/** Optimizers, functions and dimensions of trials; an empty list does not restrict them. */
export interface TrialScope {
  optimizer: readonly string[];
  functionId: readonly number[];
  dimension: readonly number[];
}

/** Functions and dimensions of trials; an empty list does not restrict them. */
export type ProblemScope = Pick<TrialScope, 'functionId' | 'dimension'>;

/** Returns the conditions of a scope on trials `t`. */
export function listTrialConditions(
  dialect: DatabaseDialect,
  { optimizer, functionId, dimension }: TrialScope,
): RawBuilder<SqlBool>[] {
  return [
    ...listValueConditions(dialect, 't.optimizer_id', optimizer),
    ...listNumberConditions('t.function_id', functionId),
    ...listNumberConditions('t.dimension', dimension),
  ];
}

/**
 * Returns conditions on trials `t` that omit only trials outside of the functions and dimensions of a scope. Stored
 * values other than integers within ±(2^53 − 1) count as 0, so a list with 0 does not restrict its column.
 */
export function listProblemConditions({
  functionId,
  dimension,
}: ProblemScope): RawBuilder<SqlBool>[] {
  return [
    ...(functionId.includes(0) ? [] : listNumberConditions('t.function_id', functionId)),
    ...(dimension.includes(0) ? [] : listNumberConditions('t.dimension', dimension)),
  ];
}

function listNumberConditions(column: string, values: readonly number[]): RawBuilder<SqlBool>[] {
  if (values.length === 0) return [];
  return [sql<SqlBool>`${sql.ref(column)} in (${sql.join(values.map(castInt8))})`];
}

const makeCellFields = (dialect: DatabaseDialect) => ({
  campaignId: selectText('t.campaign_id'),
  optimizerId: selectText('t.optimizer_id'),
  dimension: selectSmallInteger('t.dimension'),
  functionId: selectSmallInteger('t.function_id'),
  present: selectCount(sql`count(*)`),
  failed: selectCount(sql`sum(case when ${hasStatus(dialect, 'FAILED', 't')} then 1 end)`),
  reachedTargets: selectCount(sql`sum(case when ${hasReached} then 1 end)`),
  repetitions: selectSmallInteger(highestRepetition),
});

// Imports store 0 for an unknown instance.
const instanceCount = sql`count(distinct nullif(t.instance_id, 0))`;

const makeCell = (dialect: DatabaseDialect, isAnyImported: boolean) =>
  makeRow({
    ...makeCellFields(dialect),
    instances: selectCount(isAnyImported ? instanceCount : sql`0`),
  });

/**
 * Counts of the trials of an optimizer on a function in a dimension. `repetitions` is the highest integer repetition; 0
 * if there is none. `instances` is the number of known instances. It is 0 if no requested campaign comes from an
 * import, because only imported campaigns derive their plan from their trials.
 */
export type TrialCount = ReturnType<ReturnType<typeof makeCell>['read']>;

/** Counts the trials of these campaigns by campaign, optimizer, dimension and function, in this order. */
export async function countTrialsPerFunction(
  { kysely, dialect }: Database,
  campaignIds: readonly string[],
): Promise<TrialCount[]> {
  if (campaignIds.length === 0) return [];
  const isAnyImported = campaignIds.some((campaignId) => isImported({ campaignId }));
  const { columns, read } = makeCell(dialect, isAnyImported);
  const rows = await kysely
    .selectFrom('coco_trials as t')
    .select(columns)
    .where('t.campaign_id', 'in', campaignIds)
    .groupBy(['t.campaign_id', 't.optimizer_id', 't.dimension', 't.function_id'])
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('t.campaign_id')))
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('t.optimizer_id')))
    .orderBy('t.dimension')
    .orderBy('t.function_id')
    .execute();
  return rows.map(read);
}

const outcome = makeRow({
  runId: selectText('t.run_id'),
  optimizerId: selectText('t.optimizer_id'),
  functionId: selectSmallInteger('t.function_id'),
  dimension: selectSmallInteger('t.dimension'),
  instanceId: selectSmallInteger('t.instance_id'),
  targetValue: selectNumber('t.target_value'),
  status: selectText('t.status'),
  reachedTarget: selectFlag(sql`case when ${hasReached} then 1 else 0 end`),
  budgetEvaluations: selectDouble('t.budget_evals'),
  evaluations: selectDouble('t.evaluations'),
  evaluationsToTarget: selectDouble('t.evals_to_target'),
});

const combination = makeRow({
  optimizerId: selectText('t.optimizer_id'),
  functionId: selectSmallInteger('t.function_id'),
  dimension: selectSmallInteger('t.dimension'),
});

/**
 * Returns each combination of optimizer, function and dimension of the trials of a campaign once, in the order of the
 * optimizers.
 */
export async function listCombinations({ kysely, dialect }: Database, campaignId: string) {
  const rows = await kysely
    .selectFrom('coco_trials as t')
    .select(combination.columns)
    .where('t.campaign_id', '=', campaignId)
    .groupBy(['t.optimizer_id', 't.dimension', 't.function_id'])
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('t.optimizer_id')))
    .execute();
  return rows.map(combination.read);
}

/**
 * Returns the results of the trials of a campaign on these functions and dimensions, in the order of optimizer,
 * dimension, function, instance and repetition. May include trials on other functions and dimensions; see {@link
 * listProblemConditions}. A missing target is NaN, and a missing budget is 0. 64-bit integers become the nearest
 * doubles. The status is in upper case. `grantedEvaluations` is the stored budget; null if the budget is missing or not
 * positive, and for an imported campaign. `isRepeated` is true if an earlier trial of the optimizer on the problem
 * instance has the same run. This happens in tables without keys if another program has copied rows. `isRepeated` is
 * false without a run.
 */
export async function listOutcomes(
  { kysely, dialect }: Database,
  campaignId: string,
  filter: ProblemScope,
) {
  // An import always stores the used evaluations as the budget, so it is not a granted one.
  const isBudgetStored = !isImported({ campaignId });
  const getGrantedEvaluations = (budget: number | null) =>
    isBudgetStored && budget && budget > 0 ? budget : null;
  const rows = await kysely
    .selectFrom('coco_trials as t')
    .select(outcome.columns)
    .where('t.campaign_id', '=', campaignId)
    .where((eb) => eb.and(listProblemConditions(filter)))
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('t.optimizer_id')))
    .orderBy('t.dimension')
    .orderBy('t.function_id')
    .orderBy('t.instance_id')
    .orderBy('t.repetition')
    .execute();
  const share = createSharedTexts();
  const isRepeated = createRepeatedRunCheck();
  return rows.map(outcome.read).map((row) => ({
    ...row,
    optimizerId: share(row.optimizerId),
    targetValue: row.targetValue ?? NaN,
    status: share(row.status.toUpperCase()),
    budgetEvaluations: row.budgetEvaluations ?? 0,
    grantedEvaluations: getGrantedEvaluations(row.budgetEvaluations),
    isRepeated: isRepeated(row),
  }));
}

/**
 * Returns a function that returns whether an earlier trial of the same optimizer, function, dimension and instance has
 * the run of a trial. Requires the trials in the order of {@link listOutcomes}.
 */
function createRepeatedRunCheck(): (trial: ReturnType<typeof outcome.read>) => boolean {
  let currentCell = '';
  const runIds = new Set<string>();
  return ({ runId, optimizerId, functionId, dimension, instanceId }) => {
    const cell = `${functionId} ${dimension} ${instanceId} ${optimizerId}`;
    if (cell !== currentCell) runIds.clear();
    currentCell = cell;
    const isRepeated = runIds.has(runId);
    if (runId !== '') runIds.add(runId);
    return isRepeated;
  };
}

/** Returns a function that returns one string for equal texts, to store each text once and to compare quickly. */
function createSharedTexts(): (value: string) => string {
  const texts = new Map<string, string>();
  return (value) => {
    const sharedText = texts.get(value) ?? value;
    texts.set(sharedText, sharedText);
    return sharedText;
  };
}

const trialPosition = makeRow({
  campaignId: selectText('t.campaign_id'),
  name: selectText('m.name'),
  optimizerId: selectText('t.optimizer_id'),
  functionId: selectExactInteger('t.function_id'),
  dimension: selectExactInteger('t.dimension'),
  instanceId: selectExactInteger('t.instance_id'),
});

/**
 * Returns the position of the trial of a run, the one with the lowest id if there are several; null for a run without
 * trials. `name` is the name of the campaign, empty if the campaign is missing.
 */
export async function findTrialPosition({ kysely }: Database, runId: string) {
  const row = await kysely
    .selectFrom('coco_trials as t')
    .leftJoin('coco_campaigns as m', 'm.campaign_id', 't.campaign_id')
    .select(trialPosition.columns)
    .where('t.run_id', '=', runId)
    .orderBy('t.id')
    .limit(1)
    .executeTakeFirst();
  return row ? trialPosition.read(row) : null;
}

const reference = makeRow({
  optimizerName: selectText('f.optimizer_name'),
  functionId: selectSmallInteger('f.function_id'),
  dimension: selectSmallInteger('f.dimension'),
  targetValue: selectNumber('f.target_value'),
  ert: selectNumber('f.ert'),
  successRate: selectNumber('f.success_rate'),
});

/** Returns all reference results of a suite, in the order of their ids. */
export async function listReferences({ kysely }: Database, suite: string) {
  const rows = await kysely
    .selectFrom('coco_reference_results as f')
    .select(reference.columns)
    .where('f.suite', '=', suite)
    .orderBy('f.id')
    .execute();
  return rows.map(reference.read);
}

const makeTrialOfRun = (dialect: DatabaseDialect) =>
  makeRow({
    runId: selectText('t.run_id'),
    suite: selectText('m.suite'),
    optimizerId: selectText('t.optimizer_id'),
    functionId: selectSmallInteger('t.function_id'),
    dimension: selectSmallInteger('t.dimension'),
    instanceId: selectSmallInteger('t.instance_id'),
    repetition: selectSmallInteger('t.repetition'),
    hasFailed: selectFlag(sql`case when ${hasStatus(dialect, 'FAILED', 't')} then 1 else 0 end`),
  });

/** A trial of a run: its suite, optimizer, problem instance and repetition, and whether it failed. */
export type TrialOfRun = ReturnType<ReturnType<typeof makeTrialOfRun>['read']>;

/**
 * Returns the trials of these runs with the suites of their campaigns, highest id first. If `campaignId` is defined,
 * returns only trials of this campaign. Omits trials whose campaign is missing, and runs without a trial.
 */
export async function listTrialsWithSuites(
  { kysely, dialect }: Database,
  runIds: readonly string[],
  campaignId?: string,
): Promise<TrialOfRun[]> {
  const { columns, read } = makeTrialOfRun(dialect);
  const rows = await kysely
    .selectFrom('coco_trials as t')
    .innerJoin('coco_campaigns as m', 'm.campaign_id', 't.campaign_id')
    .select(columns)
    .where(dialect.isAmong(sql.ref<string>('t.run_id'), runIds))
    .$if(campaignId !== undefined, (query) => query.where('t.campaign_id', '=', campaignId ?? ''))
    .orderBy('t.id', 'desc')
    .execute();
  return rows.map(read);
}
