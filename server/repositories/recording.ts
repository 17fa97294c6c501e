import {
  sql,
  type Insertable,
  type OnConflictBuilder,
  type SqlBool,
  type Updateable,
} from 'kysely';
import type { Database } from '#server/db/database.ts';
import { selectTextPrefix } from '#server/db/queries.ts';
import type { Tables } from '#server/db/schema.ts';
import type { TableName } from '#server/db/tables.ts';

/** A row to add to `experiments`. */
export type NewExperiment = Insertable<Tables['experiments']>;
/** A row to add to `experiment_params`. */
export type NewParam = Insertable<Tables['experiment_params']>;
/** A row to add to `runs`. */
export type NewRun = Insertable<Tables['runs']>;
/** Columns of a run to update. */
export type RunChange = Omit<Updateable<Tables['runs']>, 'run_id'>;
/** A row to add to `iterations`. */
export type NewIteration = Insertable<Tables['iterations']>;
/** A row to add to `checkpoints`. */
export type NewCheckpoint = Insertable<Tables['checkpoints']>;
/** A row to add to `run_objectives`. */
export type NewObjective = Insertable<Tables['run_objectives']>;
/** A row to add to `coco_campaigns`. */
export type NewCampaign = Insertable<Tables['coco_campaigns']>;
/** A row to add to `coco_optimizer_configs`. */
export type NewOptimizer = Insertable<Tables['coco_optimizer_configs']>;
/** A row to add to `coco_trials`. */
export type NewTrial = Insertable<Tables['coco_trials']>;
/** A row to add to `coco_reference_results`. */
export type NewReference = Insertable<Tables['coco_reference_results']>;

/**
 * Handling of rows with the same values in the columns `conflictColumns`. The table retains the values of the older or
 * of the newer row.
 */
interface Conflict {
  conflictColumns: readonly string[];
  retainedRows: 'older' | 'newer';
}

/**
 * Conflict handling by table. {@link writeRows} only adds rows to the other tables, and fails if a row violates a key.
 */
const conflicts: Partial<Record<TableName, Conflict>> = {
  runs: { conflictColumns: ['run_id'], retainedRows: 'older' },
  iterations: { conflictColumns: ['run_id', 'iteration'], retainedRows: 'newer' },
  run_objectives: { conflictColumns: ['run_id', 'objective_name'], retainedRows: 'newer' },
  coco_optimizer_configs: {
    conflictColumns: ['campaign_id', 'optimizer_id'],
    retainedRows: 'older',
  },
  coco_trials: {
    conflictColumns: [
      'campaign_id',
      'optimizer_id',
      'function_id',
      'instance_id',
      'dimension',
      'repetition',
    ],
    retainedRows: 'newer',
  },
};

/**
 * Writes rows that all have the same columns, as many per statement as possible, and handles {@link conflicts}. On
 * PostgreSQL, rows of one statement must not conflict with each other in a table that retains newer rows. Writes
 * nothing without rows.
 */
export async function writeRows<Name extends TableName>(
  { kysely, dialect }: Database,
  table: Name,
  rows: readonly Insertable<Tables[Name]>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const conflict = conflicts[table];
  const size = Math.floor(dialect.maximumParameters / columns.length);
  for (let start = 0; start < rows.length; start += size) {
    const query = kysely.insertInto(table).values(rows.slice(start, start + size));
    await (conflict ? query.onConflict(makeConflictHandler(conflict, columns)) : query).execute();
  }
}

function makeConflictHandler<Name extends TableName>(
  { conflictColumns, retainedRows }: Conflict,
  columns: readonly string[],
) {
  const newerValues = columns
    .filter((column) => !conflictColumns.includes(column))
    .map((column) => [column, sql.ref(`excluded.${column}`)]);
  return (builder: OnConflictBuilder<Tables, Name>) => {
    const conflict = builder.columns(conflictColumns as never);
    return retainedRows === 'older'
      ? conflict.doNothing()
      : conflict.doUpdateSet(Object.fromEntries(newerValues) as never);
  };
}

/** Adds an experiment, or overwrites the one with the same `config_hash`, except its id and creation time. */
export async function writeExperiment(
  { kysely }: Database,
  experiment: NewExperiment,
): Promise<void> {
  const { experiment_id: _id, config_hash: _hash, created_at: _createdAt, ...columns } = experiment;
  await kysely
    .insertInto('experiments')
    .values(experiment)
    .onConflict((conflict) => conflict.column('config_hash').doUpdateSet(columns))
    .execute();
}

/** Replaces the parameters of an experiment. */
export async function replaceParams(
  database: Database,
  experimentId: string,
  params: readonly NewParam[],
): Promise<void> {
  await database.kysely
    .deleteFrom('experiment_params')
    .where('experiment_id', '=', experimentId)
    .execute();
  await writeRows(database, 'experiment_params', params);
}

/** Adds a campaign, or overwrites the one with the same id, except the times of its creation and start. */
export async function writeCampaign({ kysely }: Database, campaign: NewCampaign): Promise<void> {
  const { campaign_id: _id, created_at: _createdAt, started_at: _startedAt, ...columns } = campaign;
  await kysely
    .insertInto('coco_campaigns')
    .values(campaign)
    .onConflict((conflict) => conflict.column('campaign_id').doUpdateSet(columns))
    .execute();
}

/** Updates a run; with `requiredStatus`, only if the run has this status. */
export async function updateRun(
  { kysely }: Database,
  runId: string,
  change: RunChange,
  requiredStatus?: string,
): Promise<void> {
  await kysely
    .updateTable('runs')
    .set(change)
    .where('run_id', '=', runId)
    .$if(requiredStatus !== undefined, (query) => query.where('status', '=', requiredStatus ?? ''))
    .execute();
}

/** Replaces the payload of an event. */
export async function updateEventPayload(
  { kysely }: Database,
  eventId: number,
  payload: string,
): Promise<void> {
  await kysely
    .updateTable('events')
    .set({ payload_json: payload })
    .where('id', '=', eventId)
    .execute();
}

/** Deletes the iterations of a run with this number or a higher one. */
export async function deleteIterationsFrom(
  { kysely }: Database,
  runId: string,
  iteration: number,
): Promise<void> {
  await kysely
    .deleteFrom('iterations')
    .where('run_id', '=', runId)
    .where('iteration', '>=', iteration)
    .execute();
}

/** Sets the target of the trials of these runs in a campaign, and marks this target as not reached. */
export async function setUnreachedTarget(
  { kysely, dialect }: Database,
  campaignId: string,
  runIds: readonly string[],
  target: number,
): Promise<void> {
  await kysely
    .updateTable('coco_trials')
    .set({ target_value: target, reached_target: 0, evals_to_target: null })
    .where('campaign_id', '=', campaignId)
    .where(dialect.isAmong(sql.ref<string>('run_id'), runIds))
    .execute();
}

/** Condition that an import wrote a reference result; its `source_url` shows this. */
const isImportedReference = sql<SqlBool>`source_url like 'import:%'`;

/** Returns the names of the optimizers of a suite with reference results that no import wrote, in any order. */
export async function listOptimizersWithOtherReferences(
  { kysely }: Pick<Database, 'kysely'>,
  suite: string,
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('coco_reference_results')
    .select('optimizer_name')
    .distinct()
    .where('suite', '=', suite)
    .where((eb) => eb.or([eb('source_url', 'is', null), eb.not(isImportedReference)]))
    .execute();
  return rows.map((row) => row.optimizer_name);
}

/** The imported reference results of an optimizer of a suite. */
export interface OptimizerReferences {
  suite: string;
  optimizer: string;
  /** Dimensions by function whose results {@link replaceReferences} replaces; null for all. */
  dimensions: ReadonlyMap<number, readonly number[]> | null;
  /** The new results. A target that no run reached has no result. */
  rows: readonly NewReference[];
}

/**
 * Replaces the imported reference results of an optimizer for these functions and dimensions; for all if `dimensions`
 * is null.
 */
export async function replaceReferences(
  database: Database,
  { suite, optimizer, dimensions, rows }: OptimizerReferences,
): Promise<void> {
  const deletion = database.kysely
    .deleteFrom('coco_reference_results')
    .where('suite', '=', suite)
    .where('optimizer_name', '=', optimizer)
    .where(isImportedReference);
  if (dimensions === null) await deletion.execute();
  for (const [functionId, functionDimensions] of dimensions ?? []) {
    await deletion
      .where('function_id', '=', functionId)
      .where('dimension', 'in', functionDimensions)
      .execute();
  }
  await writeRows(database, 'coco_reference_results', rows);
}

/** Returns the run ids that start with this prefix, in any order. */
export async function listRunIdsWithPrefix(
  { kysely }: Database,
  prefix: string,
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('runs')
    .select('run_id')
    .where(selectTextPrefix(sql.ref<string>('run_id'), Array.from(prefix).length), '=', prefix)
    .execute();
  return rows.map(({ run_id }) => run_id);
}
