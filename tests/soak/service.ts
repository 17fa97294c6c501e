import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { addressIn, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

/** What a process uses. */
export interface Usage {
  megabytes: number;
  handles: number;
}

/** A service that is started again after each end. */
export class Service {
  readonly #entry: string;
  readonly #flags: string[];
  #process: ServiceProcess;
  address = '';

  /** Starts the program `entry` over a file. */
  constructor(entry: string, file: string) {
    this.#entry = entry;
    this.#flags = ['--db', file, '--port', '0', '--log-level', 'error'];
    this.#process = spawnService(this.#flags, { entry: this.#entry });
  }

  /** Settles when it says that it is ready. */
  async ready(): Promise<void> {
    this.address = addressIn(await this.#process.readyLine);
  }

  /** Ends it by a signal, starts another, and says how long it took to end, in milliseconds. */
  async restart(signal: NodeJS.Signals): Promise<number> {
    const started = performance.now();
    await this.stop(signal);
    const millis = performance.now() - started;
    this.#process = spawnService(this.#flags, { entry: this.#entry });
    await this.ready();
    return millis;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#process.child.kill(signal);
    await this.#process.exited;
    process.stderr.write(this.#process.output().stderr);
  }

  /**
   * Memory and open files that it holds, the least of so many milliseconds: heaps grow until their garbage is
   * collected. Linux only, elsewhere NaN.
   */
  async usage(millis: number): Promise<Usage> {
    const least = { megabytes: Infinity, handles: Infinity };
    const end = performance.now() + millis;
    while (performance.now() < end) {
      const { megabytes, handles } = this.#usageNow();
      least.megabytes = Math.min(least.megabytes, megabytes);
      least.handles = Math.min(least.handles, handles);
      await delay(1_000);
    }
    return least;
  }

  #usageNow(): Usage {
    const { pid } = this.#process.child;
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
      return { megabytes: kilobytes / 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
    } catch {
      return { megabytes: NaN, handles: NaN };
    }
  }
}
