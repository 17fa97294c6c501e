import type { Database } from '#server/db/database.ts';
import { traceOf, type RunTrace } from '#server/stats/trace.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';

/** Where the trace of a run begins in a piece of memory that all threads see, counted in numbers. */
export interface PackedTrace {
  memory: SharedArrayBuffer;
  offset: number;
}

/** A run to read: all of it, or the iterations that follow those of an earlier trace. */
export interface TraceToRead {
  runId: string;
  after?: number | undefined;
  until?: number | undefined;
  earlier?: PackedTrace | undefined;
}

const bytesPerNumber = Float64Array.BYTES_PER_ELEMENT;

/** Numbers before the points: how many improvements in each direction, `end` and `spent`. */
const headLength = 4;

/** Reads the traces of runs, both directions of each, in their order, into one piece of memory. */
export async function readPackedTraces(
  database: Database,
  runs: readonly TraceToRead[],
): Promise<PackedTrace[]> {
  const offsets: number[] = [];
  const parts: ArrayLike<number>[] = [];
  let length = 0;
  await database.dialect.readTraces(runs, (_runId, pairs) => {
    const packed = pack(runs[offsets.length]?.earlier, pairs);
    offsets.push(length);
    parts.push(...packed);
    for (const part of packed) length += part.length;
  });
  const memory = new SharedArrayBuffer(length * bytesPerNumber);
  const numbers = new Float64Array(memory);
  let end = 0;
  for (const part of parts) {
    numbers.set(part, end);
    end += part.length;
  }
  return offsets.map((offset) => ({ memory, offset }));
}

function pack(earlier: PackedTrace | undefined, pairs: Float64Array) {
  const [lowest, highest] = (['min', 'max'] as const).map((direction) =>
    traceOf(earlier ? joined(unpackTrace(earlier, direction), pairs) : pairs, direction),
  ) as [RunTrace, RunTrace];
  const before = earlier && unpackTrace(earlier, 'min');
  const end = Math.max(before?.end ?? 0, lowest.end);
  const spent = Math.max(before?.spent ?? 0, lowest.spent);
  const head = [lowest.best.length, highest.best.length, end, spent];
  return [head, lowest.evaluations, lowest.best, highest.evaluations, highest.best];
}

/** The improvements of a trace as [evaluations, fitness, …], followed by further iterations. */
function joined({ evaluations, best }: RunTrace, pairs: Float64Array): Float64Array {
  const all = new Float64Array(2 * best.length + pairs.length);
  for (const [index, value] of best.entries()) {
    all[2 * index] = evaluations[index] ?? 0;
    all[2 * index + 1] = value;
  }
  all.set(pairs, 2 * best.length);
  return all;
}

/** A trace in one direction; its points stay where they are. */
export function unpackTrace(
  { memory, offset }: PackedTrace,
  direction: ObjectiveDirection,
): RunTrace {
  const [lowest = 0, highest = 0, end = 0, spent = 0] = view(memory, offset, headLength);
  const count = direction === 'min' ? lowest : highest;
  const first = offset + headLength + (direction === 'min' ? 0 : 2 * lowest);
  return {
    direction,
    evaluations: view(memory, first, count),
    best: view(memory, first + count, count),
    end,
    spent,
  };
}

function view(memory: SharedArrayBuffer, offset: number, length: number): Float64Array {
  return new Float64Array(memory, offset * bytesPerNumber, length);
}
