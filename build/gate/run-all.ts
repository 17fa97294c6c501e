import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** A program for Node: its name, its script with arguments, and additional environment variables. */
export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** The end of a program. */
export interface ProgramEnd {
  readonly name: string;
  /** The exit code; 1 if a signal ended the program. */
  readonly exitCode: number;
}

/**
 * Runs programs in their order, as many in parallel as there are processors. Resolves with their results in the same
 * order. Prints the whole output of a program when it ends, because outputs would mix otherwise. Then calls `onEnd`.
 * Rejects with the error of the system if Node.js cannot start.
 */
export async function runAll(
  programs: readonly Program[],
  onEnd: (end: ProgramEnd) => void = () => {},
): Promise<ProgramEnd[]> {
  const ends: ProgramEnd[] = [];
  const queue = programs.entries();
  const runQueue = async () => {
    for (const [index, program] of queue) {
      const { exitCode, output } = await runProgram(program);
      process.stdout.write(output);
      const end = { name: program.name, exitCode };
      ends[index] = end;
      onEnd(end);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runQueue));
  return ends;
}

async function runProgram({ command, environment }: Program) {
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { exitCode: code ?? 1, output: Buffer.concat(chunks) };
}
