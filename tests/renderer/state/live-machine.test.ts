import { describe, expect, test } from 'vitest';
import {
  defaultLiveState,
  stepLive,
  wantsPolling,
  wantsStream,
  type LiveEvent,
  type LiveState,
} from '#renderer/state/live-machine.ts';

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
    expect(wakes).toEqual(['none', 'live', 'none', 'live']);
    expect(wantsPolling(state)).toBe(false);
  });
});

describe('a stream that is down', () => {
  test('is replaced by polling, whose answers wake the queries', () => {
    const { state, wakes } = play([{ type: 'opened' }, { type: 'lost' }, { type: 'pollAnswered' }]);
    expect(state.phase).toBe('polling');
    expect(wantsPolling(state)).toBe(true);
    expect(wakes.at(-1)).toBe('live');
  });

  test('is offline since the first failed question, however many follow', () => {
    const { state, wakes } = play([
      { type: 'lost' },
      { type: 'pollFailed', at: 1000 },
      { type: 'lost' },
      { type: 'pollFailed', at: 6000 },
    ]);
    expect(state).toMatchObject({ phase: 'offline', offlineSince: 1000 });
    expect(wakes).toEqual(['none', 'none', 'none', 'none']);
  });

  test('catches up when it comes back', () => {
    const { state, wakes } = play([
      { type: 'lost' },
      { type: 'pollFailed', at: 1000 },
      { type: 'opened' },
    ]);
    expect(state).toMatchObject({ phase: 'live', offlineSince: null });
    expect(wakes.at(-1)).toBe('live');
  });
});

describe('a page that is paused or hidden', () => {
  test.each([
    ['paused', 'resumed'],
    ['hidden', 'shown'],
  ] as const)('does nothing while %s and fetches all it shows when %s', (away, back) => {
    const gone = play([{ type: 'opened' }, { type: away }, { type: 'changed', cursor: 'x' }]);
    expect(gone.wakes).toEqual(['none', 'none', 'none']);
    expect(wantsStream(gone.state)).toBe(false);
    expect(wantsPolling({ ...gone.state, phase: 'offline' })).toBe(false);
    const returned = play([{ type: back }], gone.state);
    expect(returned.wakes).toEqual(['all']);
    expect(wantsStream(returned.state)).toBe(true);
  });

  test('stays paused when it is shown again', () => {
    const { state, wakes } = play([{ type: 'paused' }, { type: 'hidden' }, { type: 'shown' }]);
    expect(wantsStream(state)).toBe(false);
    expect(wakes.at(-1)).toBe('none');
  });
});
