import { expect, test } from 'vitest';
import {
  getStopProgress,
  type StopSubject,
} from '#renderer/features/stop-and-delete/stop-progress.ts';
import { getRequestFacts, describeStop } from '#renderer/features/stop-and-delete/stop-words.ts';

const requestedAt = Date.parse('2020-11-21T10:00:00Z');

function getSubject(
  kind: StopSubject['kind'],
  status: string,
  answer: { at: string; by: string } | null,
): StopSubject {
  return {
    kind,
    id: kind === 'run' ? 'r1' : 'e1',
    status,
    request: {
      scope: kind,
      status: answer ? 'ACKNOWLEDGED' : 'PENDING',
      requestedAt: '2020-11-21T10:00:00Z',
      requestedBy: 'evoscope',
      reason: 'too slow',
      acknowledgedAt: answer?.at ?? null,
      acknowledgedByRunId: answer?.by ?? null,
    },
  };
}

function wordsAt(subject: StopSubject, afterMillis: number) {
  return describeStop(getStopProgress(subject, requestedAt + afterMillis), subject);
}

test('describeStop returns null without a request', () => {
  const subject = { ...getSubject('run', 'RUNNING', null), request: null };
  expect(wordsAt(subject, 0)).toBeNull();
});

test('a request shows its age in whole seconds', () => {
  const subject = getSubject('run', 'RUNNING', null);
  expect(wordsAt(subject, 900)?.title).toBe('Stop requested just now');
  expect(wordsAt(subject, 12_900)?.title).toBe('Stop requested 12 s ago');
});

test('after a minute without response the words state it, and that a dead process never responds', () => {
  const words = wordsAt(getSubject('run', 'RUNNING', null), 60_000);
  expect(words?.short).toBe('No response for 1 min 0 s');
  expect(words?.detail).toContain('process has died');
  expect(words?.tone).toBe('warning');
});

test('the announcement does not change with time alone', () => {
  const subject = getSubject('run', 'RUNNING', null);
  expect(wordsAt(subject, 3000)?.announcement).toBe(wordsAt(subject, 9000)?.announcement);
  expect(wordsAt(subject, 61_000)?.announcement).toBe(wordsAt(subject, 99_000)?.announcement);
});

test('an acknowledgement names the run that sent it, unless it is the page’s own', () => {
  const answer = { at: '2020-11-21T10:00:05Z', by: 'r1' };
  expect(wordsAt(getSubject('run', 'RUNNING', answer), 6000)?.title).toBe(
    'Stop acknowledged at 21 Nov 2020',
  );
  expect(wordsAt(getSubject('experiment', 'RUNNING', answer), 6000)?.title).toBe(
    'Stop acknowledged by run r1 at 21 Nov 2020',
  );
  expect(wordsAt(getSubject('experiment', 'PARTIAL', answer), 6000)).toMatchObject({
    tone: 'done',
    title: 'Stopped on request',
  });
  expect(getRequestFacts(getSubject('experiment', 'PARTIAL', answer))).toContainEqual({
    label: 'Acknowledged',
    value: '21 Nov 2020 by run r1',
    title: expect.stringContaining('2020-11-21T10:00:05Z'),
  });
});

test('a pending request without a running run states its effect', () => {
  expect(wordsAt(getSubject('experiment', 'PARTIAL', null), 0)?.detail).toContain(
    'The next run of this experiment will stop before its first iteration.',
  );
  const ended = wordsAt(getSubject('run', 'COMPLETED', null), 0);
  expect(ended?.title).toBe('The run had ended (COMPLETED) before it read the stop request');
  expect(ended?.detail).toContain('if this run is resumed, it stops immediately');
});

test('the facts of a request omit missing values', () => {
  const subject = getSubject('run', 'RUNNING', null);
  expect(getRequestFacts(subject).map(({ label, value }) => [label, value])).toEqual([
    ['Requested', '21 Nov 2020'],
    ['By', 'evoscope'],
    ['Reason', '“too slow”'],
  ]);
  const request = { ...subject.request!, requestedBy: null, reason: null };
  expect(getRequestFacts({ ...subject, request })).toHaveLength(1);
  expect(getRequestFacts({ ...subject, request: null })).toEqual([]);
});
