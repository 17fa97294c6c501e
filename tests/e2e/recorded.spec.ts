import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RecordResponse } from '#shared/schemas/recording.ts';
import { expect, startService, test, type RunningService } from './service.ts';

const python = process.platform === 'win32' ? 'python' : 'python3';
const pythonCheck = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const clientFolder = join(import.meta.dirname, '../../shared/clients/python/src');

/** An optimisation that only a stop request ends. */
const program = `
import evoscope, itertools, time
config = {"algorithm": "random search", "problem": "sphere", "budget": 1_000_000}
with evoscope.start(config, seed=1, run_id="endless") as run:
    for evaluations in itertools.count(1):
        run.log(evaluations=evaluations, best=1 / evaluations)
        if run.stop_requested: break
        time.sleep(0.01)
print(run.stop_reason)
`;

/** Records until the service requests a stop; resolves with its reason. */
async function recordWithPython({ url }: RunningService): Promise<string> {
  const spool = join(tmpdir(), `evoscope-spool-${process.pid}`);
  const environment = { PYTHONPATH: clientFolder, EVOSCOPE_URL: url, EVOSCOPE_SPOOL: spool };
  const child = spawn(python, ['-B', '-c', program], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  return output.trim();
}

/** Does the same without a client. */
async function recordOverHttp({ url }: RunningService): Promise<string> {
  const send = async (record: object) => {
    const response = await fetch(`${url}/api/record`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ runId: 'endless', ...record }),
    });
    return (await response.json()) as RecordResponse;
  };
  await send({ type: 'run', seed: 1, config: { algorithm: 'random search', problem: 'sphere' } });
  for (let iteration = 0; ; iteration += 1) {
    const { stop } = await send({
      type: 'iteration',
      iteration,
      evaluations: iteration + 1,
      best: 1 / (iteration + 1),
    });
    const request = stop.find(({ runId }) => runId === 'endless');
    if (request) {
      await send({ type: 'end', status: 'STOPPED' });
      return request.reason ?? '';
    }
    await delay(50);
  }
}

test.describe('the stop button of a recorded run', () => {
  for (const [name, record] of [
    ['the Python client', recordWithPython],
    ['HTTP', recordOverHttp],
  ] as const) {
    test(`ends the loop of a program that records with ${name}`, async ({ page }) => {
      test.skip(
        record === recordWithPython && pythonCheck.status !== 0,
        'python3 (3.9 or later) is not installed',
      );
      const service = await startService('empty', ['--record']);
      try {
        const reason = record(service);
        await expect
          .poll(async () => (await fetch(`${service.url}/api/runs/endless`)).status)
          .toBe(200);
        await page.goto(`${service.url}/runs/endless`);
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
        await page.getByRole('textbox').fill('no progress');
        await page.getByRole('button', { name: 'Request stop' }).click();
        expect(await reason).toBe('no progress');
        const request = page.getByRole('region', { name: 'Stop request' });
        await expect(request).toContainText('Stopped on request');
        await expect(request).toContainText('“no progress”');
        await expect(page.getByRole('definition').filter({ hasText: 'STOPPED' })).toBeVisible();
        await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeDisabled();
      } finally {
        await service.stop();
      }
    });
  }
});
