import {
  createComponent,
  createMemo,
  createRoot,
  createSignal,
  startTransition,
  Suspense,
} from 'solid-js';
import { expect, test } from 'vitest';
import { createRegistry } from '#renderer/state/registry.ts';

test('a change of pages replaces the values of the previous page', async () => {
  const registry = createRegistry<string>();
  const [page, setPage] = createSignal('runs');
  const { list, dispose } = createRoot((end) => {
    // Without a boundary, Solid makes no transitions.
    createComponent(Suspense, { children: null });
    createMemo(() => {
      const name = page();
      // The components of a page are disposed of when the transition completes.
      createMemo(() => registry.use(name));
    });
    return { list: createMemo(() => registry.list()), dispose: end };
  });
  expect(list()).toEqual(['runs']);

  await startTransition(() => setPage('problems'));
  expect(list()).toEqual(['problems']);
  await startTransition(() => setPage('runs'));
  expect(list()).toEqual(['runs']);

  dispose();
  expect(registry.list()).toEqual([]);
});
