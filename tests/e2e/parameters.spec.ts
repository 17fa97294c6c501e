import type { DatabaseSync } from 'node:sqlite';
import { formatPValue, formatRuntime } from '#shared/number-format.ts';
import type { InstanceParameters } from '#shared/schemas/analysis-parameters.ts';
import { expect, test } from './service.ts';

test('a problem shows which parameters vary on an instance and the results of their values, and links to the experiments with each value', async ({
  page,
}) => {
  await page.goto('/problems/onemax');
  await page.getByRole('tab', { name: 'Parameters' }).click();
  const parameters = page.getByRole('grid', { name: 'Parameters that vary' });
  await expect(parameters.getByRole('row')).toHaveCount(1 + 6);
  await expect(page.getByText('with the range of results; omits algorithm.type')).toBeVisible();
  await expect(parameters.getByRole('columnheader', { name: 'p (adj.)' })).toBeVisible();
  for (const name of ['p', 'Smallest p']) {
    await expect(parameters.getByRole('columnheader', { name, exact: true })).toHaveCount(0);
  }
  await expect(parameters.getByRole('row', { name: /populationSize/ })).toContainText(
    '– (too few values)',
  );
  await expect(parameters.getByRole('row', { name: /model.type/ })).toContainText(
    '– (categorical)',
  );
  await expect(
    page.getByText(
      'algorithm.type, model.type are confounded (they vary together); their separate associations with the results cannot be estimated.',
    ),
  ).toBeVisible();
  await page.getByRole('checkbox', { name: 'Include stopping and algorithm type' }).check();
  await expect(parameters.getByRole('row')).toHaveCount(1 + 7);
  await expect(parameters.getByRole('row', { name: /algorithm.type/ })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Include stopping and algorithm type' }).uncheck();
  await expect(parameters.getByRole('row')).toHaveCount(1 + 6);
  const values = page.getByRole('grid', { name: 'Values of the parameters' });
  const sixty = values.getByRole('row', { name: /populationSize 60/ });
  await expect(sixty).toContainText('1 448');
  await expect(values.getByRole('row', { name: /learningRate not set/ })).toBeVisible();

  await sixty.getByRole('link', { name: '60' }).click();
  await expect(page.getByRole('grid', { name: 'Experiments' }).getByRole('row')).toHaveCount(1 + 2);
  await expect(
    page.getByRole('button', { name: 'Remove filter algorithm.populationSize = 60' }),
  ).toBeVisible();
  await page.goBack();
  await values.getByRole('link', { name: 'pbil-frequency' }).click();
  await expect(page).toHaveURL(/\/experiments\/[0-9a-f]+$/);
});

test('the values of parameters show the MOVER interval of the ERT, with an explanation', async ({
  page,
  sample,
}) => {
  await page.goto('/problems/onemax?tab=parameters');
  const values = page.getByRole('grid', { name: 'Values of the parameters' });
  const row = values.getByRole('row', { name: /populationSize 60/ });
  const response = await fetch(`${sample.url}/api/analysis/parameters`);
  const { parameters } = (await response.json()) as InstanceParameters;
  const size = parameters.find(({ path }) => path === 'algorithm.populationSize');
  const { ertInterval, ertMoverInterval } = size!.values.find(({ value }) => value === '60')!;
  expect(ertMoverInterval).not.toEqual(ertInterval);
  const { lower, upper } = ertMoverInterval!;
  await expect(row).toContainText(formatRuntime(lower));
  await expect(row).toContainText(formatRuntime(upper ?? Infinity));
  await values.getByRole('button', { name: 'What is ERT, 95 % CI?' }).click();
  await expect(page.getByRole('dialog')).toContainText(
    'with MOVER interval; the interval assumes that every run succeeds if all did and no common budget is known',
  );
});

test('each parameter has a chart with one point per experiment: by keyboard, as a table, and as a link', async ({
  page,
}) => {
  await page.goto('/problems/onemax?tab=parameters');
  const card = page
    .locator('section.card')
    .filter({ has: page.getByRole('heading', { name: 'model.type', exact: true }) });
  await expect(card.locator('.scatterlayer .point')).toHaveCount(3);
  await expect(card.getByRole('list', { name: 'Series' })).toContainText('cga1\u2009experiment');
  const chart = card.getByRole('application', { name: 'model.type' });
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  const readout = card.locator('.chart-readout');
  await expect(readout).toContainText('model.type cga-frequency');
  await expect(readout).toContainText('cga, ');
  await expect(readout).toContainText('n15');
  await page.keyboard.press('t');
  const table = card.getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveText([
    'experiment',
    'algorithm',
    'model.type',
    'ERT (evaluations)',
    'n',
    'successful runs',
  ]);
  await expect(table.getByRole('row')).toHaveCount(1 + 3);
  await page.keyboard.press('t');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/experiments\/[0-9a-f]+$/);
});

test('a target in the URL also applies to the values of parameters; the page reports if no parameter varies', async ({
  page,
}) => {
  await page.goto('/problems/onemax?tab=parameters&target=36');
  const row = page
    .getByRole('grid', { name: 'Values of the parameters' })
    .getByRole('row', { name: /model.type pbil/ });
  await expect(row).toContainText('100.0 %');
  await page.goto('/problems/onemax?tab=parameters&algorithm=umda');
  await expect(page.getByText('No parameters vary')).toBeVisible();
  await expect(
    page.getByText(
      '1 experiment on onemax, length 40, all with the same parameters. Run one with another parameter to see whether it is associated with the results.',
    ),
  ).toBeVisible();
});

/** Adds an experiment with one run to the problem `type`. */
function addExperiment(
  database: DatabaseSync,
  type: string,
  { params = {}, stopping = {}, best }: { params?: object; stopping?: object; best: number },
): void {
  const id = `${type}-${best}`;
  const changes = { experiment_id: id, algorithm_type: 'umda', problem_type: type };
  const configuration = {
    problem: { type, params: { direction: 'min' } },
    algorithm: { type: 'umda', params },
    stopping,
  };
  const experiment = { config_hash: id, config_json: JSON.stringify(configuration) };
  const run = { run_id: id, experiment_id: id, status: 'COMPLETED', best_fitness: best };
  for (const [table, columns] of [
    ['experiments', { ...changes, ...experiment }],
    ['runs', run],
  ] as const) {
    const row = { ...database.prepare(`SELECT * FROM ${table} LIMIT 1`).get(), ...columns };
    const places = Object.keys(row).map(() => '?');
    database
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      )
      .run(...Object.values(row));
  }
}

test('correlations have adjusted p-values, and on request also those of the test and the smallest possible ones', async ({
  page,
  service,
  database,
}) => {
  const rates = [2, 1, 3, 4, 5];
  for (const [index, rate] of rates.entries()) {
    const params = { dims: index + 1, rate };
    addExperiment(database, 'tuned', { params, best: 5 - index });
  }
  await page.goto(`${service.url}/problems/tuned?tab=parameters`);
  const parameters = page.getByRole('grid', { name: 'Parameters that vary' });
  const row = parameters.getByRole('row', { name: /algorithm.rate/ });
  // The p-values of dims and rate are 2 / 120 and 10 / 120.
  await expect(row).toContainText(formatPValue(10 / 120));
  for (const name of ['Success rate', 'Success rate, 95 % CI', 'ERT, 95 % CI']) {
    await expect(page.getByRole('columnheader', { name })).toHaveCount(0);
  }
  const dims = parameters.getByRole('row', { name: /algorithm.dims/ });
  await expect(dims).toContainText(formatPValue(4 / 120));
  await expect(dims).not.toContainText(formatPValue(2 / 120));
  await expect(row).not.toContainText(formatPValue(2 / 120));
  const card = page
    .locator('section.card')
    .filter({ has: page.getByRole('heading', { name: 'Parameters that vary' }) });
  await card.getByRole('button', { name: 'Columns' }).click();
  const columns = page.getByRole('dialog', { name: 'Columns' });
  for (const name of ['p', 'Smallest p']) {
    await columns.getByRole('checkbox', { name, exact: true }).check();
  }
  await page.keyboard.press('Escape');
  await expect(parameters.getByRole('columnheader', { name: 'Smallest p' })).toBeVisible();
  await expect(row).toContainText(formatPValue(2 / 120));
});

test('experiments that differ only in stopping have no parameter until stopping is included', async ({
  page,
  service,
  database,
}) => {
  for (const best of [1, 2]) {
    addExperiment(database, 'stopped', { stopping: { maxEvaluations: 100 * best }, best });
  }
  await page.goto(`${service.url}/problems/stopped?tab=parameters`);
  await expect(
    page.getByText(
      '2 experiments on stopped that differ only in stopping.maxEvaluations. Include stopping and algorithm type to list them.',
    ),
  ).toBeVisible();
  await page.getByRole('checkbox', { name: 'Include stopping and algorithm type' }).check();
  const parameters = page.getByRole('grid', { name: 'Parameters that vary' });
  await expect(parameters.getByRole('row', { name: /stopping.maxEvaluations/ })).toBeVisible();
});

test('a group links to its experiments on the instance, and to the page of a single experiment', async ({
  page,
}) => {
  await page.goto('/problems/onemax?by=model');
  const groups = page.getByRole('grid', { name: 'Groups' });
  await groups.getByRole('link', { name: 'umda-bernoulli' }).click();
  await expect(page).toHaveURL(/\/experiments\/[0-9a-f]+$/);
  await expect(page.getByRole('tab', { name: 'Runs' })).toBeVisible();
});
