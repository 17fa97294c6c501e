import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatTally, readTally, tallyFileVariable } from '#build/gate/tally.ts';

const root = join(import.meta.dirname, '../../..');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-tally-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function runIn(command: string[]) {
  const file = join(folder, 'tally.json');
  const environment: NodeJS.ProcessEnv = { ...process.env, [tallyFileVariable]: file };
  for (const name of ['VITEST', 'NODE_ENV', 'CI']) delete environment[name];
  const { status } = spawnSync(process.execPath, command, { cwd: folder, env: environment });
  return { exitCode: status, tally: readTally('suites', file, status ?? 1) };
}

test('tests of a Vitest suite that could not start count as failed, with its name and the reason', () => {
  writeFileSync(
    join(folder, 'some.test.ts'),
    `import { beforeAll, describe, expect, test } from 'vitest';
     test('holds', () => expect(1).toBe(1));
     test('does not hold', () => expect(1).toBe(2));
     let attempts = 0;
     test('holds later', { retry: 1 }, () => expect((attempts += 1)).toBe(2));
     test.skip('is left out', () => {});
     describe('with a database', () => {
       beforeAll(() => { throw new Error('no server\\nat all'); });
       test('reads', () => {});
       test('writes', () => {});
     });`,
  );
  writeFileSync(join(folder, 'missing.test.ts'), `import './nowhere.ts';`);
  const reporter = `--reporter=${join(root, 'build/gate/vitest-tally.ts')}`;
  const { exitCode, tally } = runIn(['node_modules/vitest/vitest.mjs', 'run', reporter]);
  expect(exitCode).toBe(1);
  expect(tally).toEqual({
    passedTests: 2,
    failedTests: 4,
    skippedTests: 1,
    retries: ['failed once: some.test.ts > holds later: expected 1 to be 2 // Object.is equality'],
    failures: expect.arrayContaining([
      'failed: some.test.ts > does not hold: expected 1 to be 2 // Object.is equality',
      'could not start: some.test.ts > with a database: no server',
      expect.stringMatching(/^could not start: missing\.test\.ts: .*nowhere/),
    ]),
  });
});

test('an error at the end of a Vitest suite counts as one failure, and hides no skipped test', () => {
  writeFileSync(
    join(folder, 'some.test.ts'),
    `import { afterAll, describe, test } from 'vitest';
     test.skip('is left out', () => {});
     describe('with a database', () => {
       afterAll(() => { throw new Error('cannot delete'); });
       test('reads', () => {});
       test.skip('writes', () => {});
     });`,
  );
  const reporter = `--reporter=${join(root, 'build/gate/vitest-tally.ts')}`;
  const { tally } = runIn(['node_modules/vitest/vitest.mjs', 'run', reporter]);
  expect(tally).toEqual({
    passedTests: 1,
    failedTests: 1,
    skippedTests: 2,
    retries: [],
    failures: ['failed: some.test.ts > with a database: cannot delete'],
  });
});

test('Playwright tests that never ran count as failed', () => {
  writeFileSync(
    join(folder, 'some.spec.ts'),
    `import { test } from 'playwright/test';
     test('holds', () => {});
     test.skip('is left out', () => {});
     test.describe('on a busy machine', () => {
       test.describe.configure({ retries: 1 });
       test('holds later', () => { if (test.info().retry === 0) throw new Error('too late'); });
     });
     test.describe('with a service', () => {
       test.beforeAll(() => { throw new Error('no service'); });
       test('reads', () => {});
       test('writes', () => {});
     });`,
  );
  const reporter = `--reporter=${join(root, 'build/gate/playwright-tally.ts')}`;
  const { tally } = runIn(['node_modules/playwright/cli.js', 'test', '--workers=1', reporter]);
  expect(tally).toMatchObject({ passedTests: 2, failedTests: 2, skippedTests: 1 });
  expect(tally.retries).toEqual([
    'failed once: some.spec.ts > on a busy machine > holds later: Error: too late',
  ]);
  expect(tally.failures).toContain(
    'failed: some.spec.ts > with a service > reads: Error: no service',
  );
});

test('a failed setup of Playwright is reported with its reason', () => {
  writeFileSync(
    join(folder, 'setup.ts'),
    `export default () => { throw new Error('no browser'); };`,
  );
  writeFileSync(
    join(folder, 'playwright.config.ts'),
    `export default { globalSetup: './setup.ts' };`,
  );
  writeFileSync(
    join(folder, 'some.spec.ts'),
    `import { test } from 'playwright/test'; test('holds', () => {});`,
  );
  const reporter = `--reporter=${join(root, 'build/gate/playwright-tally.ts')}`;
  const { tally } = runIn(['node_modules/playwright/cli.js', 'test', reporter]);
  expect(tally).toMatchObject({ passedTests: 0, failedTests: 1 });
  expect(tally.failures).toEqual(['failed: outside of any test: Error: no browser']);
});

test('a program without a tally counts as one failure, and the last line counts all results', () => {
  for (const exitCode of [0, 3]) {
    const { tally } = runIn(['-e', `process.exit(${exitCode})`]);
    expect(formatTally(tally)).toBe(
      `failed: suites: wrote no tally, ended with exit code ${exitCode}, see above\n0 passed, 1 failed\n`,
    );
  }
  const retries = ['failed once: holds later: too late'];
  expect(
    formatTally({ passedTests: 7, failedTests: 0, skippedTests: 2, retries, failures: [] }),
  ).toBe('failed once: holds later: too late\n7 passed, 0 failed, 2 skipped\n');
});
