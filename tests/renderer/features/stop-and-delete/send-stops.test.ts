import { expect, test } from 'vitest';
import { ProblemError, type FailureCode } from '#renderer/state/problem-error.ts';
import { outcomeText, sendStops } from '#renderer/features/stop-and-delete/send-stops.ts';
import type { StopTarget } from '#renderer/features/stop-and-delete/targets.ts';

const targets: StopTarget[] = ['a', 'b', 'c'].map((id) => ({ kind: 'experiment', id, name: id }));

/** Answers as a service in which these targets fail. */
function service(failures: Partial<Record<string, FailureCode>>) {
  const heard: string[] = [];
  const send = ({ id }: StopTarget) => {
    heard.push(id);
    const code = failures[id];
    return code
      ? Promise.reject(new ProblemError(code, `${id} is ${code}`, 409))
      : Promise.resolve({ affectedRuns: 2 });
  };
  return { heard, send };
}

test('a refusal affects only its own target', async () => {
  const { heard, send } = service({ b: 'NOT_STOPPABLE' });
  const outcome = await sendStops(targets, '', send);
  expect(heard).toEqual(['a', 'b', 'c']);
  expect(outcome.requested.map(({ target }) => target.id)).toEqual(['a', 'c']);
  expect(outcome.refused).toEqual([{ target: targets[1], detail: 'b is NOT_STOPPABLE' }]);
  expect(outcome.failure).toBeUndefined();
  expect(outcomeText(outcome)).toBe(
    'Requested 2 experiments to stop (4 runs). 1 refused: b is NOT_STOPPABLE.',
  );
});

test.each(['UNREACHABLE', 'DATABASE_BUSY', 'READ_ONLY'] as const)(
  'after %s nothing more is sent, and the unsent requests can be tried again',
  async (code) => {
    const { heard, send } = service({ b: code });
    const outcome = await sendStops(targets, '', send);
    expect(heard).toEqual(['a', 'b']);
    expect(outcome.unsent.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(outcome.failure?.code).toBe(code);
  },
);

test('the text names a single run', async () => {
  const { send } = service({});
  const outcome = await sendStops([{ kind: 'run', id: 'r1', name: 'r1' }], '', send);
  expect(outcomeText(outcome)).toBe('Requested r1 to stop.');
});
