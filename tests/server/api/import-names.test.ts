import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCampaignId } from '#server/import/data-set.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { importThrough } from '#tests/support/imports.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** Runs of two algorithms on two instances of a function that belongs to no known suite. */
const rows = [
  'algorithm,problem,instance,evaluations,best',
  ...['alg', 'B'].flatMap((algorithm) =>
    [1, 2].flatMap((instance) => [
      `${algorithm},f7,${instance},10,90`,
      `${algorithm},f7,${instance},100,5`,
    ]),
  ),
].join('\n');

describeOnEachDatabase('An import', (database) => {
  let service: TestService;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-import-names-'));
  const file = join(folder, 'table.csv');

  beforeAll(async () => {
    writeFileSync(file, rows);
    service = await startService(database());
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const importTable = (name: string, rename: object | null = null, query = '') =>
    importThrough(
      service,
      { file, type: 'text/csv' },
      `name=${name}&direction=min&${rename === null ? '' : `rename=${encodeURIComponent(JSON.stringify(rename))}`}&${query}`,
    );
  const getAlgorithms = async (dataSet: string) => {
    const { items } = await service.get<{ items: { algorithmType: string }[] }>(
      `/api/experiments?param=${encodeURIComponent(`import.dataset = "${dataSet}"`)}`,
    );
    return items.map(({ algorithmType }) => algorithmType).sort();
  };

  describe('that renames algorithms', () => {
    it('stores them under their new names, and a grown source again', async () => {
      const { result } = await importTable('named', { alg: 'CMA-ES' });
      expect(result?.algorithms).toEqual([
        { source: 'alg', name: 'CMA-ES' },
        { source: 'B', name: 'B' },
      ]);
      expect(await getAlgorithms('named')).toEqual(['B', 'CMA-ES']);
      writeFileSync(file, rows.concat('\nalg,f7,1,200,4'));
      expect((await importTable('named')).result).toMatchObject({ extended: 1, skipped: 3 });
      expect(await getAlgorithms('named')).toEqual(['B', 'CMA-ES']);
    });

    it('refuses another name for an algorithm that is stored, unless it replaces the data set', async () => {
      const { failure } = await importTable('named', { alg: 'DE' });
      expect([failure?.code, failure?.detail]).toEqual([
        'IMPORT_CONFLICT',
        '"named" has the algorithm "alg" as "CMA-ES". Replace the data set, or choose another name for it.',
      ]);
      await importTable('named', { alg: 'DE' }, 'replace=true');
      expect(await getAlgorithms('named')).toEqual(['B', 'DE']);
    });

    it('refuses another name for an algorithm that a version without new names stored', async () => {
      await importTable('older');
      const { kysely } = database();
      const events = await kysely
        .selectFrom('events')
        .select(['id', 'payload_json'])
        .where('payload_json', 'like', '%"dataset":"older"%')
        .execute();
      for (const { id, payload_json } of events) {
        const { algorithms: _removed, ...payload } = JSON.parse(payload_json) as object & {
          algorithms: unknown;
        };
        await kysely
          .updateTable('events')
          .set({ payload_json: JSON.stringify(payload) })
          .where('id', '=', id)
          .execute();
      }
      expect((await importTable('older', { alg: 'DE' })).failure?.detail).toContain(
        '"older" has the algorithm "alg" as "alg".',
      );
    });

    it('ignores names of a stored event that are no texts', async () => {
      await importTable('damaged');
      const { kysely } = database();
      const payload = {
        dataset: 'damaged',
        algorithms: { alg: 5, B: null },
        experiments: { a: 5 },
      };
      await kysely
        .insertInto('events')
        .values({
          event_type: 'imported',
          payload_json: JSON.stringify(payload),
          created_at: '2026-01-01T00:00:00Z',
        })
        .execute();
      expect((await importTable('damaged')).result).toMatchObject({ skipped: 4 });
    });

    it.each([
      [{ C: 'D' }, 'The source has no algorithm "C". Choose from "alg", "B".'],
      [{ alg: ' ' }, 'The new name of "alg" is empty. Enter a name.'],
      [{ alg: 'B' }, 'The algorithms "alg" and "B" get the same name "B". Choose different names.'],
    ])('refuses %j', async (rename, detail) => {
      const { failure } = await importTable('refused', rename);
      expect([failure?.code, failure?.detail]).toEqual(['VALIDATION_FAILED', detail]);
      expect(await getAlgorithms('refused')).toEqual([]);
    });

    it.each(['alg', '["a"]', '{"alg":1}'])('returns 400 for rename=%s', async (rename) => {
      const path = `/api/import?rename=${encodeURIComponent(rename)}`;
      expect(await service.getProblem(path, { method: 'POST' })).toMatchObject({
        status: 400,
        detail: expect.stringContaining(
          'must be a JSON object of names, such as {"alg":"CMA-ES"}',
        ) as string,
      });
    });
  });

  describe('of data of no known suite', () => {
    it('stores experiments and no campaign', async () => {
      const { result } = await importTable('no suite', null);
      expect(result?.campaigns).toMatchObject([{ campaignId: null, suite: null, experiments: 2 }]);
      expect(await getAlgorithms('no suite')).toEqual(['B', 'alg']);
      expect(await service.get('/api/coco/campaigns')).toMatchObject({ total: 0 });
    });

    it('keeps a campaign that an earlier version stored for them', async () => {
      await importTable('with campaign');
      const { kysely } = database();
      const campaignId = getCampaignId('with campaign', {
        format: 'table',
        suite: 'unknown_suite',
      });
      const { id, payload_json } = await kysely
        .selectFrom('events')
        .select(['id', 'payload_json'])
        .where('payload_json', 'like', '%"dataset":"with campaign"%')
        .executeTakeFirstOrThrow();
      await kysely
        .updateTable('events')
        .set({
          payload_json: JSON.stringify({ ...JSON.parse(payload_json), campaigns: [campaignId] }),
        })
        .where('id', '=', id)
        .execute();
      await kysely
        .insertInto('coco_campaigns')
        .values({
          campaign_id: campaignId,
          name: 'with campaign',
          suite: 'unknown_suite',
          dimensions_json: '[]',
          instances_json: '[]',
          functions_json: '[]',
          status: 'COMPLETED',
          created_at: '2026-01-01T00:00:00Z',
        })
        .execute();
      const { result } = await importTable('with campaign');
      expect(result).toMatchObject({
        skipped: 4,
        campaigns: [{ campaignId, suite: 'unknown_suite' }],
      });
    });
  });
});
