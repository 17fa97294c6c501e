import { describe, expect, test } from 'vitest';
import {
  isWaitingForRunner,
  stopProgress,
  type StopSubject,
} from '#renderer/components/stop/stop-progress.ts';
import type { StopRequest } from '#shared/schemas/run.ts';

const asked = Date.parse('2026-11-21T10:00:00Z');

function requestOf(changed: Partial<StopRequest> = {}): StopRequest {
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

const acknowledged = requestOf({
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

describe('the stop of a run', () => {
  test('is nothing while nobody asked, whatever the run does', () => {
    for (const status of ['RUNNING', 'STOPPED', 'COMPLETED']) {
      expect(stopProgress(run(status, null), asked)).toEqual({ kind: 'none' });
    }
  });

  test('goes from asked over acknowledged to stopped', () => {
    expect(stopProgress(run('RUNNING', requestOf()), asked + 3000)).toEqual({
      kind: 'asked',
      elapsedMillis: 3000,
    });
    expect(stopProgress(run('RUNNING', acknowledged), asked + 6000)).toEqual({
      kind: 'acknowledged',
      elapsedMillis: 1000,
    });
    expect(stopProgress(run('STOPPED', acknowledged), asked + 7000)).toEqual({ kind: 'stopped' });
  });

  test('is without answer from the sixtieth second on, not before', () => {
    const subject = run('RUNNING', requestOf());
    expect(stopProgress(subject, asked + 59_999).kind).toBe('asked');
    expect(stopProgress(subject, asked + 60_000)).toEqual({
      kind: 'noAnswer',
      elapsedMillis: 60_000,
    });
  });

  test('is asked anew, with the patience anew, when the request was renewed', () => {
    const renewed = requestOf({ requestedAt: '2026-11-21T10:05:00Z' });
    expect(stopProgress(run('RUNNING', renewed), asked + 301_000)).toEqual({
      kind: 'asked',
      elapsedMillis: 1000,
    });
  });

  test('that was acknowledged a minute ago and still runs is called so', () => {
    expect(stopProgress(run('RUNNING', acknowledged), asked + 65_000)).toEqual({
      kind: 'stillRunning',
      elapsedMillis: 60_000,
    });
  });

  test('waits when the run ended before it read the request', () => {
    for (const status of ['COMPLETED', 'FAILED', 'STOPPED']) {
      expect(stopProgress(run(status, requestOf()), asked)).toEqual({ kind: 'waiting' });
    }
  });

  test('is over when the run was resumed after it and came to another end', () => {
    expect(stopProgress(run('COMPLETED', acknowledged), asked)).toEqual({ kind: 'none' });
  });

  test('is not answered by another run of the experiment', () => {
    const byOther = { ...acknowledged, scope: 'experiment', acknowledgedByRunId: 'r2' };
    expect(stopProgress(run('RUNNING', byOther), asked + 3000)).toEqual({
      kind: 'asked',
      elapsedMillis: 3000,
    });
    expect(stopProgress(run('STOPPED', byOther), asked)).toEqual({ kind: 'stopped' });
    expect(
      stopProgress(run('RUNNING', { ...byOther, acknowledgedByRunId: 'r1' }), asked).kind,
    ).toBe('acknowledged');
  });

  test('counts no time for a clock that is behind, and none for a time that is none', () => {
    expect(stopProgress(run('RUNNING', requestOf()), asked - 5000)).toEqual({
      kind: 'asked',
      elapsedMillis: 0,
    });
    const damaged = requestOf({ requestedAt: 'yesterday' });
    expect(stopProgress(run('RUNNING', damaged), asked)).toEqual({
      kind: 'asked',
      elapsedMillis: null,
    });
  });

  test('reads statuses in any case and knows nothing of a request in another state', () => {
    expect(stopProgress(run('running', requestOf({ status: 'pending' })), asked).kind).toBe(
      'asked',
    );
    expect(stopProgress(run('RUNNING', requestOf({ status: 'CANCELLED' })), asked)).toEqual({
      kind: 'none',
    });
  });
});

describe('the stop of an experiment', () => {
  const ofExperiment = { ...acknowledged, scope: 'experiment' };

  test('is acknowledged while runs that have not ended yet go on', () => {
    expect(stopProgress(experiment('RUNNING', ofExperiment), asked + 6000).kind).toBe(
      'acknowledged',
    );
    expect(stopProgress(experiment('PARTIAL', ofExperiment), asked + 6000).kind).toBe('stopped');
  });

  test('waits for the next run when none is RUNNING', () => {
    const pending = requestOf({ scope: 'experiment' });
    for (const status of ['PARTIAL', 'COMPLETED', 'FAILED']) {
      expect(stopProgress(experiment(status, pending), asked)).toEqual({ kind: 'waiting' });
    }
  });
});

test('time changes the words only while the runner’s answer or end is awaited', () => {
  const waits = (subject: StopSubject): boolean =>
    isWaitingForRunner(stopProgress(subject, asked + 1000));
  expect(waits(run('RUNNING', requestOf()))).toBe(true);
  expect(waits(run('RUNNING', acknowledged))).toBe(true);
  expect(waits(run('STOPPED', acknowledged))).toBe(false);
  expect(waits(run('STOPPED', requestOf()))).toBe(false);
  expect(waits(run('RUNNING', null))).toBe(false);
});
