import { afterEach, describe, expect, test } from 'vitest';
import { startService, type ServiceFailure } from '#electron/server-process.ts';
import { canRestart, superviseService, type SupervisorDependencies } from '#electron/supervisor.ts';
import { forkFixture, hasEnded, type ForkedService } from './forked-service.ts';

const forked: ForkedService[] = [];

afterEach(() => {
  for (const { child } of forked.splice(0)) child.kill('SIGKILL');
});

/** Effects that fork one fixture after the other, answer questions in order, and record the events. */
function effects(behaviours: string[][], answers: ('retry' | 'quit')[] = []) {
  const shown: string[] = [];
  const problems: ServiceFailure[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const result: SupervisorDependencies = {
    start: (signal) => {
      const child = forkFixture(...(behaviours[forked.length] ?? ['ready']));
      forked.push(child);
      return startService(child, { silenceTimeoutMillis: 10_000, signal });
    },
    show: (url) => {
      shown.push(url);
      for (const { count, resolve } of waiting) if (shown.length >= count) resolve();
    },
    ask: (problem) => {
      problems.push(problem);
      return Promise.resolve(answers[problems.length - 1] ?? 'quit');
    },
    getNowMillis: () => performance.now(),
  };
  const shownTimes = (count: number) =>
    new Promise<void>((resolve) => waiting.push({ count, resolve }));
  return { effects: result, shown, problems, shownTimes };
}

test('a service that ends is restarted without a question, and shown again', async () => {
  const { effects: injected, shown, problems, shownTimes } = effects([['crashes'], ['ready']]);
  const again = shownTimes(2);
  const supervisor = superviseService(injected);
  await again;
  expect((await fetch(shown[1] ?? '')).status).toBe(200);
  await supervisor.stop();
  expect(problems).toEqual([]);
});

test('a service that ends repeatedly causes a question after three restarts', async () => {
  const {
    effects: injected,
    shown,
    problems,
  } = effects(
    Array.from({ length: 9 }, () => ['crashes', '0']),
    ['retry', 'quit'],
  );
  await superviseService(injected).end;
  expect(shown).toHaveLength(8);
  expect(problems.map(({ message }) => message)).toEqual([
    'The service ended unexpectedly (exit code 7).',
    'The service ended unexpectedly (exit code 7).',
  ]);
});

test('a service that cannot be started causes a question immediately, and a retry on request', async () => {
  const {
    effects: injected,
    shown,
    problems,
    shownTimes,
  } = effects([['failed'], ['ready']], ['retry']);
  const once = shownTimes(1);
  const supervisor = superviseService(injected);
  await once;
  expect(problems.map(({ message }) => message)).toEqual(['notes.txt is not a SQLite database.']);
  await supervisor.stop();
  expect(shown).toHaveLength(1);
});

test('quitting ends the supervision without another start', async () => {
  const { effects: injected, shown } = effects([['failed']], ['quit']);
  expect(await superviseService(injected).end).toBe('quit');
  expect(shown).toEqual([]);
  expect(forked).toHaveLength(1);
});

describe('stopping', () => {
  test('ends a running service without a question', async () => {
    const { effects: injected, problems, shownTimes } = effects([['ready']]);
    const once = shownTimes(1);
    const supervisor = superviseService(injected);
    await once;
    await supervisor.stop();
    expect(await supervisor.end).toBe('stopped');
    expect(await hasEnded(forked[0]!)).toBe(true);
    expect(problems).toEqual([]);
    expect(forked).toHaveLength(1);
  });

  test('ends a service that is still starting', async () => {
    const { effects: injected, problems, shown } = effects([['silent']]);
    const supervisor = superviseService(injected);
    await supervisor.stop();
    expect(await hasEnded(forked[0]!)).toBe(true);
    expect(problems).toEqual([]);
    expect(shown).toEqual([]);
  });
});

test('other errors are rethrown', async () => {
  const { effects: injected } = effects([]);
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
