import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
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
    return { test: judge(await lookAtDatabase(url), url), ready: null };
  } catch (error) {
    if (error instanceof StartUpError) return { test: refused(error, url), ready: null };
    throw error;
  }
}

/** Makes what is missing and may be made, so that opening the database takes no time and changes nothing. */
async function prepare(url: DatabaseUrl, permissions: Permissions): Promise<Looked> {
  const { test } = await look(url);
  const isAllowed: Record<typeof test.verdict, boolean> = {
    runner: true,
    empty: permissions.create,
    missing: permissions.create,
    others: permissions.create,
    legacy: permissions.legacy === 'replace',
    refused: false,
  };
  if (!isAllowed[test.verdict] || cancelling.signal.aborted) return { test, ready: null };
  try {
    const { readOnly, create, legacy = 'refuse' } = permissions;
    const notify = (notice: string) => post({ notice });
    const database = await openDatabase(url, { readOnly, create, legacy, notify });
    await database.close();
    return { test, ready: { readOnly: database.readOnly, ertColumn: database.ertColumn } };
  } catch (error) {
    if (error instanceof StartUpError) return { test: refused(error, url), ready: null };
    throw error;
  }
}

post('started');
post(
  await run(workerData as Order).then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({ failure: sendError(error, () => 'other') }),
  ),
);
parentPort?.close();
