import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { importThrough } from '#tests/support/imports.ts';
import { insertLargeCampaign } from '#tests/support/large-campaign.ts';
import { isLong } from '#tests/support/long.ts';
import { countRows, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

/** Share of the rows that are written next to the runner: all in `npm run test:long`, a thousandth in the gate. */
const scale = isLong ? 1 : 0.001;
const program = fileURLToPath(new URL('../support/strict-writer.ts', import.meta.url));

interface WriterReport {
  written: number;
  failed: number;
  longestMillis: number;
}

describeOnEachDatabase('while a runner waits 5 s at most', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-large-writes-'));
  let service: ServiceProcess;
  let address: string;
  const isFile = () => database().dialect.name === 'sqlite';
  const place = () => database().url.replace('jdbc:sqlite:', '');

  beforeAll(async () => {
    await insertExperiment(database(), 'live');
    await insertLargeCampaign(database(), 'large', {
      runs: 200_000 * scale,
      runsPerExperiment: 1_000,
    });
    service = spawnService(['--db', place(), '--port', '0']);
    address = parseAddress(await service.readyLine);
  }, 600_000);
  afterAll(async () => {
    service.child.kill('SIGKILL');
    await service.exitCode;
    rmSync(folder, { recursive: true });
  });

  /** What a runner, writing to its own run all the time, reports of its writes during `work`. */
  async function besideRunner(runId: string, work: () => Promise<void>): Promise<WriterReport> {
    await insertRun(database(), 'live', runId, {
      status: 'RUNNING',
      start_time: new Date().toISOString(),
      end_time: null,
    });
    const child = spawn(process.execPath, [program, place(), runId]);
    const output = text(child.stdout);
    await once(child.stdout, 'data');
    await work();
    child.stdin.end();
    const [, report = '{}'] = (await output).split('\n');
    return JSON.parse(report) as WriterReport;
  }

  async function ownRows(): Promise<Record<string, number>> {
    const rows = Object.entries(await countRows(database()));
    return Object.fromEntries(rows.filter(([name]) => name !== 'iterations' && name !== 'runs'));
  }

  const count = (rows: number) => Math.ceil(rows * scale);
  const imports: [string, () => string][] = [
    [
      '40,000 problems of one row each',
      () => table(count(40_000), (row) => `a,p${row},1,100,${row}`),
    ],
    ['200,000 runs of one row each', () => table(count(200_000), (row) => `a,p,${row},100,${row}`)],
    ['300,000 rows of one run', () => table(count(300_000), (row) => `a,p,1,${row + 1},${-row}`)],
  ];

  test.each(imports)(
    'an import of %s lets no write of the runner fail',
    async (name, make) => {
      const path = join(folder, 'large.csv');
      writeFileSync(path, make());
      const before = await ownRows();
      const report = await besideRunner(name, async () => {
        const { status, failure } = await importThrough(
          { url: address },
          { path },
          `direction=min&name=${encodeURIComponent(name)}`,
        );
        if (isFile() && isLong) {
          expect(failure).toMatchObject({ code: 'RUNNER_WRITING', status: 409 });
          expect(await ownRows()).toEqual(before);
        } else expect({ status, failure }).toEqual({ status: 'done', failure: null });
      });
      expect(report).toMatchObject({ failed: 0 });
      expect(report.written).toBeGreaterThan(0);
    },
    900_000,
  );

  test('a deletion of a campaign with 200,000 runs lets no write of the runner fail', async () => {
    const before = await ownRows();
    const report = await besideRunner('deleting', async () => {
      const response = await fetch(`${address}/api/coco/campaigns/large`, { method: 'DELETE' });
      const answer = await response.json();
      if (isFile() && isLong) {
        expect(answer).toMatchObject({ code: 'RUNNER_WRITING', status: 409 });
        expect(await ownRows()).toEqual(before);
      } else expect(answer).toMatchObject({ deleted: true, runsDeleted: count(200_000) });
    });
    expect(report).toMatchObject({ failed: 0 });
    expect(report.written).toBeGreaterThan(0);
  }, 900_000);
});

function table(rows: number, line: (row: number) => string): string {
  const lines = Array.from({ length: rows }, (_, row) => line(row));
  return `algorithm,problem,seed,evaluations,best\n${lines.join('\n')}\n`;
}
