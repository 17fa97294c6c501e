import { describe, expect, test } from 'vitest';
import type { StopRequest } from '#shared/schemas/run.ts';
import { runMessages } from '#renderer/pages/run/run-message.ts';

describe('runMessages', () => {
  test('gives the failure of a run in full', () => {
    const errorMessage = 'class A cannot be cast to class B\n  at line 3';
    expect(runMessages({ status: 'FAILED', errorMessage })).toEqual([
      { kind: 'failed', title: 'Failed', text: errorMessage },
    ]);
  });

  test('gives the runner’s sentence for a stop, or says that there is none', () => {
    const errorMessage = 'Stop requested from dashboard controls';
    expect(runMessages({ status: 'STOPPED', errorMessage })).toEqual([
      { kind: 'stopped', title: 'Stopped', text: errorMessage },
    ]);
    expect(runMessages({ status: 'STOPPED', errorMessage: null })[0]?.text).toBe(
      'No reason was recorded.',
    );
  });

  test('leaves a stop to the request that was acknowledged, which says more', () => {
    const stopRequest = { status: 'ACKNOWLEDGED' } as StopRequest;
    const stopped = { status: 'STOPPED', errorMessage: 'Stop requested from dashboard controls' };
    expect(runMessages({ ...stopped, stopRequest })).toEqual([]);
    expect(runMessages({ ...stopped, stopRequest: null })).toHaveLength(1);
  });

  test('says nothing of a run that goes on or ended well', () => {
    expect(runMessages({ status: 'RUNNING', errorMessage: null })).toEqual([]);
    expect(runMessages({ status: 'COMPLETED', errorMessage: null })).toEqual([]);
  });
});
