import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** Evaluations of the iterations, whether the run was resumed, and the status of each trial. */
const trials = [
  { evaluations: [100, 300, 50], isResumed: true, status: 'COMPLETED' },
  { evaluations: [100, 300, 50], isResumed: false, status: 'COMPLETED' },
  { evaluations: [100, 300, 350], isResumed: true, status: 'COMPLETED' },
  { evaluations: [100, 300, 50], isResumed: true, status: 'FAILED' },
];

describeOnEachDatabase('Decreasing evaluations', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'c', status: 'COMPLETED' });
    for (const optimizer_id of ['es', 'ga']) {
      await insertExperiment(database(), optimizer_id, { algorithm_type: optimizer_id });
      for (const [index, { evaluations, isResumed, status }] of trials.entries()) {
        const run_id = `${optimizer_id}-${index}`;
        await insert(database(), 'runs', {
          run_id,
          experiment_id: optimizer_id,
          seed: index,
          status,
          best_fitness: 1,
          resumed_from: isResumed ? 'checkpoint.yaml' : null,
        });
        for (const [iteration, count] of evaluations.entries())
          await insert(database(), 'iterations', {
            run_id,
            iteration,
            evaluations: count,
            best_fitness: 9 - iteration,
          });
        const trial = { campaign_id: 'c', optimizer_id, instance_id: index + 1, status };
        await insert(database(), 'coco_trials', { ...trial, run_id });
      }
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test.each([
    ['the ECDF', 'coco/campaigns/c/ecdf?targets=7', 2],
    ['ERTs to another target', 'coco/campaigns/c/erts?targets=7', 2],
    ['tests of another target', 'coco/campaigns/c/tests?target=7', 2],
    // Includes the runs that failed.
    ['the table across instances', 'analysis/across', 4],
  ])('are stated by notes of %s', async (_what, path, restartedCount) => {
    const { notes } = await service.get<{ notes: { message: string }[] }>(`/api/${path}`);
    const messages = notes.map(({ message }) => message);
    expect(messages).toContain(
      `${restartedCount} resumed runs restarted the count of evaluations; later evaluations are added to those before.`,
    );
    expect(messages).toContain(
      '2 runs with iterations that have fewer evaluations than an earlier one: sorted by evaluations. ' +
        'If their count of evaluations restarted, evaluations to target are too few.',
    );
  });

  test('are not stated by notes of ERTs to the stored targets', async () => {
    const path = '/api/coco/campaigns/c/erts';
    const { notes } = await service.get<{ notes: { code: string }[] }>(path);
    expect(notes.map(({ code }) => code)).not.toContain('EVALUATIONS_RESTARTED');
  });
});
