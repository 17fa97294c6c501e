import { describe, expect, test } from 'vitest';
import type { StopRequest } from '#shared/schemas/run.ts';
import { getRunMessages } from '#renderer/pages/run/run-message.ts';

describe('getRunMessages', () => {
  test('returns the whole error of a failed run', () => {
    const errorMessage = 'class A cannot be cast to class B\n  at line 3';
    expect(getRunMessages({ status: 'FAILED', errorMessage })).toEqual([
      { kind: 'failed', title: 'Failed', text: errorMessage },
    ]);
  });

  test('returns the runner’s reason for a stop, or states that there is none', () => {
    const errorMessage = 'Stop requested from dashboard controls';
    expect(getRunMessages({ status: 'STOPPED', errorMessage })).toEqual([
      { kind: 'stopped', title: 'Stopped', text: errorMessage },
    ]);
    expect(getRunMessages({ status: 'STOPPED', errorMessage: null })[0]?.text).toBe(
      'No reason was recorded.',
    );
  });

  test('returns nothing for a stop with an acknowledged request, which has more details', () => {
    const stopRequest = { status: 'ACKNOWLEDGED' } as StopRequest;
    const stopped = { status: 'STOPPED', errorMessage: 'Stop requested from dashboard controls' };
    expect(getRunMessages({ ...stopped, stopRequest })).toEqual([]);
    expect(getRunMessages({ ...stopped, stopRequest: null })).toHaveLength(1);
  });

  test('returns nothing for a RUNNING or COMPLETED run', () => {
    expect(getRunMessages({ status: 'RUNNING', errorMessage: null })).toEqual([]);
    expect(getRunMessages({ status: 'COMPLETED', errorMessage: null })).toEqual([]);
  });
});
