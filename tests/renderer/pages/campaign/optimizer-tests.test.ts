import { QueryClientProvider } from '@tanstack/solid-query';
import { createComponent, createRoot, createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import { createQueryClient } from '#renderer/api/queries.ts';
import { useOptimizerTests } from '#renderer/pages/campaign/optimizer-tests.ts';

test('the tests of one target are not shown for several targets, nor is a cached response', () => {
  const client = createQueryClient();
  const params = { campaignId: 'c' };
  const scope = { optimizer: [], functionId: [], dimension: [] };
  const cache = (target: number): void => {
    const query = { campaign: [], ...scope, target };
    client.setQueryData(['compareOptimizers', params, query], { target });
  };
  [1e-8, 0.1].forEach(cache);
  const [targets, setTargets] = createSignal(['1e-8']);
  const { tests, dispose } = createRoot((end) => {
    let shown: ReturnType<typeof useOptimizerTests> = () => undefined;
    createComponent(QueryClientProvider, {
      client,
      get children() {
        shown = useOptimizerTests(
          { request: () => ({ params, campaign: [] }), freshness: () => ({}) },
          () => ({ ...scope, targets: targets() }),
        );
        return null;
      },
    });
    return { tests: shown, dispose: end };
  });
  expect(tests()?.data?.target).toBe(1e-8);
  setTargets(['1e-1', '1e-3']);
  expect(tests()).toBeUndefined();
  setTargets(['2..-8:51']);
  expect(tests()).toBeUndefined();
  setTargets(['1e-1']);
  expect(tests()?.data?.target).toBe(0.1);
  dispose();
});
