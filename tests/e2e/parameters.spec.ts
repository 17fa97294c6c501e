import { formatRuntime } from '#shared/number-format.ts';
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

test('a group links to its experiments on the instance, and to the page of a single experiment', async ({
  page,
}) => {
  await page.goto('/problems/onemax?by=model');
  const groups = page.getByRole('grid', { name: 'Groups' });
  await groups.getByRole('link', { name: 'umda-bernoulli' }).click();
  await expect(page).toHaveURL(/\/experiments\/[0-9a-f]+$/);
  await expect(page.getByRole('tab', { name: 'Runs' })).toBeVisible();
});
