import { QueryClientProvider } from '@tanstack/solid-query';
import { createComponent, createRoot } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '#renderer/api/queries.ts';
import {
  createDeletion,
  type Deletion,
} from '#renderer/features/stop-and-delete/deletion-state.ts';

afterEach(() => vi.unstubAllGlobals());

const targets = ['e0', 'e1', 'e2'].map((id) => ({ kind: 'experiment' as const, id, name: id }));

/**
 * A deletion of three experiments that are counted. The service has one run of each, and these results; `addRun` adds a
 * run to the second one, `deletedIds` are those that the service has received.
 */
async function countDeletion(reasons: readonly string[]) {
  let runCount = 1;
  const deletedIds: string[] = [];
  const respond = (path: string, body: string): unknown => {
    if (path.includes('/e'))
      return { deletable: true, runsDeleted: path.includes('/e1') ? runCount : 1 };
    const { experimentIds } = JSON.parse(body) as { experimentIds: string[] };
    deletedIds.push(...experimentIds);
    return {
      items: targets.map(({ id }, index) => ({ experimentId: id, reason: reasons[index] })),
    };
  };
  vi.stubGlobal('fetch', (path: string, { body = '' }: { body?: string }) =>
    Promise.resolve(Response.json(respond(path.replace('/api/experiments', ''), body))),
  );
  let deletion: Deletion | undefined;
  const dispose = createRoot((end) => {
    createComponent(QueryClientProvider, {
      client: createQueryClient(),
      get children() {
        deletion = createDeletion({ targets, onClose: () => {}, onDeleted: () => {} });
        return null;
      },
    });
    return end;
  });
  if (!deletion) throw new Error('no deletion');
  const { plan, remove, isDeleting, outcome } = deletion;
  await vi.waitUntil(() => plan().unknown.length === 0);
  const removeAll = async (): Promise<void> => {
    remove(false);
    await vi.waitUntil(() => outcome() && !isDeleting());
  };
  return { ...deletion, removeAll, addRun: () => (runCount += 1), deletedIds, dispose };
}

test.each([
  [['DELETED', 'RUNNING', 'DELETED'], []],
  [['DELETED', 'ERROR', 'DELETED'], ['e1']],
])('after the results %j, a further attempt deletes %j', async (reasons, expected) => {
  const { remaining, removeAll, dispose } = await countDeletion(reasons);
  expect(remaining()).toEqual(targets);
  await removeAll();
  expect(remaining().map(({ id }) => id)).toEqual(expected);
  dispose();
});

test('runs that are added after the counting are deleted only after the user has confirmed the new counts', async () => {
  const deletion = await countDeletion(['DELETED', 'DELETED', 'DELETED']);
  deletion.addRun();
  await deletion.removeAll();
  expect(deletion.deletedIds).toEqual([]);
  expect(deletion.failure()).toMatchObject({
    code: 'COUNTS_CHANGED',
    detail:
      'The data to delete have changed since they were counted. Check the new counts, and confirm again.',
  });
  expect(deletion.isAsking()).toBe(true);
  expect(deletion.previews().get('e1')).toMatchObject({ runsDeleted: 2 });
  await deletion.removeAll();
  expect(deletion.deletedIds).toEqual(['e0', 'e1', 'e2']);
  expect(deletion.failure()).toBeUndefined();
  deletion.dispose();
});
