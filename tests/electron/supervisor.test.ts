import { afterEach, describe, expect, test } from 'vitest';
import { startService, type ServiceFailure } from '#electron/server-process.ts';
import { canRestart, superviseService, type SupervisorDependencies } from '#electron/supervisor.ts';
import { forkFixture, hasEnded, type ForkedService } from './forked-service.ts';

const forkedServices: ForkedService[] = [];

afterEach(() => {
  for (const { child } of forkedServices.splice(0)) child.kill('SIGKILL');
});

/** Effects that fork one fixture after the other, decide in order, and record the events. */
function makeEffects(behaviours: string[][], decisions: ('retry' | 'quit')[] = []) {
  const shownAddresses: string[] = [];
  const failures: ServiceFailure[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const result: SupervisorDependencies = {
    start: (signal) => {
      const child = forkFixture(...(behaviours[forkedServices.length] ?? ['ready']));
      forkedServices.push(child);
      return startService(child, { messageTimeoutMillis: 10_000, signal });
    },
    show: (url) => {
      shownAddresses.push(url);
      for (const { count, resolve } of waiters) if (shownAddresses.length >= count) resolve();
    },
    ask: (problem) => {
      failures.push(problem);
      return Promise.resolve(decisions[failures.length - 1] ?? 'quit');
    },
    getNowMillis: () => performance.now(),
  };
  const waitForShows = (count: number) =>
    new Promise<void>((resolve) => waiters.push({ count, resolve }));
  return { effects: result, shownAddresses, failures, waitForShows };
}

test('a service that ends is restarted without a question, and shown again', async () => {
  const {
    effects: injected,
    shownAddresses,
    failures,
    waitForShows,
  } = makeEffects([['crashes'], ['ready']]);
  const secondShow = waitForShows(2);
  const supervisor = superviseService(injected);
  await secondShow;
  expect((await fetch(shownAddresses[1] ?? '')).status).toBe(200);
  await supervisor.stop();
  expect(failures).toEqual([]);
});

test('a service that ends repeatedly causes a question after three restarts', async () => {
  const {
    effects: injected,
    shownAddresses,
    failures,
  } = makeEffects(
    Array.from({ length: 9 }, () => ['crashes', '0']),
    ['retry', 'quit'],
  );
  await superviseService(injected).end;
  expect(shownAddresses).toHaveLength(8);
  expect(failures.map(({ message }) => message)).toEqual([
    'The service ended unexpectedly (exit code 7).',
    'The service ended unexpectedly (exit code 7).',
  ]);
});

test('a service that cannot be started causes a question immediately, and a retry on request', async () => {
  const {
    effects: injected,
    shownAddresses,
    failures,
    waitForShows,
  } = makeEffects([['failed'], ['ready']], ['retry']);
  const firstShow = waitForShows(1);
  const supervisor = superviseService(injected);
  await firstShow;
  expect(failures.map(({ message }) => message)).toEqual(['notes.txt is not a SQLite database.']);
  await supervisor.stop();
  expect(shownAddresses).toHaveLength(1);
});

test('quitting ends the supervision without another start', async () => {
  const { effects: injected, shownAddresses } = makeEffects([['failed']], ['quit']);
  expect(await superviseService(injected).end).toBe('quit');
  expect(shownAddresses).toEqual([]);
  expect(forkedServices).toHaveLength(1);
});

describe('stopping', () => {
  test('ends a running service without a question', async () => {
    const { effects: injected, failures, waitForShows } = makeEffects([['ready']]);
    const firstShow = waitForShows(1);
    const supervisor = superviseService(injected);
    await firstShow;
    await supervisor.stop();
    expect(await supervisor.end).toBe('stopped');
    expect(await hasEnded(forkedServices[0]!)).toBe(true);
    expect(failures).toEqual([]);
    expect(forkedServices).toHaveLength(1);
  });

  test('ends a service that is still starting', async () => {
    const { effects: injected, failures, shownAddresses } = makeEffects([['silent']]);
    const supervisor = superviseService(injected);
    await supervisor.stop();
    expect(forkedServices[0]!.child.signalCode).toBe('SIGTERM');
    expect(failures).toEqual([]);
    expect(shownAddresses).toEqual([]);
  });
});

test('other errors are rethrown', async () => {
  const { effects: injected } = makeEffects([]);
  const supervisor = superviseService({
    ...injected,
    start: () => Promise.reject(new TypeError('a fault of ours')),
  });
  await expect(supervisor.end).rejects.toThrow('a fault of ours');
});

test.each([
  ['the first end', [5], true],
  ['three ends within a minute', [0, 10_000, 59_999], true],
  ['four ends within a minute', [0, 1, 2, 3], false],
  ['a fourth end a minute after the first', [0, 20_000, 40_000, 60_000], true],
])('%s: restart %j is %s', (_what, endsMillis, expected) => {
  expect(canRestart(endsMillis)).toBe(expected);
});
