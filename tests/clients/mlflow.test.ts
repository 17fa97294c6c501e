import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isLong } from '#tests/support/long.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

const service = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
const client = fileURLToPath(new URL('../fixtures/mlflow/client.py', import.meta.url));
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

/** Starts the service with an empty database, and calls `use` with its address and the environment of a client of MLflow. */
async function withService(
  use: (address: string, options: { cwd: string; env: NodeJS.ProcessEnv }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-mlflow-'));
  const serviceProcess = spawnService(
    ['--record', '--db', join(folder, 'runs.db'), '--port', '0'],
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

const hasEvotorch = (venv: string) =>
  spawnSync(join(venv, 'bin', 'python'), ['-c', 'import evotorch, mlflow']).status === 0;
const evotorchVenv = why ? undefined : venvs.find(hasEvotorch);
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
