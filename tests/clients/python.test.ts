import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isLong } from '#tests/support/long.ts';

const folder = fileURLToPath(new URL('../../shared/clients/python/tests', import.meta.url));
const service = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const noPython = hasPython.status === 0 ? '' : 'skipped, python3 (3.9 or later) is not installed';

/** The virtual environment with the frameworks that the client records. */
const venv = process.env['EVOSCOPE_PYTHON_VENV'];

/** Runs one file of the client's own tests; rejects with its output if a test fails. */
async function runTests(program: string, file: string, environment = {}): Promise<string> {
  const child = spawn(program, ['-m', 'unittest', '-v', file], {
    cwd: folder,
    env: {
      ...process.env,
      PYTHONPATH: '../src',
      PYTHONDONTWRITEBYTECODE: '1',
      ...environment,
    },
  });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, output).toBe(0);
  return output;
}

const makeTitle = (title: string, why: string) => (why ? `${title}: ${why}` : title);
// The tests start many processes, which takes long on a busy machine.
const testOptions = { timeout: 240_000 };

test.skipIf(noPython)(
  makeTitle('the Python client passes its tests against a small server', noPython),
  testOptions,
  async () => {
    expect(await runTests('python3', 'test_client')).toMatch(/^OK$/m);
  },
);

const noService = noPython || (existsSync(service) ? '' : 'skipped, the service is not built');
const environment = { EVOSCOPE_TEST_SERVICE: `'${process.execPath}' '${service}'` };

test.skipIf(noService)(
  makeTitle('the Python client records a run in the real service', noService),
  testOptions,
  async () => {
    expect(
      await runTests('python3', 'test_service.ServiceTest.test_records_a_run', environment),
    ).toMatch(/^OK$/m);
  },
);

const noTime = noService || (isLong ? '' : 'skipped, needs npm run test:long');
test.skipIf(noTime)(
  makeTitle('the Python client loses nothing when the real service is killed', noTime),
  testOptions,
  async () => {
    expect(await runTests('python3', 'test_service', environment)).toMatch(/^OK$/m);
  },
);

const noFrameworks =
  isLong && venv ? '' : 'skipped, needs npm run test:long and EVOSCOPE_PYTHON_VENV';
test.skipIf(noFrameworks)(
  makeTitle('the Python client records and stops the real frameworks', noFrameworks),
  testOptions,
  async () => {
    expect(await runTests(`${venv}/bin/python`, 'test_frameworks')).toMatch(/^OK$/m);
  },
);
