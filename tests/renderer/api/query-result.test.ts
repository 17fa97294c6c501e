import { createRoot, createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { createQueryClient } from '#renderer/api/queries.ts';
import { createQueryResult } from '#renderer/api/query-result.ts';

test('a query result follows its options to other data, and stops when its owner is disposed', async () => {
  const client = createQueryClient();
  const requests: string[] = [];
  const { key, setKey, query, dispose } = createRoot((end) => {
    const [name, setName] = createSignal('a');
    const made = createQueryResult(client, () => ({
      queryKey: [name()],
      queryFn: ({ queryKey }) => {
        requests.push(String(queryKey[0]));
        return Promise.resolve(`data of ${String(queryKey[0])}`);
      },
    }));
    return { key: name, setKey: setName, query: made, dispose: end };
  });
  expect(query.result().isPending).toBe(true);
  await vi.waitFor(() => expect(query.result().data).toBe(`data of ${key()}`));
  setKey('b');
  expect(query.result().data).toBeUndefined();
  await vi.waitFor(() => expect(query.result().data).toBe('data of b'));
  query.refetch();
  await vi.waitFor(() => expect(requests).toEqual(['a', 'b', 'b']));
  dispose();
  expect(
    client
      .getQueryCache()
      .find({ queryKey: ['b'] })
      ?.getObserversCount(),
  ).toBe(0);
});
