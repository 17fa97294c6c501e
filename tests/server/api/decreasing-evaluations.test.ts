import { afterAll, beforeAll, expect, test } from 'vitest';
import { stepsNote } from '#server/repositories/mlflow.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
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

describeOnEachDatabase('Evaluations', (database) => {
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
      // Both runs have as many evaluations as iterations; only the first one has the note of MLflow.
      for (const kind of ['steps', 'counted']) {
        const run_id = `${optimizer_id}-${kind}`;
        await insert(database(), 'runs', { run_id, experiment_id: optimizer_id, best_fitness: 1 });
        for (const iteration of [1, 2])
          await insert(database(), 'iterations', { run_id, iteration, evaluations: iteration });
        const payload_json = JSON.stringify(kind === 'steps' ? { eventId: stepsNote.eventId } : {});
        const event = { run_id, event_type: stepsNote.eventType, payload_json };
        await insert(database(), 'events', event);
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
  ])('that decrease are stated by notes of %s', async (_what, path, restartedCount) => {
    const { notes } = await service.get<{ notes: { message: string }[] }>(`/api/${path}`);
    const messages = notes.map(({ message }) => message);
    expect(messages).toContain(
      `${restartedCount} resumed runs restarted the count of evaluations; the analysis adds later evaluations to those before.`,
    );
    expect(messages).toContain(
      '2 runs with iterations that have fewer evaluations than an earlier one: the analysis sorts them by evaluations. ' +
        'If their count of evaluations restarted, evaluations to target are too few.',
    );
  });

  test.each([
    ['the analysis of an experiment', 'experiments/ga/analysis', 1],
    ['a comparison', 'analysis/problem/onemax', 2],
    ['the table across instances', 'analysis/across', 2],
    ['compared runs', 'analysis/runs?run=es-steps&run=ga-steps', 2],
  ])('that are steps of MLflow are stated by notes of %s', async (_what, path, runCount) => {
    const { notes } = await service.get<{ notes: AnalysisNote[] }>(`/api/${path}`);
    expect(notes).toContainEqual({
      code: 'STEPS_AS_EVALUATIONS',
      message:
        `${runCount === 1 ? '1 run' : '2 runs'} recorded with MLflow without evaluations: ` +
        `${runCount === 1 ? 'its' : 'their'} steps count as evaluations. ` +
        'Comparisons with other runs are only valid if each step is one evaluation.',
    });
  });

  test('that decrease are not stated by notes of ERTs to the stored targets', async () => {
    const path = '/api/coco/campaigns/c/erts';
    const { notes } = await service.get<{ notes: { code: string }[] }>(path);
    expect(notes.map(({ code }) => code)).not.toContain('EVALUATIONS_RESTARTED');
  });
});
