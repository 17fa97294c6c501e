import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./writer.ts', import.meta.url));

/** A program that writes runs one after another; without `rowsPerRun` each has 400 rows. */
interface Writer {
  name: string;
  rowsPerSecond: number;
  rowsPerRun?: number;
}

/** Runners that write to one database, and what they reported. */
export class Writers {
  readonly #children: ChildProcess[];
  /** Rows that were acknowledged to them. */
  rows = 0;
  /** Writes that failed, after 10 s of waiting for the lock. */
  failed = 0;
  #millis: number[] = [];

  /** `place`: the SQLite file, or the URL of a PostgreSQL database. */
  constructor(place: string, writers: readonly Writer[]) {
    this.#children = writers.map(({ name, rowsPerSecond, rowsPerRun = 400 }) => {
      const parameters = [program, place, name, String(rowsPerSecond), String(rowsPerRun)];
      const child = spawn(process.execPath, parameters, {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      process.once('exit', () => child.kill('SIGKILL'));
      createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
      return child;
    });
  }

  #hear(line: string): void {
    const said = JSON.parse(line) as { rows: number; failed: number; millis: number[] };
    this.rows += said.rows;
    this.failed += said.failed;
    this.#millis.push(...said.millis);
  }

  /** The milliseconds of each write since the last call, ascending. */
  takeLatencies(): number[] {
    const millis = this.#millis.sort((one, other) => one - other);
    this.#millis = [];
    return millis;
  }

  /** Requests them to end, and waits for their last reports. */
  async stop(): Promise<void> {
    const ended = this.#children.map((child) => once(child, 'close'));
    for (const child of this.#children) child.kill('SIGTERM');
    await Promise.all(ended);
  }
}
