/** How the page hears of changes: by the stream, by asking every 5 s, or not at all. */
export type LivePhase = 'connecting' | 'live' | 'polling' | 'offline';

export interface LiveState {
  phase: LivePhase;
  /** Paused by the user. */
  isPaused: boolean;
  /** The page cannot be seen. */
  isHidden: boolean;
  /** When the service stopped answering, in milliseconds since 1970; null while it answers. */
  offlineSince: number | null;
  /** The newest change heard of; at first where the database stood when the page was sent, null if unknown. */
  cursor: string | null;
}

export type LiveEvent =
  | { type: 'opened' }
  | { type: 'changed'; cursor: string }
  | { type: 'lost' }
  | { type: 'pollAnswered' }
  | { type: 'pollFailed'; at: number }
  | { type: 'paused' }
  | { type: 'resumed' }
  | { type: 'hidden' }
  | { type: 'shown' };

/** Which queries of the page are to be fetched again: none, those that can change, or every one. */
export type Wake = 'none' | 'live' | 'all';

export const defaultLiveState: LiveState = {
  phase: 'connecting',
  isPaused: false,
  isHidden: false,
  offlineSince: null,
  cursor: null,
};

/** Whether the stream is to be open: the page is seen and the user did not pause it. */
export function wantsStream(state: LiveState): boolean {
  return !state.isPaused && !state.isHidden;
}

/** Whether to ask every 5 s: the stream is wanted and down. */
export function wantsPolling(state: LiveState): boolean {
  return wantsStream(state) && (state.phase === 'polling' || state.phase === 'offline');
}

/**
 * The state after an event, and what to fetch because of it. A page that comes back (shown, resumed)
 * fetches all it shows; a stream that comes back fetches what can have changed meanwhile; the same cursor
 * heard twice fetches nothing. Events of a stream that is no longer wanted change nothing.
 */
export function stepLive(state: LiveState, event: LiveEvent): { state: LiveState; wake: Wake } {
  switch (event.type) {
    case 'paused':
      return { state: { ...state, isPaused: true, offlineSince: null }, wake: 'none' };
    case 'resumed':
      return comeBack({ ...state, isPaused: false });
    case 'hidden':
      return { state: { ...state, isHidden: true }, wake: 'none' };
    case 'shown':
      return comeBack({ ...state, isHidden: false });
    default:
      return wantsStream(state) ? hear(state, event) : { state, wake: 'none' };
  }
}

function comeBack(state: LiveState): { state: LiveState; wake: Wake } {
  if (!wantsStream(state)) return { state, wake: 'none' };
  return { state: { ...state, phase: 'connecting' }, wake: 'all' };
}

type HeardEvent = Exclude<LiveEvent, { type: 'paused' | 'resumed' | 'hidden' | 'shown' }>;

function hear(state: LiveState, event: HeardEvent): { state: LiveState; wake: Wake } {
  switch (event.type) {
    case 'opened': {
      const wasDown = state.phase === 'polling' || state.phase === 'offline';
      return { state: online(state, 'live'), wake: wasDown ? 'live' : 'none' };
    }
    case 'changed':
      return {
        state: { ...online(state, 'live'), cursor: event.cursor },
        wake: event.cursor === state.cursor ? 'none' : 'live',
      };
    case 'lost':
      return { state: state.phase === 'offline' ? state : online(state, 'polling'), wake: 'none' };
    case 'pollAnswered':
      return { state: online(state, 'polling'), wake: 'live' };
    default:
      return {
        state: { ...state, phase: 'offline', offlineSince: state.offlineSince ?? event.at },
        wake: 'none',
      };
  }
}

function online(state: LiveState, phase: LivePhase): LiveState {
  return { ...state, phase, offlineSince: null };
}
