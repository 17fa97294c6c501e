import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasLatex } from '#build/gate/latex.ts';
import type { Page } from '#shared/schemas/common.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import {
  makeSqliteLocation,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { compileLatex } from '#tests/support/latex.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

let location: TestLocation;
let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  location = await makeSqliteLocation();
  database = await openTestDatabase(location.url);
  await loadSample(database);
  service = await startService(database, { isInThisThread: true });
});
afterAll(async () => {
  await service.close();
  await database.close();
  await location.remove();
});

const fragment = async (path: string) => (await fetch(service.url + path)).text();

test.skipIf(!hasLatex())('the tables of every experiment and problem compile', async () => {
  const { items } = await service.get<Page<ExperimentItem>>(
    '/api/experiments?size=200&trials=exclude',
  );
  const problems = await service.get<{ problemType: string }[]>('/api/analysis/problems');
  expect([items.length, problems.length]).toEqual([19, 10]);
  const paths = [
    ...items.map(({ experimentId }) => `/api/experiments/${experimentId}/analysis/latex`),
    ...problems.map(({ problemType }) => `/api/analysis/problem/${problemType}/latex`),
    '/api/analysis/across/latex',
    '/api/analysis/across/latex?measure=ert&algorithm=cma-es&algorithm=gaussian-eda&control=cma-es',
  ];
  const fragments = [];
  for (const path of paths) fragments.push(await fragment(path));
  // A document of so many floats at once needs them to be let out now and then.
  const { isSuccessful, log, pages } = compileLatex(fragments.join('\n\\clearpage\n'));
  expect(isSuccessful, log.slice(-2_000)).toBe(true);
  expect(pages).toBeGreaterThanOrEqual(paths.length);
  expect(log).not.toMatch(/multiply defined|Undefined control/);
});

test.skipIf(!hasLatex())('names full of special characters compile', async () => {
  const name = '%_&#{}$~^\\ [1] <b> "q" 中 é';
  for (const [index, suffix] of ['a', 'b'].entries()) {
    const experiment = { experiment_id: `hostile-${suffix}`, config_hash: suffix };
    const problem = { problem_type: 'hostile_problem%', algorithm_type: `${name}${suffix}` };
    await insert(database, 'experiments', { ...experiment, ...problem, run_name: name });
    for (const run of [1, 2, 3]) {
      await insert(database, 'runs', {
        run_id: `hostile-${suffix}-${run}`,
        experiment_id: experiment.experiment_id,
        seed: run,
        evaluations: 100 * run,
        best_fitness: [1e-300, -1e300, 1e300][(run + index) % 3],
        runtime_millis: run,
      });
    }
  }
  const text = await fragment(
    '/api/analysis/problem/hostile_problem%25/latex?groupBy=experiment&target=1e-12',
  );
  const { isSuccessful, log } = compileLatex(text);
  expect(isSuccessful, log.slice(-2_000)).toBe(true);
});

test('an experiment has its values, their distributions, and the comparison with its figure', async () => {
  const { items } = await service.get<Page<ExperimentItem>>(
    '/api/experiments?problem=onemax&size=200',
  );
  const experiment = items.find(({ totalRuns }) => totalRuns === 15)!;
  const text = await fragment(`/api/experiments/${experiment.experimentId}/analysis/latex`);
  expect(await fragment(`/api/experiments/${experiment.experimentId}/latex`)).toBe(text);
  const labels = [...text.matchAll(/\\label\{(\w+:[a-z]+)/g)].map(([, label]) => label);
  expect(labels).toEqual([
    'tab:experiment',
    'tab:distributions',
    'tab:groups',
    'tab:pairs',
    'tab:pairs',
    'tab:pairs',
    'tab:ranks',
    'fig:boxes',
  ]);
  expect(text).toContain(
    'Groups without a common bar differ significantly in fitness within their common budget.',
  );
});

test('one table can be exported alone, with its intervals, and with n.s. without a significant difference', async () => {
  const path = '/api/analysis/problem/onemax/latex';
  const getLabels = (text: string) =>
    [...text.matchAll(/\\label\{([a-z-]+:[a-z]+)/g)].map(([, label]) => label);
  const groups = await fragment(`${path}?table=groups`);
  expect(getLabels(groups)).toEqual(['tab:groups']);
  expect(groups).toMatch(/\[\d[\d\\,]*, \d[\d\\,]*\]/);
  const pairs = await fragment(`${path}?table=pairs-runtime`);
  expect(getLabels(pairs)).toEqual(['tab:pairs']);
  expect(pairs).toMatch(/0\.\d+ \[0\.\d+, \d\.\d*\] & \S+/);
  expect(await fragment(`${path}?table=pairs-fitness`)).toContain('n.s.');
  expect(getLabels(await fragment(`${path}?table=boxes`))).toEqual(['fig:boxes']);
  expect(await fragment(`${path}?algorithm=umda&table=ranks`)).toBe(
    '% These data have no table ranks. Request one of groups, boxes.\n',
  );
  const wrong = await service.getProblem(`${path}?table=nothing`);
  expect(wrong.errors?.[0]?.message).toMatch(/^must be one of groups, pairs-fitness, /);
});
