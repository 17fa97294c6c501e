import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { nodeFlags } from '#build/gate/node-flags.ts';
import { programFile } from './programs.ts';

/** The service as a separate process. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Settles with the ready line, or with undefined when the process ends without one. */
  readonly readyLine: Promise<string | undefined>;
  /** Settles with the exit code, null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Everything written so far. */
  output(): { stdout: string; stderr: string };
}

/**
 * Starts the service with these flags, from the bundle of the tests or from `entry`, without the variables of
 * the test's environment that it would read.
 */
export function spawnService(
  flags: string[],
  options: {
    entry?: string;
    cwd?: string;
    environment?: Record<string, string>;
    ipc?: boolean;
    /** Whether its memory is measured: it then starts as users start it, without the larger limits of tests. */
    isMeasured?: boolean;
  } = {},
): ServiceProcess {
  const { entry = programFile('main') } = options;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const args = [...(options.isMeasured ? [] : nodeFlags), entry, ...flags];
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { ...Object.fromEntries(inherited), ...options.environment },
    stdio: options.ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => (output.stdout += String(data)));
  child.stderr?.on('data', (data) => (output.stderr += String(data)));
  // Not the event `close`, which never comes once the channel to the child was disconnected.
  const exited = Promise.all([
    once(child, 'exit'),
    once(child.stdout ?? child, 'close'),
    once(child.stderr ?? child, 'close'),
  ]).then(([[code]]) => code as number | null);
  const readyLine = new Promise<string | undefined>((resolve) => {
    child.stdout?.on('data', () => {
      if (output.stdout.includes('\n')) resolve(output.stdout.split('\n')[0]);
    });
    void exited.then(() => resolve(undefined));
  });
  return { child, readyLine, exited, output: () => output };
}

/** The address in a ready line, without the slash at its end. */
export function addressIn(readyLine: string | undefined): string {
  const address = /ready at (http:\/\/\S+)\/ /.exec(readyLine ?? '')?.[1];
  if (address === undefined) throw new Error(`The service did not start: ${readyLine}`);
  return address;
}
