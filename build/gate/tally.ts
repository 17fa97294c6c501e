import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** How many tests passed, failed and were skipped, and what went wrong. */
export interface Tally {
  passed: number;
  /** With those that could not start, and at least one for each group. */
  failed: number;
  skipped: number;
  /** A line for each test that failed and each group that could not start, with the reason. */
  faults: string[];
}

/** A variable of the environment that names the file in which a test runner's reporter leaves its tally. */
export const tallyFileVariable = 'EVOSCOPE_TALLY_FILE';

/** All tallies as one; zeros for none. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const sum: Tally = { passed: 0, failed: 0, skipped: 0, faults: [] };
  for (const { passed, failed, skipped, faults } of tallies) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
    sum.faults.push(...faults);
  }
  return sum;
}

/** What went wrong, a line each, then the numbers in one line, which ends the output of the gate. */
export function inWords({ passed, failed, skipped, faults }: Tally): string {
  const numbers = [`${passed} passed`, `${failed} failed`];
  if (skipped > 0) numbers.push(`${skipped} skipped`);
  return [...faults, numbers.join(', ')].map((line) => `${line}\n`).join('');
}

/**
 * The tally that a program left in `file`. A program that left none (it crashed, its configuration is wrong)
 * or that ended badly although no test failed counts as one failure.
 */
export function readTally(program: string, file: string, exitCode: number): Tally {
  let tally: Tally;
  try {
    tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
  } catch {
    return outcome(program, exitCode === 0 ? 1 : exitCode);
  }
  return exitCode !== 0 && tally.failed === 0 ? sumOf([tally, outcome(program, exitCode)]) : tally;
}

/** The tally of a program that is one test itself: passed when it ended with 0. */
export function outcome(program: string, exitCode: number): Tally {
  if (exitCode === 0) return { passed: 1, failed: 0, skipped: 0, faults: [] };
  const reason = `ended with exit code ${exitCode}, see above`;
  return { passed: 0, failed: 1, skipped: 0, faults: [faultLine('failed', program, reason)] };
}

/** A line that names what is wrong, with the first line of why; nothing of the colours that a runner writes. */
export function faultLine(kind: 'failed' | 'could not start', name: string, reason = ''): string {
  const [first = ''] = stripVTControlCharacters(reason).split('\n');
  return `${kind}: ${name}: ${first}`;
}
