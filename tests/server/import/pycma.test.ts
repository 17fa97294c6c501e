import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { clearTables, readGrowth } from '#tests/support/growth.ts';

const parentFolder = mkdtempSync(join(tmpdir(), 'evoscope-pycma-'));
afterAll(() => rmSync(parentFolder, { recursive: true }));

/** The finished files of a real run of pycma on the ellipsoid function, with three variables and seed 7. */
const files = new Map<string, string>();
for (const [path, text, isNew] of readGrowth('cma'))
  files.set(path, isNew ? text : (files.get(path) ?? '') + text);

/** The evaluations and the best values of `fit.dat` where it improves, read column by column. */
const improvements = (files.get('outcmaes/fit.dat') ?? '')
  .split('\n')
  .slice(1, -1)
  .map((line) => line.split(' '))
  .map(([, evaluations, , , best]) => [Number(evaluations), Number(best)] as const)
  .filter(([, best], row, rows) => row === 0 || best < (rows[row - 1]?.[1] ?? NaN));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(parentFolder, 'folder-'));
});

function write(at: string, changes: Record<string, string | null> = {}): void {
  for (const [path, text] of files) {
    const name = path.slice('outcmaes/'.length);
    const newText = changes[name] === undefined ? text : changes[name];
    mkdirSync(dirname(join(folder, at, name)), { recursive: true });
    if (newText !== null) writeFileSync(join(folder, at, name), newText);
  }
}

describeOnEachDatabase('an import of outcmaes/ of pycma', (database) => {
  afterEach(() => clearTables(database()));

  const importFolder = () => importDataSets(database(), { path: folder }, { name: 'ellipsoid' });
  const listRuns = () =>
    database()
      .kysely.selectFrom('runs')
      .select(['run_id', 'seed', 'status', 'evaluations', 'best_fitness'])
      .orderBy('run_id')
      .execute();

  test('reads the best values of fit.dat as the trace of a run with the seed of its header', async () => {
    write('outcmaes');
    const result = await importFolder();
    expect(result).toMatchObject({
      campaigns: [{ campaignId: null, suite: null, experiments: 1, runs: 1 }],
      algorithms: [{ source: 'CMA-ES', name: 'CMA-ES' }],
      notes: [],
    });
    const lastImprovement = improvements.at(-1);
    expect(improvements.length).toBe(8);
    expect(await listRuns()).toEqual([
      {
        run_id: expect.stringMatching(/^imp-[0-9a-f]{12}-f1-d3-i0-s7-r1$/) as string,
        seed: 7,
        status: 'COMPLETED',
        evaluations: 175,
        best_fitness: lastImprovement?.[1],
      },
    ]);
    const rows = await database()
      .kysely.selectFrom('iterations')
      .select(['evaluations', 'best_fitness'])
      .orderBy('iteration')
      .execute();
    const storedRows = rows.map((row) => [row.evaluations, row.best_fitness]);
    expect(storedRows.slice(0, improvements.length)).toEqual(improvements);
    const [experiment] = await database()
      .kysely.selectFrom('experiments')
      .select('config_json')
      .execute();
    expect(JSON.parse(String(experiment?.config_json))).toMatchObject({
      algorithm: { type: 'CMA-ES', params: { popsize: 7 } },
      problem: {
        type: 'pycma',
        params: { dimension: 3, direction: 'min', functionName: 'ellipsoid' },
      },
      representation: { type: 'real-vector', params: { length: 3 } },
    });
  });

  test('has one experiment for several folders, with a run for each seed', async () => {
    write('one/outcmaes');
    const fit = files.get('outcmaes/fit.dat') ?? '';
    write('two/outcmaes', { 'fit.dat': fit.replace('seed=7', 'seed=8') });
    write('three/outcmaes', { 'fit.dat': fit.replace('seed=7', 'seed=nan') });
    expect(await importFolder()).toMatchObject({ campaigns: [{ experiments: 1, runs: 3 }] });
    expect(new Set((await listRuns()).map(({ seed }) => seed))).toEqual(new Set([0, 7, 8]));
  });

  test.each([
    ['is still running', '{}'],
    ['was interrupted while it wrote why it stopped', "{'maxit"],
    ['has no stoppings.json2', null],
  ])('stops a run that %s, with a note', async (_case, stoppings) => {
    write('outcmaes', { 'stoppings.json2': stoppings });
    const { notes } = await importFolder();
    expect(notes.map(({ code }) => code)).toEqual(['RUN_NOT_FINALISED']);
    expect(await listRuns()).toMatchObject([{ status: 'STOPPED' }]);
  });

  test('notes a truncated last row, and files without their parameters', async () => {
    const fit = files.get('outcmaes/fit.dat') ?? '';
    write('outcmaes', { 'fit.dat': fit.slice(0, -40) });
    write('other', { 'parameters.json2': '{}' });
    const { notes } = await importFolder();
    expect(notes).toMatchObject([
      {
        code: 'UNLISTED_DATA_FILE',
        file: 'other/fit.dat',
        message: 'Data file not listed in any index; skipped',
      },
      { code: 'ROW_SKIPPED', file: 'outcmaes/fit.dat' },
    ]);
    expect(await listRuns()).toMatchObject([{ evaluations: 168 }]);
  });
});
