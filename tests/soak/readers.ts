import { setTimeout as delay } from 'node:timers/promises';

const pauseMillis = 1_000;

/** Clients that read one page after another, as fast as people. */
export class Readers {
  readonly #getAddress: () => string;
  #isEnding = false;
  #loops: Promise<void>[] = [];
  /** Responses by status; `cut` for a lost connection. */
  readonly statusCounts = new Map<number | 'cut', number>();

  constructor(address: () => string, count: number) {
    this.#getAddress = address;
    this.#loops = Array.from({ length: count }, (_, index) => this.#read(index));
  }

  async #read(index: number): Promise<void> {
    await delay(index * 20);
    for (let turn = index; !this.#isEnding; turn += 1) {
      const paths = await this.#listPaths();
      const path = paths[turn % paths.length] ?? '/api/health';
      const status = await this.#fetchStatus(path);
      this.statusCounts.set(status, (this.statusCounts.get(status) ?? 0) + 1);
      await delay(pauseMillis);
    }
  }

  async #listPaths(): Promise<string[]> {
    const [run] = this.#runIds;
    const runPaths =
      run === undefined
        ? []
        : [
            ...['', '/iterations?fields=scalars', '/iterations', '/events'].map(
              (part) => `/api/runs/${run}${part}`,
            ),
            // The writers give a run and its experiment the same name.
            `/api/experiments/${run}/analysis`,
          ];
    return [
      '/api/runs',
      '/api/experiments?figures=true',
      '/api/dashboard/summary',
      '/api/health',
      '/api/facets',
      '/api/analysis/problems',
      ...runPaths,
    ];
  }

  #runIds: string[] = [];

  async #fetchStatus(path: string): Promise<number | 'cut'> {
    try {
      const response = await fetch(this.#getAddress() + path);
      const text = await response.text();
      if (path === '/api/runs' && response.ok) {
        const { items } = JSON.parse(text) as { items: { runId: string }[] };
        this.#runIds = items.map(({ runId }) => runId);
      }
      return response.status;
    } catch {
      return 'cut';
    }
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#loops);
  }
}
