import { describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { makeDatabaseFailure, makeNotFoundError } from '#server/errors.ts';
import type { Responses } from '#server/runtime/responses.ts';
import { RoutedResponses, type ServerResponses } from '#server/runtime/routed-responses.ts';
import type { Threads } from '#server/runtime/threads.ts';

/** Creates RoutedResponses with a working primary and a replica whose response is `answerOfReplica`. */
function route(answerOfReplica: () => Promise<{ body: string }>) {
  const calls: string[] = [];
  const responding = new AbortController();
  const replica: Partial<Replica> = {
    database: {} as Database,
    responseSignal: responding.signal,
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
  const onPrimary = serve(async () => (calls.push('primary'), { body: 'primary' }));
  const routed = new RoutedResponses(replica as Replica, onPrimary, () => serve(answerOfReplica));
  return { routed, calls, responding };
}

describe('A read', () => {
  test('is sent only to the replica', async () => {
    const { routed, calls } = route(async () => ({ body: 'replica' }));
    expect(await routed.respond('listRuns', {})).toEqual({ body: 'replica' });
    expect(calls).toEqual([]);
  });

  test('that the replica cancels is repeated on the primary, and the replica stays in use', async () => {
    const { routed, calls } = route(() => Promise.reject(makeDatabaseFailure('busy')));
    expect(await routed.respond('listRuns', {})).toEqual({ body: 'primary' });
    expect(calls).toEqual(['primary']);
  });

  test.each([makeDatabaseFailure('unavailable'), new Error('Connection terminated')])(
    'that fails with "%s" is repeated on the primary, and the replica is checked before the next',
    async (cause) => {
      const { routed, calls } = route(() => Promise.reject(cause));
      expect(await routed.respond('listRuns', {})).toEqual({ body: 'primary' });
      expect(calls).toEqual(['suspend', 'primary']);
    },
  );

  test('that waits while the replica stops responding is repeated on the primary', async () => {
    const { routed, responding } = route(() => new Promise(() => {}));
    const respond = routed.respond('listRuns', {});
    setImmediate(() => responding.abort());
    expect(await respond).toEqual({ body: 'primary' });
  });

  test('of a row that the replica does not have is not repeated', async () => {
    const { routed, calls } = route(() => Promise.reject(makeNotFoundError('run', 'r1')));
    await expect(routed.respond('getRun', {})).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(calls).toEqual([]);
  });
});

test('A write goes to the primary, and its response waits until its position is known and earlier responses are outdated', async () => {
  const { routed, calls } = route(async () => ({ body: 'replica' }));
  expect(await routed.respond('stopRun', {})).toEqual({ body: 'primary' });
  expect(calls).toEqual(['primary', 'note', 'forget']);
});
