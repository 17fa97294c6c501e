import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import { describeOnEachEngine } from '#tests/support/databases.ts';
import { readEvents, sendImport } from '#tests/support/imports.ts';
import { isLong } from '#tests/support/long.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

const benchmark = makeBenchmark();
afterAll(() => benchmark.remove());

const why =
  isLong && process.platform === 'linux' ? '' : ' (skipped, needs npm run test:long on Linux)';

/** Linux counts processor time in ticks of a hundredth of a second. */
const ticksPerSecond = 100;

/** Processor time in seconds and memory in MB of a process of this machine. */
function readUsage(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1]);
  return {
    seconds: (Number(stat[11]) + Number(stat[12])) / ticksPerSecond,
    megabytes: kilobytes('VmRSS') / 1024,
    mostMegabytes: kilobytes('VmHWM') / 1024,
  };
}

describeOnEachEngine('a data set as large as those of the archive of COCO', (engine) => {
  test.skipIf(why !== '')(
    `is imported through the service in 5 s of processor time and 150 MB, and reports its progress${why}`,
    async () => {
      const location = await engine.makeLocation();
      const flags = ['--db', location.url, '--port', '0', '--log-level', 'error'];
      const service = spawnService(flags, { isMeasured: true });
      const url = parseAddress(await service.readyLine);
      const pid = service.child.pid!;
      // By then all threads of the service have started.
      for (const path of ['/api/runs', '/api/analysis/problems']) await fetch(`${url}${path}`);
      await fetch(`${url}/api/experiments/nobody`, { method: 'DELETE' });
      const before = readUsage(pid);
      const { body } = await sendImport({ url }, { path: benchmark.folder }, 'name=large');
      const events = await readEvents({ url }, String(body['importId']));
      const after = readUsage(pid);
      service.child.kill('SIGTERM');
      await service.exitCode;
      await location.remove();
      expect(events.at(-1)).toMatchObject({
        event: 'done',
        data: { campaigns: [{ experiments: 144, runs: benchmark.runs }] },
      });
      const seen = events.map(({ data }) => `${data['bytes'] as number} ${data['rows'] as number}`);
      expect(new Set(seen).size).toBeGreaterThan(10);
      expect(after.seconds - before.seconds).toBeLessThan(5);
      expect(after.mostMegabytes - before.megabytes).toBeLessThan(150);
    },
  );
});
