import type { Database } from '#server/db/database.ts';
import type { TraceRequest } from '#server/db/dialect.ts';
import { endOf, inOrder, writeImprovements, type RunTrace } from '#server/domain/trace.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';

/** Where the trace of a run begins in a piece of memory that all threads see, counted in numbers. */
export interface PackedTrace {
  memory: SharedArrayBuffer;
  offset: number;
}

/** A run to read: all of it, or the iterations that follow those of an earlier trace. */
export interface TraceToRead extends TraceRequest {
  earlier?: PackedTrace | undefined;
}

const bytesPerNumber = Float64Array.BYTES_PER_ELEMENT;

/** Numbers before the points: how many improvements in each direction, `end` and `spent`. */
const headLength = 4;

/** Room for the numbers of the runs that are usually read together, before it is made larger. */
const usualLength = 65_536;

/** Reads the traces of runs, both directions of each, in their order, into one piece of memory. */
export async function readPackedTraces(
  database: Database,
  runs: readonly TraceToRead[],
): Promise<PackedTrace[]> {
  const offsets: number[] = [];
  let numbers = new Float64Array(usualLength);
  let length = 0;
  await database.dialect.readTraces(runs, (_runId, pairs) => {
    const earlier = runs[offsets.length]?.earlier;
    const points = (['min', 'max'] as const).map((direction) =>
      inOrder(earlier ? joined(unpackTrace(earlier, direction), pairs) : pairs),
    ) as [Float64Array, Float64Array];
    const most = length + headLength + points[0].length + points[1].length;
    if (numbers.length < most)
      numbers = new Float64Array(numbers.buffer.transfer(2 * most * bytesPerNumber));
    offsets.push(length);
    length = pack(points, earlier && unpackTrace(earlier, 'min'), numbers, length);
  });
  const memory = new SharedArrayBuffer(length * bytesPerNumber);
  new Float64Array(memory).set(numbers.subarray(0, length));
  return offsets.map((offset) => ({ memory, offset }));
}

/** Writes a trace by its points in the order of each direction; returns where it ends. */
function pack(
  [lowest, highest]: readonly [Float64Array, Float64Array],
  before: RunTrace | undefined,
  numbers: Float64Array,
  at: number,
): number {
  const first = at + headLength;
  const improvements = writeImprovements(lowest, 'min', numbers, first);
  const second = first + 2 * improvements;
  const others = writeImprovements(highest, 'max', numbers, second);
  numbers[at] = improvements;
  numbers[at + 1] = others;
  numbers[at + 2] = Math.max(before?.end ?? 0, endOf(lowest));
  numbers[at + 3] = Math.max(before?.spent ?? 0, lowest.at(-2) ?? 0);
  return second + 2 * others;
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
