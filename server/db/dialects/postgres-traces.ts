import { sql, type Kysely } from 'kysely';
import type { TraceRequest, TraceVisitor } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** Few enough that a statement for runs with many iterations stays far below its timeout. */
const batchRuns = 100;

const bytesPerNumber = 8;

/**
 * Reads the traces of runs; see {@link DatabaseDialect.readTraces}. The server packs each trace into one binary value:
 * a row per iteration would take several times as long to send and to parse.
 */
export async function readPostgresTraces(
  kysely: Kysely<Tables>,
  requests: readonly TraceRequest[],
  visit: TraceVisitor,
): Promise<void> {
  for (let start = 0; start < requests.length; start += batchRuns) {
    const batch = requests.slice(start, start + batchRuns);
    const packed = await readPacked(kysely, batch);
    for (const [place, { runId }] of batch.entries()) visit(runId, unpack(packed.get(place + 1)));
  }
}

/** Packed iterations by the position of their request, from 1; no entry for a run without iterations. */
async function readPacked(
  kysely: Kysely<Tables>,
  batch: readonly TraceRequest[],
): Promise<Map<number, Buffer>> {
  const ids = batch.map(({ runId }) => runId);
  const afters = batch.map(({ after = -Number.MAX_SAFE_INTEGER }) => after);
  const untils = batch.map(({ until = Number.MAX_SAFE_INTEGER }) => until);
  const { rows } = await sql<{ place: number; packed: Buffer }>`
    select asked.place, string_agg(
      float8send(cast(i.evaluations as float8)) || float8send(cast(i.best_fitness as float8)),
      ''::bytea order by i.iteration) as packed
    from unnest(${ids}::text[], ${afters}::int8[], ${untils}::int8[])
      with ordinality as asked (run_id, first, last, place)
    join iterations i on i.run_id = asked.run_id and i.iteration > first and i.iteration <= last
    where i.evaluations is not null
    group by asked.place`.execute(kysely);
  return new Map(rows.map(({ place, packed }) => [place, packed]));
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
