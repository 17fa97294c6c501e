import { QueryClientProvider } from '@tanstack/solid-query';
import { createComponent, createRoot, createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { createQueryClient, toQueryOptions, useLiveQuery } from '#renderer/api/queries.ts';

/** A query of a run on a tab, as the page of the run makes it, and the requests that it sends. */
function makeQuery(isShown: boolean) {
  const client = createQueryClient();
  const fetchData = vi.fn(() => Promise.resolve('data'));
  const [isRunning, setRunning] = createSignal(true);
  const [changesWith, setChange] = createSignal('a');
  const dispose = createRoot((end) => {
    createComponent(QueryClientProvider, {
      client,
      get children() {
        useLiveQuery('insights', () => ({
          key: ['insights', 'r1'],
          fetchData,
          enabled: isShown,
          isRunning: isRunning(),
          changesWith: changesWith(),
        }));
        return null;
      },
    });
    return end;
  });
  const isIdle = () => client.isFetching() === 0;
  return { fetchData, setRunning, setChange, isIdle, dispose };
}

test('a query is fetched once more when its run ends, and when other content changes', async () => {
  const { fetchData, setRunning, setChange, isIdle, dispose } = makeQuery(true);
  await vi.waitUntil(isIdle);
  setRunning(false);
  await vi.waitUntil(isIdle);
  setChange('b');
  expect(fetchData).toHaveBeenCalledTimes(3);
  dispose();
});

test('a disabled query is not fetched then', () => {
  const { fetchData, setRunning, setChange, dispose } = makeQuery(false);
  setRunning(false);
  setChange('b');
  expect(fetchData).not.toHaveBeenCalled();
  dispose();
});

test('only an enabled query shows the data of its previous arguments', () => {
  const options = (enabled: boolean) =>
    toQueryOptions(createQueryClient(), {
      key: ['listErts'],
      fetchData: () => Promise.resolve('data'),
      keepPrevious: true,
      enabled,
    });
  expect(options(true)).toHaveProperty('placeholderData');
  expect(options(false)).not.toHaveProperty('placeholderData');
});
