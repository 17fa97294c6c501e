import { describe, expect, test } from 'vitest';
import {
  defaultLiveState,
  mayHaveRestarted,
  stepLive,
  needsPolling,
  needsStream,
  type LiveEvent,
  type LiveState,
} from '#renderer/api/live-machine.ts';

/** The state after some events, and the wakes on the way. */
function play(events: LiveEvent[], from: LiveState = defaultLiveState) {
  const wakes: string[] = [];
  let state = from;
  for (const event of events) {
    const step = stepLive(state, event);
    state = step.state;
    wakes.push(step.wake);
  }
  return { state, wakes };
}

describe('a stream that works', () => {
  test('is live once open, and wakes the queries for each new cursor, once', () => {
    const { state, wakes } = play([
      { type: 'opened' },
      { type: 'changed', cursor: 'a' },
      { type: 'changed', cursor: 'a' },
      { type: 'changed', cursor: 'b' },
    ]);
    expect(state.phase).toBe('live');
    expect(wakes).toEqual(['none', 'live', 'outdated', 'live']);
    expect(needsPolling(state)).toBe(false);
  });
});

describe('a stream that is down', () => {
  test('shows why the service refused it, until it is open', () => {
    const { state } = play([{ type: 'lost', reason: 'too many' }, { type: 'pollSucceeded' }]);
    expect(state).toMatchObject({ phase: 'polling', lostReason: 'too many' });
    expect(play([{ type: 'opened' }], state).state).toMatchObject({ lostReason: null });
  });

  test('is replaced by polling, whose responses wake the queries', () => {
    const { state, wakes } = play([
      { type: 'opened' },
      { type: 'lost', reason: null },
      { type: 'pollSucceeded' },
    ]);
    expect(state.phase).toBe('polling');
    expect(needsPolling(state)).toBe(true);
    expect(wakes.at(-1)).toBe('live');
  });

  test('is offline since the first failed poll, also after further failures', () => {
    const { state, wakes } = play([
      { type: 'lost', reason: null },
      { type: 'pollFailed', at: 1000, reason: null },
      { type: 'lost', reason: null },
      { type: 'pollFailed', at: 6000, reason: null },
    ]);
    expect(state).toMatchObject({ phase: 'offline', offlineSince: 1000 });
    expect(wakes).toEqual(['none', 'none', 'none', 'none']);
  });

  const late: LiveEvent[] = [
    { type: 'pollSucceeded' },
    { type: 'pollFailed', at: 1000, reason: 'The database does not respond' },
  ];

  test.each(late)('stays live after it is open again, when a poll ends late: $type', (poll) => {
    const { state, wakes } = play([
      { type: 'lost', reason: null },
      { type: 'opened' },
      { type: 'changed', cursor: 'a' },
      poll,
    ]);
    expect(state).toMatchObject({ phase: 'live', offlineSince: null, lostReason: null });
    expect(wakes.at(-1)).toBe('none');
  });

  test('wakes the live queries when it is open again', () => {
    const { state, wakes } = play([
      { type: 'lost', reason: null },
      { type: 'pollFailed', at: 1000, reason: null },
      { type: 'opened' },
    ]);
    expect(state).toMatchObject({ phase: 'live', offlineSince: null });
    expect(wakes.at(-1)).toBe('live');
  });
});

describe('a page that is paused or hidden', () => {
  const leavings = [
    ['paused', 'resumed'],
    ['hidden', 'shown'],
  ] as const;

  const leave = (away: 'paused' | 'hidden') =>
    play([{ type: 'opened' }, { type: 'changed', cursor: 'a' }, { type: away }]).state;

  test.each(leavings)('does nothing while %s', (away) => {
    const { state, wakes } = play([{ type: 'changed', cursor: 'b' }], leave(away));
    expect(wakes).toEqual(['none']);
    expect(needsStream(state)).toBe(false);
    expect(needsPolling({ ...state, phase: 'offline' })).toBe(false);
  });

  test.each(leavings)('fetches all once if something changed while %s, when %s', (away, back) => {
    const { state, wakes } = play(
      [
        { type: back },
        { type: 'opened' },
        { type: 'changed', cursor: 'b' },
        { type: 'changed', cursor: 'c' },
      ],
      leave(away),
    );
    expect(wakes).toEqual(['none', 'none', 'all', 'live']);
    expect(needsStream(state)).toBe(true);
  });

  test.each(leavings)('fetches nothing new if nothing changed while %s, when %s', (away, back) => {
    const { wakes } = play(
      [{ type: back }, { type: 'opened' }, { type: 'changed', cursor: 'a' }],
      leave(away),
    );
    expect(wakes).toEqual(['none', 'none', 'outdated']);
  });

  test.each(leavings)(
    'fetches all by polling where there is no stream after it was %s, when %s',
    (away, back) => {
      const { wakes } = play(
        [
          { type: back },
          { type: 'lost', reason: null },
          { type: 'pollSucceeded' },
          { type: 'pollSucceeded' },
        ],
        leave(away),
      );
      expect(wakes).toEqual(['none', 'none', 'all', 'live']);
    },
  );

  test('stays paused when it is shown again', () => {
    const { state, wakes } = play([{ type: 'paused' }, { type: 'hidden' }, { type: 'shown' }]);
    expect(needsStream(state)).toBe(false);
    expect(wakes.at(-1)).toBe('none');
  });
});

describe('mayHaveRestarted', () => {
  const getAnswers = (events: LiveEvent[]) => {
    let state = defaultLiveState;
    return events.map((event) => {
      const before = state;
      state = stepLive(before, event).state;
      return mayHaveRestarted(before, state);
    });
  };

  test('is true once the service responds again', () => {
    expect(
      getAnswers([
        { type: 'opened' },
        { type: 'changed', cursor: 'a' },
        { type: 'lost', reason: null },
        { type: 'opened' },
        { type: 'lost', reason: null },
        { type: 'pollFailed', at: 1, reason: null },
        { type: 'pollSucceeded' },
        { type: 'changed', cursor: 'b' },
      ]),
    ).toEqual([false, false, false, true, false, false, true, true]);
  });

  test('is true once a hidden page is live again', () => {
    expect(
      getAnswers([
        { type: 'opened' },
        { type: 'hidden' },
        { type: 'shown' },
        { type: 'opened' },
        { type: 'changed', cursor: 'a' },
        { type: 'changed', cursor: 'b' },
      ]),
    ).toEqual([false, false, false, false, true, false]);
  });
});
