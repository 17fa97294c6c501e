import { readdirSync, readFileSync } from 'node:fs';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

/** Memory and open files of a process. */
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

  /** Starts the program `entry` with a database and pages. Restarts use the same port. */
  constructor(entry: string, location: string, port: number, pages: string) {
    this.#entry = entry;
    const flags = { db: location, port: String(port), pages, 'log-level': 'error' };
    this.#flags = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    this.#process = spawnService(this.#flags, { entry: this.#entry });
    // The process ends with a failed soak.
    process.once('exit', () => this.#process.child.kill('SIGKILL'));
  }

  /** Resolves when the service is ready. */
  async waitUntilReady(): Promise<void> {
    this.address = parseAddress(await this.#process.readyLine);
  }

  /** Ends the process with a signal, starts another one, and returns the time until the end in milliseconds. */
  async restart(signal: NodeJS.Signals): Promise<number> {
    const startMillis = performance.now();
    await this.stop(signal);
    const millis = performance.now() - startMillis;
    this.#process = spawnService(this.#flags, { entry: this.#entry });
    await this.waitUntilReady();
    return millis;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#process.child.kill(signal);
    await this.#process.exitCode;
    process.stderr.write(this.#process.output().stderr);
  }

  /** Starts the import of the sample campaign. Throws if the service refuses it. */
  async importSample(): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ sample: true });
    const response = await fetch(`${this.address}/api/import`, { method: 'POST', headers, body });
    if (response.status !== 202) {
      throw new Error(`The sample was not imported: ${await response.text()}`);
    }
  }

  /** Returns the current memory and open files; NaN except on Linux. */
  measureUsage(): Usage {
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
