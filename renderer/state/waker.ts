/** Calls that are rarer than the requests for them. */
export interface Waker {
  /** Asks for a wake; `all` beats `live` when both wait. */
  request(kind: 'live' | 'all'): void;
  stop(): void;
}

/**
 * Wakes at once, then at most once per `minimumIntervalMillis` and never twice at a time: requests during a wake or
 * inside the gap become one wake after it, so the last change is never missed.
 */
export function createWaker(
  wake: (kind: 'live' | 'all') => Promise<void>,
  minimumIntervalMillis: number,
): Waker {
  let waiting: 'live' | 'all' | null = null;
  let isBusy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const run = (): void => {
    if (isBusy || waiting === null) return;
    const kind = waiting;
    waiting = null;
    isBusy = true;
    const gap = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, minimumIntervalMillis);
    });
    void Promise.all([wake(kind).catch(() => undefined), gap]).finally(() => {
      isBusy = false;
      run();
    });
  };

  return {
    request(kind) {
      waiting = waiting === 'all' ? 'all' : kind;
      run();
    },
    stop() {
      clearTimeout(timer);
      waiting = null;
      isBusy = true;
    },
  };
}
