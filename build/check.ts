import { runAll, type Program, type ProgramEnd } from './gate/run-all.ts';
import { makeProgramTally, addTallies, type Tally } from './gate/tally.ts';

/**
 * Environment of the type checker and of the linter, which also checks types. With more threads and less memory, both
 * programs take 50 % longer.
 */
const typeCheckerEnvironment = { GOMAXPROCS: '1', GOGC: '400' };

/** The static checks with their commands, the longest first. */
const checks: readonly Program[] = [
  {
    name: 'format',
    command: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'],
  },
  {
    name: 'lint',
    command: ['node_modules/oxlint/bin/oxlint', '--deny-warnings'],
    environment: typeCheckerEnvironment,
  },
  { name: 'types', command: ['build/typecheck.ts'], environment: typeCheckerEnvironment },
  {
    name: 'unused code',
    command: ['node_modules/knip/bin/knip.js', '--config', 'build/knip.json'],
  },
  {
    name: 'code used by tests alone',
    command: ['node_modules/knip/bin/knip.js', '--production', '--config', 'build/knip.json'],
  },
  { name: 'generated files', command: ['build/generate.ts', '--check'] },
];

/**
 * Runs every static check and the `additionalChecks`, and prints the result of each. Resolves with their tally. Rejects
 * like {@link runAll}.
 */
export async function runChecks(additionalChecks: readonly Program[] = []): Promise<Tally> {
  const ends = await runAll([...checks, ...additionalChecks], report);
  return addTallies(ends.map(({ name, exitCode }) => makeProgramTally(name, exitCode)));
}

function report({ name, exitCode }: ProgramEnd): void {
  process.stdout.write(`${exitCode === 0 ? 'ok  ' : 'FAIL'} ${name}\n`);
}

if (import.meta.main) {
  process.exitCode = (await runChecks()).failedTests === 0 ? 0 : 1;
}
