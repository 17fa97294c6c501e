import { afterEach, expect, test, vi } from 'vitest';
import {
  deletedIds,
  isComplete,
  outcomeText,
  readPreviews,
  sendDeletions,
} from '#renderer/features/stop-and-delete/send-deletions.ts';

afterEach(() => vi.unstubAllGlobals());

type Answerer = (path: string, ids: string[]) => { status: number; body: unknown } | 'unreachable';

/** Replaces the service and records its requests. */
function serve(answer: Answerer): { path: string; ids: string[] }[] {
  const requests: { path: string; ids: string[] }[] = [];
  vi.stubGlobal('fetch', (path: string, init: { body?: string }) => {
    const { experimentIds = [] } = JSON.parse(init.body ?? '{}') as { experimentIds?: string[] };
    requests.push({ path, ids: experimentIds });
    const given = answer(path, experimentIds);
    if (given === 'unreachable') return Promise.reject(new TypeError('Failed to fetch'));
    return Promise.resolve(Response.json(given.body, { status: given.status }));
  });
  return requests;
}

function targetsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'experiment' as const,
    id: `e${index}`,
    name: `experiment ${index}`,
  }));
}

function bulk(ids: string[], reasonOf: (id: string) => string) {
  const items = ids.map((experimentId) => {
    const reason = reasonOf(experimentId);
    return { experimentId, deleted: reason === 'DELETED', reason };
  });
  return { status: 200, body: { items } };
}

test('one experiment is deleted by its own endpoint, and its counts are returned', async () => {
  const counts = { runsDeleted: 2, iterationsDeleted: 30, artifactDirectoriesDeleted: 0 };
  const requests = serve(() => ({ status: 200, body: counts }));
  const outcome = await sendDeletions(targetsOf(1), false, () => undefined);
  expect(requests.map(({ path }) => path)).toEqual(['/api/experiments/e0']);
  expect(outcomeText(outcome)).toBe('Deleted experiment 0: 2 runs, 30 iterations.');
});

test('an already deleted experiment is no failure', async () => {
  serve(() => ({ status: 404, body: { code: 'EXPERIMENT_NOT_FOUND', detail: 'none' } }));
  const outcome = await sendDeletions(targetsOf(1), false, () => undefined);
  expect(deletedIds(outcome)).toEqual(['e0']);
  expect(isComplete(outcome)).toBe(true);
});

test('a refusal because a run has started keeps the detail of the service', async () => {
  serve(() => ({ status: 409, body: { code: 'RUNS_ACTIVE', detail: '"r1" is RUNNING' } }));
  const outcome = await sendDeletions(targetsOf(1), false, () => undefined);
  expect(outcome.failure?.detail).toBe('"r1" is RUNNING');
  expect(outcome.notTried).toHaveLength(1);
  expect(isComplete(outcome)).toBe(false);
});

test('many experiments are sent in batches below the limit of one request, each reported when done', async () => {
  const requests = serve((_, ids) => bulk(ids, () => 'DELETED'));
  const reported: number[] = [];
  const outcome = await sendDeletions(targetsOf(620), false, ({ deleted }) =>
    reported.push(deleted.length),
  );
  expect(requests.every(({ ids }) => ids.length <= 500)).toBe(true);
  expect(new Set(requests.flatMap(({ ids }) => ids)).size).toBe(620);
  expect(reported.at(-1)).toBe(620);
  expect(reported.length).toBe(requests.length);
  expect(outcomeText(outcome)).toBe('Deleted 620 experiments.');
});

test('a bulk deletion reports the result of each experiment', async () => {
  const reasons = ['DELETED', 'RUNNING', 'NOT_FOUND', 'ERROR'];
  serve((_, ids) => bulk(ids, (id) => reasons[Number(id.slice(1))]!));
  const outcome = await sendDeletions(targetsOf(4), false, () => undefined);
  expect(deletedIds(outcome)).toEqual(['e0', 'e2']);
  expect(outcomeText(outcome)).toBe(
    'Deleted 1 experiment, 1 already deleted, 1 blocked by RUNNING runs, 1 failed.',
  );
});

test('when the connection fails, the experiments without a response can be tried again', async () => {
  let calls = 0;
  serve((_, ids) => (++calls > 1 ? 'unreachable' : bulk(ids, () => 'DELETED')));
  const outcome = await sendDeletions(targetsOf(50), false, () => undefined);
  expect(outcome.failure?.code).toBe('UNREACHABLE');
  expect(outcome.deleted.length + outcome.notTried.length).toBe(50);
  expect(outcome.notTried.length).toBeGreaterThan(0);
});

test('readPreviews reports a missing target without throwing', async () => {
  serve((path) =>
    path.includes('/e1/')
      ? { status: 404, body: { code: 'EXPERIMENT_NOT_FOUND', detail: 'none' } }
      : { status: 200, body: { deletable: true } },
  );
  const reported = new Map<string, unknown>();
  await readPreviews(
    targetsOf(9),
    (id, preview) => reported.set(id, preview),
    new AbortController().signal,
  );
  expect(reported.size).toBe(9);
  expect(reported.get('e1')).toBe('missing');
});

test('readPreviews throws any other failure with the detail of the service', async () => {
  serve(() => ({ status: 503, body: { code: 'DATABASE_BUSY', detail: 'The database is busy' } }));
  const reading = readPreviews(targetsOf(1), () => undefined, new AbortController().signal);
  await expect(reading).rejects.toThrow('The database is busy');
});
