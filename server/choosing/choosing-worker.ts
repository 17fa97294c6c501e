import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { replacedProblem } from '#server/db/identity.ts';
import { lookAtDatabase } from '#server/db/look.ts';
import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import { sendError } from '#server/threads/messages.ts';
import { judge, refused } from './judge.ts';
import { makeSample } from './make-sample.ts';
import type { Looked, Order, OrderReply, Permissions, SampleProgress } from './orders.ts';

const cancelling = new AbortController();
// Whatever is said to this thread means that nobody waits for it any more.
parentPort?.once('message', () => cancelling.abort());

function post(reply: OrderReply): void {
  parentPort?.postMessage(reply);
}

async function run(order: Order): Promise<Looked | null> {
  if (order.kind === 'look') return look(order.url);
  if (order.kind === 'prepare') return prepare(order.url, order.permissions);
  const onProgress = (progress: SampleProgress) => {
    post({ progress });
    // Runs on SQLite give way to no message: it has to be looked for.
    if (parentPort && receiveMessageOnPort(parentPort)) cancelling.abort();
  };
  await makeSample(order.file, onProgress, cancelling.signal);
  return null;
}

async function look(url: DatabaseUrl): Promise<Looked> {
  try {
    const found = await lookAtDatabase(url);
    return { test: judge(found, url), identity: found.identity, ready: null };
  } catch (error) {
    if (error instanceof StartUpError) return refusedLook(error, url);
    throw error;
  }
}

/** Makes what is missing and may be made, so that opening the database takes no time and changes nothing. */
async function prepare(url: DatabaseUrl, permissions: Permissions): Promise<Looked> {
  const { test, identity } = await look(url);
  if (permissions.identity !== undefined && identity !== null && identity !== permissions.identity)
    throw replacedProblem();
  const isAllowed: Record<typeof test.verdict, boolean> = {
    runner: true,
    empty: permissions.create,
    missing: permissions.create,
    others: permissions.create,
    legacy: permissions.legacy === 'replace',
    refused: false,
  };
  if (!isAllowed[test.verdict] || cancelling.signal.aborted) return { test, identity, ready: null };
  try {
    const { readOnly, create, legacy = 'refuse' } = permissions;
    const notify = (notice: string) => post({ notice });
    const asked = permissions.identity;
    const database = await openDatabase(url, { readOnly, create, legacy, notify, identity: asked });
    await database.close();
    const { ertColumn } = database;
    return { test, identity, ready: { readOnly: database.readOnly, ertColumn } };
  } catch (error) {
    if (error instanceof StartUpError) return refusedLook(error, url);
    throw error;
  }
}

function refusedLook(error: StartUpError, url: DatabaseUrl): Looked {
  return { test: refused(error, url), identity: null, ready: null };
}

post('started');
post(
  await run(workerData as Order).then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({ failure: sendError(error, () => 'other') }),
  ),
);
parentPort?.close();
