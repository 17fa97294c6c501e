import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FailureCode } from '#renderer/state/problem-error.ts';
import {
  isComplete,
  runBatch,
  type BatchOutcome,
} from '#renderer/features/stop-and-delete/batch.ts';
import {
  getDeletedIds,
  makeDeletionAction,
  formatDeletion,
  formatDeletionOutcome,
  readPreviews,
  makeStopAction,
  formatStopOutcome,
  getTargetsWith,
  type DeletionResult,
} from '#renderer/features/stop-and-delete/batch-actions.ts';
import type { StopTarget } from '#renderer/features/stop-and-delete/targets.ts';

afterEach(() => vi.unstubAllGlobals());

type Answerer = (path: string, ids: string[]) => { status: number; body: unknown } | 'unreachable';

/** Replaces the service and records its requests. */
function serve(answer: Answerer): { path: string; ids: string[] }[] {
  const requests: { path: string; ids: string[] }[] = [];
  vi.stubGlobal('fetch', (path: string, init: { body?: string }) => {
    const body: unknown = JSON.parse(init.body ?? '{}');
    const { experimentIds = [] } = body as { experimentIds?: string[] };
    requests.push({ path, ids: experimentIds });
    const given = answer(path, experimentIds);
    if (given === 'unreachable') return Promise.reject(new TypeError('Failed to fetch'));
    return Promise.resolve(Response.json(given.body, { status: given.status }));
  });
  return requests;
}

function getTargets(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'experiment' as const,
    id: `e${index}`,
    name: `experiment ${index}`,
  }));
}

function bulk(ids: string[], getReason: (id: string) => string) {
  const items = ids.map((experimentId) => {
    const reason = getReason(experimentId);
    return { experimentId, deleted: reason === 'DELETED', reason };
  });
  return { status: 200, body: { items } };
}

function remove(count: number, onProgress?: (soFar: BatchOutcome<DeletionResult>) => void) {
  return runBatch(getTargets(count), makeDeletionAction(count, new Map(), false), onProgress);
}

describe('a deletion', () => {
  test('one experiment is deleted by its own endpoint, and its counts are returned', async () => {
    const counts = { runsDeleted: 2, iterationsDeleted: 30, artifactDirectoriesDeleted: 0 };
    const requests = serve(() => ({ status: 200, body: counts }));
    const outcome = await remove(1);
    expect(requests.map(({ path }) => path)).toEqual(['/api/experiments/e0']);
    expect(formatDeletion(outcome)).toBe('Deleted experiment 0: 2 runs, 30 iterations.');
  });

  test('an already deleted experiment is no failure', async () => {
    serve(() => ({ status: 404, body: { code: 'EXPERIMENT_NOT_FOUND', detail: 'none' } }));
    const outcome = await remove(1);
    expect(getDeletedIds(outcome)).toEqual(['e0']);
    expect(isComplete(outcome)).toBe(true);
  });

  test('a refusal because a run has started keeps the detail of the service', async () => {
    serve(() => ({ status: 409, body: { code: 'RUNS_ACTIVE', detail: '"r1" is RUNNING' } }));
    const outcome = await remove(1);
    expect(outcome.failure?.detail).toBe('"r1" is RUNNING');
    expect(outcome.unsentTargets).toHaveLength(1);
    expect(isComplete(outcome)).toBe(false);
  });

  test('each of many experiments has its own request, and is reported when it is deleted', async () => {
    const requests = serve((_, ids) => bulk(ids, () => 'DELETED'));
    const reported: number[] = [];
    const outcome = await remove(620, (soFar) =>
      reported.push(getTargetsWith(soFar, 'deleted').length),
    );
    expect(requests.map(({ ids }) => ids)).toEqual(getTargets(620).map(({ id }) => [id]));
    expect(reported).toEqual(Array.from({ length: 620 }, (_, index) => index + 1));
    expect(formatDeletion(outcome)).toBe('Deleted 620 experiments.');
  });

  test('a bulk deletion reports the result of each experiment', async () => {
    const reasons = ['DELETED', 'RUNNING', 'NOT_FOUND', 'ERROR'];
    serve((_, ids) => bulk(ids, (id) => reasons[Number(id.slice(1))]!));
    const outcome = await remove(4);
    expect(getDeletedIds(outcome)).toEqual(['e0', 'e2']);
    expect(formatDeletion(outcome)).toBe(
      'Deleted 1 experiment, 1 already deleted, 1 blocked by RUNNING runs, 1 failed.',
    );
  });

  test('when the connection fails, the experiments without a response can be tried again', async () => {
    let calls = 0;
    serve((_, ids) => (++calls > 20 ? 'unreachable' : bulk(ids, () => 'DELETED')));
    const outcome = await remove(50);
    expect(outcome.failure?.code).toBe('UNREACHABLE');
    expect(outcome.unsentTargets).toEqual(getTargets(50).slice(20));
    expect(formatDeletionOutcome(outcome)).toBe(
      'Deleted 20 experiments, 1 with an unknown result, 29 not tried. The service does not respond. Is it still running?',
    );
  });

  test('when the database becomes busy, the text states exactly how many experiments are deleted', async () => {
    let calls = 0;
    const busy = { status: 503, body: { code: 'DATABASE_BUSY', detail: 'The database is busy' } };
    serve((_, ids) => (++calls > 3 ? busy : bulk(ids, () => 'DELETED')));
    const outcome = await remove(10);
    expect(outcome.unsentTargets).toEqual(getTargets(10).slice(3));
    expect(formatDeletionOutcome(outcome)).toBe(
      'Deleted 3 experiments, 1 failed, 6 not tried. The database is busy.',
    );
  });

  test('the text for a campaign that was not deleted calls it a campaign and states the reason', async () => {
    serve(() => ({ status: 409, body: { code: 'DATABASE_BUSY', detail: 'The database is busy' } }));
    const campaign = { kind: 'campaign', id: 'c1', name: 'C1' } as const;
    const outcome = await runBatch([campaign], makeDeletionAction(1, new Map(), false));
    expect(formatDeletionOutcome(outcome)).toBe(
      'No campaign deleted: 1 failed. The database is busy.',
    );
  });

  test('a retry continues the outcome: what failed is sent again, and the text counts both attempts', async () => {
    let attempt = 1;
    serve((_, ids) => bulk(ids, (id) => (attempt === 1 && id !== 'e0' ? 'ERROR' : 'DELETED')));
    const first = await remove(3);
    expect(formatDeletion(first)).toBe('Deleted 1 experiment, 2 failed.');
    attempt = 2;
    const failed = getTargetsWith(first, 'failed');
    const action = makeDeletionAction(failed.length, new Map(), false);
    const second = await runBatch(failed, action, undefined, first);
    expect(formatDeletion(second)).toBe('Deleted 3 experiments.');
  });

  test('a retry of one of several experiments does not name the first as the only one', async () => {
    serve((_, ids) =>
      ids.length === 0
        ? { status: 200, body: { runsDeleted: 2, iterationsDeleted: 30 } }
        : bulk(ids, (id) => (id === 'e1' ? 'ERROR' : 'DELETED')),
    );
    const first = await remove(2);
    const failed = getTargetsWith(first, 'failed');
    const second = await runBatch(
      failed,
      makeDeletionAction(1, new Map(), false),
      undefined,
      first,
    );
    expect(formatDeletion(second)).toBe('Deleted 2 experiments.');
    expect(isComplete(second)).toBe(true);
  });
});

describe('readPreviews', () => {
  test('reports a missing target without throwing', async () => {
    serve((path) =>
      path.includes('/e1/')
        ? { status: 404, body: { code: 'EXPERIMENT_NOT_FOUND', detail: 'none' } }
        : { status: 200, body: { deletable: true } },
    );
    const reported = new Map<string, unknown>();
    await readPreviews(
      getTargets(9),
      (id, preview) => reported.set(id, preview),
      new AbortController().signal,
    );
    expect(reported.size).toBe(9);
    expect(reported.get('e1')).toBe('missing');
  });

  test('throws any other failure with the detail of the service', async () => {
    serve(() => ({ status: 503, body: { code: 'DATABASE_BUSY', detail: 'The database is busy' } }));
    const reading = readPreviews(getTargets(1), () => undefined, new AbortController().signal);
    await expect(reading).rejects.toThrow('The database is busy');
  });
});

describe('a stop request', () => {
  const targets: StopTarget[] = ['a', 'b', 'c'].map((id) => ({ kind: 'experiment', id, name: id }));

  /** Answers as a service in which these targets fail; returns the ids of the requests. */
  function serveStops(failures: Partial<Record<string, FailureCode>>): string[] {
    const sent: string[] = [];
    serve((path) => {
      const id = path.split('/')[3] ?? '';
      sent.push(id);
      const code = failures[id];
      return code
        ? { status: 409, body: { code, detail: `${id} is ${code}` } }
        : { status: 202, body: { affectedRuns: 2 } };
    });
    return sent;
  }

  test('is refused for its own target only', async () => {
    const sent = serveStops({ b: 'NOT_STOPPABLE' });
    const outcome = await runBatch(targets, makeStopAction(''));
    expect(sent).toEqual(['a', 'b', 'c']);
    expect(outcome.results.map(({ state }) => state)).toEqual([
      'requested',
      'refused',
      'requested',
    ]);
    expect(outcome.failure).toBeUndefined();
    expect(isComplete(outcome)).toBe(false);
    expect(formatStopOutcome(outcome)).toBe(
      'Requested 2 experiments to stop (4 runs). 1 refused: b is NOT_STOPPABLE.',
    );
  });

  test.each(['DATABASE_BUSY', 'READ_ONLY'] as const)(
    'ends the batch after %s, and the unsentTargets ones can be sent again',
    async (code) => {
      const failures: Partial<Record<string, FailureCode>> = { b: code };
      const sent = serveStops(failures);
      const outcome = await runBatch(targets, makeStopAction(''));
      expect(sent).toEqual(['a', 'b']);
      expect(outcome.unsentTargets.map(({ id }) => id)).toEqual(['b', 'c']);
      expect(outcome.failure?.code).toBe(code);
      expect(formatStopOutcome(outcome)).toBe(
        `Requested a to stop (2 runs). 2 not sent: b is ${code}.`,
      );
      delete failures['b'];
      const retried = await runBatch(outcome.unsentTargets, makeStopAction(''), undefined, outcome);
      expect(formatStopOutcome(retried)).toBe('Requested 3 experiments to stop (6 runs).');
    },
  );

  test('ends the batch when the service cannot be reached', async () => {
    serve(() => 'unreachable');
    const outcome = await runBatch(targets, makeStopAction(''));
    expect(outcome.failure?.code).toBe('UNREACHABLE');
    expect(outcome.unsentTargets).toEqual(targets);
    expect(formatStopOutcome(outcome)).toBe(
      '3 not sent: The service does not respond. Is it still running?',
    );
  });

  test('names a single run in its text', async () => {
    serveStops({});
    const outcome = await runBatch([{ kind: 'run', id: 'r1', name: 'r1' }], makeStopAction(''));
    expect(formatStopOutcome(outcome)).toBe('Requested r1 to stop.');
  });
});
