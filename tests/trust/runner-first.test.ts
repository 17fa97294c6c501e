import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sql } from 'kysely';
import type { DeletionPreview } from '#shared/schemas/experiment.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { importThrough } from '#tests/support/imports.ts';
import { insert } from '#tests/support/rows.ts';
import { startService } from '#tests/support/test-service.ts';

describeOnEachDatabase('a deletion that needs the write lock for a long time', (database) => {
  test('waits for a runner that is writing, unless it is forced', async () => {
    const { kysely, dialect } = database();
    const now = new Date().toISOString();
    await insert(
      database(),
      'experiments',
      { experiment_id: 'large' },
      { experiment_id: 'live', config_hash: 'l' },
    );
    await insert(database(), 'runs', { run_id: 'old', experiment_id: 'large' });
    await insert(database(), 'runs', {
      run_id: 'new',
      experiment_id: 'live',
      status: 'RUNNING',
      start_time: now,
    });
    await insert(database(), 'coco_campaigns', { campaign_id: 'campaign', status: 'COMPLETED' });
    await insert(database(), 'coco_optimizer_configs', { campaign_id: 'campaign' });
    await insert(database(), 'coco_trials', { campaign_id: 'campaign', run_id: 'old' });
    // More than three seconds' worth of rows for SQLite; PostgreSQL locks none but these.
    const rows = dialect.name === 'sqlite' ? 700_000 : 1_000;
    await sql`insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json, diagnostics_json, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(rows)})
      select 'old', i, i, 0, 0, 0, '{}', '{}', ${now} from n`.execute(kysely);
    const service = await startService(database());
    const preview = await service.get<DeletionPreview>('/api/experiments/large/deletion-preview');
    const remove = async (query: string) => {
      const url = `${service.url}/api/experiments/large${query}`;
      const response = await fetch(url, { method: 'DELETE' });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    if (dialect.name === 'sqlite') {
      expect(preview.lockSeconds).toBeGreaterThan(3);
      expect(preview).toMatchObject({ deletable: true, needsForce: true });
      expect(await remove('')).toMatchObject({
        status: 409,
        body: {
          code: 'RUNNER_WRITING',
          detail:
            'A runner is writing, and deleting "large" would block it for about 5 s: ' +
            'its run may fail. Wait until it has ended, or delete with force=true',
        },
      });
      const campaign = await service.getProblem('/api/coco/campaigns/campaign', {
        method: 'DELETE',
      });
      expect(campaign).toMatchObject({ code: 'RUNNER_WRITING', status: 409 });
      expect(campaign.detail).toMatch(
        /^A runner is writing, and deleting "campaign" would block it for/,
      );
      const body = JSON.stringify({ experimentIds: ['large'] });
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body };
      const bulk = await fetch(`${service.url}/api/experiments/delete-bulk`, init);
      expect(await bulk.json()).toMatchObject({
        items: [{ reason: 'RUNNER_WRITING' }],
        blockedCount: 1,
      });
    } else {
      expect(preview).toMatchObject({ lockSeconds: 0, needsForce: false });
    }
    expect(await remove(dialect.name === 'sqlite' ? '?force=true' : '')).toMatchObject({
      status: 200,
      body: { iterationsDeleted: rows },
    });
    await service.close();
  }, 60_000);

  test('also applies to an import, which waits or is forced', async () => {
    const isFile = database().dialect.name === 'sqlite';
    const now = new Date().toISOString();
    await sql`update runs set start_time = ${now} where run_id = 'new'`.execute(database().kysely);
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-long-import-'));
    const path = join(folder, 'long.csv');
    const lines = Array.from({ length: isFile ? 40_000 : 100 }, (_, row) => `${row + 1},${-row}`);
    writeFileSync(path, `evaluations,best\n${lines.join('\n')}\n`);
    const service = await startService(database());
    const query = 'direction=min&name=long';
    if (isFile) {
      const { failure } = await importThrough(service, { path }, query);
      expect(failure).toMatchObject({
        code: 'RUNNER_WRITING',
        status: 409,
        detail:
          'A runner is writing, and importing "long" would block it for about 2 s: ' +
          'its run may fail. Wait until it has ended, or import with force=true (--force)',
      });
      const dryRun = await importThrough(service, { path }, `${query}&dryRun=true`);
      expect(dryRun.status).toBe('done');
    }
    const forced = await importThrough(service, { path }, isFile ? `${query}&force=true` : query);
    expect(forced).toMatchObject({ status: 'done', result: { campaigns: [{ runs: 1 }] } });
    await service.close();
    rmSync(folder, { recursive: true });
  }, 60_000);

  test('does not wait for a run that is silent', async () => {
    await sql`update runs set start_time = '2026-01-01T00:00:00Z'`.execute(database().kysely);
    const service = await startService(database());
    const preview = await service.get<DeletionPreview>('/api/experiments/live/deletion-preview');
    expect(preview.needsForce).toBe(false);
    await service.close();
  });
});
