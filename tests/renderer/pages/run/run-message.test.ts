import { describe, expect, test } from 'vitest';
import type { StopRequest } from '#shared/schemas/run.ts';
import { runMessages } from '#renderer/pages/run/run-message.ts';

describe('runMessages', () => {
  test('returns the whole error of a failed run', () => {
    const errorMessage = 'class A cannot be cast to class B\n  at line 3';
    expect(runMessages({ status: 'FAILED', errorMessage })).toEqual([
      { kind: 'failed', title: 'Failed', text: errorMessage },
    ]);
  });

  test('returns the runner’s reason for a stop, or states that there is none', () => {
    const errorMessage = 'Stop requested from dashboard controls';
    expect(runMessages({ status: 'STOPPED', errorMessage })).toEqual([
      { kind: 'stopped', title: 'Stopped', text: errorMessage },
    ]);
    expect(runMessages({ status: 'STOPPED', errorMessage: null })[0]?.text).toBe(
      'No reason was recorded.',
    );
  });

  test('returns nothing for a stop with an acknowledged request, which has more details', () => {
    const stopRequest = { status: 'ACKNOWLEDGED' } as StopRequest;
    const stopped = { status: 'STOPPED', errorMessage: 'Stop requested from dashboard controls' };
    expect(runMessages({ ...stopped, stopRequest })).toEqual([]);
    expect(runMessages({ ...stopped, stopRequest: null })).toHaveLength(1);
  });

  test('returns nothing for a RUNNING or COMPLETED run', () => {
    expect(runMessages({ status: 'RUNNING', errorMessage: null })).toEqual([]);
    expect(runMessages({ status: 'COMPLETED', errorMessage: null })).toEqual([]);
  });
});
