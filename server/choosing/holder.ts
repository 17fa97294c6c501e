import { setTimeout as delay } from 'node:timers/promises';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { ProblemError, shortened, stoppingProblem } from '#server/errors.ts';
import {
  serveDatabase,
  serveNothing,
  type Ending,
  type ServeContext,
  type Served,
} from '#server/served.ts';

/** How long requests to a database that is left may still take. */
const leaveMillis = 60_000;

/** How long the next opening waits for a database that was left before. */
const waitForEndMillis = 5_000;

/** How long a database may take to answer its threads for the first time. */
const startMillis = 10_000;

/** What is needed to serve a database. */
export interface HolderContext extends ServeContext {
  /** Where the artifacts of a database's runs are; undefined where none is known. */
  artifactsOf: (database: Database) => string | undefined;
  /**
   * Whether it prepares for requests to come: makes indexes that only this service needs in the background, and starts the
   * threads of analyses once the database is served.
   */
  prepares: boolean;
  /** Told whenever another database is served. */
  onServed: (served: Served) => void;
}

/** What is served, with the work that goes on beside. */
interface Held {
  served: Served;
  /** Settles when it can be asked without a wait. */
  started: Promise<void>;
  end: (ending: Ending) => Promise<void>;
}

/** Holds what a service serves, and lets another database take its place: one after the other, each whole or not at all. */
export class DatabaseHolder {
  readonly #context: HolderContext;
  readonly #endings = new Set<Promise<void>>();
  #held: Held;
  readonly #openings = new Set<Promise<unknown>>();
  #queue: Promise<unknown> = Promise.resolve();
  /** Counts the openings in the order of their requests. */
  #lastOpening = 0;
  /** The opening of what is served. */
  #servedOpening = 0;
  #isClosed = false;

  /** Initially the given database is served, with its replica if there is one, or none; `onServed` is not called for it. */
  constructor(context: HolderContext, first: Database | null, replica?: Replica) {
    this.#context = context;
    this.#held = first === null ? holdNothing(context) : this.#hold(first, replica);
  }

  /** Settles when what is served can be asked without a wait. */
  get started(): Promise<void> {
    return this.#held.started;
  }

  get served(): Served {
    return this.#held.served;
  }

  /** Throws IMPORT_RUNNING while something is imported into the present database. */
  assertFree(): void {
    const name = this.served.importing();
    if (name === undefined) return;
    throw new ProblemError(
      'IMPORT_RUNNING',
      `"${shortened(name)}" is being imported into the present database: wait until it is done, or cancel it`,
    );
  }

  /**
   * Serves the database that `open` opens, as soon as its threads answer; what was served before ends once its requests
   * are answered. When that fails, nothing has changed. Openings do not wait for each other: one that takes longer than
   * an opening that was requested later counts as replaced by that one at once. IMPORT_RUNNING, SERVICE_STOPPING, and
   * what `open` throws.
   */
  replace(open: () => Promise<Database>): Promise<Served> {
    const replaced = this.#openAndReplace(open);
    const ended = Promise.allSettled([replaced]).finally(() => this.#openings.delete(ended));
    this.#openings.add(ended);
    return replaced;
  }

  async #openAndReplace(open: () => Promise<Database>): Promise<Served> {
    const opening = ++this.#lastOpening;
    this.#assertOpen();
    this.assertFree();
    const database = await open();
    const replaced = this.#queue.then(() => this.#replace(database, opening));
    this.#queue = replaced.catch(() => {});
    return replaced;
  }

  async #replace(database: Database, opening: number): Promise<Served> {
    if (this.#isClosed) {
      await database.close();
      throw stoppingProblem();
    }
    await Promise.race([
      Promise.all(this.#endings),
      delay(waitForEndMillis, undefined, { ref: false }),
    ]);
    const next = this.#hold(database);
    await Promise.race([next.started, delay(startMillis, undefined, { ref: false })]);
    try {
      this.#assertOpen();
      this.assertFree();
    } catch (error) {
      await next.end({ patienceMillis: 0 });
      throw error;
    }
    if (opening < this.#servedOpening) {
      this.#leave(next, { patienceMillis: 0 });
      return next.served;
    }
    const former = this.#held;
    this.#held = next;
    this.#servedOpening = opening;
    this.#context.onServed(next.served);
    this.#leave(former, { patienceMillis: leaveMillis, successor: next.served });
    return next.served;
  }

  #hold(database: Database, replica?: Replica): Held {
    const { artifactsOf, prepares, logger } = this.#context;
    let hasEnded = false;
    let indexing = new AbortController();
    let indexed: Promise<void> | undefined;
    const notify = (message: string) => logger.info(message);
    const index = () => {
      const { signal } = (indexing = new AbortController());
      void buildIndexes(signal);
    };
    const buildIndexes = async (signal: AbortSignal) => {
      await started;
      if (!signal.aborted) indexed = createAuxiliaryIndexes(database, { signal, notify });
    };
    const served = serveDatabase(database, {
      ...this.#context,
      artifactsDirectory: artifactsOf(database),
      replica,
      aroundReopening: async (reopen) => {
        indexing.abort();
        await indexed;
        await reopen();
        if (prepares && !hasEnded) index();
      },
    });
    const started = start(database, served);
    if (prepares) {
      void started.then(() => hasEnded || served.warmUp());
      index();
    }
    return {
      served,
      started,
      end: async (ending) => {
        hasEnded = true;
        indexing.abort();
        await Promise.all([started.then(() => indexed), served.end(ending)]);
      },
    };
  }

  #leave(former: Held, ending: Ending): void {
    const ended = former
      .end(ending)
      .catch((error: unknown) =>
        this.#context.logger.error({ err: error }, 'The former database was not closed'),
      )
      .finally(() => this.#endings.delete(ended));
    this.#endings.add(ended);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw stoppingProblem();
  }

  /** Ends what is served, for good, and what is about to be; settles when nothing of it is left. */
  async close(patienceMillis: number): Promise<void> {
    this.#isClosed = true;
    const ended = this.#held.end({ patienceMillis });
    await Promise.all([ended, ...this.#openings]);
    await Promise.all(this.#endings);
  }
}

function holdNothing(context: HolderContext): Held {
  const served = serveNothing(context);
  return { served, started: Promise.resolve(), end: (ending) => served.end(ending) };
}

async function start(database: Database, served: Served): Promise<void> {
  const isOpen = await served.cursor().then(
    () => true,
    () => false,
  );
  // From here on only threads ask a SQLite file, which others may have locked. Not before one has it open: without any
  // connection, other programs would remove its log.
  if (isOpen && database.file !== null) await database.close();
}
