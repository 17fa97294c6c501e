import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toFileName } from '#shared/file-name.ts';
import type { Across } from '#shared/schemas/analysis-across.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import type { ExportedPoint } from '#shared/schemas/export.ts';
import { makeSqliteLocation, openTestDatabase } from '#tests/support/databases.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { importThrough } from '#tests/support/imports.ts';
import { isLong } from '#tests/support/long.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

/** A virtual environment with cocopp, iohinspector and pyarrow. */
const venv = process.env['EVOSCOPE_EXPORT_VENV'];

const why = isLong && venv ? '' : 'skipped, needs npm run test:long and EVOSCOPE_EXPORT_VENV';

interface Results {
  ioh: {
    runs: [string, number, number, number, number][];
    erts: [string, number, number, number, number | null][];
    areas: [string, number, number, number][];
  };
  coco: { erts: [string, number, number, number, number | null][] };
  parquet: { types: Record<string, string>; rows: Record<string, unknown>[] };
}

describe.skipIf(why)(`Readers of exports${why && `: ${why}`}`, { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-readers-'));
  let service: TestService;
  let results: Results;
  let close: () => Promise<void>;
  const ids: Record<string, string> = {};
  const levels: Record<string, number[]> = {};

  beforeAll(async () => {
    const location = await makeSqliteLocation();
    const database = await openTestDatabase(location.url);
    service = await startService(database);
    close = async () => {
      await service.close();
      await database.close();
      await location.remove();
    };
    for (const dataSet of ['ioh-inspector-so', 'coco-gen-bbob']) {
      await importThrough(service, { file: findArchive(dataSet) ?? '' }, `name=${dataSet}`);
    }
    const { items } = await service.get<{ items: { campaignId: string; name: string }[] }>(
      '/api/coco/campaigns?size=200',
    );
    for (const { campaignId, name } of items) ids[name] = campaignId;
    const ioh = await unpack('ioh-inspector-so', 'ioh.zip');
    const coco = await unpack('coco-gen-bbob', 'coco.zip');
    const parquet = join(folder, 'traces.parquet');
    const file = await get(`${getAddress('ioh-inspector-so')}/traces?format=parquet`);
    writeFileSync(parquet, file);
    await findLevels();
    const python = spawn(
      join(venv ?? '', 'bin', 'python'),
      [fileURLToPath(new URL('../../fixtures/export/read.py', import.meta.url))],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    python.stdin.end(JSON.stringify({ ioh, coco, parquet, levels }));
    results = (await json(python.stdout)) as Results;
  }, 300_000);

  afterAll(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  const getAddress = (dataSet: string) => `/api/export/campaign/${ids[dataSet]}`;

  async function get(path: string): Promise<Buffer> {
    const { status, body } = await sendRawRequest(service, path, {});
    if (status !== 200) throw new Error(body.toString());
    return body;
  }

  /** Writes the files of an archive to a new folder, and returns it. */
  async function unpack(dataSet: string, file: string): Promise<string> {
    const files = unzipSync(new Uint8Array(await get(`${getAddress(dataSet)}/${file}`)));
    const target = join(folder, file);
    for (const [name, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(target, name)), { recursive: true });
      writeFileSync(join(target, name), bytes);
    }
    return target;
  }

  /** The convergence test of Moré and Wild: from the median first value to the target, 1e-8. */
  async function findLevels(): Promise<void> {
    const points = await service.get<ExportedPoint[]>(`${getAddress('ioh-inspector-so')}/traces`);
    for (const [functionId, own] of Map.groupBy(points, (point) => point.functionId)) {
      const firsts = [...Map.groupBy(own, ({ runId }) => runId).values()]
        .map(([first]) => first?.best ?? NaN)
        .sort((a, b) => a - b);
      const middle = firsts.length / 2;
      const start =
        ((firsts[Math.floor(middle - 0.5)] ?? 0) + (firsts[Math.floor(middle)] ?? 0)) / 2;
      levels[String(functionId)] = [1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 0].map(
        (share) => 1e-8 + share * (start - 1e-8),
      );
    }
  }

  async function readErts(dataSet: string, targets: readonly number[]) {
    const { rows } = await service.get<CampaignErts>(
      `/api/coco/campaigns/${ids[dataSet]}/erts?targets=${[...new Set(targets)].join(',')}`,
    );
    return new Map(
      rows.map((row) => [
        [row.optimizerId, row.functionId, row.dimension, row.targetValue].join(' '),
        row.ert,
      ]),
    );
  }

  test('IOHinspector computes the same expected runtimes', async () => {
    const { erts } = results.ioh;
    const own = await readErts(
      'ioh-inspector-so',
      erts.map(([, , , target]) => target),
    );
    let finite = 0;
    for (const [algorithm, functionId, dimension, target, ert] of erts) {
      const expected = own.get([algorithm, functionId, dimension, target].join(' ')) ?? null;
      if (ert === null || expected === null) expect(ert).toBe(expected);
      else expect(Math.abs(ert / expected - 1)).toBeLessThan(1e-9);
      if (ert !== null) finite += 1;
    }
    expect(finite).toBeGreaterThan(100);
  });

  test('IOHinspector computes the same area over the convergence curve', async () => {
    const algorithms = [...new Set(results.ioh.areas.map(([algorithm]) => algorithm))];
    const across = await service.get<Across>(
      `/api/analysis/across?measure=anytime&${algorithms.map((name) => `algorithm=${name}`).join('&')}`,
    );
    expect(results.ioh.areas).toHaveLength(4);
    for (const [algorithm, functionId, , area] of results.ioh.areas) {
      const instance = across.instances.find(({ label }) => label.includes(`f${functionId} `));
      const cell = across.cells.find(
        ({ instance: id, group }) => id === instance?.id && group === algorithm,
      );
      expect(Math.abs(area - (cell?.value ?? NaN))).toBeLessThan(1e-9);
    }
  });

  test('cocopp computes the same expected runtimes', async () => {
    const { erts } = results.coco;
    const own = await readErts(
      'coco-gen-bbob',
      erts.map(([, , , target]) => target),
    );
    let finite = 0;
    // cocopp names an algorithm by its folder.
    const names = new Map(
      [...own.keys()].map((key) => [toFileName(key.split(' ')[0] ?? ''), key.split(' ')[0]]),
    );
    for (const [name, functionId, dimension, target, ert] of erts) {
      const expected = own.get([names.get(name), functionId, dimension, target].join(' '));
      expect(expected).toBeDefined();
      if (ert === null || expected === null) expect(ert).toBe(expected);
      else expect(Math.abs(ert / (expected ?? 0) - 1)).toBeLessThan(1e-9);
      if (ert !== null) finite += 1;
    }
    expect(finite).toBeGreaterThan(100);
  });

  test('pyarrow reads the same traces', async () => {
    const points = await service.get<ExportedPoint[]>(`${getAddress('ioh-inspector-so')}/traces`);
    expect(results.parquet.rows).toEqual(points);
    expect(results.parquet.types).toMatchObject({
      evaluations: 'double',
      best: 'double',
      functionId: 'int64',
      seed: 'int64',
      algorithm: 'string',
    });
  });
});
