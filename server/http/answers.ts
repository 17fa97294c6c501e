import { isDeepStrictEqual } from 'node:util';
import { textOf, type AnswerPart } from '#server/analysis/kept-answer.ts';
import type { SharedMemory } from '#server/analysis/memory.ts';
import { handlers, type Handler, type HandledName } from '#server/handlers.ts';
import type { WrittenAnswer } from '#server/threads/run-handler.ts';
import type { Threads } from '#server/threads/threads.ts';
import type { Sendable } from './bind-endpoint.ts';

type AnyHandler = Handler<'exportExperiment'>;

interface Cached {
  body: string;
  wasThere: boolean;
}

/** An answer that was given, and the state of the database that it holds for. */
interface GivenAnswer {
  snapshot: string;
  parts: readonly AnswerPart[];
}

/** Questions whose answers are remembered; what takes room are the texts of the answers. */
const maximumQuestions = 4_000;

/**
 * Gets the answers to requests from the threads, or from memory as long as the database has not changed. A
 * question that is being answered for the same state of the database is not asked twice; errors are not kept.
 */
export class Answers {
  readonly #threads: Threads;
  readonly #memory: SharedMemory;
  readonly #given = new Map<string, GivenAnswer>();
  readonly #pending = new Map<string, Promise<Cached>>();

  constructor(threads: Threads, memory: SharedMemory) {
    this.#threads = threads;
    this.#memory = memory;
  }

  /** What an endpoint answers to an input, see {@link runHandler}; throws what its handler throws. */
  async answer(name: HandledName, input: unknown, identity?: string): Promise<Sendable> {
    const handler = handlers[name] as AnyHandler;
    const run = (part: unknown) => this.#threads.run(name, part, identity);
    if (handler.cached)
      return this.#cached(
        JSON.stringify([name, input, identity]),
        () => run(input),
        handler.fileName?.(input as never),
      );
    const answer = await run(input);
    const brackets = Object(input).csv === undefined ? ofArray : ofLines;
    return answer.next === undefined ? answer : this.#joined(name, answer, brackets, run);
  }

  async #cached(
    question: string,
    ask: () => Promise<WrittenAnswer>,
    file: string | undefined,
  ): Promise<Sendable> {
    const snapshot = await this.#threads.askState('snapshotKey');
    const { body, wasThere } = await this.#find(question, snapshot, ask);
    return {
      body,
      headers: {
        // RFC 9211.
        'Cache-Status': wasThere ? 'Evoscope; hit' : 'Evoscope; fwd=miss',
        ...(file !== undefined && { 'Content-Disposition': `attachment; filename="${file}"` }),
      },
    };
  }

  async #find(
    question: string,
    snapshot: string,
    ask: () => Promise<WrittenAnswer>,
  ): Promise<Cached> {
    const given = this.#given.get(question);
    if (given?.snapshot === snapshot) {
      const body = await textOf(this.#memory, given.parts);
      if (body !== null) return { body, wasThere: true };
    }
    const key = `${snapshot}\n${question}`;
    const pending = this.#pending.get(key);
    if (pending) return { ...(await pending), wasThere: true };
    const asked = this.#ask(question, snapshot, ask).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  /** The snapshot was taken before the question is asked, so that no answer is older than it says. */
  async #ask(
    question: string,
    snapshot: string,
    ask: () => Promise<WrittenAnswer>,
  ): Promise<Cached> {
    const { body, kept } = await ask();
    const parts = kept?.parts ?? [{ key: question, wasThere: false }];
    if (!kept)
      this.#memory.texts.keep(
        question,
        typeof body === 'string' ? body : Buffer.from(body).toString(),
      );
    const text = await textOf(this.#memory, parts);
    // So many large answers at once that the first was gone before the last was there.
    if (text === null) return this.#ask(question, snapshot, ask);
    this.#given.delete(question);
    this.#given.set(question, { snapshot, parts });
    const [oldest] = this.#given.keys();
    if (this.#given.size > maximumQuestions && oldest !== undefined) this.#given.delete(oldest);
    return { body: text, wasThere: kept?.wasThere ?? false };
  }

  /** What slices make: in one piece when there is but one. */
  #joined(
    name: HandledName,
    { body, next }: WrittenAnswer,
    brackets: Brackets,
    run: (part: unknown) => Promise<WrittenAnswer>,
  ): Sendable {
    const { open, close } = brackets;
    if (next !== null)
      return { body: open, rest: this.#slices(name, { body, next }, brackets, run) };
    if (open === '') return { body };
    return {
      body:
        typeof body === 'string'
          ? `${open}${body}${close}`
          : Buffer.concat([Buffer.from(open), body, Buffer.from(close)]),
    };
  }

  async *#slices(
    name: HandledName,
    first: WrittenAnswer,
    { between, close }: Brackets,
    run: (part: unknown) => Promise<WrittenAnswer>,
  ): AsyncGenerator<Sendable['body']> {
    let slice = first;
    yield slice.body;
    while (slice.next !== null) {
      const asked = slice.next;
      slice = await run(asked);
      // Whatever the rows hold, an answer comes to its end.
      if (isDeepStrictEqual(slice.next, asked))
        throw new Error(`The slices of ${name} do not go on`);
      // The rows may have gone since the slice before said that there are more.
      if (slice.body.length > 0) yield between;
      yield slice.body;
    }
    yield close;
  }
}

/** What stands around and between the slices of an answer. */
interface Brackets {
  open: string;
  between: string;
  close: string;
}

const ofArray: Brackets = { open: '[', between: ',', close: ']' };
const ofLines: Brackets = { open: '', between: '', close: '' };
