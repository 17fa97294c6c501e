import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isLong } from '#tests/support/long.ts';
import { addressIn, spawnService } from '#tests/support/service-process.ts';

const service = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
const client = fileURLToPath(new URL('../fixtures/mlflow/client.py', import.meta.url));

/** Virtual environments with different versions of MLflow, separated by colons. */
const venvs = (process.env['EVOSCOPE_MLFLOW_VENVS'] ?? '').split(':').filter(Boolean);

const why = !isLong
  ? 'skipped, needs npm run test:long'
  : venvs.length === 0
    ? 'skipped, EVOSCOPE_MLFLOW_VENVS names no virtual environment with mlflow'
    : existsSync(service)
      ? ''
      : 'skipped, the service is not built';

test.skipIf(why).each(why ? ['none'] : venvs)(
  `the real client of MLflow in %s records a run and reads it back${why && `: ${why}`}`,
  { timeout: 120_000 },
  async (venv) => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-mlflow-'));
    const token = 'a-token-of-16-chars';
    const started = spawnService(['--record', '--db', join(folder, 'runs.db'), '--port', '0'], {
      entry: service,
      environment: { SVC_TOKEN: token },
    });
    try {
      const address = addressIn(await started.readyLine);
      const run = spawnSync(join(venv, 'bin', 'python'), [client], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          MLFLOW_TRACKING_URI: `${address}/mlflow`,
          MLFLOW_TRACKING_TOKEN: token,
        },
      });
      expect(run.status, run.stderr).toBe(0);
      const printed = run.stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '';
      expect(JSON.parse(printed)).toEqual({
        status: 'FINISHED',
        name: 'first',
        params: {
          dimension: '10',
          popsize: '12',
          sigma: '0.5',
          bounded: 'True',
          // Secrets are masked in all responses.
          api_token: '***',
        },
        metrics: { best: 'nan', evaluations: '48.0', condition: 'inf' },
        tags: { algorithm: 'CMA-ES', seed: '3', kind: 'trial', b: '2' },
        history: [
          [0, '5.0'],
          [1, '4.0'],
          [2, '3.0'],
          [3, 'nan'],
          [4, '1.0'],
        ],
        found: [['first', 'FINISHED']],
        all: ['second', 'first'],
        experiments: [
          ['sphere', { suite: 'bbob' }],
          ['Default', {}],
        ],
        artifacts: [
          ['best.json', false, 29],
          ['notes', true, null],
        ],
        note: 'x = 0\n',
      });
    } finally {
      started.child.kill();
      await started.exited;
      rmSync(folder, { recursive: true });
    }
  },
);
