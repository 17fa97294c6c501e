import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { runChecks } from './check.ts';
import { ensureChromium } from './gate/chromium.ts';
import { ensureLatex } from './gate/latex.ts';
import { formatTally, readTally, addTallies, tallyFileVariable, type Tally } from './gate/tally.ts';

const reportFolder = '.cache/test-reports';

/**
 * Runs the whole gate: the static checks and the build, then the unit and database suites, then the suites of the pages
 * and the window. Every suite runs even if a previous suite failed. The last lines list the retries and the failures,
 * and state the number of results of each kind. Sets the exit code to 1 if a check, a test or the build failed.
 */
async function main(): Promise<void> {
  rmSync(reportFolder, { recursive: true, force: true });
  mkdirSync(reportFolder, { recursive: true });
  // The compile cache saves most of the start time of a program.
  process.env.NODE_COMPILE_CACHE ??= resolve('.cache/compiled');
  const chromiumPath = ensureChromium();
  ensureLatex();
  const total = addTallies([
    await runChecks([{ name: 'build', command: ['build/bundle.ts'] }]),
    runSuite('vitest', [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=build/vitest.config.ts',
    ]),
    runSuite(
      'playwright',
      ['node_modules/playwright/cli.js', 'test', '--config=build/playwright.config.ts'],
      { CHROMIUM_PATH: chromiumPath },
    ),
  ]);
  process.stdout.write(formatTally(total));
  process.exitCode = total.failedTests === 0 ? 0 : 1;
}

function runSuite(name: string, command: string[], environment: NodeJS.ProcessEnv = {}): Tally {
  const file = `${reportFolder}/${name}.json`;
  const exitCode = run(command, { ...environment, [tallyFileVariable]: file });
  return readTally(name, file, exitCode);
}

function run(command: string[], environment: NodeJS.ProcessEnv = {}): number {
  const { status } = spawnSync(process.execPath, command, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status ?? 1;
}

await main();
