import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { runChecks, type Tally } from './check.ts';
import { ensureChromium } from './chromium.ts';
import { ensureLatex } from './latex.ts';

/**
 * The whole gate: static checks, unit and database suites, then the pages in a real browser. Every suite
 * runs even when an earlier one failed; the last line adds them all up, and the exit code is 1 when anything
 * failed.
 */
const reportDirectory = '.cache/test-reports';

function main(): void {
  rmSync(reportDirectory, { recursive: true, force: true });
  mkdirSync(reportDirectory, { recursive: true });
  const chromiumPath = ensureChromium();
  ensureLatex();
  const suites = [runChecks(), runVitest(), runBuild(), runPlaywright(chromiumPath)];
  const total = suites.reduce(add);
  const skipped = total.skipped === 0 ? '' : `, ${total.skipped} skipped`;
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

function add(left: Tally, right: Tally): Tally {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
}

function runVitest(): Tally {
  const file = `${reportDirectory}/vitest.json`;
  const exitCode = run([
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=build/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  return tallyOf(exitCode, () => {
    const report = JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  });
}

function runBuild(): Tally {
  return tallyOf(run(['build/bundle.ts']), () => ({ passed: 1, failed: 0, skipped: 0 }));
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
}

function runPlaywright(chromiumPath: string): Tally {
  const file = `${reportDirectory}/playwright.json`;
  const exitCode = run(
    ['node_modules/playwright/cli.js', 'test', '--config=build/playwright.config.ts'],
    {
      CHROMIUM_PATH: chromiumPath,
      PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    },
  );
  return tallyOf(exitCode, () => {
    const { stats } = JSON.parse(readFileSync(file, 'utf8')) as PlaywrightReport;
    return {
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected,
      skipped: stats.skipped,
    };
  });
}

function run(command: string[], environment: NodeJS.ProcessEnv = {}): number {
  const { status } = spawnSync(process.execPath, command, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status ?? 1;
}

/** A suite that ended badly without a failing test of its own (a crash, no report) counts as one failure. */
function tallyOf(exitCode: number, read: () => Tally): Tally {
  let tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  try {
    tally = read();
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return exitCode !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}

main();
