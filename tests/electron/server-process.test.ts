import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { ServiceStartError, startService, type ServiceFailure } from '#electron/server-process.ts';
import { forkFixture, hasEnded, type ForkedService } from './forked-service.ts';

const forkedServices: ForkedService[] = [];
const startOptions = { messageTimeoutMillis: 10_000 };

function service(...args: string[]): ForkedService {
  const child = forkFixture(...args);
  forkedServices.push(child);
  return child;
}

async function getFailure(start: Promise<unknown>): Promise<ServiceFailure> {
  const error = await start.then(
    () => new Error('it started'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceStartError)) throw error;
  expect(error.message).toBe(error.failure.message);
  return error.failure;
}

afterEach(() => {
  for (const { child } of forkedServices.splice(0)) child.kill('SIGKILL');
});

describe('a service that starts', () => {
  test('is reachable at its reported address', async () => {
    const runningService = await startService(service('ready'), startOptions);
    expect(runningService.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect(await (await fetch(runningService.url)).text()).toBe('here');
  });

  test('leaves no listener on the signal that cancels starts', async () => {
    const { signal } = new AbortController();
    await startService(service('ready'), { ...startOptions, signal });
    await getFailure(startService(service('failed'), { ...startOptions, signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('ends on request', async () => {
    const child = service('ready');
    const runningService = await startService(child, startOptions);
    await runningService.stop();
    expect(await hasEnded(child)).toBe(true);
  });

  test('continues after an unknown message', async () => {
    const child = service('talks');
    const running = await startService(child, startOptions);
    expect(await hasEnded(child, 200)).toBe(false);
    expect((await fetch(running.url)).status).toBe(200);
  });

  test('does not time out while it reports steps, which are forwarded', async () => {
    const steps: string[] = [];
    const onStep = (step: string) => steps.push(step);
    const child = service('steps', '500', '4');
    const running = await startService(child, { messageTimeoutMillis: 1_500, onStep });
    expect(steps).toEqual(['Step 3', 'Step 2', 'Step 1', 'Step 0']);
    expect((await fetch(running.url)).status).toBe(200);
  });

  test('does not time out after a step that may take long', async () => {
    const running = await startService(service('backup', '1500'), { messageTimeoutMillis: 1_000 });
    expect((await fetch(running.url)).status).toBe(200);
  });

  test('is not ended by the timeout of its start', async () => {
    const child = service('ready');
    await startService(child, { messageTimeoutMillis: 1_500 });
    expect(await hasEnded(child, 1_800)).toBe(false);
  });
});

describe('a service that does not start', () => {
  test('is reported with its own message', async () => {
    const failure = await getFailure(startService(service('failed'), startOptions));
    expect(failure.message).toBe('notes.txt is not a SQLite database.');
    expect(failure.advice).toBe('Correct this and try again.');
  });

  test('because of tables of an old runner is reported with the way to replace them', async () => {
    const problem = await getFailure(startService(service('legacy'), startOptions));
    expect(problem.code).toBe('LEGACY_SCHEMA');
    expect(problem.advice).toMatch(
      /^Evoscope can move these tables to a backup and replace them by empty ones/,
    );
  });

  test('is reported with its exit code and its last log lines if it only ends', async () => {
    const problem = await getFailure(startService(service('ends'), startOptions));
    expect(problem).toEqual({
      message: 'The service ended before it was ready (exit code 3).',
      advice: 'Correct the cause that its last messages below state, then try again.',
      log: ['cannot listen: port 7070 is taken', 'plain words'],
    });
  });

  test('is reported without a reference to its messages if it leaves none', async () => {
    const child = service('silent');
    const failure = getFailure(startService(child, startOptions));
    child.child.kill('SIGKILL');
    expect(await failure).toEqual({
      message: 'The service ended before it was ready (killed).',
      advice: 'It left no messages. Try again, or choose another database.',
      log: [],
    });
  });

  test('is ended after a timeout without a message', async () => {
    const child = service('silent');
    const problem = await getFailure(startService(child, { messageTimeoutMillis: 300 }));
    expect(problem.message).toBe('The service sent no message for 0.3 s during its start.');
    expect(problem.advice).toBe(
      'The drive or server of the database may be slow or unreachable. Check it, then try again.',
    );
    expect(await hasEnded(child)).toBe(true);
  });

  test('is reported with its last step', async () => {
    const child = service('stuck');
    const problem = await getFailure(startService(child, { messageTimeoutMillis: 1_000 }));
    expect(problem.message).toBe(
      'The service sent no message for 1 s after its step "Opening /data/runs.db".',
    );
    expect(await hasEnded(child)).toBe(true);
  });

  test.each([
    [
      'an address that is no web page',
      ['nonsense'],
      '{"type":"ready","url":"javascript:alert(1)"}',
    ],
    ['a message of another type', ['unknown', '0', '{"type":"hello"}'], '{"type":"hello"}'],
    ['no object', ['unknown', '0', '"ready"'], '"ready"'],
    [
      'a failure without words',
      ['unknown', '0', '{"type":"failed","message":""}'],
      '"message":""}',
    ],
  ])('is ended after the message %s', async (_what, args, excerpt) => {
    const child = service(...args);
    const problem = await getFailure(startService(child, startOptions));
    expect(problem.message).toContain('The service sent an unknown message: ');
    expect(problem.message).toContain(excerpt);
    expect(problem.advice).toContain('Install Evoscope again');
    expect(await hasEnded(child)).toBe(true);
  });

  test('is ended if the start is cancelled before or during it', async () => {
    const cancel = new AbortController();
    const earlyAbort = service('silent');
    const start = startService(earlyAbort, { ...startOptions, signal: cancel.signal });
    cancel.abort();
    expect((await getFailure(start)).message).toBe(
      'Evoscope quit during the start of the service.',
    );
    const lateAbort = service('silent');
    await getFailure(startService(lateAbort, { ...startOptions, signal: cancel.signal }));
    expect(await hasEnded(earlyAbort)).toBe(true);
    expect(await hasEnded(lateAbort)).toBe(true);
  });
});

describe('a service that ends later', () => {
  test('is reported with its exit code', async () => {
    const running = await startService(service('crashes'), startOptions);
    expect(await running.end).toEqual({
      message: 'The service ended unexpectedly (exit code 7).',
      advice: 'This does not affect the database. Try again to continue.',
      log: [],
    });
  });

  test('is reported as killed', async () => {
    const running = await startService(service('killed'), startOptions);
    expect((await running.end).message).toBe('The service ended unexpectedly (killed).');
  });
});
