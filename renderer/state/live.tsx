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
import { addresses } from '#shared/addresses.ts';
import type { DatabaseChange } from '#shared/schemas/service.ts';
import { call } from '#renderer/api/client.ts';
import { isOfShownDatabase } from '#renderer/api/opened-database.ts';
import { wakeQueries } from '#renderer/api/queries.ts';
import {
  defaultLiveState,
  stepLive,
  wantsPolling,
  wantsStream,
  type LiveEvent,
  type LiveState,
} from './live-machine.ts';
import { useEvent } from './use-event.ts';
import { createWaker } from './waker.ts';

const pollMillis = 5000;
const wakeGapMillis = 1000;

export interface Live {
  state: Accessor<LiveState>;
  togglePause: () => void;
}

const LiveContext = createContext<Live>();

/** How the pages hear of changes, and the switch to pause that. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('useLive outside of LiveProvider');
  return live;
}

/** Keeps the queries of the visible page up to date by the stream of changes, or by polling. */
export function LiveProvider(props: { children: JSX.Element }): JSX.Element {
  const client = useQueryClient();
  let later: ReturnType<typeof setTimeout> | undefined;
  const wake = async (kind: 'live' | 'all'): Promise<void> => {
    // A wake that was put off a little may come when the page has been paused meanwhile.
    const isWanted = () => wantsStream(state());
    if (!isWanted()) return;
    const waitMillis = await wakeQueries(client, kind === 'all', isWanted);
    clearTimeout(later);
    if (waitMillis === null) return;
    // What was fetched too recently to be fetched again must not miss this change.
    later = setTimeout(() => wantsStream(state()) && waker.request('live'), waitMillis);
  };
  const waker = createWaker(wake, wakeGapMillis);
  onCleanup(() => {
    clearTimeout(later);
    waker.stop();
  });
  const [state, setState] = createSignal<LiveState>({
    ...defaultLiveState,
    cursor: cursorOfPage(),
    isHidden: document.visibilityState === 'hidden',
  });
  const send = (event: LiveEvent): void => {
    const step = stepLive(state(), event);
    setState(step.state);
    if (step.wake !== 'none') waker.request(step.wake);
  };
  useEvent('visibilitychange', () =>
    send({ type: document.visibilityState === 'hidden' ? 'hidden' : 'shown' }),
  );
  useChangeStream(
    createMemo(() => wantsStream(state())),
    createMemo(() => wantsPolling(state())),
    send,
  );
  const live: Live = {
    state,
    togglePause: () => send({ type: state().isPaused ? 'resumed' : 'paused' }),
  };
  return <LiveContext.Provider value={live}>{props.children}</LiveContext.Provider>;
}

/**
 * Where the database stood when the service sent this page, before all that the page fetches; null when it did not
 * say. A stream that begins at the same cursor has nothing to tell.
 */
function cursorOfPage(): string | null {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.serverTiming.find(({ name }) => name === 'database')?.description ?? null;
}

function useChangeStream(
  isWanted: Accessor<boolean>,
  isDown: Accessor<boolean>,
  send: (event: LiveEvent) => void,
): void {
  const [attempt, setAttempt] = createSignal(0);
  let source: EventSource | undefined;
  createEffect(() => {
    attempt();
    if (!isWanted()) return;
    const opened = openStream(send);
    source = opened;
    onCleanup(() => opened.close());
  });
  createEffect(() => {
    if (!isDown()) return;
    const timer = setInterval(() => {
      // A stream that was refused (too many, wrong status) is closed for good: only a new one comes back.
      if (source?.readyState === EventSource.CLOSED) setAttempt((count) => count + 1);
      call('getHealth').then(
        () => send({ type: 'pollAnswered' }),
        () => send({ type: 'pollFailed', at: Date.now() }),
      );
    }, pollMillis);
    onCleanup(() => clearInterval(timer));
  });
}

function openStream(send: (event: LiveEvent) => void): EventSource {
  const source = new EventSource(addresses.watchChanges.path);
  source.addEventListener('open', () => send({ type: 'opened' }));
  source.addEventListener('error', () => send({ type: 'lost' }));
  source.addEventListener('message', (event: MessageEvent<string>) => {
    const change = JSON.parse(event.data) as DatabaseChange;
    if (isOfShownDatabase(change.database)) send({ type: 'changed', cursor: change.cursor });
  });
  return source;
}
