import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A separate process that has opened a database. */
export interface Opener {
  /** The first printed line: the open database as JSON, or `failed: …`. */
  readonly opened: string;
  /** Requests the number of runs that it reads. */
  countRuns(): Promise<number>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('./open-database.ts', import.meta.url));

/**
 * Opens a database in another process; with `unprivileged` in the name of a user who owns nothing, which
 * matters where the tests themselves run as root, whom no permission binds.
 */
export async function openInProcess(
  url: string,
  { unprivileged = false }: { unprivileged?: boolean } = {},
): Promise<Opener> {
  const drop = unprivileged && process.getuid?.() === 0 ? ['drop-privileges'] : [];
  const child = spawn(process.execPath, [program, url, ...drop], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  return {
    opened: await nextLine(),
    countRuns: async () => {
      child.stdin.write('runs\n');
      return Number(await nextLine());
    },
    close: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  if (child.exitCode === null) await exited;
}
