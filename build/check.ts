import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
];

/** How many of a suite's tests passed, failed and were skipped. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs every static check, one after the other, and says of each whether it holds. */
export function runChecks(): Tally {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, command } of checks) {
    const holds = spawnSync(process.execPath, command, { stdio: 'inherit' }).status === 0;
    process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${name}\n`);
    tally[holds ? 'passed' : 'failed'] += 1;
  }
  return tally;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = runChecks().failed === 0 ? 0 : 1;
}
