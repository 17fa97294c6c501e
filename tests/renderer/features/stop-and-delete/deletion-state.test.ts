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

/** A deletion of three experiments, with these results of the service. */
async function makeDeletion(reasons: readonly string[]) {
  const respond = (path: string): unknown =>
    path.includes('/e')
      ? { deletable: true, runsDeleted: 1 }
      : { items: targets.map(({ id }, index) => ({ experimentId: id, reason: reasons[index] })) };
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(Response.json(respond(path.replace('/api/experiments', '')))),
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
  const { plan, remaining, remove, isDeleting, outcome } = deletion;
  await vi.waitUntil(() => plan().unknown.length === 0);
  const before = remaining();
  remove(false);
  await vi.waitUntil(() => outcome() && !isDeleting());
  return { before, remaining: remaining(), dispose };
}

test.each([
  [['DELETED', 'RUNNING', 'DELETED'], []],
  [['DELETED', 'ERROR', 'DELETED'], ['e1']],
])('after the results %j, a further attempt deletes %j', async (reasons, expected) => {
  const { before, remaining, dispose } = await makeDeletion(reasons);
  expect(before).toEqual(targets);
  expect(remaining.map(({ id }) => id)).toEqual(expected);
  dispose();
});
