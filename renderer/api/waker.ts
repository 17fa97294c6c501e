/** Limits how often work runs. */
export interface Waker {
  /** Requests the work: now, or as soon as the interval is over. */
  request(): void;
  stop(): void;
}

/**
 * Runs `work` immediately, then at most once per `minimumIntervalMillis` and never concurrently: requests meanwhile
 * become one run afterwards, so that the last one is never lost. Work that returns a number of milliseconds runs again
 * after that time.
 */
export function createWaker(
  work: () => Promise<number | null>,
  minimumIntervalMillis: number,
): Waker {
  let isRequested = false;
  let isBusy = false;
  let isStopped = false;
  let gapTimer: ReturnType<typeof setTimeout> | undefined;
  let laterTimer: ReturnType<typeof setTimeout> | undefined;

  const finishWork = async (): Promise<void> => {
    const laterMillis = await work().catch(() => null);
    if (laterMillis !== null) laterTimer = setTimeout(request, laterMillis);
  };
  const run = async (): Promise<void> => {
    if (isBusy || !isRequested) return;
    isRequested = false;
    isBusy = true;
    clearTimeout(laterTimer);
    const gap = new Promise<void>((resolve) => {
      gapTimer = setTimeout(resolve, minimumIntervalMillis);
    });
    await Promise.all([finishWork(), gap]);
    isBusy = false;
    void run();
  };
  const request = (): void => {
    if (isStopped) return;
    isRequested = true;
    void run();
  };

  return {
    request,
    stop() {
      isStopped = true;
      isRequested = false;
      clearTimeout(gapTimer);
      clearTimeout(laterTimer);
    },
  };
}
