import * as z from 'zod';

/** The fields of a run that the watch uses. */
export const watchedRun = z.object({
  status: z.string(),
  runName: z.string().nullable(),
  algorithmType: z.string(),
  problemType: z.string(),
  progress: z.object({ silent: z.boolean() }).nullable(),
});
export type WatchedRun = z.infer<typeof watchedRun>;

/** A notification about a watched run. */
export interface RunNotification {
  readonly runId: string;
  readonly title: string;
  readonly body: string;
}

/** The dependencies of the watch. */
export interface RunWatchDependencies {
  /** Reads the state of a run; null if there is no such run. Rejects if there is no valid response. */
  read(runId: string): Promise<WatchedRun | null>;
  notify(notification: RunNotification): void;
  /** Handles a change of the list of watched runs. */
  onChange(): void;
  readonly intervalMillis: number;
}

/** The runs that the user watches. */
export interface RunWatch {
  readonly getRunIds: () => readonly string[];
  readonly setWatched: (runId: string, isWatched: boolean) => void;
}

/**
 * Polls each watched run immediately and then at intervals. Notifies each time a run becomes silent, and once after it
 * has ended. The first poll also notifies about a run that is already silent or has already ended. Stops watching ended
 * and deleted runs. Without a valid response, retries after the interval.
 */
export function createRunWatch(dependencies: RunWatchDependencies): RunWatch {
  /** Whether each watched run was silent at its previous successful poll; false before the first poll. */
  const hasBeenSilentByRun = new Map<string, boolean>();
  let timer: NodeJS.Timeout | undefined;

  const unwatch = (runId: string) => {
    if (hasBeenSilentByRun.delete(runId)) dependencies.onChange();
  };
  const poll = async (runId: string) => {
    const run = await dependencies.read(runId).catch(() => undefined);
    const hasBeenSilent = hasBeenSilentByRun.get(runId);
    if (run === undefined || hasBeenSilent === undefined) return;
    if (run === null) return unwatch(runId);
    const notification = getNotification(runId, run, hasBeenSilent);
    if (notification !== null) dependencies.notify(notification);
    if (hasEnded(run)) unwatch(runId);
    else hasBeenSilentByRun.set(runId, run.progress?.silent ?? false);
  };
  const schedule = () => {
    clearTimeout(timer);
    if (hasBeenSilentByRun.size === 0) return;
    timer = setTimeout(() => {
      void Promise.all([...hasBeenSilentByRun.keys()].map(poll)).then(schedule);
    }, dependencies.intervalMillis);
  };

  return {
    getRunIds: () => [...hasBeenSilentByRun.keys()],
    setWatched: (runId, isWatched) => {
      if (!isWatched) return unwatch(runId);
      if (hasBeenSilentByRun.has(runId)) return;
      hasBeenSilentByRun.set(runId, false);
      dependencies.onChange();
      void poll(runId).then(schedule);
    },
  };
}

/** Returns the notification if a run has ended, or is silent and `hasBeenSilent` is false; otherwise null. */
export function getNotification(
  runId: string,
  run: WatchedRun,
  hasBeenSilent: boolean,
): RunNotification | null {
  const change = getChange(run, hasBeenSilent);
  if (change === null) return null;
  const description = `${run.algorithmType} · ${run.problemType}`;
  return {
    runId,
    title: `Run ${runId.slice(0, 8)} ${change}`,
    body: run.runName === null ? description : `${run.runName}: ${description}`,
  };
}

function getChange(run: WatchedRun, hasBeenSilent: boolean): string | null {
  if (!hasEnded(run))
    return run.progress?.silent === true && !hasBeenSilent ? 'became silent' : null;
  const changes: Record<string, string> = {
    COMPLETED: 'completed',
    FAILED: 'failed',
    STOPPED: 'stopped',
  };
  return changes[run.status.toUpperCase()] ?? `ended as ${run.status}`;
}

function hasEnded({ status }: WatchedRun): boolean {
  return !/^running$/i.test(status);
}
