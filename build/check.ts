import { spawnSync } from 'node:child_process';
import { outcome, sumOf, type Tally } from './tally.ts';

/** A static check: what it is called and the command that fails when it does not hold. */
interface Check {
  name: string;
  command: string[];
}

const checks: Check[] = [
  { name: 'types', command: ['build/typecheck.ts'] },
  { name: 'lint', command: ['node_modules/oxlint/bin/oxlint', '--deny-warnings'] },
  {
    name: 'format',
    command: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'],
  },
  { name: 'generated files', command: ['build/generate.ts', '--check'] },
  {
    name: 'unused code',
    command: ['node_modules/knip/bin/knip.js', '--config', 'build/knip.json'],
  },
  {
    name: 'code used by tests alone',
    command: ['node_modules/knip/bin/knip.js', '--production', '--config', 'build/knip.json'],
  },
];

/** Runs every static check, one after the other, and says of each whether it holds. */
export function runChecks(): Tally {
  return sumOf(checks.map(runCheck));
}

function runCheck({ name, command }: Check): Tally {
  const exitCode = spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1;
  process.stdout.write(`${exitCode === 0 ? 'ok  ' : 'FAIL'} ${name}\n`);
  return outcome(name, exitCode);
}

if (import.meta.main) {
  process.exitCode = runChecks().failed === 0 ? 0 : 1;
}
