import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./writer.ts', import.meta.url));

/** A program that writes runs one after another; without `rowsPerRun` each has 400 rows. An endless run does not end. */
interface Writer {
  name: string;
  rowsPerSecond: number;
  rowsPerRun?: number;
  isEndless?: boolean;
}

/** Runners that write to one database, and the sums of their reports. */
export class Writers {
  readonly #children: ChildProcess[];
  /** Number of acknowledged rows. */
  rows = 0;
  /** Number of failed writes, each after a wait of 10 s for the lock. */
  failedWrites = 0;
  #millis: number[] = [];

  /** Starts the runners. `location` is a SQLite file or the URL of a PostgreSQL database. */
  constructor(location: string, writers: readonly Writer[]) {
    this.#children = writers.map(({ name, rowsPerSecond, rowsPerRun = 400, isEndless }) => {
      const parameters = [program, location, name, String(rowsPerSecond), String(rowsPerRun)];
      if (isEndless) parameters.push('endless');
      const child = spawn(process.execPath, parameters, {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      process.once('exit', () => child.kill('SIGKILL'));
      createInterface({ input: child.stdout }).on('line', (line) => this.#addReport(line));
      return child;
    });
  }

  #addReport(line: string): void {
    const report = JSON.parse(line) as { rows: number; failedWrites: number; millis: number[] };
    this.rows += report.rows;
    this.failedWrites += report.failedWrites;
    this.#millis.push(...report.millis);
  }

  /** Returns the milliseconds of each write since the last call, ascending. */
  takeLatencies(): number[] {
    const millis = this.#millis.sort((a, b) => a - b);
    this.#millis = [];
    return millis;
  }

  /** Ends the runners, and waits for their last reports. */
  async stop(): Promise<void> {
    const closePromises = this.#children.map((child) => once(child, 'close'));
    for (const child of this.#children) child.kill('SIGTERM');
    await Promise.all(closePromises);
  }
}
