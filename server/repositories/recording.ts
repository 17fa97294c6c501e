import { sql, type Insertable, type OnConflictBuilder, type Updateable } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { Tables } from '#server/db/schema.ts';
import type { TableName } from '#server/db/tables.ts';

export type NewExperiment = Insertable<Tables['experiments']>;
export type NewParam = Insertable<Tables['experiment_params']>;
export type NewRun = Insertable<Tables['runs']>;
export type RunChange = Omit<Updateable<Tables['runs']>, 'run_id'>;
export type NewIteration = Insertable<Tables['iterations']>;
export type NewEvent = Insertable<Tables['events']>;
export type NewCheckpoint = Insertable<Tables['checkpoints']>;
export type NewObjective = Insertable<Tables['run_objectives']>;

/** What becomes of a row that has the values of another in these columns: the older one stays, or goes. */
interface Conflict {
  on: readonly string[];
  keeps: 'older' | 'newer';
}

/** Inserts rows, all with the same columns, as many in a statement as it can take. */
export async function insertAll<Name extends TableName>(
  { kysely, dialect }: Database,
  table: Name,
  rows: readonly Insertable<Tables[Name]>[],
  conflict?: Conflict,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const size = Math.floor(dialect.maximumParameters / columns.length);
  for (let start = 0; start < rows.length; start += size) {
    const query = kysely.insertInto(table).values(rows.slice(start, start + size));
    await (conflict ? query.onConflict(resolving(conflict, columns)) : query).execute();
  }
}

function resolving<Name extends TableName>({ on, keeps }: Conflict, columns: readonly string[]) {
  const newer = columns
    .filter((column) => !on.includes(column))
    .map((column) => [column, sql.ref(`excluded.${column}`)]);
  return (builder: OnConflictBuilder<Tables, Name>) => {
    const conflict = builder.columns(on as never);
    return keeps === 'older'
      ? conflict.doNothing()
      : conflict.doUpdateSet(Object.fromEntries(newer) as never);
  };
}

/** Writes an experiment, over one with the same `config_hash` but for its first time. */
export async function writeExperiment(
  { kysely }: Database,
  experiment: NewExperiment,
): Promise<void> {
  const { experiment_id: _id, config_hash: _hash, created_at: _first, ...columns } = experiment;
  await kysely
    .insertInto('experiments')
    .values(experiment)
    .onConflict((conflict) => conflict.column('config_hash').doUpdateSet(columns))
    .execute();
}

/** Writes the parameters of an experiment in place of those it has. */
export async function replaceParams(
  database: Database,
  experimentId: string,
  params: readonly NewParam[],
): Promise<void> {
  await database.kysely
    .deleteFrom('experiment_params')
    .where('experiment_id', '=', experimentId)
    .execute();
  await insertAll(database, 'experiment_params', params);
}

/** Writes runs; one that is there stays as it is. */
export async function insertRuns(database: Database, runs: readonly NewRun[]): Promise<void> {
  await insertAll(database, 'runs', runs, { on: ['run_id'], keeps: 'older' });
}

/** Changes a run; where `onlyIn` names a status, only while it has that one. */
export async function updateRun(
  { kysely }: Database,
  runId: string,
  change: RunChange,
  onlyIn?: string,
): Promise<void> {
  await kysely
    .updateTable('runs')
    .set(change)
    .where('run_id', '=', runId)
    .$if(onlyIn !== undefined, (query) => query.where('status', '=', onlyIn ?? ''))
    .execute();
}

/** Writes iterations, each over the one of the same run and number. */
export async function writeIterations(
  database: Database,
  iterations: readonly NewIteration[],
): Promise<void> {
  await insertAll(database, 'iterations', iterations, {
    on: ['run_id', 'iteration'],
    keeps: 'newer',
  });
}

/** Appends events. */
export async function insertEvents(database: Database, events: readonly NewEvent[]): Promise<void> {
  await insertAll(database, 'events', events);
}

/** Appends checkpoints. */
export async function insertCheckpoints(
  database: Database,
  checkpoints: readonly NewCheckpoint[],
): Promise<void> {
  await insertAll(database, 'checkpoints', checkpoints);
}

/** Writes objective values, each over the one of the same run and name. */
export async function writeObjectives(
  database: Database,
  objectives: readonly NewObjective[],
): Promise<void> {
  const on = ['run_id', 'objective_name'];
  await insertAll(database, 'run_objectives', objectives, { on, keeps: 'newer' });
}

/** Ids of the runs whose id begins so, in no order; `_` and `%` in it stand for any character and text. */
export async function listRunIds({ kysely }: Database, beginning: string): Promise<string[]> {
  const rows = await kysely
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', 'like', `${beginning}%`)
    .execute();
  return rows.map(({ run_id }) => run_id);
}
