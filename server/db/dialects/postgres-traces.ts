import { sql, type Kysely } from 'kysely';
import type { TraceVisitor } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** Few enough that a statement of runs with many iterations stays far from its time limit. */
const batchRuns = 100;

const bytesPerNumber = 8;

/**
 * Reads the traces of runs; see {@link DatabaseDialect.readTraces}. The server packs each of them into one
 * binary value, since a row per iteration would cost several times as much to send and to parse.
 */
export async function readPostgresTraces(
  kysely: Kysely<Tables>,
  runIds: readonly string[],
  visit: TraceVisitor,
): Promise<void> {
  for (let start = 0; start < runIds.length; start += batchRuns) {
    const batch = runIds.slice(start, start + batchRuns);
    const packed = await readPacked(kysely, batch);
    for (const runId of batch) visit(runId, unpack(packed.get(runId)));
  }
}

async function readPacked(
  kysely: Kysely<Tables>,
  runIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const largest = sql.lit(Number.MAX_VALUE);
  const { rows } = await sql<{ run_id: string; packed: Buffer }>`
    select run_id, string_agg(
      float8send(cast(evaluations as float8)) || float8send(cast(best_fitness as float8)),
      ''::bytea order by iteration) as packed
    from iterations
    where run_id = any(${[...runIds]}::text[]) and evaluations is not null
      and best_fitness between -${largest}::float8 and ${largest}::float8
    group by run_id`.execute(kysely);
  return new Map(rows.map(({ run_id, packed }) => [run_id, packed]));
}

function unpack(packed: Buffer | undefined): Float64Array {
  const numbers = new Float64Array((packed?.length ?? 0) / bytesPerNumber);
  if (!packed) return numbers;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  for (let index = 0; index < numbers.length; index++) {
    numbers[index] = view.getFloat64(index * bytesPerNumber);
  }
  return numbers;
}
