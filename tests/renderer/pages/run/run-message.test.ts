import { describe, expect, test } from 'vitest';
import { runMessages } from '#renderer/pages/run/run-message.ts';

const request = {
  scope: 'run',
  status: 'PENDING',
  requestedAt: '2026-11-21T10:55:30Z',
  requestedBy: 'web-ui',
  reason: 'wrong learning rate',
  acknowledgedAt: null,
  acknowledgedByRunId: null,
};

describe('runMessages', () => {
  test('gives the failure of a run in full', () => {
    const errorMessage = 'class A cannot be cast to class B\n  at line 3';
    expect(runMessages({ status: 'FAILED', errorMessage, stopRequest: null })).toEqual([
      { kind: 'failed', title: 'Failed', text: errorMessage },
    ]);
  });

  test('gives the user’s reason for a stop before the runner’s sentence', () => {
    const errorMessage = 'Stop requested from dashboard controls';
    expect(runMessages({ status: 'STOPPED', errorMessage, stopRequest: request })).toEqual([
      {
        kind: 'stopped',
        title: 'Stopped',
        text: '“wrong learning rate” · Stop requested from dashboard controls',
      },
    ]);
    expect(runMessages({ status: 'STOPPED', errorMessage: null, stopRequest: null })[0]?.text).toBe(
      'No reason was recorded.',
    );
  });

  test('says of a running run whether the runner knows that it is to stop', () => {
    const running = { status: 'RUNNING', errorMessage: null };
    expect(runMessages({ ...running, stopRequest: null })).toEqual([]);
    expect(runMessages({ ...running, stopRequest: request })).toEqual([
      {
        kind: 'stopped',
        title: 'Stop asked for',
        text: '“wrong learning rate” · The runner has not acknowledged yet.',
      },
    ]);
    const acknowledged = { ...request, status: 'ACKNOWLEDGED', reason: null };
    expect(runMessages({ ...running, stopRequest: acknowledged })).toEqual([
      { kind: 'stopped', title: 'Stopping', text: 'The runner has acknowledged.' },
    ]);
  });

  test('says nothing of a run that ended well, also when a stop came too late', () => {
    expect(runMessages({ status: 'COMPLETED', errorMessage: null, stopRequest: request })).toEqual(
      [],
    );
  });
});
