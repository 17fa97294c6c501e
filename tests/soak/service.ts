import { readdirSync, readFileSync } from 'node:fs';
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

  /** Starts the program `entry` over a database, with these pages, on a port that it keeps. */
  constructor(entry: string, place: string, port: number, pages: string) {
    this.#entry = entry;
    const flags = { db: place, port: String(port), pages, 'log-level': 'error' };
    this.#flags = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    this.#process = spawnService(this.#flags, { entry: this.#entry });
    // A soak that fails leaves nothing running.
    process.once('exit', () => this.#process.child.kill('SIGKILL'));
  }

  /** Settles when it reports that it is ready. */
  async ready(): Promise<void> {
    this.address = addressIn(await this.#process.readyLine);
  }

  /** Ends it by a signal, starts another, and returns the time that the end took, in milliseconds. */
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

  /** Begins the import of the sample campaign. Throws if the service refuses it. */
  async importSample(): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ sample: true });
    const response = await fetch(`${this.address}/api/import`, { method: 'POST', headers, body });
    if (response.status !== 202) {
      throw new Error(`The sample was not imported: ${await response.text()}`);
    }
  }

  /** Memory and open files now. Linux only, elsewhere NaN. */
  usage(): Usage {
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
