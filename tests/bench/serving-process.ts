import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureService, resolveProgramFile, serviceVariables } from '#build/bundle.ts';

/** A process that serves, and its address. */
export interface ServingProcess {
  process: ChildProcess;
  origin: string;
}

/**
 * Starts the built service on a database file or URL, on any free port, as users start it. Loads `preloadModule`, a
 * module of this folder, first.
 */
export async function startService(
  database: string,
  { preloadModule }: { preloadModule?: string } = {},
): Promise<ServingProcess> {
  const flags = ['--db', database, '--port', '0', '--log-level', 'error'];
  const options =
    preloadModule === undefined ? [] : ['--import', new URL(preloadModule, import.meta.url).href];
  await ensureService((text) => process.stderr.write(`${text}\n`));
  const { process: child, line } = await startProgram(resolveProgramFile('main'), flags, options);
  const origin = /http:\/\/[^/ ]+/.exec(line)?.[0];
  if (origin === undefined)
    throw new Error(`The ready line of the service has no address: ${line}`);
  return { process: child, origin };
}

/** Starts the floor on a database file. */
export async function startFloor(file: string): Promise<ServingProcess> {
  const { process: child, line } = await startProgram(
    fileURLToPath(new URL('./floor.ts', import.meta.url)),
    [file],
  );
  return { process: child, origin: `http://127.0.0.1:${line}` };
}

/** Starts a program and waits for its first line. */
async function startProgram(
  program: string,
  flags: string[],
  nodeOptions: string[] = [],
): Promise<{ process: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [...nodeOptions, program, ...flags], {
    env: { ...serviceVariables, ...process.env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.stdout === null) throw new Error('no output');
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  if (line === undefined) throw new Error(`${program} ended before it was ready`);
  return { process: child, line };
}

/** Stops a process and waits until it has ended. */
export async function stopProcess({ process: child }: ServingProcess): Promise<void> {
  const exitPromise = once(child, 'exit');
  child.kill('SIGTERM');
  await exitPromise;
}

/** Returns the resident memory of a process in megabytes; NaN where the system does not report it. */
export function getResidentMegabytes({ process: { pid } }: ServingProcess): number {
  if (process.platform !== 'linux') return NaN;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}
