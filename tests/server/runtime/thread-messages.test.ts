import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { sendRawRequest, startService } from '#tests/support/test-service.ts';

describeOnEachDatabase('An analysis with another target', (database) => {
  test('takes at most five messages between threads', async () => {
    for (const experiment of ['one', 'other']) {
      await insertExperiment(database(), experiment);
      for (let run = 0; run < 5; run++) {
        await insertRun(database(), experiment, `${experiment}-${run}`, { best_fitness: run });
        await insertIterations(database(), `${experiment}-${run}`, 50);
      }
    }
    const service = await startService(database(), { threadsOfEachKind: 2 });
    const sent = vi.spyOn(Worker.prototype, 'postMessage');
    const emitted = vi.spyOn(Worker.prototype, 'emit');
    try {
      const states: unknown[] = [];
      const counts: number[] = [];
      for (const target of [1, 2, 3]) {
        sent.mockClear();
        emitted.mockClear();
        const path = `/api/experiments/one/analysis?target=${target}`;
        const { status, headers } = await sendRawRequest(service, path);
        expect(status).toBe(200);
        states.push(headers['cache-status']);
        // On a busy machine, the second thread starts only now and reports it.
        const received = emitted.mock.calls.filter(
          ([event, message]) => String(event) === 'message' && message !== 'started',
        );
        counts.push(sent.mock.calls.length + received.length);
      }
      expect(states).toEqual(Array.from({ length: 3 }, () => 'Evoscope; fwd=miss'));
      const [first = 0, ...others] = counts;
      // At least a request and its reply; the first analysis reads the traces.
      expect(first).toBeGreaterThan(Math.max(...others));
      for (const count of others) {
        expect(count).toBeGreaterThanOrEqual(2);
        expect(count).toBeLessThanOrEqual(5);
      }
    } finally {
      sent.mockRestore();
      emitted.mockRestore();
      await service.close();
    }
  });
});
