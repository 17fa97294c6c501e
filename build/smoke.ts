import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from './start/free-port.ts';

const defaultTimeoutMillis = 90_000;
const retryMillis = 250;

/**
 * Starts a program that is or forks the service, on a free port and with a new database. Waits until the health check
 * and the pages of the service respond successfully, then ends the program and deletes the database. Rejects with an
 * Error if the program cannot start, ends earlier, or does not respond successfully within `timeoutMillis`. The Error
 * contains the reason and the output of the program. `programArguments` come before the flags of the service.
 */
export async function runSmokeTest(
  program: string,
  programArguments: readonly string[] = [],
  timeoutMillis = defaultTimeoutMillis,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-smoke-'));
  const port = await findFreePort();
  const flags = ['--db', join(folder, 'smoke.db'), '--create', '--port', String(port)];
  const child = spawn(program, [...programArguments, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => (output += String(data)));
  }
  const stopController = new AbortController();
  const exit = once(child, 'exit').then(
    ([code, signal]) => `it ended with ${code === null ? signal : `exit code ${code}`}`,
    (error: unknown) => String(error),
  );
  const timeoutSignal = AbortSignal.any([
    stopController.signal,
    AbortSignal.timeout(timeoutMillis),
  ]);
  const failure = await Promise.race([
    exit,
    findMissingResponse(`http://127.0.0.1:${port}`, timeoutSignal),
  ]);
  stopController.abort();
  child.kill();
  await exit;
  rmSync(folder, { recursive: true, force: true });
  if (failure !== undefined)
    throw new Error(
      `${program} does not start: ${failure}. Check the program and its output:\n${output}`,
    );
}

/** Resolves with a text about the first path without a successful response in time; undefined if all paths respond. */
async function findMissingResponse(
  address: string,
  timeoutSignal: AbortSignal,
): Promise<string | undefined> {
  for (const path of ['/api/health', '/']) {
    while (!(await fetch(address + path, { signal: timeoutSignal }).catch(() => undefined))?.ok) {
      if (timeoutSignal.aborted) return `${path} did not respond successfully in time`;
      await pause(retryMillis);
    }
  }
  return undefined;
}

if (import.meta.main) {
  const [program = '', ...programArguments] = process.argv.slice(2);
  try {
    await runSmokeTest(program, [...programArguments, '--']);
    process.stdout.write(`${program} starts: its health check and its pages respond.\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
