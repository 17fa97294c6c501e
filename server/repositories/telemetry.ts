import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { selectByteLength, castInt8, runInBatches } from '#server/db/queries.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { selectNewestIteration } from './iterations.ts';

/**
 * An iteration without its telemetry. `evaluations` is null if its column contains no integer; `best` and `mean` are
 * null if their columns contain no finite number.
 */
export interface IterationPoint {
  iteration: number;
  evaluations: number | null;
  best: number | null;
  mean: number | null;
}

/**
 * The metrics of an iteration, and two parts of its diagnostics: texts of limited length that start with their keys;
 * null without the key.
 */
export interface TelemetryHead {
  iteration: number;
  metricsJson: string | null;
  model: string | null;
  actions: string | null;
}

/** Numbers of rows per batch. */
const headsPerBatch = 250;
const diagnosticsPerBatch = 25;

const maximumModelLength = 16_384;
const maximumActionsLength = 100_000;

/**
 * Returns the iterations of a run in order, without those whose number is no safe integer. Reads only the index of the
 * service, if it exists.
 */
export async function listPoints(
  { kysely, dialect }: Database,
  runId: string,
): Promise<IterationPoint[]> {
  const iteration = dialect.selectInteger(sql.ref<StoredInteger | null>('i.iteration'));
  const rows = await kysely
    .selectFrom('iterations as i')
    .select([
      iteration.as('iteration'),
      dialect.selectInteger(sql.ref<StoredInteger | null>('i.evaluations')).as('evaluations'),
      dialect.selectFiniteNumber(sql.ref('i.best_fitness')).as('best'),
      dialect.selectFiniteNumber(sql.ref('i.mean_fitness')).as('mean'),
    ])
    .where('i.run_id', '=', runId)
    .where(iteration, 'is not', null)
    .orderBy('i.iteration')
    .execute();
  return rows
    .map((row) => ({
      ...row,
      iteration: Number(row.iteration),
      evaluations: row.evaluations === null ? null : Number(row.evaluations),
    }))
    .filter((point) => Number.isSafeInteger(point.iteration));
}

/**
 * Returns the stored times of these iterations of a run, without missing iterations; in order if `iterations` ascends.
 * The column follows the JSON in each row and is expensive to read.
 */
export async function listTimes(
  database: Database,
  runId: string,
  iterations: readonly number[],
): Promise<{ iteration: number; createdAt: string | null }[]> {
  return runInBatches(iterations, headsPerBatch, (batch) =>
    selectIterations(database, runId, batch).select('i.created_at as createdAt').execute(),
  );
}

/** Returns the size in bytes of the diagnostics of a run's highest iteration; 0 if there are none. */
export async function findNewestDiagnosticsBytes(
  { kysely }: Database,
  runId: string,
): Promise<number> {
  const row = await selectNewestIteration(kysely, runId)
    .select(selectByteLength(sql.ref<string | null>('i.diagnostics_json')).as('bytes'))
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/**
 * Returns the {@link TelemetryHead} of each of these iterations, without missing ones; in order if `iterations`
 * ascends.
 */
export async function listTelemetryHeads(
  database: Database,
  runId: string,
  iterations: readonly number[],
): Promise<TelemetryHead[]> {
  const { dialect } = database;
  const diagnostics = sql.ref<string | null>('i.diagnostics_json');
  const readHeads = async (batch: readonly number[]) =>
    selectIterations(database, runId, batch)
      .select([
        'i.metrics_json as metricsJson',
        dialect.selectTextFrom(diagnostics, '"modelDiagnostics"', maximumModelLength).as('model'),
        dialect
          .selectTextFrom(diagnostics, '"adaptiveActions"', maximumActionsLength)
          .as('actions'),
      ])
      .execute();
  return runInBatches(iterations, headsPerBatch, readHeads);
}

/**
 * Returns the results of `parse` for the diagnostics of these iterations, without missing ones; in order if
 * `iterations` ascends. Reads a few at a time, to limit memory.
 */
export async function readDiagnostics<Item>(
  database: Database,
  runId: string,
  iterations: readonly number[],
  parse: (iteration: number, diagnosticsJson: string | null) => Item,
): Promise<Item[]> {
  return runInBatches(iterations, diagnosticsPerBatch, async (batch) => {
    const rows = await selectIterations(database, runId, batch)
      .select('i.diagnostics_json')
      .execute();
    return rows.map((row) => parse(row.iteration, row.diagnostics_json));
  });
}

function selectIterations({ kysely }: Database, runId: string, iterations: readonly number[]) {
  return kysely
    .selectFrom('iterations as i')
    .select('i.iteration')
    .where('i.run_id', '=', runId)
    .where('i.iteration', 'in', iterations.map(castInt8))
    .orderBy('i.iteration')
    .orderBy('i.id');
}
