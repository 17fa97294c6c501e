import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { TaskThread } from '#server/runtime/tasks.ts';

/**
 * A program whose tasks last as many milliseconds as their input. They return the time of their end, and the program
 * reports the time at which it is idle, both on the clock of the thread, which a busy owner does not delay.
 */
const makeProgram = (times: string) => `
  import('#server/runtime/tasks.ts').then(({ serveTasks }) => {
    const { emit, reportStart } = serveTasks({
      run: (millis) => new Promise((resolve, reject) =>
        setTimeout(() => (millis < 0 ? reject(new Error('failed')) : resolve(performance.now())), Math.abs(millis))),
      onIdle: () => emit(performance.now()),
    }${times});
    reportStart();
  });`;

test('a thread is idle a second after its last task, and not while one runs', async () => {
  const idleTimes: number[] = [];
  const idleEvent = Promise.withResolvers<void>();
  const thread = new TaskThread<number, number>(new Worker(makeProgram(''), { eval: true }), {
    onEvent: (time) => {
      idleTimes.push(time as number);
      idleEvent.resolve();
    },
  });
  await thread.startup;
  const longTask = thread.runTask(1_500);
  await expect(thread.runTask(-1)).rejects.toThrow('failed');
  const shortTaskEnd = await thread.runTask(1);
  const longTaskEnd = await longTask;
  expect(longTaskEnd - shortTaskEnd).toBeGreaterThan(1_000);
  await idleEvent.promise;
  // Timers round to milliseconds.
  expect(idleTimes[0]! - longTaskEnd).toBeGreaterThan(999);
  thread.end();
  await thread.exit;
});

test('a thread whose tasks follow each other for too long is idle between two of them', async () => {
  const idleTimes: unknown[] = [];
  const times = ', { idleMillis: 10_000, busyMillis: 200 }';
  const worker = new Worker(makeProgram(times), { eval: true });
  const thread = new TaskThread<number, number>(worker, {
    onEvent: (time) => idleTimes.push(time),
  });
  await thread.startup;
  const start = performance.now();
  while (idleTimes.length === 0 || performance.now() - start < 900) await thread.runTask(20);
  expect(idleTimes.length).toBeLessThanOrEqual((performance.now() - start) / 200);
  thread.end();
  await thread.exit;
});
