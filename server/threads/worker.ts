import { parentPort, workerData } from 'node:worker_threads';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces } from '#server/analysis/packed-traces.ts';
import { ThreadTraces } from '#server/analysis/thread-traces.ts';
import type { SharedTrace } from '#server/analysis/trace-store.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase, openingFailure } from '#server/db/open.ts';
import { LostLogError, StartUpError } from '#server/db/start-up-error.ts';
import { ProblemError } from '#server/errors.ts';
import type { Log } from '#server/logger.ts';
import { receiveError, sendError } from '#server/runtime/tasks.ts';
import type { ThreadData, ThreadReply, ThreadRequest, Work, Worked } from './messages.ts';
import { runHandler, type WrittenAnswer } from './run-handler.ts';

/** Longer texts cross as bytes, which are handed over instead of copied. */
const longestText = 65_536;

const { source, readOnly, maximumConnections, lockTimeoutMillis, memoBytes, ...service } =
  workerData as ThreadData;

const logger: Log = {
  warn: (details, message) => post({ log: 'warn', details, message }),
  error: (details, message) => post({ log: 'error', details, message }),
};

/** Pending requests for traces that all threads share. */
const questions = new Map<number, PromiseWithResolvers<SharedTrace[]>>();
let lastQuestion = 0;

const traces = new ThreadTraces((wanted) => {
  const question = ++lastQuestion;
  const answered = Promise.withResolvers<SharedTrace[]>();
  questions.set(question, answered);
  post({ question, wanted });
  return answered.promise;
});
const memos = new MemoStore(memoBytes);

function receiveAnswer(reply: Extract<ThreadRequest, { question: number }>): void {
  const { question } = reply;
  const asked = questions.get(question);
  questions.delete(question);
  if ('error' in reply) asked?.reject(receiveError(reply.error));
  else asked?.resolve(reply.traces);
}

/** How often a thread compares the files that it has open with those at their paths. */
const lookMillis = 1_000;

let opening: Promise<Database> | undefined;
let opened: Database | undefined;
let lastFailure = '';

/**
 * The database, opened as the thread starts, and again at the next job when that failed. Nothing is made: the service has
 * seen that all is there, and what is missing now was taken away.
 */
function open(): Promise<Database> {
  opening ??= openDatabase(source, {
    readOnly,
    maximumConnections,
    lockTimeoutMillis,
    existing: true,
    notify: (message) => logger.warn({}, message),
  }).then(
    (database) => {
      lastFailure = '';
      return (opened = database);
    },
    (error: unknown) => {
      opening = undefined;
      if (error instanceof LostLogError) post('lost');
      if (!(error instanceof StartUpError) || error instanceof LostLogError) throw error;
      if (error.message !== lastFailure) logger.warn({}, error.message);
      lastFailure = error.message;
      throw openingFailure(error, source);
    },
  );
  return opening;
}

/** Closes what is open, which the next job opens anew. */
function drop(): void {
  const database = opened;
  opened = undefined;
  opening = undefined;
  database?.close().catch(() => {});
}

/** Closes the database, and reports when that is done. */
async function close(): Promise<void> {
  const closing = opening;
  opened = undefined;
  opening = undefined;
  // Another file may be at the path when the database is opened again.
  memos.clear();
  await closing?.then((database) => database.close()).catch(() => {});
  post('closed');
}

/** Whether the files at the paths of the database are not those that are open. */
function isLost(): boolean {
  return opened?.isCurrent() === false;
}

setInterval(() => isLost() && post('lost'), lookMillis).unref();

async function run({ job, ...work }: { job: number } & Work): Promise<void> {
  let database: Database | undefined;
  // Nothing is opened before all threads have closed what they have: SQLite shares the index of a log within a process.
  if (isLost()) return post({ job, lost: 'before' });
  try {
    database = await open();
    const answer = await answerOf(work, database);
    // Nothing is said of a file that is not at its path any more, least of all that it was changed.
    if (!database.isCurrent()) return post({ job, lost: 'after' });
    if (typeof answer === 'object' && 'body' in answer) handOver(job, answer);
    else post({ job, answer, usedShares: [] });
  } catch (error) {
    const isRefused = error instanceof ProblemError && error.code === 'DATABASE_CHANGED';
    if (error instanceof LostLogError || (!isRefused && database?.isCurrent() === false)) {
      return post({ job, lost: database === undefined ? 'before' : 'after' });
    }
    const failureKind = (cause: unknown) => database?.dialect.failureKind(cause) ?? 'other';
    if (failureKind(error) === 'unavailable' && opened === database) drop();
    post({ job, error: sendError(error, failureKind) });
  }
}

function answerOf(work: Work, database: Database): Promise<Worked> {
  if ('traces' in work) return readPackedTraces(database, work.traces);
  if ('state' in work) return database.dialect[work.state]();
  const memo = memos.forRequest();
  const context = { ...service, database, logger, traces, memo };
  return runHandler(context, work.name, work.input, work.identity);
}

function handOver(job: number, { body, ...answer }: WrittenAnswer): void {
  const usedShares = traces.takeUsed();
  if (typeof body === 'string' && body.length <= longestText)
    return post({ job, answer: { ...answer, body }, usedShares });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  post({ job, answer: { ...answer, body: bytes }, usedShares }, [bytes.buffer]);
}

function post(reply: ThreadReply, handedOver: ArrayBuffer[] = []): void {
  parentPort?.postMessage(reply, handedOver);
}

async function end(): Promise<void> {
  await opening?.then((database) => database.close()).catch(() => {});
  parentPort?.close();
}

parentPort?.on('message', (request: ThreadRequest) => {
  if (request === 'end') void end();
  else if (request === 'open') open().catch(() => {});
  else if (request === 'close') void close();
  else if ('question' in request) receiveAnswer(request);
  else if ('release' in request) traces.release(request.release);
  else void run(request);
});
open().catch(() => {});
post('started');
