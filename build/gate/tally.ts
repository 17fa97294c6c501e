import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Numbers of passed, failed and skipped tests, with the failures. */
export interface Tally {
  passedTests: number;
  /** Includes tests and suites that could not start; at least 1 if there are `failures`. */
  failedTests: number;
  skippedTests: number;
  /** One line with the reason of the first failure for each test that passed on a retry. */
  retries: string[];
  /**
   * One line with the reason for each failed test, each suite or program that failed or could not start, and each error
   * outside of tests.
   */
  failures: string[];
}

/**
 * Name of the environment variable with the path of the file to which the reporter of a test runner writes its tally.
 */
export const tallyFileVariable = 'EVOSCOPE_TALLY_FILE';

/**
 * Returns the sum of tallies, with their retries and failures in order. Without tallies, all numbers are 0 and there
 * are no lines.
 */
export function addTallies(tallies: readonly Tally[]): Tally {
  const sum: Tally = { passedTests: 0, failedTests: 0, skippedTests: 0, retries: [], failures: [] };
  for (const { passedTests, failedTests, skippedTests, retries, failures } of tallies) {
    sum.passedTests += passedTests;
    sum.failedTests += failedTests;
    sum.skippedTests += skippedTests;
    sum.retries.push(...retries);
    sum.failures.push(...failures);
  }
  return sum;
}

/**
 * Returns one line for each retry and failure, and a last line with the numbers. This line ends the output of the gate.
 * Omits the number of skipped tests if it is 0.
 */
export function formatTally({
  passedTests,
  failedTests,
  skippedTests,
  retries,
  failures,
}: Tally): string {
  const numbers = [`${passedTests} passed`, `${failedTests} failed`];
  if (skippedTests > 0) numbers.push(`${skippedTests} skipped`);
  return [...retries, ...failures, numbers.join(', ')].map((line) => `${line}\n`).join('');
}

/**
 * Reads the tally that a program wrote to `file`. Counts one failure if there is no tally (the program crashed, or its
 * configuration is invalid), or if the program failed although no test failed.
 */
export function readTally(program: string, file: string, exitCode: number): Tally {
  let tally: Tally;
  try {
    tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
  } catch {
    return makeFailure(program, `wrote no tally, ended with exit code ${exitCode}, see above`);
  }
  return exitCode !== 0 && tally.failedTests === 0
    ? addTallies([tally, makeProgramTally(program, exitCode)])
    : tally;
}

/**
 * Returns the tally of a program that counts as one test. The test passes if the exit code is 0, otherwise it fails.
 */
export function makeProgramTally(program: string, exitCode: number): Tally {
  if (exitCode === 0)
    return { passedTests: 1, failedTests: 0, skippedTests: 0, retries: [], failures: [] };
  return makeFailure(program, `ended with exit code ${exitCode}, see above`);
}

function makeFailure(program: string, reason: string): Tally {
  return {
    passedTests: 0,
    failedTests: 1,
    skippedTests: 0,
    retries: [],
    failures: [formatFailure('failed', program, reason)],
  };
}

/**
 * Returns a line, without a line break, with the name of a test, suite or program, and the first line of the reason
 * without colours. With an empty reason, the line ends after the colon and the space.
 */
export function formatFailure(
  kind: 'failed' | 'could not start' | 'failed once',
  name: string,
  reason = '',
): string {
  const [firstLine = ''] = stripVTControlCharacters(reason).split('\n');
  return `${kind}: ${name}: ${firstLine}`;
}
