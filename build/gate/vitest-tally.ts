import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';
import { formatFailure, addTallies, tallyFileVariable, type Tally } from './tally.ts';

/**
 * Writes Vitest's tally to the file of {@link tallyFileVariable} if the variable is set. Vitest counts the tests of a
 * suite whose setup failed as skipped. This reporter counts them as failed, and names the suite.
 */
export default class VitestTally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const file = process.env[tallyFileVariable];
    if (file === undefined) return;
    const unhandledTallies = unhandledErrors.map(({ message }) =>
      makeBrokenTally('failed', 'outside of any test', message),
    );
    writeFileSync(
      file,
      JSON.stringify(addTallies([...modules.map(getTally), ...unhandledTallies])),
    );
  }
}

function getTally(module: TestModule): Tally {
  let blockedTestCount = 0;
  const suiteTallies = [module, ...module.children.allSuites()].flatMap((suite) => {
    const [error] = suite.errors();
    if (!error) return [];
    const name = suite.type === 'module' ? suite.relativeModuleId : getName(suite);
    // If a test ran, the suite started, and the error is from its teardown.
    if (countTests(suite, 'passed') + countTests(suite, 'failed') > 0)
      return [makeBrokenTally('failed', name, error.message)];
    const suiteTestCount = countTests(suite, 'skipped');
    blockedTestCount += suiteTestCount;
    return [makeBrokenTally('could not start', name, error.message, suiteTestCount)];
  });
  const moduleTally = {
    passedTests: countTests(module, 'passed'),
    failedTests: countTests(module, 'failed'),
    skippedTests: Math.max(0, countTests(module, 'skipped') - blockedTestCount),
    retries: [...module.children.allTests('passed')]
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => formatTest('failed once', test)),
    failures: [...module.children.allTests('failed')].map((test) => formatTest('failed', test)),
  };
  return addTallies([moduleTally, ...suiteTallies]);
}

function formatTest(kind: 'failed' | 'failed once', test: TestCase): string {
  const name = `${test.module.relativeModuleId} > ${test.fullName}`;
  return formatFailure(kind, name, test.result().errors?.[0]?.message);
}

function getName(suite: TestSuite): string {
  return `${suite.module.relativeModuleId} > ${suite.fullName}`;
}

function countTests(suite: TestModule | TestSuite, state: 'passed' | 'failed' | 'skipped'): number {
  return [...suite.children.allTests(state)].length;
}

function makeBrokenTally(
  kind: Parameters<typeof formatFailure>[0],
  name: string,
  message: string,
  testCount = 1,
): Tally {
  return {
    passedTests: 0,
    failedTests: Math.max(1, testCount),
    skippedTests: 0,
    retries: [],
    failures: [formatFailure(kind, name, message)],
  };
}
