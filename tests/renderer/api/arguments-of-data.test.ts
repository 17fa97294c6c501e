import { QueryClientProvider } from '@tanstack/solid-query';
import { createComponent, createRoot, createSignal } from 'solid-js';
import { expect, test, vi } from 'vitest';
import { createArgumentsOfData } from '#renderer/api/arguments-of-data.ts';
import { createQueryClient, useLiveQuery } from '#renderer/api/queries.ts';

test('the arguments of data change when their response arrives, or at once if it is cached', async () => {
  const [functionId, setFunction] = createSignal('f1');
  const responses = new Map<string, (data: string) => void>();
  const { shown, dispose } = createRoot((end) => {
    let read = (): string => '';
    createComponent(QueryClientProvider, {
      client: createQueryClient(),
      get children() {
        const query = useLiveQuery<string>('listErts', () => {
          const name = functionId();
          const fetchData = () => new Promise<string>((resolve) => responses.set(name, resolve));
          return { key: ['listErts', name], fetchData };
        });
        const ofData = createArgumentsOfData(() => query.data, functionId);
        read = () => `${ofData()} over ${query.data}`;
        return null;
      },
    });
    return { shown: read, dispose: end };
  });
  await vi.waitUntil(() => responses.has('f1'));
  responses.get('f1')?.('curves of f1');
  await vi.waitUntil(() => shown() === 'f1 over curves of f1');
  setFunction('f2');
  expect(shown()).toBe('f1 over curves of f1');
  await vi.waitUntil(() => responses.has('f2'));
  responses.get('f2')?.('curves of f2');
  await vi.waitUntil(() => shown() === 'f2 over curves of f2');
  setFunction('f1');
  expect(shown()).toBe('f1 over curves of f1');
  dispose();
});
