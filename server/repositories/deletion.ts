import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { byteLength } from '#server/db/expressions.ts';
import type { Tables } from '#server/db/schema.ts';
import type { DeletionAnswer } from '#shared/schemas/experiment.ts';
import { countOf } from './list.ts';

/** Rows of experiments in each table that its deletion empties. */
export type ExperimentRows = Omit<
  DeletionAnswer,
  'experimentId' | 'deleted' | 'artifactDirectoriesDeleted'
>;

type Part = [counter: keyof ExperimentRows, table: keyof Tables, condition: RawBuilder<SqlBool>];

/** The rows of each table that belong to experiments, children first. */
function partsOf(experimentIds: readonly string[]): Part[] {
  const ofExperiments = isAmong('experiment_id', experimentIds);
  const runIds = sql`(select run_id from runs where ${ofExperiments})`;
  const ofRuns = sql<SqlBool>`run_id in ${runIds}`;
  const concerning = sql<SqlBool>`((scope = 'experiment' and ${isAmong('target_id', experimentIds)})
    or (scope = 'run' and target_id in ${runIds}))`;
  return [
    ['runObjectivesDeleted', 'run_objectives', ofRuns],
    ['iterationsDeleted', 'iterations', ofRuns],
    ['checkpointsDeleted', 'checkpoints', ofRuns],
    ['eventsDeleted', 'events', ofRuns],
    ['controlRequestsDeleted', 'control_requests', concerning],
    ['runsDeleted', 'runs', ofExperiments],
    ['paramsDeleted', 'experiment_params', ofExperiments],
  ];
}

function isAmong(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`;
}

/** Deletes experiments with all that belongs to them, and says how many rows went from each table. */
export async function deleteExperimentRows(
  transaction: Kysely<Tables>,
  experimentIds: readonly string[],
): Promise<ExperimentRows> {
  const counts = await eachPart(experimentIds, async (table, condition) => {
    const result = await transaction.deleteFrom(table).where(condition).executeTakeFirst();
    return Number(result.numDeletedRows);
  });
  await transaction.deleteFrom('experiments').where('experiment_id', 'in', experimentIds).execute();
  return counts;
}

/** Counts what {@link deleteExperimentRows} would delete. */
export async function countExperimentRows(
  database: Kysely<Tables>,
  experimentIds: readonly string[],
): Promise<ExperimentRows> {
  return eachPart(experimentIds, (table, condition) =>
    countOf(database.selectFrom(table).where(condition)),
  );
}

/** Bytes of JSON in so many rows of experiments, by the mean of the first 256 iterations and events each. */
export async function estimateJsonBytes(
  database: Kysely<Tables>,
  experimentIds: readonly string[],
  rows: ExperimentRows,
): Promise<number> {
  const runIds = sql`(select run_id from runs where ${isAmong('experiment_id', experimentIds)})`;
  const meanOf = async (table: string, size: RawBuilder<number>) => {
    const sample = sql<{
      mean: number | null;
    }>`select cast(avg(bytes) as double precision) as mean from (
      select ${size} as bytes from ${sql.ref(table)} where run_id in ${runIds} limit 256) as sample`;
    return (await sample.execute(database)).rows[0]?.mean ?? 0;
  };
  const sizeOf = (column: string) => sql<number>`coalesce(${byteLength(sql.ref(column))}, 0)`;
  const ofIteration = sql<number>`${sizeOf('metrics_json')} + ${sizeOf('diagnostics_json')}`;
  return (
    rows.iterationsDeleted * (await meanOf('iterations', ofIteration)) +
    rows.eventsDeleted * (await meanOf('events', sizeOf('payload_json')))
  );
}

async function eachPart(
  experimentIds: readonly string[],
  count: (table: keyof Tables, condition: RawBuilder<SqlBool>) => Promise<number>,
): Promise<ExperimentRows> {
  const counts: [keyof ExperimentRows, number][] = [];
  for (const [counter, table, condition] of partsOf(experimentIds)) {
    counts.push([counter, await count(table, condition)]);
  }
  return Object.fromEntries(counts) as ExperimentRows;
}
