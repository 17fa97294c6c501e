import { spawn } from 'node:child_process';

/** How a process ended: with an exit code, or by a signal. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Where its standard output goes; this one's by default. `error`: this one's standard error. */
  readonly output?: 'inherit' | 'ignore' | 'error';
  /** Whether it has a channel to this process, by which it notices when this one is gone, even killed. */
  readonly isTied?: boolean;
}

const forwarded: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program with this one's input and output until it ends. The signals that ask this process to stop are
 * passed on, and it is the child that decides. Rejects when the program cannot be started.
 */
export async function runChild(
  command: string,
  args: readonly string[],
  { env = process.env, output = 'inherit', isTied = false }: ChildOptions = {},
): Promise<ChildEnd> {
  const child = spawn(command, args, {
    env,
    stdio: [
      'inherit',
      output === 'error' ? 2 : output,
      'inherit',
      ...(isTied ? (['ipc'] as const) : []),
    ],
  });
  const forward = (signal: NodeJS.Signals) => {
    // A terminal sends Ctrl-C to the whole group: the child has had this one already.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await new Promise<ChildEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}

/** Ends this process the way the child did: by the same signal where there is one, else by its exit code. */
export function endLike({ code, signal }: ChildEnd): void {
  if (signal !== null && process.platform !== 'win32') process.kill(process.pid, signal);
  else process.exitCode = code ?? 1;
}
