import { parentPort } from 'node:worker_threads';
import { allSituations, type Chunk, type ChunkCounts } from './plan.ts';
import { simulateProblem } from './simulate.ts';

/** Simulates the problems of each chunk that it receives, and posts their counts. */
parentPort?.on('message', (chunk: Chunk) => parentPort?.postMessage(countChunk(chunk)));

function countChunk(chunk: Chunk): ChunkCounts {
  const situation = allSituations.find(({ name }) => name === chunk.situation);
  if (!situation) throw new Error(`There is no situation named ${chunk.situation}.`);
  const counts: ChunkCounts = { ...chunk, tested: 0, claimed: 0, belowLevel: 0, intervals: {} };
  for (let index = chunk.from; index < chunk.to; index += 1) {
    const outcome = simulateProblem(situation, chunk.size, index);
    counts.tested += Number(outcome.isTested);
    counts.claimed += Number(outcome.isClaimed);
    counts.belowLevel += Number(outcome.isBelowLevel);
    for (const { name, isCovering } of outcome.intervals) {
      const own = (counts.intervals[name] ??= { shown: 0, covering: 0 });
      own.shown += 1;
      own.covering += Number(isCovering);
    }
  }
  return counts;
}
