import { parentPort, workerData } from 'node:worker_threads';
import { remoteMemory } from '#server/analysis/memory.ts';
import { readPackedTraces } from '#server/analysis/packed-traces.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { databaseFailure } from '#server/errors.ts';
import type { Log } from '#server/logger.ts';
import {
  receiveError,
  sendError,
  type ThreadData,
  type ThreadReply,
  type ThreadRequest,
  type Work,
} from './messages.ts';
import { runHandler, type WrittenAnswer } from './run-handler.ts';

/** Longer texts cross as bytes, which are handed over instead of copied. */
const longestText = 65_536;

const { source, readOnly, maximumConnections, ...service } = workerData as ThreadData;

const logger: Log = {
  warn: (details, message) => post({ log: 'warn', details, message }),
  error: (details, message) => post({ log: 'error', details, message }),
};

/** Questions to the memory that all threads share, until they are answered. */
const questions = new Map<number, PromiseWithResolvers<unknown>>();
let lastQuestion = 0;

const memory = remoteMemory((asked) => {
  const question = ++lastQuestion;
  const answered = Promise.withResolvers<unknown>();
  questions.set(question, answered);
  post({ question, ...asked });
  return answered.promise;
});

function receiveAnswer(reply: Extract<ThreadRequest, { question: number }>): void {
  const { question } = reply;
  const asked = questions.get(question);
  questions.delete(question);
  if ('error' in reply) asked?.reject(receiveError(reply.error));
  else asked?.resolve(reply.answer);
}

let opening: Promise<Database> | undefined;

/** The database, opened as the thread starts, and again at the next job when that failed. */
function open(): Promise<Database> {
  opening ??= openDatabase(source, {
    readOnly,
    maximumConnections,
    notify: (message) => logger.warn({}, message),
  }).catch((error: unknown) => {
    opening = undefined;
    throw error instanceof StartUpError ? databaseFailure('unavailable') : error;
  });
  return opening;
}

async function run({ job, ...work }: { job: number } & Work): Promise<void> {
  let database: Database | undefined;
  try {
    database = await open();
    if ('traces' in work) {
      post({ job, answer: await readPackedTraces(database, work.traces) });
    } else {
      const context = { ...service, database, logger, memory };
      handOver(job, await runHandler(context, work.name, work.input));
    }
  } catch (error) {
    const failureKind = (cause: unknown) => database?.dialect.failureKind(cause) ?? 'other';
    post({ job, error: sendError(error, failureKind) });
  }
}

function handOver(job: number, answer: WrittenAnswer): void {
  if (typeof answer.body !== 'string' || answer.body.length <= longestText) {
    post({ job, answer });
    return;
  }
  const body = new TextEncoder().encode(answer.body);
  post({ job, answer: { ...answer, body } }, [body.buffer]);
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
  else if ('question' in request) receiveAnswer(request);
  else void run(request);
});
open().catch(() => {});
