import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { TaskThread } from '#server/runtime/tasks.ts';

/** A program whose tasks last as many milliseconds as their input, and which reports when it is idle. */
const makeProgram = (times: string) => `
  import('#server/runtime/tasks.ts').then(({ serveTasks }) => {
    const { emit, reportStart } = serveTasks({
      run: (millis) => new Promise((resolve, reject) =>
        setTimeout(() => (millis < 0 ? reject(new Error('failed')) : resolve(millis)), Math.abs(millis))),
      onIdle: () => emit('idle'),
    }${times});
    reportStart();
  });`;

test('a thread is idle a second after its last task, and not while one runs', async () => {
  const events: { event: unknown; millis: number }[] = [];
  const idleEvent = Promise.withResolvers<void>();
  const start = performance.now();
  const thread = new TaskThread<number, number>(new Worker(makeProgram(''), { eval: true }), {
    onEvent: (event) => {
      events.push({ event, millis: performance.now() - start });
      idleEvent.resolve();
    },
  });
  await thread.startup;
  const longTask = thread.runTask(1_500);
  await expect(thread.runTask(-1)).rejects.toThrow('failed');
  expect(await thread.runTask(1)).toBe(1);
  expect(await longTask).toBe(1_500);
  const end = performance.now() - start;
  expect(events).toEqual([]);
  await idleEvent.promise;
  expect(events[0]?.millis).toBeGreaterThan(end + 900);
  thread.end();
  await thread.exit;
});

test('a thread whose tasks follow each other for too long is idle between two of them', async () => {
  let idleCount = 0;
  const times = ', { idleMillis: 10_000, busyMillis: 200 }';
  const worker = new Worker(makeProgram(times), { eval: true });
  const thread = new TaskThread<number, number>(worker, { onEvent: () => (idleCount += 1) });
  await thread.startup;
  const start = performance.now();
  while (performance.now() - start < 900) await thread.runTask(20);
  expect(idleCount).toBeGreaterThanOrEqual(1);
  expect(idleCount).toBeLessThanOrEqual(4);
  thread.end();
  await thread.exit;
});
