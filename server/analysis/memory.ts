import type { PackedTrace } from './packed-traces.ts';
import { TextStore } from './text-store.ts';
import { TraceStore, type ReadTraces, type WantedTrace } from './trace-store.ts';

/** What all threads that analyse share. */
export interface AnalysisMemory {
  /** The traces of the runs as they are now, in their order; those that are missing are read. */
  collectTraces(wanted: readonly WantedTrace[]): Promise<PackedTrace[]>;
  /** Whether there is a text under a key. */
  hasText(key: string): Promise<boolean>;
  /** The text under a key; null when there is none. */
  findText(key: string): Promise<string | null>;
  /** Keeps a text under a key that says all that it was made of: whoever asks from now on gets it. */
  keepText(key: string, text: string): void;
}

const bytesPerMegabyte = 1_048_576;

/** How much may be kept. */
export interface MemoryLimits {
  traceMegabytes: number;
  answerMegabytes: number;
}

export const usualLimits: MemoryLimits = { traceMegabytes: 256, answerMegabytes: 32 };

/** The memory itself, in the thread that answers requests; `read` gets the traces that it does not hold. */
export class SharedMemory implements AnalysisMemory {
  readonly texts: TextStore;
  readonly #traces: TraceStore;

  constructor(read: ReadTraces, { traceMegabytes, answerMegabytes } = usualLimits) {
    this.texts = new TextStore(answerMegabytes * bytesPerMegabyte);
    this.#traces = new TraceStore(traceMegabytes * bytesPerMegabyte, read);
  }

  /** Forgets all texts and traces. */
  clear(): void {
    this.texts.clear();
    this.#traces.clear();
  }

  collectTraces(wanted: readonly WantedTrace[]): Promise<PackedTrace[]> {
    return this.#traces.collect(wanted);
  }

  async hasText(key: string): Promise<boolean> {
    return this.texts.find(key) !== null;
  }

  async findText(key: string): Promise<string | null> {
    return this.texts.find(key);
  }

  keepText(key: string, text: string): void {
    this.texts.keep(key, text);
  }
}

const methods = ['collectTraces', 'hasText', 'findText'] as const;

/** A question of another thread to the memory. */
export interface MemoryQuestion {
  method: (typeof methods)[number];
  parameters: unknown[];
}

/**
 * The memory as another thread sees it, where `ask` carries a question over and `keepText` a text, which arrives before
 * whatever is said later.
 */
export function remoteMemory(
  ask: (question: MemoryQuestion) => Promise<unknown>,
  keepText: AnalysisMemory['keepText'],
): AnalysisMemory {
  const asking = methods.map((method) => [
    method,
    (...parameters: unknown[]) => ask({ method, parameters }),
  ]);
  return { ...Object.fromEntries(asking), keepText } as AnalysisMemory;
}

/** What the memory answers to a question of another thread. */
export function answerQuestion(
  memory: AnalysisMemory,
  { method, parameters }: MemoryQuestion,
): Promise<unknown> {
  const called = memory[method] as (...values: unknown[]) => Promise<unknown>;
  return called.apply(memory, parameters);
}
