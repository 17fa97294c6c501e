import { setTimeout as delay } from 'node:timers/promises';

const pauseMillis = 1_000;

/** Clients that read one page after another, as fast as people look. */
export class Readers {
  readonly #address: () => string;
  #isEnding = false;
  #loops: Promise<void>[] = [];
  /** Responses by status; `cut` for a lost connection. */
  readonly answers = new Map<number | 'cut', number>();

  constructor(address: () => string, count: number) {
    this.#address = address;
    this.#loops = Array.from({ length: count }, (_, index) => this.#read(index));
  }

  async #read(index: number): Promise<void> {
    await delay(index * 20);
    for (let turn = index; !this.#isEnding; turn += 1) {
      const paths = await this.#paths();
      const path = paths[turn % paths.length] ?? '/api/health';
      const status = await this.#ask(path);
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      await delay(pauseMillis);
    }
  }

  async #paths(): Promise<string[]> {
    const [run] = this.#runIds;
    const ofRun =
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
      ...ofRun,
    ];
  }

  #runIds: string[] = [];

  async #ask(path: string): Promise<number | 'cut'> {
    try {
      const response = await fetch(this.#address() + path);
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
