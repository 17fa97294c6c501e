import type { PackedTrace, Slab, TraceToRead } from './packed-traces.ts';
import { TextStore } from './text-store.ts';
import { TraceReading, type CollectedTraces, type Share } from './trace-reading.ts';
import { TraceStore, type WantedTrace } from './trace-store.ts';

/** What is to be done next to get traces: a share has to be read, or all are there. */
export type TraceStep = { reading: number; share: Share } | CollectedTraces;

/** What all threads that analyse share. */
export interface AnalysisMemory {
  /** Looks traces up; those that are missing are read by the caller, share by share, and by idle threads. */
  collectTraces(wanted: readonly WantedTrace[]): Promise<TraceStep>;
  /** Takes a share that was read, and says what is next. */
  deliverShare(reading: number, share: number, slab: Slab): Promise<TraceStep>;
  /** Ends a reading whose share could not be read. */
  abandonReading(reading: number): Promise<void>;
  /** Whether there is a text under a key. */
  hasText(key: string): Promise<boolean>;
  /** The text under a key; null when there is none. */
  findText(key: string): Promise<string | null>;
  /** Keeps a text under a key that says all that it was made of. */
  keepText(key: string, text: string): Promise<void>;
}

/** Reads runs in an idle thread; undefined when there is none. */
export type Lend = (runs: readonly TraceToRead[]) => Promise<Slab> | undefined;

/** Enough rows that handing a share over does not count, few enough for an even end: about 15 ms. */
const rowsPerShare = 50_000;

const bytesPerMegabyte = 1_048_576;

/** How much may be kept. */
export interface MemoryLimits {
  traceMegabytes: number;
  answerMegabytes: number;
}

export const usualLimits: MemoryLimits = { traceMegabytes: 256, answerMegabytes: 32 };

/** The memory itself, in the thread that answers requests. */
export class SharedMemory implements AnalysisMemory {
  readonly texts: TextStore;
  readonly #traces: TraceStore;
  readonly #readings = new Map<number, TraceReading>();
  #lend: Lend = () => undefined;
  #lastReading = 0;

  constructor({ traceMegabytes, answerMegabytes }: MemoryLimits = usualLimits) {
    this.texts = new TextStore(answerMegabytes * bytesPerMegabyte);
    this.#traces = new TraceStore(traceMegabytes * bytesPerMegabyte);
  }

  /** Names the threads that may help to read. */
  letHelp(lend: Lend): void {
    this.#lend = lend;
  }

  collectTraces(wanted: readonly WantedTrace[]): Promise<TraceStep> {
    const state = wanted.map((one): PackedTrace | TraceToRead => this.#traces.find(one));
    const reading = new TraceReading(wanted, state, rowsPerShare);
    this.#lastReading += 1;
    this.#readings.set(this.#lastReading, reading);
    const next = this.#next(this.#lastReading, reading);
    while (this.#help(reading));
    return next;
  }

  deliverShare(number: number, share: number, slab: Slab): Promise<TraceStep> {
    const reading = this.#readings.get(number);
    if (!reading) throw new RangeError(`There is no reading ${number}`);
    this.#traces.keep(reading.deliver(share, slab), slab);
    return this.#next(number, reading);
  }

  async abandonReading(number: number): Promise<void> {
    this.#readings.delete(number);
  }

  async hasText(key: string): Promise<boolean> {
    return this.texts.find(key) !== null;
  }

  async findText(key: string): Promise<string | null> {
    return this.texts.find(key);
  }

  async keepText(key: string, text: string): Promise<void> {
    this.texts.keep(key, text);
  }

  async #next(number: number, reading: TraceReading): Promise<TraceStep> {
    const next = await reading.next();
    if ('number' in next) return { reading: number, share: next };
    this.#readings.delete(number);
    return next;
  }

  /** Has an idle thread read a share, and the next one when it is done; false when nothing can be lent. */
  #help(reading: TraceReading): boolean {
    const share = reading.take();
    const read = share && this.#lend(share.runs);
    if (!share || !read) {
      if (share) reading.giveBack(share.number);
      return false;
    }
    void this.#receive(reading, share.number, read);
    return true;
  }

  async #receive(reading: TraceReading, share: number, read: Promise<Slab>): Promise<void> {
    try {
      const slab = await read;
      this.#traces.keep(reading.deliver(share, slab), slab);
      this.#help(reading);
    } catch {
      // Whoever wants the traces reads the share, and meets the same error.
      reading.giveBack(share);
    }
  }
}

const methods = [
  'collectTraces',
  'deliverShare',
  'abandonReading',
  'hasText',
  'findText',
  'keepText',
] as const;

/** A question of another thread to the memory. */
export interface MemoryQuestion {
  method: (typeof methods)[number];
  parameters: unknown[];
}

/** The memory as another thread sees it, where `ask` carries a question over. */
export function remoteMemory(ask: (question: MemoryQuestion) => Promise<unknown>): AnalysisMemory {
  return Object.fromEntries(
    methods.map((method) => [method, (...parameters: unknown[]) => ask({ method, parameters })]),
  ) as unknown as AnalysisMemory;
}

/** What the memory answers to a question of another thread. */
export function answerQuestion(
  memory: AnalysisMemory,
  { method, parameters }: MemoryQuestion,
): Promise<unknown> {
  const called = memory[method] as (...values: unknown[]) => Promise<unknown>;
  return called.apply(memory, parameters);
}
