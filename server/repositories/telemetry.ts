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
 * The metrics of an iteration, and two parts of its diagnostics as texts of limited length. `model` starts with the key
 * `modelDiagnostics`, and `actions` with the key `adaptiveActions`. A part is null if the diagnostics do not contain
 * its key.
 */
export interface TelemetryHead {
  iteration: number;
  metricsJson: string | null;
  model: string | null;
  actions: string | null;
}

/** Numbers of rows per batch. */
const pointsPerBatch = 50_000;
const headsPerBatch = 250;
const diagnosticsPerBatch = 25;

const maximumModelLength = 16_384;
const maximumActionsLength = 100_000;

/**
 * Returns the iterations of a run in order. Omits iterations whose number is not a safe integer. Reads only the index
 * of the service, if this index exists. Reads in batches, because the rows of the driver need several times as much
 * memory as the returned points.
 */
export async function listPoints(
  database: Database,
  runId: string,
  rowsPerBatch = pointsPerBatch,
): Promise<IterationPoint[]> {
  const points: IterationPoint[] = [];
  let firstIteration: StoredInteger | undefined;
  let limit = rowsPerBatch;
  for (;;) {
    const rows = await selectPoints(database, runId, firstIteration).limit(limit).execute();
    const lastRow = rows.length < limit ? undefined : rows.at(-1);
    // Without its unique constraint, the table can have further rows of the last iteration. The next batch therefore
    // begins with this iteration.
    const end = lastRow
      ? rows.findIndex(({ iteration }) => iteration === lastRow.iteration)
      : rows.length;
    for (const { iteration, evaluations, best, mean } of rows.slice(0, end)) {
      if (!Number.isSafeInteger(Number(iteration))) continue;
      points.push({
        iteration: Number(iteration),
        evaluations: evaluations === null ? null : Number(evaluations),
        best,
        mean,
      });
    }
    if (!lastRow) return points;
    firstIteration = lastRow.iteration ?? undefined;
    limit = end === 0 ? 2 * limit : rowsPerBatch;
  }
}

/**
 * Selects the iterations of a run from `firstIteration` on, or all if it is undefined, in order. Omits iterations whose
 * number is not an integer.
 */
function selectPoints(
  { kysely, dialect }: Database,
  runId: string,
  firstIteration: StoredInteger | undefined,
) {
  const iteration = dialect.selectInteger(sql.ref<StoredInteger | null>('i.iteration'));
  const query = kysely
    .selectFrom('iterations as i')
    .select([
      iteration.as('iteration'),
      dialect.selectInteger(sql.ref<StoredInteger | null>('i.evaluations')).as('evaluations'),
      dialect.selectFiniteNumber(sql.ref('i.best_fitness')).as('best'),
      dialect.selectFiniteNumber(sql.ref('i.mean_fitness')).as('mean'),
    ])
    .where('i.run_id', '=', runId)
    .where(iteration, 'is not', null)
    .orderBy('i.iteration');
  return firstIteration === undefined
    ? query
    : query.where('i.iteration', '>=', castInt8(firstIteration));
}

/**
 * Returns the stored times of these iterations of a run, in order if `iterations` ascends. Omits missing iterations.
 * The column of the times follows the JSON in each row, so reading it is expensive.
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

/** Returns the size in bytes of the diagnostics of a run's highest iteration; 0 without iterations or diagnostics. */
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
 * Returns the {@link TelemetryHead} of each of these iterations, in order if `iterations` ascends. Omits missing
 * iterations.
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
 * Returns the results of `parse` for the diagnostics of these iterations, in order if `iterations` ascends. Omits
 * missing iterations. Reads a few iterations at a time, to limit memory.
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
