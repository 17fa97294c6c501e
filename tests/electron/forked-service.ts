import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#build/gate/node-flags.ts';
import type { ServiceProcess } from '#electron/server-process.ts';

/** A child process of Node with the interface that the window uses; `child` is the process itself. */
export interface ForkedService extends ServiceProcess {
  readonly child: ChildProcess;
}

const fixture = fileURLToPath(new URL('../fixtures/electron/service.mjs', import.meta.url));

/** Forks the fixture service that behaves as the first argument states. */
export function forkFixture(...args: string[]): ForkedService {
  return forkNode(fixture, args, {});
}

/** Forks any program in Node, with these variables added to the environment. */
export function forkNode(
  path: string,
  args: string[],
  environment: Record<string, string>,
): ForkedService {
  const child = fork(path, args, {
    silent: true,
    execArgv: nodeFlags,
    env: { ...process.env, ...environment },
  });
  child.stdout?.resume();
  return {
    child,
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    onErrorOutput: (listener) => child.stderr?.on('data', (data) => listener(String(data))),
    kill: () => child.kill(),
  };
}

/** Waits for the end of the process, for at most `waitMillis`. Resolves with whether it has ended. */
export async function hasEnded({ child }: ForkedService, waitMillis = 2_000): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return once(child, 'exit', { signal: AbortSignal.timeout(waitMillis) }).then(
    () => true,
    () => false,
  );
}
