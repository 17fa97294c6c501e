import { existsSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Response of the service to a request for its longest turn. */
export interface LongestTurn {
  millis: number;
}

const beatMillis = 2;

/** Of the first thread of this process, on Linux; its second number is the time it waited for a processor. */
const schedule = `/proc/self/task/${process.pid}/schedstat`;
const hasSchedule = existsSync(schedule);

/**
 * Loaded into a service before it starts (`node --import`): watches for how long at a time the thread that
 * receives requests does not respond, and reports it to the process that requests it by a message. Time in which other
 * programs held the processors does not count where the system reports it.
 */
function watch(): void {
  let longestMillis = 0;
  let last = now();
  setInterval(() => {
    const current = now();
    longestMillis = Math.max(longestMillis, current - last - beatMillis);
    last = current;
  }, beatMillis).unref();
  process.on('message', () => {
    process.send?.({ millis: longestMillis } satisfies LongestTurn);
    longestMillis = 0;
  });
  process.channel?.unref();
}

function now(): number {
  const waitedNanos = hasSchedule ? Number(readFileSync(schedule, 'utf8').split(' ')[1]) : 0;
  return performance.now() - waitedNanos / 1e6;
}

if (isMainThread) watch();
