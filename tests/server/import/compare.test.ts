import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

describeOnEachDatabase('an import of an interrupted experiment', (database) => {
  test('adds its current run after the index lists the run that was the current one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-compare-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'data_f1'));
    const header =
      '% f evaluations | g evaluations | best noise-free fitness - Fopt (7.9e+01) + sum g_i+ | measured fitness';
    /** Imports the folder after the first runs have ended and one more has begun. */
    const importRuns = (endedCount: number) => {
      const blocks = Array.from({ length: endedCount + 1 }, (_, index) => {
        const rows = [`1 0 ${index + 5} 1`, `20 0 ${index + 2} 1`];
        return [header, ...(index < endedCount ? [...rows, `30 0 1 1`] : rows)].join('\n');
      });
      const entries = Array.from({ length: endedCount }, (_, index) => `${index + 1}:30|1.0e+00`);
      const index = ["suite = 'bbob', funcId = 1, DIM = 2, Precision = 1e-8, algId = 'ES'", '%'];
      const line = ['data_f1/bbobexp_f1_DIM2.dat', ...entries].join(', ');
      writeFileSync(join(folder, 'bbobexp_f1.info'), [...index, line].join('\n'));
      writeFileSync(join(folder, 'data_f1/bbobexp_f1_DIM2.dat'), `${blocks.join('\n')}\n`);
      return importDataSets(database(), { path: folder }, { name: 'interrupted' });
    };
    await importRuns(1);
    expect(await importRuns(2)).toMatchObject({ skipped: 1, extended: 0 });
    // The third run is stored with its instance now, so an older copy without it changes nothing.
    await importRuns(4);
    expect(await importRuns(2)).toMatchObject({ skipped: 2, extended: 0 });
    const trials = await database()
      .kysely.selectFrom('coco_trials as t')
      .innerJoin('runs as r', 'r.run_id', 't.run_id')
      .select(['t.instance_id', 'r.status', 't.evaluations', 'r.best_fitness'])
      .orderBy('t.instance_id')
      .execute();
    expect(trials.map((trial) => Object.values(trial))).toEqual([
      [0, 'STOPPED', 20, 6],
      [1, 'COMPLETED', 30, 1],
      [2, 'COMPLETED', 30, 1],
      [3, 'COMPLETED', 30, 1],
      [4, 'COMPLETED', 30, 1],
    ]);
  });
});
