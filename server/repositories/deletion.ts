import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { selectByteLength } from '#server/db/queries.ts';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';
import type { TableName } from '#server/db/tables.ts';
import { deletionParts, type DeletionPart } from '#server/domain/deletion.ts';
import type { CampaignDeletion } from '#shared/schemas/coco.ts';
import { countRows } from './list.ts';
import { listExperimentsWithRuns, listPresentExperiments } from './locks.ts';

/** Numbers of rows that a deletion removes. */
export type DeletedRowCounts = Omit<
  CampaignDeletion,
  'campaignId' | 'deleted' | 'artifactDirectoriesDeleted' | 'annotationsDeleted'
>;

/** A database or transaction, with its dialect. */
export interface DeletionAccess {
  kysely: Kysely<Tables>;
  dialect: Pick<DatabaseDialect, 'isAmong' | 'estimateDeletionLockSeconds'>;
}

/**
 * Ids of campaigns, experiments and runs to delete. The deletion of an experiment includes its runs. The deletion of a
 * campaign includes its trials, but no runs.
 */
export interface DeletedIds {
  campaignIds: readonly string[];
  experimentIds: readonly string[];
  /**
   * Ids of runs of these experiments that runs of other experiments have too. For these ids, {@link deleteRows} deletes
   * only the rows of these experiments in `runs`.
   */
  sharedRunIds?: readonly string[];
  /** Ids of runs to delete with their trials, but without their experiments. */
  runIds?: readonly string[];
  /**
   * Ids of experiments to delete that must have no runs. The deletion fails with a reference error if one of them has a
   * run.
   */
  emptyExperimentIds?: readonly string[];
}

/** A part of a deletion: the rows of one table that meet the condition. */
interface Part extends Omit<DeletionPart, 'counter' | 'table'> {
  counter: keyof DeletedRowCounts;
  table: TableName;
  condition: RawBuilder<SqlBool>;
}

/** Function that returns the condition that a column contains an id to delete. */
type IsDeleted = (column: string) => RawBuilder<SqlBool>;

type CoveredPart = (typeof deletionParts)[keyof typeof deletionParts][number];

function addCondition(parts: readonly CoveredPart[], isDeleted: IsDeleted): Part[] {
  return parts.map((part: DeletionPart & Pick<CoveredPart, 'counter' | 'table'>) => ({
    ...part,
    condition: part.scope
      ? sql`scope = ${sql.lit(part.scope)} and ${isDeleted(part.owner)}`
      : isDeleted(part.owner),
  }));
}

function getParts(
  { dialect }: DeletionAccess,
  {
    campaignIds,
    experimentIds,
    sharedRunIds = [],
    runIds = [],
    emptyExperimentIds = [],
  }: DeletedIds,
): Part[] {
  const selectAmong =
    (ids: readonly string[]): IsDeleted =>
    (column) =>
      dialect.isAmong(sql.ref<string>(column), ids);
  const isInExperiment = selectAmong(experimentIds)('experiment_id');
  const isUnshared =
    sharedRunIds.length > 0 ? sql` and not ${selectAmong(sharedRunIds)('run_id')}` : sql``;
  const isRunOfExperiment: IsDeleted = (column) =>
    sql`${sql.ref(column)} in (select run_id from runs where ${isInExperiment}${isUnshared})`;
  const { campaign, experiment, run, runAlone } = deletionParts;
  return [
    ...(campaignIds.length > 0 ? addCondition(campaign, selectAmong(campaignIds)) : []),
    ...(experimentIds.length > 0
      ? [
          ...addCondition(run, isRunOfExperiment).map((part) =>
            part.table === 'runs' ? { ...part, condition: isInExperiment } : part,
          ),
          ...addCondition(experiment, selectAmong(experimentIds)),
        ]
      : []),
    ...(runIds.length > 0 ? addCondition([...runAlone, ...run], selectAmong(runIds)) : []),
    ...(emptyExperimentIds.length > 0
      ? addCondition(experiment, selectAmong(emptyExperimentIds))
      : []),
  ];
}

/**
 * Deletes the rows of campaigns, experiments and runs from the tables of {@link deletionParts}. Returns the numbers of
 * deleted rows.
 */
export async function deleteRows(
  { kysely, dialect }: DeletionAccess,
  ids: DeletedIds,
): Promise<DeletedRowCounts> {
  const counts = { ...zeroCounts };
  for (const { counter, table, condition } of getParts({ kysely, dialect }, ids)) {
    const result = await kysely.deleteFrom(table).where(condition).executeTakeFirst();
    counts[counter] += Number(result.numDeletedRows);
  }
  return counts;
}

/**
 * Deletes the experiments among these that have no runs, and returns the ids of the deleted experiments. Deletes no
 * run. Locks all these experiments first, so no other transaction adds a run between the check and the deletion.
 */
export async function deleteEmptyExperiments(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  experimentIds: readonly string[],
): Promise<string[]> {
  const lockedIds = await listPresentExperiments(kysely, dialect, experimentIds, {
    isLocked: true,
  });
  const usedIds = new Set(await listExperimentsWithRuns({ kysely, dialect }, lockedIds));
  const emptyExperimentIds = lockedIds.filter((id) => !usedIds.has(id));
  await deleteRows({ kysely, dialect }, { campaignIds: [], experimentIds: [], emptyExperimentIds });
  return emptyExperimentIds;
}

/**
 * Returns the numbers of rows that {@link deleteRows} would delete, and the estimated seconds for which the deletion
 * would block other writers; 0 seconds if it would block none. `runIdsOfExperiments` are the ids of the runs of the
 * experiments without the shared ids.
 */
export async function estimateDeletion(
  access: DeletionAccess,
  ids: DeletedIds,
  runIdsOfExperiments: readonly string[],
): Promise<{ rows: DeletedRowCounts; lockSeconds: number }> {
  const { kysely } = access;
  const { estimateDeletionLockSeconds: estimateLockSeconds } = access.dialect;
  const counts = { ...zeroCounts };
  const countsByTable = new Map<TableName, number>();
  const isLocking = estimateLockSeconds(new Map([['runs', 1]]), 0) > 0;
  const runIds = [...runIdsOfExperiments, ...(ids.runIds ?? [])];
  let bytes = 0;
  for (const part of getParts(access, ids)) {
    const count = await countRows(kysely.selectFrom(part.table).where(part.condition));
    counts[part.counter] += count;
    countsByTable.set(part.table, (countsByTable.get(part.table) ?? 0) + count);
    if (isLocking && count > 0) bytes += await measureTextBytes(kysely, part, count, ids, runIds);
  }
  return { rows: counts, lockSeconds: estimateLockSeconds(countsByTable, bytes) };
}

/** Maximum number of runs or experiments whose texts an estimate measures. */
const measuredOwnerCount = 32;

/** Maximum number of rows that an estimate measures at each end of a run or experiment. */
const measuredRowCount = 8;

/**
 * Returns the size in bytes of the long texts of a part with `count` rows. The size is exact if the part has no order.
 * Otherwise, the size is an estimate from the first and last rows of evenly chosen runs or experiments.
 */
async function measureTextBytes(
  kysely: Kysely<Tables>,
  { table, owner, condition, texts = [], order }: Part,
  count: number,
  { experimentIds }: DeletedIds,
  runIds: readonly string[],
): Promise<number> {
  if (texts.length === 0) return 0;
  const lengths = texts.map((text) => sql`coalesce(${selectByteLength(sql.ref(text))}, 0)`);
  const length = sql.join(lengths, sql` + `);
  if (order === undefined) {
    const sumQuery = sql<{ bytes: number | null }>`
      select cast(sum(${length}) as double precision) as bytes from ${sql.table(table)} where ${condition}`;
    return (await sumQuery.execute(kysely)).rows[0]?.bytes ?? 0;
  }
  const measuredIds = chooseEvenly(owner === 'run_id' ? runIds : experimentIds);
  if (measuredIds.length === 0) return 0;
  const selectEnd = (id: string, direction: 'asc' | 'desc') => {
    const keys = order.map((key) => sql`${sql.ref(key)} ${sql.raw(direction)}`);
    return sql`select bytes from (select ${length} as bytes from ${sql.table(table)}
        where ${sql.ref(owner)} = ${id} order by ${sql.join(keys)} limit ${sql.lit(measuredRowCount)}) as rows_at_end`;
  };
  const ends = measuredIds.flatMap((id) => [selectEnd(id, 'asc'), selectEnd(id, 'desc')]);
  const { rows } = await sql<{ mean: number | null }>`
      select cast(avg(bytes) as double precision) as mean from (${sql.join(ends, sql` union all `)}) as measured_rows`.execute(
    kysely,
  );
  return count * (rows[0]?.mean ?? 0);
}

function chooseEvenly(ids: readonly string[]): string[] {
  const step = Math.max(1, ids.length / measuredOwnerCount);
  const length = Math.min(ids.length, measuredOwnerCount);
  return Array.from({ length }, (_, index) => ids[Math.floor(index * step)] ?? '');
}

const zeroCounts: DeletedRowCounts = {
  campaignsDeleted: 0,
  trialsDeleted: 0,
  optimizersDeleted: 0,
  aggregatesDeleted: 0,
  experimentsDeleted: 0,
  runsDeleted: 0,
  runObjectivesDeleted: 0,
  iterationsDeleted: 0,
  checkpointsDeleted: 0,
  eventsDeleted: 0,
  controlRequestsDeleted: 0,
  paramsDeleted: 0,
};
