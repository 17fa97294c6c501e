import { useQueryClient } from '@tanstack/solid-query';
import {
  createContext,
  createEffect,
  createMemo,
  createSignal,
  onCleanup,
  useContext,
  type Accessor,
  type JSX,
} from 'solid-js';
import { call } from './client.ts';
import { ProblemError } from '#renderer/state/problem-error.ts';
import { followChanges } from './follow-changes.ts';
import { isOfShownDatabase, noteIdentity } from './opened-database.ts';
import { checkForUpdate } from './page-update.ts';
import { fetchOutdated, noteChange } from './waking.ts';
import {
  defaultLiveState,
  mayHaveRestarted,
  stepLive,
  needsPolling,
  needsStream,
  type LiveEvent,
  type LiveState,
} from './live-machine.ts';
import { useEvent } from '#renderer/state/use-event.ts';
import { createWaker } from './waker.ts';

const pollMillis = 5000;
const wakeGapMillis = 1000;

export interface Live {
  state: Accessor<LiveState>;
  togglePause: () => void;
}

const LiveContext = createContext<Live>();

/** Returns the live state of the pages, and the switch to pause it. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('useLive outside of LiveProvider');
  return live;
}

/** Keeps the queries of the visible page up to date by the stream of changes, or by polling. */
export function LiveProvider(props: { children: JSX.Element }): JSX.Element {
  const client = useQueryClient();
  const isHidden = document.visibilityState === 'hidden';
  const [state, setState] = createSignal<LiveState>({
    ...defaultLiveState,
    cursor: getCursorOfPage(),
    isHidden,
    isBehind: isHidden,
  });
  // Deferred work may run after the page was paused or hidden.
  const isWanted = () => needsStream(state());
  const waker = createWaker(
    () => (isWanted() ? fetchOutdated(client, isWanted) : Promise.resolve(null)),
    wakeGapMillis,
  );
  onCleanup(() => waker.stop());
  let annotations: string | null = null;
  /** Records the version of names and notes. They are in nearly all responses: another version outdates every query. */
  const noteAnnotations = (version: string | null): void => {
    if (annotations !== null && version !== annotations) noteChange(client, 'all');
    annotations = version;
  };
  const send = (event: LiveEvent): void => {
    const before = state();
    const { state: next, wake } = stepLive(before, event);
    setState(next);
    if (mayHaveRestarted(before, next)) void checkForUpdate();
    if (wake === 'none') return;
    if (wake !== 'outdated') noteChange(client, wake);
    waker.request();
  };
  useEvent('visibilitychange', () =>
    send({ type: document.visibilityState === 'hidden' ? 'hidden' : 'shown' }),
  );
  useChangeStream(
    createMemo(() => needsStream(state())),
    createMemo(() => needsPolling(state())),
    send,
    noteAnnotations,
  );
  const live: Live = {
    state,
    togglePause: () => send({ type: state().isPaused ? 'resumed' : 'paused' }),
  };
  return <LiveContext.Provider value={live}>{props.children}</LiveContext.Provider>;
}

/**
 * Returns the cursor of the database when the service sent this page, before all fetches of the page; null when it is
 * unknown. A stream that starts at the same cursor has no news.
 */
function getCursorOfPage(): string | null {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.serverTiming.find(({ name }) => name === 'database')?.description ?? null;
}

/** Returns the detail of an error response; null if the service did not respond. */
function getReason(error: unknown): string | null {
  return error instanceof ProblemError && error.status > 0 ? error.detail : null;
}

function useChangeStream(
  isWanted: Accessor<boolean>,
  isDown: Accessor<boolean>,
  send: (event: LiveEvent) => void,
  noteAnnotations: (version: string | null) => void,
): void {
  createEffect(() => {
    if (!isWanted()) return;
    const stop = followChanges((event) => {
      if (event.type !== 'changed') send(event);
      else if (isOfShownDatabase(event.change.database)) {
        noteIdentity(event.change.databaseIdentity);
        noteAnnotations(event.change.annotations);
        send({ type: 'changed', cursor: event.change.cursor });
      }
    });
    onCleanup(stop);
  });
  createEffect(() => {
    if (!isDown()) return;
    const poll = (): void => {
      call('getHealth').then(
        () => send({ type: 'pollSucceeded' }),
        (error) => send({ type: 'pollFailed', at: Date.now(), reason: getReason(error) }),
      );
    };
    // At once: the page must not look up to date while nothing responds.
    poll();
    const timer = setInterval(poll, pollMillis);
    onCleanup(() => clearInterval(timer));
  });
}
