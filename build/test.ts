import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { runChecks } from './check.ts';
import { ensureChromium } from './gate/chromium.ts';
import { ensureLatex } from './gate/latex.ts';
import { runAll, type Program } from './gate/run-all.ts';
import { formatTally, readTally, addTallies, tallyFileVariable } from './gate/tally.ts';

const reportDirectory = '.cache/test-reports';

/**
 * Runs the whole gate: static checks and the build; then the unit and database suites, and in parallel the pages in a real
 * browser, because both mostly wait. The suites run even if a check failed. The last lines list the failures and count all
 * results. Sets the exit code to 1 if a check, a test or the build failed.
 */
async function main(): Promise<void> {
  rmSync(reportDirectory, { recursive: true, force: true });
  mkdirSync(reportDirectory, { recursive: true });
  // The compile cache saves most of the start time of a program.
  process.env.NODE_COMPILE_CACHE ??= resolve('.cache/compiled');
  const chromiumPath = ensureChromium();
  ensureLatex();
  const checks = await runChecks([{ name: 'build', command: ['build/bundle.ts'] }]);
  const ends = await runAll([
    makeSuite('vitest', [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=build/vitest.config.ts',
    ]),
    makeSuite(
      'playwright',
      ['node_modules/playwright/cli.js', 'test', '--config=build/playwright.config.ts'],
      { CHROMIUM_PATH: chromiumPath },
    ),
  ]);
  const suites = ends.map(({ name, exitCode }) => readTally(name, getTallyFile(name), exitCode));
  const total = addTallies([checks, ...suites]);
  process.stdout.write(formatTally(total));
  process.exitCode = total.failedTests === 0 ? 0 : 1;
}

function makeSuite(name: string, command: string[], environment: NodeJS.ProcessEnv = {}): Program {
  return {
    name,
    command,
    environment: { ...environment, [tallyFileVariable]: getTallyFile(name) },
  };
}

function getTallyFile(name: string): string {
  return `${reportDirectory}/${name}.json`;
}

await main();
