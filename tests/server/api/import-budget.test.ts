import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { importThrough } from '#tests/support/imports.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** A table of improvements only: the last row of a run is its last improvement. */
const improvements = [
  'algorithm,problem,seed,evaluations,best',
  ...['A', 'B'].flatMap((algorithm) =>
    [1, 2, 3, 4, 5].flatMap((seed) => [
      `${algorithm},p,${seed},10,${90 + seed}`,
      `${algorithm},p,${seed},${100 * seed},${seed}`,
    ]),
  ),
].join('\n');

describeOnEachDatabase('The budget of imported improvements', (database) => {
  let service: TestService;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-import-budget-'));
  const file = join(folder, 'table.csv');

  beforeAll(async () => {
    writeFileSync(file, improvements);
    service = await startService(database());
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const importTable = (query: string) =>
    importThrough(service, { file, type: 'text/csv' }, `name=table&direction=min&${query}`);
  const pair = async () => {
    const { guard } = await service.get<ProblemComparison>('/api/analysis/problem/p');
    return guard.pairs[0];
  };

  it('is assumed to be equal if the import states none, and the pair reports it', async () => {
    const { result } = await importTable('');
    expect(result?.notes).toMatchObject([
      { code: 'BUDGET_UNKNOWN', message: expect.stringContaining('Enter the budget') as string },
    ]);
    expect(await pair()).toMatchObject({
      assumesEqualBudgets: true,
      commonBudget: 500,
      text: expect.stringMatching(/^Assumes equal budgets: the data do not state them\./) as string,
    });
  });

  it('is refused where a run went beyond it', async () => {
    const { status, failure } = await importTable('budget=499&replace=true');
    expect([status, failure?.detail]).toEqual([
      'failed',
      'The budget of 499 evaluations is below the 500 that a run used. Enter at least 500.',
    ]);
    expect(await service.getProblem('/api/import?budget=0', { method: 'POST' })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('must be a whole number, at least 1') as string,
    });
  });

  it('is that of the import, within which the groups are compared', async () => {
    await importTable('budget=1000&replace=true');
    expect(await pair()).toMatchObject({
      assumesEqualBudgets: false,
      commonBudget: 1_000,
      budgetSource: 'granted',
    });
  });
});

describeOnEachDatabase('The budget of imported data of COCO', (database) => {
  let service: TestService;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-import-budget-'));

  /** Writes a data set of one function, in which each run improves at its last evaluation. */
  const writeDataSet = (name: string, ends: readonly number[], last: number) => {
    const blocks = ends.map(
      (end) =>
        '% f evaluations | g evaluations | best noise-free fitness - Fopt (79.48) + sum g_i+ | measured\n' +
        `1 0 +5.0e+01 +5.0e+01\n${end} 0 +${last} +${last}\n`,
    );
    const entries = ends.map((end, index) => `, ${index + 1}:${end}|${last}`);
    const head = `suite = 'bbob', funcId = 1, DIM = 2, Precision = 1.000e-08, algId = '${name}'`;
    mkdirSync(join(folder, name, 'data_f1'), { recursive: true });
    writeFileSync(
      join(folder, name, 'bbobexp_f1.info'),
      `${head}\n%\ndata_f1/bbobexp_f1_DIM2.dat${entries.join('')}\n`,
    );
    writeFileSync(join(folder, name, 'data_f1', 'bbobexp_f1_DIM2.dat'), blocks.join(''));
    return join(folder, name);
  };

  beforeAll(async () => {
    service = await startService(database());
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it('is the end of its runs, also if each of them improves at its last evaluation', async () => {
    const short = writeDataSet('short', [600, 600, 600, 600, 600], 0.5);
    const long = writeDataSet('long', [1000, 2000, 3000, 4000, 5000], 1e-9);
    for (const path of [short, long]) await importThrough(service, { path });
    const { guard } = await service.get<ProblemComparison>('/api/analysis/problem/coco-bbob');
    expect(guard.pairs[0]).toMatchObject({
      assumesEqualBudgets: false,
      commonBudget: 600,
      budgetSource: 'observed',
    });
  });
});
