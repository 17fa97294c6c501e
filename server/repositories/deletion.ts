import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { byteLength } from '#server/db/expressions.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';
import type { TableName } from '#server/db/tables.ts';
import type { CampaignDeletion } from '#shared/schemas/coco.ts';
import { countOf } from './list.ts';

/** The number of rows of each kind that a deletion removes. */
export type DeletedRows = Omit<
  CampaignDeletion,
  'campaignId' | 'deleted' | 'artifactDirectoriesDeleted'
>;

/** A database or transaction, and how it writes SQL. */
export interface DeletionAccess {
  kysely: Kysely<Tables>;
  dialect: Pick<DatabaseDialect, 'isAmong' | 'deletionLockSeconds'>;
}

/** Rows of one table that are deleted together. */
interface Part {
  counter: keyof DeletedRows;
  table: TableName;
  condition: RawBuilder<SqlBool>;
}

/** The condition that a column holds the id of something that is deleted. */
type IsDeleted = (column: string) => RawBuilder<SqlBool>;

/** The parts that belong to runs, without the runs themselves. */
function partsOfRuns(isRun: IsDeleted): Part[] {
  return [
    { counter: 'runObjectivesDeleted', table: 'run_objectives', condition: isRun('run_id') },
    { counter: 'iterationsDeleted', table: 'iterations', condition: isRun('run_id') },
    { counter: 'checkpointsDeleted', table: 'checkpoints', condition: isRun('run_id') },
    { counter: 'eventsDeleted', table: 'events', condition: isRun('run_id') },
    stopRequests('run', isRun),
  ];
}

/** The parts that belong to experiments and their runs, each table before those that it refers to. */
function partsOfExperiments(isExperiment: IsDeleted): Part[] {
  const ofExperiment = isExperiment('experiment_id');
  const isRun: IsDeleted = (column) =>
    sql`${sql.ref(column)} in (select run_id from runs where ${ofExperiment})`;
  return [
    ...partsOfRuns(isRun),
    stopRequests('experiment', isExperiment),
    { counter: 'runsDeleted', table: 'runs', condition: ofExperiment },
    { counter: 'paramsDeleted', table: 'experiment_params', condition: ofExperiment },
    { counter: 'experimentsDeleted', table: 'experiments', condition: ofExperiment },
  ];
}

/** The parts that belong to campaigns; the runs of their trials are not among them. */
function partsOfCampaigns(isCampaign: IsDeleted): Part[] {
  const condition = isCampaign('campaign_id');
  return [
    { counter: 'aggregatesDeleted', table: 'coco_aggregates', condition },
    { counter: 'trialsDeleted', table: 'coco_trials', condition },
    { counter: 'optimizersDeleted', table: 'coco_optimizer_configs', condition },
    { counter: 'campaignsDeleted', table: 'coco_campaigns', condition },
  ];
}

function stopRequests(scope: 'run' | 'experiment', isTarget: IsDeleted): Part {
  return {
    counter: 'controlRequestsDeleted',
    table: 'control_requests',
    condition: sql`scope = ${sql.lit(scope)} and ${isTarget('target_id')}`,
  };
}

function amongIds({ dialect }: DeletionAccess, ids: readonly string[]): IsDeleted {
  return (column) => dialect.isAmong(sql.ref<string>(column), ids);
}

/** What is deleted as a whole. */
export interface DeletedIds {
  campaignIds: readonly string[];
  experimentIds: readonly string[];
}

function partsOf(access: DeletionAccess, { campaignIds, experimentIds }: DeletedIds): Part[] {
  return [
    ...(campaignIds.length > 0 ? partsOfCampaigns(amongIds(access, campaignIds)) : []),
    ...(experimentIds.length > 0 ? partsOfExperiments(amongIds(access, experimentIds)) : []),
  ];
}

/** Deletes campaigns and experiments with all rows that belong to them, and returns how many rows that were. */
export async function deleteRows(access: DeletionAccess, ids: DeletedIds): Promise<DeletedRows> {
  return deleteParts(access, partsOf(access, ids));
}

/** Deletes runs with all rows that belong to them, their trials included; the experiments stay. */
export async function deleteRuns(
  access: DeletionAccess,
  runIds: readonly string[],
): Promise<DeletedRows> {
  const isRun = amongIds(access, runIds);
  return deleteParts(access, [
    ...partsOfRuns(isRun),
    { counter: 'trialsDeleted', table: 'coco_trials', condition: isRun('run_id') },
    { counter: 'runsDeleted', table: 'runs', condition: isRun('run_id') },
  ]);
}

async function deleteParts({ kysely }: DeletionAccess, parts: Part[]): Promise<DeletedRows> {
  const rows = { ...noRows };
  for (const { counter, table, condition } of parts) {
    const result = await kysely.deleteFrom(table).where(condition).executeTakeFirst();
    rows[counter] += Number(result.numDeletedRows);
  }
  return rows;
}

/**
 * The rows that {@link deleteRows} would delete, and for how many seconds it would keep others from writing. `runIds`
 * are those of the runs of the experiments.
 */
export async function estimateDeletion(
  access: DeletionAccess,
  ids: DeletedIds,
  runIds: readonly string[],
): Promise<{ rows: DeletedRows; lockSeconds: number }> {
  const rows = { ...noRows };
  const rowsOf = new Map<TableName, number>();
  for (const { counter, table, condition } of partsOf(access, ids)) {
    const count = await countOf(access.kysely.selectFrom(table).where(condition));
    rows[counter] += count;
    rowsOf.set(table, (rowsOf.get(table) ?? 0) + count);
  }
  const { deletionLockSeconds } = access.dialect;
  if (deletionLockSeconds(rowsOf, 0) === 0) return { rows, lockSeconds: 0 };
  const bytes = await estimateTextBytes(access.kysely, ids.experimentIds, runIds, rowsOf);
  return { rows, lockSeconds: deletionLockSeconds(rowsOf, bytes) };
}

/** The tables with long texts, and how the rows of one run or experiment are ordered by an index. */
const longTexts = [
  {
    table: 'iterations',
    owner: 'run_id',
    texts: ['metrics_json', 'diagnostics_json'],
    order: ['iteration'],
  },
  {
    table: 'events',
    owner: 'run_id',
    texts: ['payload_json'],
    order: ['event_type', 'created_at'],
  },
  { table: 'runs', owner: 'run_id', texts: ['best_summary', 'artifacts_json'], order: ['run_id'] },
  {
    table: 'experiments',
    owner: 'experiment_id',
    texts: ['config_yaml', 'config_json'],
    order: ['experiment_id'],
  },
  {
    table: 'experiment_params',
    owner: 'experiment_id',
    texts: ['value_text', 'value_json'],
    order: ['param_path'],
  },
] as const satisfies readonly {
  table: TableName;
  owner: string;
  texts: readonly string[];
  order: readonly string[];
}[];

/** The runs or experiments whose texts are measured, and the rows of each at either end. */
const measuredOwners = 32;
const measuredRows = 8;

/** Bytes of the long texts of so many rows, by the mean of the first and last rows of runs and experiments at even distances. */
async function estimateTextBytes(
  kysely: Kysely<Tables>,
  experimentIds: readonly string[],
  runIds: readonly string[],
  rowsOf: ReadonlyMap<TableName, number>,
): Promise<number> {
  const measured = { run_id: evenlyChosen(runIds), experiment_id: evenlyChosen(experimentIds) };
  let bytes = 0;
  for (const { table, owner, texts, order } of longTexts) {
    const count = rowsOf.get(table) ?? 0;
    if (count === 0 || measured[owner].length === 0) continue;
    const lengths = texts.map((text) => sql`coalesce(${byteLength(sql.ref(text))}, 0)`);
    const end = (id: string, direction: 'asc' | 'desc') => {
      const keys = order.map((key) => sql`${sql.ref(key)} ${sql.raw(direction)}`);
      return sql`select bytes from (select ${sql.join(lengths, sql` + `)} as bytes from ${sql.table(table)}
        where ${sql.ref(owner)} = ${id} order by ${sql.join(keys)} limit ${sql.lit(measuredRows)}) as rows_at_end`;
    };
    const ends = measured[owner].flatMap((id) => [end(id, 'asc'), end(id, 'desc')]);
    const { rows } = await sql<{ mean: number | null }>`
      select cast(avg(bytes) as double precision) as mean from (${sql.join(ends, sql` union all `)}) as measured`.execute(
      kysely,
    );
    bytes += count * (rows[0]?.mean ?? 0);
  }
  return bytes;
}

function evenlyChosen(ids: readonly string[]): string[] {
  const step = Math.max(1, ids.length / measuredOwners);
  const length = Math.min(ids.length, measuredOwners);
  return Array.from({ length }, (_, at) => ids[Math.floor(at * step)] ?? '');
}

const noRows: DeletedRows = {
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
