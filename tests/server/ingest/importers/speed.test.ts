import { afterAll, expect, test } from 'vitest';
import { importDataSets } from '#server/ingest/importers/import-data-sets.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';

const benchmark = makeBenchmark();
afterAll(() => benchmark.remove());

describeOnEachDatabase('a data set as large as those of the archive of COCO', (database) => {
  test('is there within 5 s of processor time and 150 MB of memory', async () => {
    const memoryBefore = process.memoryUsage().rss;
    const timeBefore = process.cpuUsage();
    let most = memoryBefore;
    const result = await importDataSets(database(), { path: benchmark.folder }, {}, () => {
      most = Math.max(most, process.memoryUsage().rss);
    });
    const { user, system } = process.cpuUsage(timeBefore);
    expect(result.campaigns).toMatchObject([{ experiments: 144, runs: benchmark.runs }]);
    expect((user + system) / 1e6).toBeLessThan(5);
    expect((most - memoryBefore) / 2 ** 20).toBeLessThan(150);
  });
});
