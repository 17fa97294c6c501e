import { expect, it } from 'vitest';
import { createVerdicts, addDiagnosis } from '#server/services/diagnosed-runs.ts';
import { runsQuery } from '#shared/schemas/run.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

describeOnEachDatabase('The cache of diagnoses', (database) => {
  it('evicts the least recently used runs, and contains no RUNNING ones', async () => {
    await insertExperiment(database(), 'e1');
    for (const runId of ['r1', 'r2', 'r3', 'r4']) {
      await insertRun(database(), 'e1', runId);
      await insertIterations(database(), runId, 3);
    }
    await insertRun(database(), 'e1', 'running', { status: 'RUNNING' });
    const verdicts = createVerdicts(2);
    const filter = runsQuery.parse({ diagnosis: 'STAGNATION' });
    const find = () => addDiagnosis(database(), filter, verdicts);
    const first = await find();
    expect(verdicts.size).toBe(2);
    expect(verdicts.has('running')).toBe(false);
    expect(await find()).toEqual(first);
  });
});
