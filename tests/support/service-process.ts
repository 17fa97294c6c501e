import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { nodeFlags } from '#build/gate/node-flags.ts';
import { resolveProgramFile } from './programs.ts';

/** The service as a separate process. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Resolves with the ready line, or with undefined if the process ends without one. */
  readonly readyLine: Promise<string | undefined>;
  /** Resolves with the exit code, or null if a signal ended the process. */
  readonly exitCode: Promise<number | null>;
  /** Returns the output until now. */
  output(): { stdout: string; stderr: string };
}

/**
 * Starts the service with these flags, from the bundle of the tests or from `entry`. Does not pass on the variables of
 * the environment that the service reads.
 */
export function spawnService(
  flags: string[],
  options: {
    entry?: string;
    cwd?: string;
    environment?: Record<string, string>;
    hasIpc?: boolean;
    /** Whether its memory is measured: then it starts without the larger memory limits of tests. */
    isMeasured?: boolean;
  } = {},
): ServiceProcess {
  const { entry = resolveProgramFile('main') } = options;
  const inheritedVariables = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SVC_'),
  );
  const args = [...(options.isMeasured ? [] : nodeFlags), entry, ...flags];
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { ...Object.fromEntries(inheritedVariables), ...options.environment },
    stdio: options.hasIpc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => (output.stdout += String(data)));
  child.stderr?.on('data', (data) => (output.stderr += String(data)));
  // The event `close` does not occur after the channel to the child was disconnected.
  const exitCode = Promise.all([
    once(child, 'exit'),
    once(child.stdout ?? child, 'close'),
    once(child.stderr ?? child, 'close'),
  ]).then(([[code]]) => code as number | null);
  const readyLine = new Promise<string | undefined>((resolve) => {
    child.stdout?.on('data', () => {
      if (output.stdout.includes('\n')) resolve(output.stdout.split('\n')[0]);
    });
    void exitCode.then(() => resolve(undefined));
  });
  return { child, readyLine, exitCode, output: () => output };
}

/** Returns the address in a ready line, without the slash at its end. */
export function parseAddress(readyLine: string | undefined): string {
  const address = /ready at (http:\/\/\S+)\/ /.exec(readyLine ?? '')?.[1];
  if (address === undefined) throw new Error(`The service did not start: ${readyLine}`);
  return address;
}
