import { writeFileSync } from 'node:fs';
import type {
  FullConfig,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
} from 'playwright/types/testReporter';
import { formatFailure, tallyFileVariable, type Tally } from './tally.ts';

/**
 * Writes Playwright's tally to the file of {@link tallyFileVariable} if the variable is set, and prints the reason of
 * each skipped test. Playwright counts a test that never ran as skipped. This reporter counts it as failed.
 */
export default class PlaywrightTally implements Reporter {
  private tests: TestCase[] = [];
  private readonly errors: string[] = [];

  onBegin(_config: FullConfig, suite: Suite): void {
    this.tests = suite.allTests();
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== 'skipped') return;
    const skip = test.annotations.find(({ type }) => type === 'skip');
    if (skip) process.stdout.write(`skipped: ${test.title}: ${skip.description ?? 'no reason'}\n`);
  }

  onError({ message = 'unknown error' }: TestError): void {
    this.errors.push(formatFailure('failed', 'outside of any test', message));
  }

  onEnd(): void {
    const file = process.env[tallyFileVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.makeTally()));
  }

  private makeTally(): Tally {
    const tally: Tally = {
      passedTests: 0,
      failedTests: 0,
      skippedTests: 0,
      retries: [],
      failures: [...this.errors],
    };
    for (const test of this.tests) {
      const name = test.titlePath().slice(2).join(' > ');
      const outcome = test.outcome();
      if (test.expectedStatus === 'skipped') tally.skippedTests += 1;
      else if (outcome === 'expected' || outcome === 'flaky') tally.passedTests += 1;
      else {
        tally.failedTests += 1;
        tally.failures.push(formatFailure('failed', name, test.results.at(-1)?.error?.message));
      }
      if (outcome === 'flaky')
        tally.retries.push(formatFailure('failed once', name, test.results[0]?.error?.message));
    }
    if (this.errors.length > 0 && tally.failedTests === 0) tally.failedTests = this.errors.length;
    return tally;
  }
}
