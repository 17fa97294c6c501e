import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeOnEachEngine } from '#tests/support/databases.ts';
import { isLong } from '#tests/support/long.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

const service = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
const client = fileURLToPath(new URL('../fixtures/mlflow/client.py', import.meta.url));
const autolog = fileURLToPath(new URL('../fixtures/mlflow/autolog.py', import.meta.url));
const evotorch = fileURLToPath(new URL('../fixtures/mlflow/snes.py', import.meta.url));
const token = 'a-token-of-16-chars';

/** Virtual environments with different versions of MLflow, separated by colons. */
const venvs = (process.env['EVOSCOPE_MLFLOW_VENVS'] ?? '').split(':').filter(Boolean);

const why = !isLong
  ? 'skipped, needs npm run test:long'
  : venvs.length === 0
    ? 'skipped, EVOSCOPE_MLFLOW_VENVS names no virtual environment with mlflow'
    : existsSync(service)
      ? ''
      : 'skipped, the service is not built';

/**
 * Starts the service with an empty database, by default a file of SQLite, and calls `use` with its address and the
 * environment of a client of MLflow.
 */
async function withService(
  use: (address: string, options: { cwd: string; env: NodeJS.ProcessEnv }) => Promise<void>,
  databaseUrl?: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-mlflow-'));
  const database = databaseUrl ?? join(folder, 'runs.db');
  const serviceProcess = spawnService(
    ['--record', '--db', database, '--artifacts-dir', join(folder, 'artifacts'), '--port', '0'],
    {
      entry: service,
      environment: { SVC_TOKEN: token },
    },
  );
  try {
    const address = parseAddress(await serviceProcess.readyLine);
    const variables = {
      MLFLOW_TRACKING_URI: `${address}/mlflow`,
      MLFLOW_TRACKING_TOKEN: token,
    };
    await use(address, { cwd: folder, env: { ...process.env, ...variables } });
  } finally {
    serviceProcess.child.kill();
    await serviceProcess.exitCode;
    rmSync(folder, { recursive: true });
  }
}

test.skipIf(why).each(why ? ['none'] : venvs)(
  `the real client of MLflow in %s records a run and reads it back${why && `: ${why}`}`,
  { timeout: 120_000 },
  (venv) =>
    withService(async (_address, options) => {
      const run = spawnSync(join(venv, 'bin', 'python'), [client], {
        ...options,
        encoding: 'utf8',
      });
      expect(run.status, run.stderr).toBe(0);
      const resultLine = run.stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '';
      expect(JSON.parse(resultLine)).toEqual({
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
    }),
);

/** Returns the first virtual environment in which Python runs these statements without an error. */
const findVenv = (statements: string) =>
  why
    ? undefined
    : venvs.find((venv) => spawnSync(join(venv, 'bin', 'python'), ['-c', statements]).status === 0);

const sklearnVenv = findVenv('import sklearn, pandas, mlflow; mlflow.get_logged_model');
const noSklearn =
  why ||
  (sklearnVenv
    ? ''
    : 'skipped, no environment of EVOSCOPE_MLFLOW_VENVS has scikit-learn and MLflow 3');

describeOnEachEngine('autolog with its default settings', (engine) => {
  test.skipIf(noSklearn)(
    `records metrics, data sets and models, and the client reads them back${noSklearn && `: ${noSklearn}`}`,
    { timeout: 240_000 },
    async () => {
      const location = await engine.makeLocation();
      const check = async (_address: string, options: { cwd: string; env: NodeJS.ProcessEnv }) => {
        const run = spawnSync(join(sklearnVenv ?? '', 'bin', 'python'), [autolog], {
          ...options,
          encoding: 'utf8',
        });
        expect(run.status, run.stderr).toBe(0);
        expect(run.stderr).not.toContain('Exception');
        const resultLine = run.stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '';
        const result = JSON.parse(resultLine) as { metrics: string[] };
        expect(result.metrics).toContain('training_log_loss');
        expect(result).toEqual({
          metrics: result.metrics,
          modelMetrics: result.metrics,
          C: ['0.5', '0.5'],
          dataSets: [
            [['dataset', 'code', { 'mlflow.data.context': 'train' }]],
            [['points', 'http', { 'mlflow.data.context': 'training', kind: 't' }]],
          ],
          outputs: [1, 2],
          found: [['echo', 'mine', 'model'], ['mine'], ['mine']],
          mine: ['READY', 'v', false, { p: '1', q: '2' }],
          acc: [['acc', 0.5, 'points', true]],
          predictions: [20, 20, 20],
          echo: 'x',
          files: ['MLmodel'],
          plots: [
            'training_confusion_matrix.png',
            'training_precision_recall_curve.png',
            'training_roc_curve.png',
          ],
        });
      };
      await withService(check, location.url).finally(() => location.remove());
    },
  );
});

const evotorchVenv = findVenv('import evotorch, mlflow');
const noEvotorch =
  why || (evotorchVenv ? '' : 'skipped, no environment of EVOSCOPE_MLFLOW_VENVS has evotorch');

test.skipIf(noEvotorch)(
  `the unchanged MlflowLogger of EvoTorch shows its run while it trains${noEvotorch && `: ${noEvotorch}`}`,
  { timeout: 240_000 },
  () =>
    withService(async (address, options) => {
      const readRuns = async () => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${address}/api/runs`, { headers })).json();
      };
      const child = spawn(join(evotorchVenv ?? '', 'bin', 'python'), [evotorch], {
        ...options,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const exit = once(child, 'exit');
      try {
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
        // EvoTorch prints messages, too.
        const readBest = async (): Promise<number> => {
          const { value, done } = await lines.next();
          if (done) throw new Error('The program has ended');
          return value.startsWith('best ') ? Number(value.slice('best '.length)) : readBest();
        };
        const halfway = await readBest();
        const commonFields = { algorithmType: 'SNES', problemType: 'sphere', seed: 1 };
        const progress = { iteration: 10, evaluations: 10, bestSoFar: halfway };
        expect(await readRuns()).toMatchObject({
          items: [{ ...commonFields, status: 'RUNNING', progress }],
        });
        child.stdin.end('\n');
        const best = await readBest();
        expect((await exit)[0]).toBe(0);
        expect(best).toBeLessThan(halfway);
        const results = { status: 'COMPLETED', iterations: 20, evaluations: 20, bestFitness: best };
        expect(await readRuns()).toMatchObject({ items: [{ ...commonFields, ...results }] });
      } finally {
        child.kill();
      }
    }),
);
