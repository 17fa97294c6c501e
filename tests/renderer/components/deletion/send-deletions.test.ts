import { afterEach, expect, test, vi } from 'vitest';
import {
  goneIds,
  isComplete,
  outcomeText,
  readPreviews,
  sendDeletions,
} from '#renderer/components/deletion/send-deletions.ts';

afterEach(() => vi.unstubAllGlobals());

type Answerer = (path: string, ids: string[]) => { status: number; body: unknown } | 'unreachable';

/** Stands in for the service and keeps what was asked. */
function serve(answer: Answerer): { path: string; ids: string[] }[] {
  const asked: { path: string; ids: string[] }[] = [];
  vi.stubGlobal('fetch', (path: string, init: { body?: string }) => {
    const { experimentIds = [] } = JSON.parse(init.body ?? '{}') as { experimentIds?: string[] };
    asked.push({ path, ids: experimentIds });
    const given = answer(path, experimentIds);
    if (given === 'unreachable') return Promise.reject(new TypeError('Failed to fetch'));
    return Promise.resolve(Response.json(given.body, { status: given.status }));
  });
  return asked;
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

test('one experiment is deleted by its own call, and its counts are told', async () => {
  const counts = { runsDeleted: 2, iterationsDeleted: 30, artifactDirectoriesDeleted: 0 };
  const asked = serve(() => ({ status: 200, body: counts }));
  const outcome = await sendDeletions(targetsOf(1), false, () => undefined);
  expect(asked.map(({ path }) => path)).toEqual(['/api/experiments/e0']);
  expect(outcomeText(outcome)).toBe('Deleted experiment 0: 2 runs, 30 iterations.');
});

test('one that is gone already is no failure', async () => {
  serve(() => ({ status: 404, body: { code: 'EXPERIMENT_NOT_FOUND', detail: 'none' } }));
  const outcome = await sendDeletions(targetsOf(1), false, () => undefined);
  expect(goneIds(outcome)).toEqual(['e0']);
  expect(isComplete(outcome)).toBe(true);
});

test('one whose run has begun meanwhile keeps the service’s sentence', async () => {
  serve(() => ({ status: 409, body: { code: 'RUNS_ACTIVE', detail: '"r1" is RUNNING' } }));
  const outcome = await sendDeletions(targetsOf(1), false, () => undefined);
  expect(outcome.failure?.detail).toBe('"r1" is RUNNING');
  expect(outcome.left).toHaveLength(1);
  expect(isComplete(outcome)).toBe(false);
});

test('many go in batches that stay below what one call takes, each told as it is done', async () => {
  const asked = serve((_, ids) => bulk(ids, () => 'DELETED'));
  const heard: number[] = [];
  const outcome = await sendDeletions(targetsOf(620), false, ({ deleted }) =>
    heard.push(deleted.length),
  );
  expect(asked.every(({ ids }) => ids.length <= 500)).toBe(true);
  expect(new Set(asked.flatMap(({ ids }) => ids)).size).toBe(620);
  expect(heard.at(-1)).toBe(620);
  expect(heard.length).toBe(asked.length);
  expect(outcomeText(outcome)).toBe('Deleted 620 experiments.');
});

test('each experiment of a bulk deletion is told by what became of it', async () => {
  const reasons = ['DELETED', 'RUNNING', 'NOT_FOUND', 'ERROR'];
  serve((_, ids) => bulk(ids, (id) => reasons[Number(id.slice(1))]!));
  const outcome = await sendDeletions(targetsOf(4), false, () => undefined);
  expect(goneIds(outcome)).toEqual(['e0', 'e2']);
  expect(outcomeText(outcome)).toBe(
    'Deleted 1 experiment, 1 gone already, 1 blocked by RUNNING runs, 1 failed.',
  );
});

test('when the service goes away, what was not answered is left to be tried again', async () => {
  let calls = 0;
  serve((_, ids) => (++calls > 1 ? 'unreachable' : bulk(ids, () => 'DELETED')));
  const outcome = await sendDeletions(targetsOf(50), false, () => undefined);
  expect(outcome.failure?.code).toBe('UNREACHABLE');
  expect(outcome.deleted.length + outcome.left.length).toBe(50);
  expect(outcome.left.length).toBeGreaterThan(0);
});

test('previews are read for each, and the absence of one is told, not thrown', async () => {
  serve((path) =>
    path.includes('/e1/')
      ? { status: 404, body: { code: 'EXPERIMENT_NOT_FOUND', detail: 'none' } }
      : { status: 200, body: { deletable: true } },
  );
  const heard = new Map<string, unknown>();
  await readPreviews(
    targetsOf(9),
    (id, preview) => heard.set(id, preview),
    new AbortController().signal,
  );
  expect(heard.size).toBe(9);
  expect(heard.get('e1')).toBe('missing');
});

test('a preview that fails otherwise is thrown with the service’s sentence', async () => {
  serve(() => ({ status: 503, body: { code: 'DATABASE_BUSY', detail: 'The database is busy' } }));
  const reading = readPreviews(targetsOf(1), () => undefined, new AbortController().signal);
  await expect(reading).rejects.toThrow('The database is busy');
});
