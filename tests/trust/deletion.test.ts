import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CampaignDeletion, CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import { estimateDeletion } from '#server/repositories/deletion.ts';
import { describeOnEachDatabase, execute } from '#tests/support/databases.ts';
import { insertLargeCampaign } from '#tests/support/large-campaign.ts';
import {
  countRows,
  insert,
  insertExperiment,
  insertIterations,
  insertRun,
  deleteAllRows,
} from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('a deletion of many rows', (database) => {
  test('reads each run once: 10,000 runs of one experiment are counted and deleted', async () => {
    const runs = 10_000;
    await insertLargeCampaign(database(), 'large', { runs, runsPerExperiment: runs });
    const service = await startService(database());
    const path = '/api/coco/campaigns/large';
    const preview = await service.get<CampaignDeletionPreview>(`${path}/deletion-preview`);
    const counts = {
      campaignsDeleted: 1,
      trialsDeleted: runs,
      experimentsDeleted: 1,
      runsDeleted: runs,
      runObjectivesDeleted: runs,
      iterationsDeleted: runs,
      eventsDeleted: runs,
      paramsDeleted: 2,
    };
    expect(preview).toMatchObject({ deletable: true, ...counts });
    const response = await fetch(`${service.url}${path}?force=true`, { method: 'DELETE' });
    expect((await response.json()) as CampaignDeletion).toMatchObject({ deleted: true, ...counts });
    expect(Object.values(await countRows(database())).every((count) => count === 0)).toBe(true);
    await service.close();
  }, 120_000);

  test('counts the rows of every table in its estimate of the write lock', async () => {
    const ids = { campaignIds: ['c'], experimentIds: ['e'] };
    const estimate = async () => (await estimateDeletion(database(), ids, ['r'])).lockSeconds;
    const locksOthers = database().dialect.name === 'sqlite';
    await insert(database(), 'coco_campaigns', { campaign_id: 'c' });
    await insertExperiment(database(), 'e');
    await insertRun(database(), 'e', 'r');
    let before = await estimate();
    expect(before > 0).toBe(locksOthers);
    const grows = async () => {
      const now = await estimate();
      expect(now > before).toBe(locksOthers);
      before = now;
    };
    const takeTen = (row: (n: number) => Record<string, unknown>) =>
      Array.from({ length: 10 }, (_, n) => row(n));
    await insert(
      database(),
      'coco_trials',
      ...takeTen((n) => ({ campaign_id: 'c', run_id: 'x', repetition: n })),
    );
    await grows();
    await insert(
      database(),
      'coco_optimizer_configs',
      ...takeTen((n) => ({ campaign_id: 'c', optimizer_id: `${n}` })),
    );
    await grows();
    await insert(
      database(),
      'coco_aggregates',
      ...takeTen((n) => ({ campaign_id: 'c', dimension: n })),
    );
    await grows();
    await insert(
      database(),
      'experiment_params',
      ...takeTen((n) => ({ experiment_id: 'e', param_path: `${n}` })),
    );
    await grows();
    await insert(
      database(),
      'run_objectives',
      ...takeTen((n) => ({ run_id: 'r', objective_name: `${n}`, objective_value: n })),
    );
    await grows();
    await insert(
      database(),
      'iterations',
      ...takeTen((n) => ({
        run_id: 'r',
        iteration: n,
        metrics_json: null,
        diagnostics_json: null,
      })),
    );
    await grows();
    await insert(database(), 'checkpoints', ...takeTen((n) => ({ run_id: 'r', iteration: n })));
    await grows();
    await insert(database(), 'events', ...takeTen(() => ({ run_id: 'r', payload_json: '' })));
    await grows();
    await insert(database(), 'control_requests', { scope: 'run', target_id: 'r' });
    await grows();
    await insert(database(), 'control_requests', { scope: 'experiment', target_id: 'e' });
    await grows();
    // Long texts count by their length.
    for (const scope of ['run', 'experiment'] as const) {
      const requests = database().kysely.updateTable('control_requests');
      await requests
        .set({ reason: 'x'.repeat(1_000_000) })
        .where('scope', '=', scope)
        .execute();
      const added = (await estimate()) - before;
      expect(added > 0.000_9).toBe(locksOthers);
      before += added;
    }
    // Those at the end of a run too.
    const payload = 'x'.repeat(10_000_000);
    await insert(database(), 'iterations', { run_id: 'r', iteration: 99, metrics_json: payload });
    const added = (await estimate()) - before;
    expect(added > 0.005).toBe(locksOthers);
  });
});

describeOnEachDatabase('a deletion while other programs write', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database());
    // The thread that writes has the database open from now on.
    expect(await remove('missing')).toMatchObject({ status: 404 });
  });
  afterEach(() => deleteAllRows(database()));
  afterAll(() => service.close());

  const place = () => ({ url: database().url, remove: async () => {} });
  const isSqlite = () => database().dialect.name === 'sqlite';
  const remove = async (id: string) => {
    const response = await fetch(`${service.url}/api/experiments/${encodeURIComponent(id)}`, {
      method: 'DELETE',
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const insertWhole = async (id: string) => {
    await insertExperiment(database(), id);
    await insertRun(database(), id, `${id}-r`);
    await insertIterations(database(), `${id}-r`, 10);
    await insert(database(), 'events', { run_id: `${id}-r` });
  };

  test('changes nothing if another program has added a trigger to a table meanwhile', async () => {
    await insertWhole('e1');
    const before = await countRows(database());
    await execute(
      place(),
      isSqlite()
        ? ['create trigger late after delete on events begin select 1; end']
        : [
            'create function nothing() returns trigger language plpgsql as $$ begin return old; end $$',
            'create trigger late after delete on events for each row execute function nothing()',
          ],
    );
    expect(await remove('e1')).toMatchObject({
      code: 'TABLES_OF_OTHERS',
      status: 409,
      detail:
        'The service did not delete experiment "e1", because a trigger "late" on "events" is not the runner\'s and may act on the deletion. Remove it first',
    });
    expect(await countRows(database())).toEqual(before);
    await execute(place(), [isSqlite() ? 'drop trigger late' : 'drop trigger late on events']);
    expect(await remove('e1')).toMatchObject({ deleted: true });
  });

  test.each([
    ['', 'immediately'],
    [' deferrable initially deferred', 'at the commit'],
    [' on delete restrict', 'for each row'],
  ])(
    'changes nothing while rows of another program refer to its rows by a key%s checked %s',
    async (deferral) => {
      await insertWhole('e1');
      const before = await countRows(database());
      await execute(place(), [
        `create table remarks (run_id text references runs(run_id)${deferral})`,
        "insert into remarks values ('e1-r')",
      ]);
      expect(await remove('e1')).toMatchObject({
        code: 'TABLES_OF_OTHERS',
        status: 409,
        detail:
          'The service did not delete experiment "e1", because rows of another program\'s table refer to it. Delete those rows first',
      });
      expect(await countRows(database())).toEqual(before);
      await execute(place(), ['drop table remarks']);
      expect(await remove('e1')).toMatchObject({ deleted: true });
    },
  );
});
