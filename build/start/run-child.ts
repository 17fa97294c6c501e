import { spawn } from 'node:child_process';

/** The exit of a process: its code or its signal; the other is null. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Options of a child process. */
export interface ChildOptions {
  /** Environment variables; default: those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Destination of the child's standard output: `inherit` (default) and `error` are the standard output and the
   * standard error of this process; `ignore` discards the output.
   */
  readonly output?: 'inherit' | 'ignore' | 'error';
  /** Whether the child has an IPC channel to this process. The channel closes when this process ends or is killed. */
  readonly hasIpcChannel?: boolean;
}

const forwardedSignals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program with the input and output of this process until the program ends, and resolves with its exit.
 * Meanwhile, SIGTERM, SIGHUP and SIGINT do not end this process. It forwards them to the program, but not SIGINT if the
 * standard input is a terminal, because a terminal sends SIGINT to both. Rejects with the error of the system if the
 * program cannot start.
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
 * Ends this process by the signal that ended a child. If no signal ended the child, sets the exit code of this process
 * to that of the child, without ending this process. On Windows, sets exit code 1 instead of sending a signal.
 */
export function exitLike({ code, signal }: ChildEnd): void {
  if (signal !== null && process.platform !== 'win32') process.kill(process.pid, signal);
  else process.exitCode = code ?? 1;
}
