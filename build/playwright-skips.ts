import type { Reporter, TestCase, TestResult } from 'playwright/types/testReporter';

/** Prints why each skipped test was skipped, which the list reporter leaves out. */
export default class SkipReporter implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== 'skipped') return;
    const reason = test.annotations.find(({ type }) => type === 'skip')?.description;
    process.stdout.write(`skipped: ${test.title}: ${reason ?? 'no reason given'}\n`);
  }
}
