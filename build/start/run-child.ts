import { spawn } from 'node:child_process';

/** The exit of a process: a code or a signal. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Options of a child process. */
export interface ChildOptions {
  /** Environment variables; default: those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Destination of the child's standard output: that of this process (default), none, or standard error (`error`). */
  readonly output?: 'inherit' | 'ignore' | 'error';
  /** Whether the child has an IPC channel to this process, which closes when this process ends, even if killed. */
  readonly hasIpcChannel?: boolean;
}

const forwardedSignals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program with the input and output of this process until it ends, and resolves with its exit. Forwards SIGTERM
 * and SIGHUP to it instead of ending, and SIGINT unless the standard input is a terminal, which sends it to both.
 * Rejects with the error of the system if the program cannot start.
 */
export async function runChild(
  command: string,
  args: readonly string[],
  { env = process.env, output = 'inherit', hasIpcChannel = false }: ChildOptions = {},
): Promise<ChildEnd> {
  const child = spawn(command, args, {
    env,
    stdio: [
      'inherit',
      output === 'error' ? 2 : output,
      'inherit',
      ...(hasIpcChannel ? (['ipc'] as const) : []),
    ],
  });
  const forward = (signal: NodeJS.Signals) => {
    // A terminal sends Ctrl-C to the whole process group, so the child has already received it.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  try {
    return await new Promise<ChildEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    for (const signal of forwardedSignals) process.off(signal, forward);
  }
}

/**
 * Ends this process by the signal that ended a child, or sets the exit code of the child for its later end. On Windows,
 * sets 1 if a signal ended the child.
 */
export function exitLike({ code, signal }: ChildEnd): void {
  if (signal !== null && process.platform !== 'win32') process.kill(process.pid, signal);
  else process.exitCode = code ?? 1;
}
