import { describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { makeDatabaseFailure, makeNotFoundError } from '#server/errors.ts';
import type { Responses } from '#server/runtime/responses.ts';
import { RoutedResponses, type ServerResponses } from '#server/runtime/routed-responses.ts';
import type { Threads } from '#server/runtime/threads.ts';

/** Creates RoutedResponses with a working primary and a replica whose response is that of `respondFromReplica`. */
function createRoutedResponses(respondFromReplica: () => Promise<{ body: string }>) {
  const calls: string[] = [];
  const replicaController = new AbortController();
  const replica: Partial<Replica> = {
    database: {} as Database,
    responseSignal: replicaController.signal,
    isReadable: async () => true,
    suspend: () => void calls.push('suspend'),
    noteWrite: async () => void calls.push('note'),
  };
  const serve = (respond: () => Promise<{ body: string }>): ServerResponses => ({
    threads: {} as Threads,
    responses: {
      respond,
      noteWrite: () => void calls.push('forget'),
    } as Partial<Responses> as Responses,
  });
  const primaryServer = serve(async () => (calls.push('primary'), { body: 'primary' }));
  const routedResponses = new RoutedResponses(replica as Replica, primaryServer, () =>
    serve(respondFromReplica),
  );
  return { routed: routedResponses, calls, responding: replicaController };
}

describe('A read', () => {
  test('is sent only to the replica', async () => {
    const { routed: routedResponses, calls } = createRoutedResponses(async () => ({
      body: 'replica',
    }));
    expect(await routedResponses.respond('listRuns', {})).toEqual({ body: 'replica' });
    expect(calls).toEqual([]);
  });

  test('that the replica cancels is retried on the primary, and the replica is still used', async () => {
    const { routed: routedResponses, calls } = createRoutedResponses(() =>
      Promise.reject(makeDatabaseFailure('busy')),
    );
    expect(await routedResponses.respond('listRuns', {})).toEqual({ body: 'primary' });
    expect(calls).toEqual(['primary']);
  });

  test.each([makeDatabaseFailure('unavailable'), new Error('Connection terminated')])(
    'that fails with "%s" is retried on the primary, and the replica is checked before the next read',
    async (cause) => {
      const { routed: routedResponses, calls } = createRoutedResponses(() => Promise.reject(cause));
      expect(await routedResponses.respond('listRuns', {})).toEqual({ body: 'primary' });
      expect(calls).toEqual(['suspend', 'primary']);
    },
  );

  test('that waits while the replica stops responding is retried on the primary', async () => {
    const { routed: routedResponses, responding: replicaController } = createRoutedResponses(
      () => new Promise(() => {}),
    );
    const respond = routedResponses.respond('listRuns', {});
    setImmediate(() => replicaController.abort());
    expect(await respond).toEqual({ body: 'primary' });
  });

  test('of a row that the replica does not have is not retried', async () => {
    const { routed: routedResponses, calls } = createRoutedResponses(() =>
      Promise.reject(makeNotFoundError('run', 'r1')),
    );
    await expect(routedResponses.respond('getRun', {})).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    expect(calls).toEqual([]);
  });
});

test('A write goes to the primary, and its response waits until its position is known and earlier responses are outdated', async () => {
  const { routed: routedResponses, calls } = createRoutedResponses(async () => ({
    body: 'replica',
  }));
  expect(await routedResponses.respond('stopRun', {})).toEqual({ body: 'primary' });
  expect(calls).toEqual(['primary', 'note', 'forget']);
});
