import { existsSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Response of the service to a request for its longest turn. */
export interface LongestTurn {
  millis: number;
}

const beatMillis = 2;

/** Scheduler statistics of the main thread on Linux. The second number is the time for which it waited for a processor. */
const scheduleFile = `/proc/self/task/${process.pid}/schedstat`;
const hasSchedule = existsSync(scheduleFile);

/**
 * Measures the longest time for which the request thread does not respond, and sends it to the parent process on each
 * message. The service loads this module before it starts (`node --import`). Excludes the time in which other programs
 * used the processors, if the system reports it.
 */
function watchTurns(): void {
  let longestMillis = 0;
  let lastMillis = getMillis();
  setInterval(() => {
    const currentMillis = getMillis();
    longestMillis = Math.max(longestMillis, currentMillis - lastMillis - beatMillis);
    lastMillis = currentMillis;
  }, beatMillis).unref();
  process.on('message', () => {
    process.send?.({ millis: longestMillis } satisfies LongestTurn);
    longestMillis = 0;
  });
  process.channel?.unref();
}

function getMillis(): number {
  const waitNanos = hasSchedule ? Number(readFileSync(scheduleFile, 'utf8').split(' ')[1]) : 0;
  return performance.now() - waitNanos / 1e6;
}

if (isMainThread) watchTurns();
