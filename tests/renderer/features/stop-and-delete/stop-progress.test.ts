import { createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { noteServiceTime } from '#renderer/state/service-clock.ts';
import { createStopWords } from '#renderer/features/stop-and-delete/StopProgress.tsx';
import {
  isWaitingForRunner,
  getStopProgress,
  type StopSubject,
} from '#renderer/features/stop-and-delete/stop-progress.ts';
import type { StopRequest } from '#shared/schemas/run.ts';

const requestedAt = Date.parse('2026-11-21T10:00:00Z');

function getRequest(changed: Partial<StopRequest> = {}): StopRequest {
  return {
    scope: 'run',
    status: 'PENDING',
    requestedAt: '2026-11-21T10:00:00Z',
    requestedBy: 'evoscope',
    reason: null,
    acknowledgedAt: null,
    acknowledgedByRunId: null,
    ...changed,
  };
}

const acknowledged = getRequest({
  status: 'ACKNOWLEDGED',
  acknowledgedAt: '2026-11-21T10:00:05Z',
  acknowledgedByRunId: 'r1',
});

function run(status: string, request: StopRequest | null): StopSubject {
  return { kind: 'run', id: 'r1', status, request };
}

function experiment(status: string, request: StopRequest | null): StopSubject {
  return { kind: 'experiment', id: 'e1', status, request };
}

describe('the stop progress of a run', () => {
  test('is none without a request, for any status', () => {
    for (const status of ['RUNNING', 'STOPPED', 'COMPLETED']) {
      expect(getStopProgress(run(status, null), requestedAt)).toEqual({ kind: 'none' });
    }
  });

  test('goes from requested to acknowledged to stopped', () => {
    expect(getStopProgress(run('RUNNING', getRequest()), requestedAt + 3000)).toEqual({
      kind: 'requested',
      elapsedMillis: 3000,
    });
    expect(getStopProgress(run('RUNNING', acknowledged), requestedAt + 6000)).toEqual({
      kind: 'acknowledged',
      elapsedMillis: 1000,
    });
    expect(getStopProgress(run('STOPPED', acknowledged), requestedAt + 7000)).toEqual({
      kind: 'stopped',
    });
  });

  test('is noResponse from the sixtieth second on, not before', () => {
    const subject = run('RUNNING', getRequest());
    expect(getStopProgress(subject, requestedAt + 59_999).kind).toBe('requested');
    expect(getStopProgress(subject, requestedAt + 60_000)).toEqual({
      kind: 'noResponse',
      elapsedMillis: 60_000,
    });
  });

  test('starts again when the request is repeated', () => {
    const renewed = getRequest({ requestedAt: '2026-11-21T10:05:00Z' });
    expect(getStopProgress(run('RUNNING', renewed), requestedAt + 301_000)).toEqual({
      kind: 'requested',
      elapsedMillis: 1000,
    });
  });

  test('is stillRunning when the request was acknowledged a minute ago', () => {
    expect(getStopProgress(run('RUNNING', acknowledged), requestedAt + 65_000)).toEqual({
      kind: 'stillRunning',
      elapsedMillis: 60_000,
    });
  });

  test('is waiting when the run ended before it read the request', () => {
    for (const status of ['COMPLETED', 'FAILED', 'STOPPED']) {
      expect(getStopProgress(run(status, getRequest()), requestedAt)).toEqual({ kind: 'waiting' });
    }
  });

  test('is none when the run was resumed afterwards and ended differently', () => {
    expect(getStopProgress(run('COMPLETED', acknowledged), requestedAt)).toEqual({ kind: 'none' });
  });

  test('ignores the acknowledgement of another run of the experiment', () => {
    const byOther = { ...acknowledged, scope: 'experiment', acknowledgedByRunId: 'r2' };
    expect(getStopProgress(run('RUNNING', byOther), requestedAt + 3000)).toEqual({
      kind: 'requested',
      elapsedMillis: 3000,
    });
    expect(getStopProgress(run('STOPPED', byOther), requestedAt)).toEqual({ kind: 'stopped' });
    expect(
      getStopProgress(run('RUNNING', { ...byOther, acknowledgedByRunId: 'r1' }), requestedAt).kind,
    ).toBe('acknowledged');
  });

  test('counts no time for a clock that is behind, and an unknown one for an invalid time', () => {
    expect(getStopProgress(run('RUNNING', getRequest()), requestedAt - 5000)).toEqual({
      kind: 'requested',
      elapsedMillis: 0,
    });
    const damaged = getRequest({ requestedAt: 'yesterday' });
    expect(getStopProgress(run('RUNNING', damaged), requestedAt)).toEqual({
      kind: 'requested',
      elapsedMillis: null,
    });
  });

  test('accepts statuses in any case and ignores a request in another state', () => {
    expect(
      getStopProgress(run('running', getRequest({ status: 'pending' })), requestedAt).kind,
    ).toBe('requested');
    expect(
      getStopProgress(run('RUNNING', getRequest({ status: 'CANCELLED' })), requestedAt),
    ).toEqual({
      kind: 'none',
    });
  });
});

describe('the stop progress of an experiment', () => {
  const ofExperiment = { ...acknowledged, scope: 'experiment' };

  test('is acknowledged while some runs have not ended', () => {
    expect(getStopProgress(experiment('RUNNING', ofExperiment), requestedAt + 6000).kind).toBe(
      'acknowledged',
    );
    expect(getStopProgress(experiment('PARTIAL', ofExperiment), requestedAt + 6000).kind).toBe(
      'stopped',
    );
  });

  test('is waiting when no run is RUNNING', () => {
    const pending = getRequest({ scope: 'experiment' });
    for (const status of ['PARTIAL', 'COMPLETED', 'FAILED']) {
      expect(getStopProgress(experiment(status, pending), requestedAt)).toEqual({
        kind: 'waiting',
      });
    }
  });
});

test('the words change with time only while the runner’s response or end is pending', () => {
  const waits = (subject: StopSubject): boolean =>
    isWaitingForRunner(getStopProgress(subject, requestedAt + 1000));
  const waitsAfterMinutes = (subject: StopSubject): boolean =>
    isWaitingForRunner(getStopProgress(subject, requestedAt + 120_000));
  for (const request of [getRequest(), acknowledged]) {
    expect(waits(run('RUNNING', request))).toBe(true);
    expect(waitsAfterMinutes(run('RUNNING', request))).toBe(true);
  }
  expect(waits(run('STOPPED', acknowledged))).toBe(false);
  expect(waits(run('STOPPED', getRequest()))).toBe(false);
  expect(waits(run('RUNNING', null))).toBe(false);
});

describe('the words for a stop progress', () => {
  const noteClock = (millis: number) =>
    noteServiceTime(new Response(null, { headers: { date: new Date(millis).toUTCString() } }));
  beforeEach(() => void vi.useFakeTimers({ now: requestedAt }));
  afterEach(() => {
    noteClock(Date.now());
    vi.useRealTimers();
  });

  test.each([-3_600_000, 3_600_000])(
    'count the time by the clock of the service, which is %i ms ahead',
    (aheadMillis) => {
      noteClock(Date.now() + aheadMillis);
      const sinceMillis = Date.now() + aheadMillis - 90_000;
      const request = getRequest({ requestedAt: new Date(sinceMillis).toISOString() });
      createRoot((dispose) => {
        const words = createStopWords(() => run('RUNNING', request));
        expect(words()?.short).toBe('No response for 1 min 30 s');
        dispose();
      });
    },
  );
});
