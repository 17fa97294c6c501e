import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { landscapes } from './landscapes.ts';
import { allSituations, chunkKey, planChunks, type Chunk, type ChunkCounts } from './plan.ts';
import { report } from './report.ts';

/**
 * Simulates problems whose groups are identical, or truly differ, and counts how often the pages would claim a
 * difference. Writes each part to a state file, from which an interrupted calibration goes on; `--fresh` starts again,
 * as it must after a change of the code. Exit code 1 where the claims in a situation miss their goal; intervals that
 * cover too little are listed, since no claim depends on them.
 */
const { values } = parseArgs({
  options: {
    problems: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '2' },
    state: { type: 'string', default: '.cache/calibrate.jsonl' },
    fresh: { type: 'boolean', default: false },
  },
});

const { state } = values;
if (values.fresh) rmSync(state, { force: true });
mkdirSync(dirname(state), { recursive: true });
const done = existsSync(state)
  ? readFileSync(state, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as ChunkCounts)
  : [];
const known = new Set(done.map(chunkKey));
const chunks = planChunks(Number(values.problems));
const wanted = new Set(chunks.map(chunkKey));
const queue = chunks.filter((chunk) => !known.has(chunkKey(chunk)));
process.stderr.write(`${queue.length} of ${chunks.length} parts to simulate.\n`);

const counts = done.filter((chunk) => wanted.has(chunkKey(chunk)));
await Promise.all(Array.from({ length: Number(values.workers) }, work));

for (const { name, description } of landscapes) process.stdout.write(`${name}: ${description}\n`);
for (const { name, description } of allSituations) {
  process.stdout.write(`${name}: ${description}\n`);
}
const { text, missed, narrow } = report(counts);
process.stdout.write(`\n${text}\n\n`);
if (narrow.length > 0) process.stdout.write(`Too narrow:\n${narrow.join('\n')}\n\n`);
process.stdout.write(
  missed.length === 0 ? 'The claims meet all goals.\n' : `${missed.join('\n')}\n`,
);
process.exitCode = missed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url));
  for (let chunk = queue.shift(); chunk; chunk = queue.shift()) {
    const result = await countIn(worker, chunk);
    counts.push(result);
    appendFileSync(state, `${JSON.stringify(result)}\n`);
  }
  await worker.terminate();
}

async function countIn(worker: Worker, chunk: Chunk): Promise<ChunkCounts> {
  worker.postMessage(chunk);
  const [result] = (await once(worker, 'message')) as [ChunkCounts];
  return result;
}
