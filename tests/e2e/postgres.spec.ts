import { once } from 'node:events';
import { startPostgresServer } from '#tests/support/embedded-postgres.ts';
import { expect, spawnNode, startService, test } from './service.ts';

test('on PostgreSQL, the page of a run shows its progress, stops it and shows its end', async ({
  page,
}) => {
  const server = await startPostgresServer();
  const service = await startService(new URL(server.url));
  const pace = ['--live', '--interval', '1500', '--seeds', '1', '--iterations', '5000'];
  const script = ['server/sample/main.ts', '--db', server.url, '--only', 'onemax40-pbil'];
  const runner = spawnNode([...script, ...pace]);
  try {
    await page.goto(`${service.url}/?status=RUNNING`);
    const row = page.locator('tbody tr[aria-rowindex]').first();
    await expect(row).toContainText('onemax40-pbil');
    await row.getByRole('link').first().click();
    await expect(page.locator('.js-plotly-plot')).toBeVisible();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason (optional)').fill('seen enough');
    await page.getByRole('dialog').getByRole('button', { name: 'Request stop' }).click();
    const request = page.getByRole('region', { name: 'Stop request' });
    await expect(request).toContainText('Stopped on request');
    await expect(request).toContainText('seen enough');
    await expect(page.locator('.stat-strip')).toContainText('STOPPED');
    const runId = decodeURIComponent(new URL(page.url()).pathname.replace('/runs/', ''));
    const response = await page.request.get(`${service.url}/api/runs/${encodeURIComponent(runId)}`);
    expect(await response.json()).toMatchObject({
      status: 'STOPPED',
      stopRequest: { status: 'ACKNOWLEDGED', acknowledgedByRunId: runId },
    });
  } finally {
    if (runner.exitCode === null) {
      runner.kill('SIGKILL');
      await once(runner, 'exit');
    }
    await service.stop();
    await server.remove();
  }
});
