/** How the page learns of changes: by the stream, by polling every 5 s, or not at all. */
export type LivePhase = 'connecting' | 'live' | 'polling' | 'offline';

export interface LiveState {
  phase: LivePhase;
  /** Paused by the user. */
  isPaused: boolean;
  /** The page is not visible. */
  isHidden: boolean;
  /** When the service stopped responding, in milliseconds since 1970; null while it responds. */
  offlineSince: number | null;
  /** The cursor of the latest known change; initially that of the database when the page was sent, null if unknown. */
  cursor: string | null;
  /** The page was paused or hidden, and does not know yet whether the database changed meanwhile. */
  isBehind: boolean;
  /** Reason of the service for no stream or no response; null while the stream is open, and without a reason. */
  lostReason: string | null;
}

export type LiveEvent =
  | { type: 'opened' }
  | { type: 'changed'; cursor: string }
  | { type: 'lost'; reason: string | null }
  | { type: 'pollSucceeded' }
  /** `reason`: what the service reported; null when it did not respond. */
  | { type: 'pollFailed'; at: number; reason: string | null }
  | { type: 'paused' }
  | { type: 'resumed' }
  | { type: 'hidden' }
  | { type: 'shown' };

/** Queries of the page to fetch: none; the outdated ones; those that can change; or all. */
export type Wake = 'none' | 'outdated' | 'live' | 'all';

export const defaultLiveState: LiveState = {
  phase: 'connecting',
  isPaused: false,
  isHidden: false,
  offlineSince: null,
  cursor: null,
  isBehind: false,
  lostReason: null,
};

/** Whether the stream should be open: the page is visible and not paused. */
export function needsStream(state: LiveState): boolean {
  return !state.isPaused && !state.isHidden;
}

/** Whether to poll every 5 s: the stream is needed and down. */
export function needsPolling(state: LiveState): boolean {
  return needsStream(state) && (state.phase === 'polling' || state.phase === 'offline');
}

/**
 * Returns the state after an event, and the queries to fetch. A page that becomes visible or resumes waits for the
 * first cursor: a different one fetches every query of the page, the same one only the queries that were outdated
 * before. A reconnected stream fetches the queries that can have changed. Events of a stream that is no longer needed,
 * and the ends of polls after the stream is open, change nothing.
 */
export function stepLive(state: LiveState, event: LiveEvent): { state: LiveState; wake: Wake } {
  switch (event.type) {
    case 'paused':
      return leave({ ...state, isPaused: true, offlineSince: null });
    case 'resumed':
      return comeBack({ ...state, isPaused: false });
    case 'hidden':
      return leave({ ...state, isHidden: true });
    case 'shown':
      return comeBack({ ...state, isHidden: false });
    default:
      return needsStream(state) ? hear(state, event) : { state, wake: 'none' };
  }
}

function leave(state: LiveState): { state: LiveState; wake: Wake } {
  return { state: { ...state, isBehind: true }, wake: 'none' };
}

function comeBack(state: LiveState): { state: LiveState; wake: Wake } {
  if (!needsStream(state)) return { state, wake: 'none' };
  return { state: { ...state, phase: 'connecting' }, wake: 'none' };
}

/**
 * Whether the service may have restarted, and may send other pages, since the state before: it responds again, or the
 * page is visible and live again.
 */
export function mayHaveRestarted(before: LiveState, state: LiveState): boolean {
  const isResponding = state.phase === 'live' || state.phase === 'polling';
  const isBack =
    before.phase === 'offline' || (before.phase === 'polling' && state.phase === 'live');
  return isResponding && (isBack || (before.isBehind && !state.isBehind));
}

type HeardEvent = Exclude<LiveEvent, { type: 'paused' | 'resumed' | 'hidden' | 'shown' }>;

function hear(state: LiveState, event: HeardEvent): { state: LiveState; wake: Wake } {
  const isOfPoll = event.type === 'pollSucceeded' || event.type === 'pollFailed';
  if (isOfPoll && !needsPolling(state)) return { state, wake: 'none' };
  const current = { ...state, isBehind: false };
  const change = state.isBehind ? 'all' : 'live';
  switch (event.type) {
    case 'opened': {
      const wasDown = state.phase === 'polling' || state.phase === 'offline';
      return { state: goOnline(state, 'live'), wake: wasDown ? 'live' : 'none' };
    }
    case 'changed':
      return {
        state: { ...goOnline(current, 'live'), cursor: event.cursor },
        wake: event.cursor === state.cursor ? 'outdated' : change,
      };
    case 'lost':
      return {
        state: state.phase === 'offline' ? state : goOnline(state, 'polling', event.reason),
        wake: 'none',
      };
    case 'pollSucceeded':
      return { state: goOnline(current, 'polling', state.lostReason), wake: change };
    default:
      return {
        state: {
          ...state,
          phase: 'offline',
          offlineSince: state.offlineSince ?? event.at,
          lostReason: event.reason,
        },
        wake: 'none',
      };
  }
}

function goOnline(state: LiveState, phase: LivePhase, lostReason: string | null = null): LiveState {
  return { ...state, phase, offlineSince: null, lostReason };
}
