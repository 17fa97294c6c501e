import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportDescription, ExportedPoint, ExportedRun } from '#shared/schemas/export.ts';
import {
  describeOnEachEngine,
  openTestDatabase,
  type TestDatabase,
} from '#tests/support/databases.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { importThrough } from '#tests/support/imports.ts';
import { rawRequest, startService, type TestService } from '#tests/support/test-service.ts';

/** A service over an empty database. */
async function startEmpty(engine: Parameters<Parameters<typeof describeOnEachEngine>[1]>[0]) {
  const place = await engine.makePlace();
  const database: TestDatabase = await openTestDatabase(place.url);
  const service = await startService(database);
  return {
    service,
    database,
    close: async () => {
      await service.close();
      await database.close();
      await place.remove();
    },
  };
}

async function download(service: TestService, path: string) {
  const response = await rawRequest(service, path, {});
  if (response.status !== 200) throw new Error(response.body.toString());
  return response;
}

/** The files of an archive as texts, by name. */
async function unzip(service: TestService, path: string): Promise<Record<string, string>> {
  const { body } = await download(service, path);
  const files = Object.entries(unzipSync(new Uint8Array(body)));
  return Object.fromEntries(files.map(([name, bytes]) => [name, strFromU8(bytes)]));
}

/** All stored facts of the runs of a service and their iterations that do not depend on the data set's format. */
async function readRuns(service: TestService, kind: string, id: string) {
  const runs = await service.get<ExportedRun[]>(`/api/export/${kind}/${id}/runs`);
  const points = await service.get<ExportedPoint[]>(`/api/export/${kind}/${id}/traces`);
  const rows = Map.groupBy(points, ({ runId }) => runId);
  return runs.map(({ experimentId, runId, ...run }) => ({
    ...run,
    rows: (rows.get(runId) ?? []).map(({ evaluations, best }) => [evaluations, best]),
  }));
}
describeOnEachEngine('An export imported again', (engine) => {
  let from: Awaited<ReturnType<typeof startEmpty>>;
  let to: Awaited<ReturnType<typeof startEmpty>>;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-export-'));

  beforeAll(async () => {
    [from, to] = [await startEmpty(engine), await startEmpty(engine)];
  });

  afterAll(async () => {
    await from.close();
    await to.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function listCampaigns({ service }: typeof from, name: string) {
    const { items } = await service.get<{
      items: { campaignId: string; name: string; suite: string }[];
    }>('/api/coco/campaigns?size=200');
    return items.filter((one) => one.name === name);
  }

  test.each([
    ['ioh-gen-0.3.22', 'ioh'],
    ['ioh-inspector-so', 'ioh'],
    ['coco-gen-v2.2.1', 'coco'],
    ['coco-gen-bbob', 'coco'],
    ['coco-bfgs-2019-mini', 'coco'],
  ])('equals the imported runs: %s', async (dataSet, format) => {
    const file = findArchive(dataSet) ?? '';
    await importThrough(from.service, { file }, `name=${dataSet}`);
    const campaigns = await listCampaigns(from, dataSet);
    expect(campaigns).not.toEqual([]);
    for (const { campaignId, suite } of campaigns) {
      const { body } = await download(
        from.service,
        `/api/export/campaign/${campaignId}/${format}.zip`,
      );
      const zip = join(folder, `${campaignId}.zip`);
      writeFileSync(zip, body);
      const { result } = await importThrough(
        to.service,
        { file: zip, type: 'application/zip' },
        `name=${campaignId}`,
      );
      const [again] = await listCampaigns(to, campaignId);
      expect(again?.suite).toBe(suite);
      const original = await readRuns(from.service, 'campaign', campaignId);
      expect(original.length).toBeGreaterThan(1);
      expect(await readRuns(to.service, 'campaign', again?.campaignId ?? '')).toEqual(original);
      void result;
    }
  });
});
