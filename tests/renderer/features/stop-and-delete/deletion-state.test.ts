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
 * run to the second one, which it then deletes only with the new key. `deletedIds` are those that it has deleted.
 */
async function countDeletion(reasons: readonly string[]) {
  let runCount = 1;
  const deletedIds: string[] = [];
  const getKey = (id: string): string => `${id}-${id === 'e1' ? runCount : 1}`;
  const respond = (path: string, body: string): unknown => {
    const [id] = /e\d/.exec(path) ?? [];
    const sentKey = /countsKey=(.*)/.exec(path)?.[1];
    if (id !== undefined && sentKey === getKey(id)) deletedIds.push(id);
    if (id !== undefined)
      return { deletable: true, runsDeleted: id === 'e1' ? runCount : 1, countsKey: getKey(id) };
    const request = JSON.parse(body) as {
      experimentIds: string[];
      countsKeys: Record<string, string>;
    };
    const items = request.experimentIds.map((experimentId) => {
      const isSame = request.countsKeys[experimentId] === getKey(experimentId);
      if (isSame) deletedIds.push(experimentId);
      const reason = reasons[Number(experimentId.slice(1))];
      return { experimentId, reason: isSame ? reason : 'COUNTS_CHANGED' };
    });
    return { items };
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
  const { plan, remove, isDeleting } = deletion;
  await vi.waitUntil(() => plan().unknown.length === 0);
  const removeAll = async (): Promise<void> => {
    remove(false);
    await vi.waitUntil(() => !isDeleting());
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
  expect(deletion.deletedIds).toEqual(['e0', 'e2']);
  expect(deletion.failure()).toMatchObject({
    code: 'COUNTS_CHANGED',
    detail:
      'The data to delete have changed since they were counted. Check the new counts, and confirm again.',
  });
  expect(deletion.needsConfirmation()).toBe(true);
  expect(deletion.remaining().map(({ id }) => id)).toEqual(['e1']);
  expect(deletion.previews().get('e1')).toMatchObject({ runsDeleted: 2 });
  await deletion.removeAll();
  expect(deletion.deletedIds).toEqual(['e0', 'e2', 'e1']);
  expect(deletion.failure()).toBeUndefined();
  deletion.dispose();
});
