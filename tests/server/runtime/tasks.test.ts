import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { TaskThread } from '#server/runtime/tasks.ts';

/** A program whose tasks last as many milliseconds as their input, and which reports when it is quiet. */
const program = `
  import('#server/runtime/tasks.ts').then(({ serveTasks }) => {
    const { emit, reportStart } = serveTasks({
      run: (millis) => new Promise((resolve, reject) =>
        setTimeout(() => (millis < 0 ? reject(new Error('failed')) : resolve(millis)), Math.abs(millis))),
      onQuiet: () => emit('quiet'),
    });
    reportStart();
  });`;

test('a thread is quiet a second after its last task, and not while one runs', async () => {
  const events: { event: unknown; millis: number }[] = [];
  const quiet = Promise.withResolvers<void>();
  const start = performance.now();
  const thread = new TaskThread<number, number>(new Worker(program, { eval: true }), {
    onEvent: (event) => {
      events.push({ event, millis: performance.now() - start });
      quiet.resolve();
    },
  });
  await thread.startup;
  const long = thread.runTask(1_500);
  await expect(thread.runTask(-1)).rejects.toThrow('failed');
  expect(await thread.runTask(1)).toBe(1);
  expect(await long).toBe(1_500);
  const end = performance.now() - start;
  expect(events).toEqual([]);
  await quiet.promise;
  expect(events[0]?.millis).toBeGreaterThan(end + 900);
  thread.end();
  await thread.exit;
});
