import type { Page } from 'playwright/test';
import {
  expect,
  expectAccessible,
  inCompleteMode,
  requestsTo,
  changeDatabase,
  test,
} from './service.ts';

const chart = (page: Page, name: string) => page.getByRole('application', { name, exact: true });
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** A run with line charts and a heat map, and a run with a slider. The other runs have some of these charts. */
const runsForAxe = new Set(['onemax40-cga-r15', 'tsp8-ehm-r01']);

/** The run with most of the charts, and the runs with few charts. */
const runsOfGate = new Set(['onemax40-cga-r15', 'nguyen5-umda', 'failed-copula']);

test.describe('the telemetry of a run', () => {
  for (const [run, tabs] of [
    [
      'onemax40-cga-r15',
      {
        Diversity: ['Hamming distance', 'Unique genotypes', 'Genotype entropy'],
        Drift: ['Probability drift', 'Divergence of the model', 'Entropy lost'],
        Insights: ['Entropy per bit', 'Probability trajectories', 'Fixation'],
      },
    ],
    [
      'tsp8-ehm-r01',
      {
        Diversity: ['Kendall distance'],
        Drift: ['Consensus drift'],
        Insights: ['Item × position', 'Consensus drift', 'ehm_entropy'],
      },
    ],
    [
      'sphere5-cma-r01',
      {
        Diversity: ['Euclidean distance', 'Total variance'],
        Drift: ['Step of the mean', 'Change of the standard deviations'],
        Insights: [
          'Standard deviation per dimension',
          'Mean trajectories',
          'Eigenvalues',
          'Condition number',
        ],
      },
    ],
    ['nguyen5-umda', { Insights: ['Entropy per bit', 'Fixation', 'model_entropy', 'All metrics'] }],
    ['failed-copula', { Diversity: ['Unique genotypes'] }],
  ] as const) {
    const declare = runsOfGate.has(run)
      ? (declareTest: () => void) => declareTest()
      : inCompleteMode;
    declare(() =>
      test(`shows ${Object.keys(tabs).join(', ').toLowerCase()} of ${run}`, async ({ page }) => {
        await page.goto(`/runs/${run}`);
        for (const [tab, charts] of Object.entries(tabs)) {
          await page.getByRole('tab', { name: tab }).click();
          await expect(page).toHaveURL(`/runs/${run}?tab=${tab.toLowerCase()}`);
          for (const name of charts) await expect(chart(page, name)).toBeVisible();
          await expect(page.getByText('describes the previous generation')).toBeVisible();
        }
        await expect(page.locator('.chart-canvas .main-svg').first()).toBeVisible();
        if (runsForAxe.has(run)) await expectAccessible(page);
      }),
    );
  }

  inCompleteMode(() => {
    for (const address of [
      'sphere5-cma-r01?tab=insights',
      'nguyen5-umda?tab=insights',
      'failed-copula?tab=diversity',
    ]) {
      test(`axe finds nothing on ${address}`, async ({ page }) => {
        await page.goto(`/runs/${address}`);
        await expect(page.locator('.chart-canvas .main-svg').first()).toBeVisible();
        await expectAccessible(page);
      });
    }
  });

  test('shows why an algorithm has no drift', async ({ page }) => {
    await page.goto('/runs/failed-copula?tab=drift');
    await expect(page.getByText('No drift of the model for this run')).toBeVisible();
    await expect(
      page.getByText('only for bit strings, permutations and real vectors'),
    ).toBeVisible();
  });

  test('fetches charts when they are shown, and shows the selected cursor, cell, pairs and bits', async ({
    page,
  }) => {
    await test.step('telemetry is fetched only for the tabs that show it', async () => {
      const requests = requestsTo(page, /\/insights$/);
      await page.goto('/runs/onemax40-cga-r15');
      await expect(chart(page, 'Fitness')).toBeVisible();
      await page.getByRole('tab', { name: 'Drift' }).click();
      await expect(chart(page, 'Probability drift')).toBeVisible();
      await page.getByRole('tab', { name: 'Insights' }).click();
      await expect(chart(page, 'Entropy per bit')).toBeVisible();
      expect(requests.map(({ search }) => search)).toEqual([
        `?after=${Number.MAX_SAFE_INTEGER}`,
        '',
      ]);
    });
    await test.step('charts share the iteration under the cursor', async () => {
      await chart(page, 'Fixation').focus();
      await page.keyboard.press('End');
      await expect(
        page.locator('.chart-tooltip').filter({ hasText: 'iteration 15' }),
      ).not.toHaveCount(1);
      await expect(card(page, 'Probability trajectories')).toContainText('iteration 15');
    });
    await test.step('a heat map opens by click and by key, pins a cell, and returns the focus', async () => {
      const dialog = page.getByRole('dialog', { name: 'Entropy per bit' });
      await card(page, 'Entropy per bit').getByRole('button', { name: 'Focus' }).click();
      await dialog.getByRole('application').click({ position: { x: 200, y: 100 } });
      await expect(dialog).toContainText(/Pinned: \d+ · iteration \d+/);
      await dialog.getByRole('button', { name: 'Unpin' }).click();
      await expect(dialog).toContainText('Click a cell to pin it.');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await expect(dialog).toHaveCount(0);
      await card(page, 'Entropy per bit').getByRole('button', { name: 'Focus' }).click();
      await expect(dialog).toBeVisible();
      await expect(async () => {
        await page.mouse.click(4, 4);
        await expect(dialog).toHaveCount(0, { timeout: 1_000 });
      }).toPass();

      await chart(page, 'Entropy per bit').focus();
      await page.keyboard.press('Enter');
      await dialog.getByRole('application').focus();
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter']) {
        await page.keyboard.press(key);
      }
      await expect(dialog).toContainText('Pinned: 1 · iteration 1');
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
      await expect(chart(page, 'Entropy per bit')).toBeFocused();
    });
    await test.step('dependencies are shown as pairs and as a matrix', async () => {
      const edges = page.getByRole('grid', { name: 'Dependency edges' });
      await expect(edges.getByRole('row').nth(1)).toContainText('0 – 19');
      await expect(
        card(page, 'Dependency edges').getByRole('button', { name: 'CSV' }),
      ).toBeVisible();
      await page.getByRole('button', { name: 'Matrix' }).click();
      await expect(chart(page, 'Dependency edges')).toBeVisible();
      await expect(page).toHaveURL(/edges=matrix/);
    });
    await test.step('the chart shows the bits with the largest changes by default, or the bits in the URL', async () => {
      const trajectories = card(page, 'Probability trajectories');
      await expect(trajectories).toContainText('bit 33');
      await trajectories.getByRole('textbox', { name: 'Choose bits' }).fill('5, 7');
      await expect(page).toHaveURL(/rows=5/);
      await expect(trajectories).toContainText('bit 7');
      await expect(trajectories).not.toContainText('bit 33');
      await page.reload();
      await expect(trajectories).toContainText('bit 7');
      await trajectories.getByRole('button', { name: 'Largest changes' }).click();
      await expect(trajectories).toContainText('bit 33');
    });
  });

  test('shows the positions at the iteration of the slider', async ({ page }) => {
    await page.goto('/runs/tsp8-ehm-r01?tab=insights');
    await expect(card(page, 'Item × position').getByText('at iteration 15').first()).toBeVisible();
    await page.getByRole('slider', { name: 'Iteration' }).focus();
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowLeft');
    await expect(card(page, 'Item × position').getByText('at iteration 10').first()).toBeVisible();
    await expect(page).toHaveURL(/at=10/);
    await page.getByRole('button', { name: 'Show latest' }).click();
    await expect(card(page, 'Item × position').getByText('at iteration 15').first()).toBeVisible();
  });
});

test.describe('the diagnosis of a run', () => {
  test('links a finding to its evidence: tab, marked chart and sentence', async ({
    page,
    service,
    database,
  }) => {
    // The run stops one bit below its target, because its model is fixed.
    database.exec(`
      UPDATE experiments SET config_json = json_set(config_json, '$.stopping.targetFitness', 30)
        WHERE experiment_id = (SELECT experiment_id FROM runs WHERE run_id = 'adaptive30-pbil');
      UPDATE iterations SET best_fitness = min(29, 20 + 0.6 * iteration) WHERE run_id = 'adaptive30-pbil';
      UPDATE runs SET best_fitness = 29 WHERE run_id = 'adaptive30-pbil'`);
    await page.goto(`${service.url}/runs/adaptive30-pbil`);
    const chips = card(page, 'Diagnosis');
    await expect(card(page, 'Fitness')).toContainText('Stagnation');
    await chips.getByRole('button', { name: 'Premature fixation', exact: true }).click();
    await expect(page).toHaveURL(/finding=PREMATURE_FIXATION.*tab=insights.*show=fixation/);
    await expect(chips.getByRole('status')).toContainText('share of fixed bits at least 90');
    await expect(chart(page, 'Fixation')).toBeFocused();
    await expect(card(page, 'Fixation')).toContainText('Premature fixation');
    await chips.getByRole('button', { name: 'Adaptive storm', exact: true }).click();
    await expect(chart(page, 'Adaptive actions')).toBeFocused();
    await expect(card(page, 'Adaptive actions').first()).toContainText('Adaptive storm');
  });

  test('filters runs by findings that need no telemetry', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Diagnosis any' }).click();
    await page.getByRole('checkbox', { name: 'STILL_IMPROVING' }).check();
    await expect(page).toHaveURL(/diagnosis=STILL_IMPROVING/);
    await expect(page.getByRole('link', { name: 'sphere5-cma-r01' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'adaptive30-pbil' })).toHaveCount(0);
  });

  const silent = 'long-rastrigin-r02';
  const setLastWrite = (stamp: string): string => `
    UPDATE runs SET start_time = '${stamp}' WHERE run_id = '${silent}';
    UPDATE iterations SET created_at = '${stamp}' WHERE run_id = '${silent}'`;

  test('settles a silent run, and explains the effect', async ({ page, service, database }) => {
    database.exec(setLastWrite('2025-03-01T10:00:00Z'));
    await page.goto(`${service.url}/runs/${silent}`);
    await expect(page.getByText('The runner may have crashed')).toBeVisible();
    await page.getByRole('button', { name: 'Mark as failed…' }).click();
    const dialog = page.getByRole('dialog', { name: `Mark run ${silent} as failed` });
    await expect(dialog).toContainText('becomes FAILED with its last activity');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('power cut');
    await dialog.getByRole('button', { name: 'Mark as FAILED' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('Settled by hand: silent since')).toContainText('power cut');
    await expect(page.locator('.stat').first()).toContainText('FAILED');
    await expect(page.getByText('The runner may have crashed')).toHaveCount(0);
  });

  test('does not settle a run that may be alive, and shows why', async ({
    page,
    service,
    database,
  }) => {
    database.exec(setLastWrite(new Date(Date.now() - 120_000).toISOString()));
    await page.goto(`${service.url}/runs/${silent}`);
    await page.getByRole('button', { name: 'Mark as failed…' }).click();
    const dialog = page.getByRole('dialog', { name: `Mark run ${silent} as failed` });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('power cut');
    await dialog.getByRole('button', { name: 'Mark as FAILED' }).click();
    await expect(dialog.getByRole('alert')).toContainText('you can settle it');
    await expectAccessible(page);
    // The run writes again while the dialog is open.
    await changeDatabase(page, service, () =>
      database.exec(setLastWrite(new Date().toISOString())),
    );
    await expect(page.getByText('The runner may have crashed')).toHaveCount(0);
    await expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('power cut');
    await dialog.getByRole('button', { name: 'Mark as FAILED' }).click();
    await expect(dialog.getByRole('alert')).toContainText('it counts as silent after');
  });
});

test('a RUNNING run extends its charts, and keeps zoom, pin and selected bits', async ({
  page,
  service,
  database,
}) => {
  const run = 'adaptive30-pbil';
  database.exec(`UPDATE runs SET status = 'RUNNING', end_time = NULL WHERE run_id = '${run}'`);
  const requests = requestsTo(page, /\/insights$/);
  await page.goto(`${service.url}/runs/${run}?tab=insights&rows=3+7`);
  await page.getByRole('button', { name: 'Focus' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Entropy per bit' });
  const picture = dialog.getByRole('application');
  const columns = () =>
    picture
      .locator('.chart-plot')
      .evaluate((element) => (element as unknown as { data: { x: number[] }[] }).data[0]?.x.length);
  await picture.focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter', '+', '+']) {
    await page.keyboard.press(key);
  }
  await expect(dialog).toContainText('Pinned: 1 · iteration 1');
  const zoom = await dialog.getByRole('slider', { name: 'Zoom' }).inputValue();
  expect(Number(zoom)).toBeGreaterThan(1);
  await expect.poll(columns).toBe(31);
  await changeDatabase(page, service, () =>
    database.exec(`INSERT INTO iterations (run_id, iteration, evaluations, best_fitness, mean_fitness,
        std_fitness, metrics_json, diagnostics_json, created_at)
      SELECT run_id, 31, evaluations + 60, best_fitness, mean_fitness, std_fitness, metrics_json,
        diagnostics_json, created_at FROM iterations WHERE run_id = '${run}' AND iteration = 30`),
  );
  await expect.poll(columns).toBe(32);
  await expect(dialog).toContainText('Pinned: 1 · iteration 1');
  await expect(dialog.getByRole('slider', { name: 'Zoom' })).toHaveValue(zoom);
  await expect(picture).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(card(page, 'Probability trajectories')).toContainText('bit 7');
  const later = requests.map(({ search }) => search).filter((search) => search === '?after=29');
  expect(later.length).toBeGreaterThan(0);
});

test.describe('the program of a grammar run', () => {
  test('is drawn, typeset, counted and exported in each form; keys, wheel and pointer zoom, move and fit it', async ({
    page,
  }) => {
    await page.goto('/runs/xor3-umda-r01');
    await page.getByRole('tab', { name: 'Tree' }).click();
    await expect(card(page, 'Expression').locator('.katex')).toBeVisible();
    const picture = chart(page, 'Program as a tree');
    await expect(picture.locator('.tree-operator text')).toHaveText(['xor', 'if']);
    await expect(picture.locator('.tree-node')).toHaveCount(6);
    await page.getByRole('button', { name: 'Grammar rules' }).click();
    await expect(picture.locator('.tree-node')).toHaveCount(10);
    await expect(page.getByRole('region', { name: 'Program as Infix' })).toHaveText(
      'xor(x2, if(x0, x0, x1))',
    );
    await page.getByRole('button', { name: 'DOT' }).click();
    const download = page.waitForEvent('download');
    await card(page, 'Forms').getByRole('button', { name: 'Save' }).click();
    expect((await download).suggestedFilename()).toBe('xor3-umda-r01-dot.dot');
    await expect(page.getByRole('grid', { name: 'Operators' }).getByRole('row')).toHaveCount(3);
    await expect(card(page, 'Metrics')).toContainText('8 2 11 0 0 1');

    const whole = await picture.getAttribute('viewBox');
    await picture.focus();
    await page.keyboard.press('+');
    await expect(picture).not.toHaveAttribute('viewBox', whole ?? '');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('0');
    await expect(picture).toHaveAttribute('viewBox', whole ?? '');
    await picture.hover();
    await page.mouse.wheel(0, -100);
    await expect(picture).not.toHaveAttribute('viewBox', whole ?? '');
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect(picture).toHaveAttribute('viewBox', whole ?? '');
    const { x, y, width, height } = (await picture.boundingBox())!;
    await page.mouse.move(x + width / 4, y + height / 4);
    await page.mouse.down();
    await page.mouse.move(x + width / 4 + 60, y + height / 4, { steps: 3 });
    await page.mouse.up();
    const [left] = (await picture.getAttribute('viewBox'))!.split(' ').map(Number);
    expect(left).toBeLessThan(Number(whole?.split(' ')[0]));
  });

  inCompleteMode(() => {
    test('stays usable at depth 12 and with 500 nodes', async ({ page, service, database }) => {
      const leaf = { kind: 'terminal', symbol: 'x', terminalType: 'VariableTerminal' };
      const rule = (...children: object[]) => ({ kind: 'rule', operator: '+', children });
      const deep = Array.from({ length: 11 }).reduce<object>(
        (tree) => rule(tree, leaf),
        rule(leaf),
      );
      const wide = rule(...Array.from({ length: 499 }, () => leaf));
      const store = database.prepare('UPDATE runs SET artifacts_json = ? WHERE run_id = ?');
      store.run(JSON.stringify({ bestAstJson: JSON.stringify(deep) }), 'xor3-umda-r01');
      store.run(JSON.stringify({ bestAstJson: JSON.stringify(wide) }), 'xor3-umda-r02');
      const picture = chart(page, 'Program as a tree');
      for (const [run, nodes] of [
        ['xor3-umda-r01', 24],
        ['xor3-umda-r02', 500],
      ] as const) {
        await page.goto(`${service.url}/runs/${run}?tab=tree&rules=shown`);
        await expect(picture.locator('.tree-node')).toHaveCount(nodes);
        await picture.focus();
        for (let press = 0; press < 20; press += 1) await page.keyboard.press('+');
        const height = () =>
          picture
            .locator('.tree-node rect')
            .first()
            .evaluate((node) => node.getBoundingClientRect().height);
        await expect.poll(height).toBeGreaterThan(16);
      }
    });
  });

  test('has no tab if the run has no program', async ({ page }) => {
    const requests = requestsTo(page, /\/tree$/);
    await page.goto('/runs/onemax40-cga-r15?tab=tree');
    await expect(chart(page, 'Fitness')).toBeVisible();
    await expect(page.getByRole('tab', { name: 'Tree' })).toHaveCount(0);
    expect(requests).toEqual([]);
  });
});
