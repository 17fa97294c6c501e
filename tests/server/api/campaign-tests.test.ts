import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('The tests of optimizers', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('compare medians of equally many trials on an instance', async () => {
    await insert(database(), 'coco_campaigns', {
      campaign_id: 'repeated',
      suite: 'repeated',
      status: 'COMPLETED',
    });
    // The median of both trials of an instance is infinite, although the first one is as fast as that of the other.
    const getTrials = (optimizer_id: string, trialCount: number) =>
      Array.from({ length: 10 * trialCount }, (_, index) => {
        const [instance_id, repetition] = [index % 10, Math.floor(index / 10)];
        return {
          campaign_id: 'repeated',
          optimizer_id,
          run_id: `repeated-${optimizer_id}-${index}`,
          instance_id,
          repetition,
          budget_evals: 1_000,
          evaluations: 1_000,
          reached_target: repetition === 0 ? 1 : 0,
          evals_to_target: repetition === 0 ? 100 + instance_id : null,
        };
      });
    await insert(database(), 'coco_trials', ...getTrials('once', 1), ...getTrials('twice', 2));
    const { functions, dimensions } = await service.get<ResponseBody<'compareOptimizers'>>(
      '/api/coco/campaigns/repeated/tests',
    );
    for (const row of [...functions, ...dimensions])
      expect(row.pairs).toMatchObject([{ instances: 10, pValue: 1, better: 'none' }]);
  });
});
