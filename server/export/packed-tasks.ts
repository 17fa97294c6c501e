/** Tasks as JSON in memory that all threads share, so a state that refers to them is small. */
export interface PackedTasks {
  memory: SharedArrayBuffer;
  /** The end of each task in `memory`, in bytes, as unsigned 32-bit integers. */
  ends: SharedArrayBuffer;
  count: number;
}

/** Packs tasks as JSON, in their order. NaN and infinite numbers become null. */
export function packTasks(tasks: readonly unknown[]): PackedTasks {
  const encoder = new TextEncoder();
  const encodedTasks = tasks.map((task) => encoder.encode(JSON.stringify(task)));
  const memory = new SharedArrayBuffer(encodedTasks.reduce((sum, part) => sum + part.length, 0));
  const ends = new SharedArrayBuffer(encodedTasks.length * Uint32Array.BYTES_PER_ELEMENT);
  const [bytes, positions] = [new Uint8Array(memory), new Uint32Array(ends)];
  let length = 0;
  for (const [index, encodedTask] of encodedTasks.entries()) {
    bytes.set(encodedTask, length);
    length += encodedTask.length;
    positions[index] = length;
  }
  return { memory, ends, count: encodedTasks.length };
}

/** Returns the task with this number, counted from 0. `number` must be less than `count`. */
export function unpackTask({ memory, ends }: PackedTasks, number: number): unknown {
  const positions = new Uint32Array(ends);
  const start = number === 0 ? 0 : positions[number - 1];
  const bytes = new Uint8Array(memory).slice(start, positions[number]);
  return JSON.parse(new TextDecoder().decode(bytes));
}
