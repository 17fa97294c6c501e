import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A separate process that has opened a database. */
export interface Opener {
  /** The first printed line: the open database as JSON, or `failed: …`. */
  readonly firstLine: string;
  /** Requests the number of runs that it reads. */
  countRuns(): Promise<number>;
  /** Closes the database, and returns `failed: …` if that fails, else null. */
  close(): Promise<string | null>;
}

const program = fileURLToPath(new URL('./open-database.ts', import.meta.url));

/**
 * Opens a database in another process. With `isUnprivileged`, the process runs as a user who owns nothing if the tests
 * run as root, which no permission restricts.
 */
export async function openInProcess(
  url: string,
  { isUnprivileged = false }: { isUnprivileged?: boolean } = {},
): Promise<Opener> {
  const privilegeArguments = isUnprivileged && process.getuid?.() === 0 ? ['drop-privileges'] : [];
  const child = spawn(process.execPath, [program, url, ...privilegeArguments], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const readLine = async () => String((await lines.next()).value);
  return {
    firstLine: await readLine(),
    countRuns: async () => {
      child.stdin.write('runs\n');
      return Number(await readLine());
    },
    close: async () => {
      await end(child);
      const { value, done } = await lines.next();
      return done ? null : value;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  const exitPromise = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  if (child.exitCode === null) await exitPromise;
}
