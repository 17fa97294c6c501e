import type { Router } from 'express';
import type { Logger } from 'pino';
import type { DatabaseChange } from '#shared/schemas/service.ts';
import { noDatabaseId } from '#shared/words.ts';
import { SharedMemory, type MemoryLimits } from './analysis/memory.ts';
import type { Database } from './db/database.ts';
import type { Replica } from './db/replica.ts';
import { databaseId } from './db/url.ts';
import { docsPage, openApiDocument } from './docs/docs.ts';
import { ProblemError } from './errors.ts';
import { Answers } from './http/answers.ts';
import { createApi } from './http/api.ts';
import { ChangeFeed } from './http/changes.ts';
import { createErrorHandler } from './http/error-handler.ts';
import { Imports } from './http/imports.ts';
import { RoutedAnswers, type ServerAnswers } from './http/routed-answers.ts';
import { createRequestCount } from './http/stopping.ts';
import { healthOf } from './services/summary.ts';
import type { HandledName } from './handlers.ts';
import {
  createThreads,
  type Reopening,
  type ThreadOptions,
  type Threads,
} from './threads/threads.ts';

/** What a service serves at a time: a database, or none as long as none has been chosen. */
export interface Served {
  /** Of the database, `none` without one. */
  readonly id: string;
  readonly database: Database | null;
  /** Answers what is asked under `/api`. */
  readonly api: Router;
  /** Where the database stands; see {@link DatabaseDialect.changeCursor}. */
  cursor(): Promise<string>;
  /** Which database it is exactly; see {@link DatabaseDialect.identity}. */
  identity(): Promise<string>;
  /** What is being imported, and keeps the database from being left; undefined for nothing. */
  importing(): string | undefined;
  /** Starts the threads of analyses, so that the first analysis does not wait for them. */
  warmUp(): void;
  /** Ends it in order and settles when nothing of it is left. */
  end(ending: Ending): Promise<void>;
}

/** How what is served ends. */
export interface Ending {
  /** How long what is under way may go on. */
  patienceMillis: number;
  /** What is served from now on, of which event streams are told. */
  successor?: Served;
}

/** What all that is served shares. */
export interface ServeContext {
  logger: Logger;
  version: string;
  /** Whether another database can be chosen. */
  choosing?: boolean | undefined;
  /** What differs from the usual threads. */
  threads?: ThreadOptions | undefined;
  /** The file of the program that imports; the one beside the service's own when undefined. */
  importProgram?: string | undefined;
  /** How much analyses may keep in memory; the usual when undefined. */
  memoryLimits?: MemoryLimits | undefined;
  /** Lets go of the database file while `reopen` has all threads open it again. */
  aroundReopening?: ((reopen: () => Promise<void>) => Promise<void>) | undefined;
  /** Settles like an answer, or rejects once the service has been asked to stop for too long; see {@link createStopLimit}. */
  beforeStop?: (<Answer>(answer: Promise<Answer>) => Promise<Answer>) | undefined;
}

/**
 * Serves an open database, and its replica if there is one, and closes both at its end: with threads, memory, imports and a
 * feed of changes of its own.
 */
export function serveDatabase(
  database: Database,
  context: ServeContext & {
    artifactsDirectory?: string | undefined;
    replica?: Replica | undefined;
  },
): Served {
  const { logger, replica, beforeStop = (answer) => answer } = context;
  const { threads, answers } = answersFrom(database, context, async (reopen) => {
    await Promise.all([imports.interrupt(), database.close().catch(() => {})]);
    await (context.aroundReopening?.(reopen) ?? reopen());
  });
  const routed =
    replica &&
    new RoutedAnswers(replica, { threads, answers }, (copy) => answersFrom(copy, context));
  const imports = new Imports({
    database,
    logger,
    program: context.importProgram,
    onEnd: () => replica?.noteWrite(),
  });
  const answer = (name: HandledName, input: unknown, identity?: string) =>
    (routed ?? answers).answer(name, input, identity);
  const cursor = () => (routed ? routed.cursor() : threads.askState('changeCursor'));
  const describe = async (at: string) =>
    String((await answer('watchChanges', { cursor: at })).body);
  const feed = new ChangeFeed({ cursor, describe }, { logger });
  const { count, idle } = createRequestCount();
  const id = databaseId(database.source);
  return {
    id,
    database,
    cursor,
    identity: () => threads.askState('identity'),
    api: createApi({
      id,
      answer: (name, input, identity) => beforeStop(answer(name, input, identity)),
      feed,
      imports,
      count,
      handleErrors: createErrorHandler(database.dialect, logger),
    }),
    importing: () => imports.current,
    warmUp: () => (routed ?? threads).warmUp(),
    end: async ({ patienceMillis, successor }) => {
      feed.close(successor && farewell(successor));
      const importsEnded = imports.close(patienceMillis);
      // Those who only change the database wait for nobody, and lose nothing that they have asked for.
      if (successor) await idle(patienceMillis);
      const patience = successor ? undefined : patienceMillis;
      await Promise.all([importsEnded, threads.close(patience), routed?.close(patience)]);
      await idle(patienceMillis);
      await database.close();
    },
  };
}

/** What answers requests from a database; see {@link Reopening} for what happens around a reopening. */
function answersFrom(
  database: Database,
  { replica, ...context }: Parameters<typeof serveDatabase>[1],
  aroundReopening: Reopening['aroundReopening'] = (reopen) => reopen(),
): ServerAnswers {
  const memory = new SharedMemory((runs) => threads.readTraces(runs), context.memoryLimits);
  const threads: Threads = createThreads(
    { ...context, database, memory, replica: replica && (() => replica.report()) },
    context.threads,
    { aroundReopening, forget: () => memory.clear() },
  );
  return { threads, answers: new Answers(threads, memory) };
}

/** Serves no database: only what the service says of itself, and NO_DATABASE. */
export function serveNothing({ logger, version, choosing }: ServeContext): Served {
  const nothing: DatabaseChange = {
    cursor: noDatabaseId,
    running: 0,
    database: noDatabaseId,
    databaseIdentity: null,
  };
  const feed = new ChangeFeed(
    { cursor: async () => noDatabaseId, describe: async () => JSON.stringify(nothing) },
    { logger },
  );
  const bodies: Record<string, () => Promise<string>> = {
    getHealth: async () => JSON.stringify(healthOf({ version, choosing })),
    getOpenApi: async () => JSON.stringify(await openApiDocument(version)),
    getDocs: () => docsPage(version),
  };
  return {
    id: noDatabaseId,
    database: null,
    cursor: async () => noDatabaseId,
    identity: async () => '',
    api: createApi({
      id: noDatabaseId,
      answer: async (name) => {
        const body = bodies[name];
        if (body === undefined) throw noDatabase();
        return { body: await body() };
      },
      feed,
      imports: noDatabase(),
      count: (_request, _response, next) => next(),
      handleErrors: createErrorHandler({ failureKind: () => 'other' }, logger),
    }),
    importing: () => undefined,
    warmUp: () => {},
    end: async ({ successor }) => feed.close(successor && farewell(successor)),
  };
}

/** What those who listen are told last: that there is another database now. */
function farewell({ id }: Served): DatabaseChange {
  return { cursor: `${id}-opened`, running: 0, database: id, databaseIdentity: null };
}

function noDatabase(): ProblemError {
  return new ProblemError('NO_DATABASE', 'Choose a database first');
}
