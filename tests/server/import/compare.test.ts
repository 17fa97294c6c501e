import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startsWithRows } from '#server/import/compare.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';

const toRows = (...pairs: [number, number][]) => ({
  evaluations: pairs.map(([evaluations]) => evaluations),
  values: pairs.map(([, value]) => value),
});

test.each([
  { firstRows: toRows(), isEarlier: true },
  { firstRows: toRows([1, 5]), isEarlier: true },
  { firstRows: toRows([1, 5], [1, 3]), isEarlier: true },
  { firstRows: toRows([1, 3], [2, 3], [4, 2]), isEarlier: true },
  { firstRows: toRows([1, 4]), isEarlier: false },
  { firstRows: toRows([1, 3], [1, 5]), isEarlier: false },
  { firstRows: toRows([2, 5]), isEarlier: false },
  { firstRows: toRows([1, 5], [1, 3], [4, 2], [5, 2]), isEarlier: false },
])('startsWithRows returns $isEarlier for $firstRows', ({ firstRows, isEarlier }) => {
  const allRows = toRows([1, 5], [1, 3], [4, 2]);
  expect(startsWithRows(firstRows, allRows)).toBe(isEarlier);
});

describeOnEachDatabase('an import of improvements with equal evaluations', (database) => {
  test('is skipped the second time, and extended by later rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-compare-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'equal.csv');
    const importRows = (...rows: string[]) => {
      const lines = ['algorithm,problem,seed,direction,evaluations,best', ...rows];
      writeFileSync(path, `${lines.join('\n')}\n`);
      return importDataSets(database(), { path });
    };
    const rows = ['ES,sphere,1,min,10,5', 'ES,sphere,1,min,10,3'];
    expect(await importRows(...rows)).toMatchObject({ campaigns: [{ runs: 1, iterations: 2 }] });
    expect(await importRows(...rows)).toMatchObject({ skipped: 1, extended: 0 });
    expect(await importRows(...rows, 'ES,sphere,1,min,20,2')).toMatchObject({ extended: 1 });
  });
});
