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
    const postMessage = vi.spyOn(Worker.prototype, 'postMessage');
    const emit = vi.spyOn(Worker.prototype, 'emit');
    try {
      const states: unknown[] = [];
      const counts: number[] = [];
      for (const target of [1, 2, 3]) {
        postMessage.mockClear();
        emit.mockClear();
        const path = `/api/experiments/one/analysis?target=${target}`;
        const { status, headers } = await sendRawRequest(service, path);
        expect(status).toBe(200);
        states.push(headers['cache-status']);
        // On a busy machine, the second thread starts only now and reports it.
        const receivedMessages = emit.mock.calls.filter(
          ([event, message]) => String(event) === 'message' && message !== 'started',
        );
        counts.push(postMessage.mock.calls.length + receivedMessages.length);
      }
      expect(states).toEqual(Array.from({ length: 3 }, () => 'Evoscope; fwd=miss'));
      const [firstCount = 0, ...otherCounts] = counts;
      // At least a request and its response; the first analysis reads the traces.
      expect(firstCount).toBeGreaterThan(Math.max(...otherCounts));
      for (const count of otherCounts) {
        expect(count).toBeGreaterThanOrEqual(2);
        expect(count).toBeLessThanOrEqual(5);
      }
    } finally {
      postMessage.mockRestore();
      emit.mockRestore();
      await service.close();
    }
  });
});
