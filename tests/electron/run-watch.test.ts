import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createRunWatch,
  getNotification,
  type RunNotification,
  type RunWatchDependencies,
  type WatchedRun,
} from '#electron/run-watch.ts';

const run: WatchedRun = {
  status: 'RUNNING',
  runName: null,
  algorithmType: 'umda',
  problemType: 'onemax',
  progress: { silent: false },
};
const makeEndedRun = (status: string): WatchedRun => ({ ...run, status, progress: null });
const silentRun: WatchedRun = { ...run, progress: { silent: true } };

test.each([
  ['runs', run, false, undefined],
  ['became silent', silentRun, false, 'Run 0123abcd became silent'],
  ['is as silent as before', silentRun, true, undefined],
  ['writes again', run, true, undefined],
  ['completed', makeEndedRun('COMPLETED'), false, 'Run 0123abcd completed'],
  ['failed after a silence', makeEndedRun('FAILED'), true, 'Run 0123abcd failed'],
  ['stopped', makeEndedRun('stopped'), false, 'Run 0123abcd stopped'],
  [
    'ended with an unknown status',
    makeEndedRun('ABANDONED'),
    false,
    'Run 0123abcd ended as ABANDONED',
  ],
  ['has no rows yet', { ...run, progress: null }, false, undefined],
])('getNotification reports a run that %s', (_what, now, hasBeenSilent, title) => {
  expect(getNotification('0123abcdef', now, hasBeenSilent)?.title).toBe(title);
});

test('getNotice names the algorithm, the problem and the name of the run', () => {
  expect(getNotification('r1', makeEndedRun('FAILED'), false)?.body).toBe('umda · onemax');
  const namedRun = { ...makeEndedRun('FAILED'), runName: 'night' };
  expect(getNotification('r1', namedRun, false)?.body).toBe('night: umda · onemax');
});

/** Watches a run with these responses, one for each poll; an error is a service that does not respond. */
function watchResponses(responses: (WatchedRun | null | Error)[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const notices: RunNotification[] = [];
  const changedLists: (readonly string[])[] = [];
  const readIds: string[] = [];
  const effects: RunWatchDependencies = {
    read: (runId) => {
      readIds.push(runId);
      const response = responses.shift() ?? null;
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
    notify: (news) => notices.push(news),
    onChange: () => changedLists.push(watch.getRunIds()),
    intervalMillis: 1_000,
  };
  const watch = createRunWatch(effects);
  return { watch, notices: () => notices.map(({ title }) => title), changedLists, readIds };
}

test('the watch polls a run until it has ended, and notifies once of each change', async () => {
  const { watch, notices, changedLists, readIds } = watchResponses([
    run,
    silentRun,
    silentRun,
    run,
    silentRun,
    makeEndedRun('COMPLETED'),
  ]);
  watch.setWatched('r1', true);
  expect(watch.getRunIds()).toEqual(['r1']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(notices()).toEqual(['Run r1 became silent', 'Run r1 became silent', 'Run r1 completed']);
  expect(changedLists).toEqual([['r1'], []]);
  expect(readIds).toHaveLength(6);
});

test('the watch retries while the service does not respond', async () => {
  const { watch, notices } = watchResponses([
    new Error('refused'),
    new Error('refused'),
    makeEndedRun('FAILED'),
  ]);
  watch.setWatched('r1', true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(notices()).toEqual(['Run r1 failed']);
});

test('the watch drops a deleted run without a notification', async () => {
  const { watch, notices, changedLists } = watchResponses([run, null]);
  watch.setWatched('r1', true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(notices()).toEqual([]);
  expect(changedLists).toEqual([['r1'], []]);
});

test('a run that is no longer watched causes no notification, also if the response was pending', async () => {
  const { watch, notices, readIds } = watchResponses([makeEndedRun('FAILED')]);
  watch.setWatched('r1', true);
  watch.setWatched('r1', false);
  watch.setWatched('r2', false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(notices()).toEqual([]);
  expect(readIds).toEqual(['r1']);
});
