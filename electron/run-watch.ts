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

/** The text of a notification about a watched run. */
export interface RunNews {
  readonly runId: string;
  readonly title: string;
  readonly body: string;
}

/** The dependencies of the watch. */
export interface RunWatchEffects {
  /** Reads the state of a run; null if there is no such run. Rejects while the service does not respond. */
  read(runId: string): Promise<WatchedRun | null>;
  notify(news: RunNews): void;
  /** Called when the list of watched runs changes. */
  onChange(): void;
  readonly intervalMillis: number;
}

/** The runs that the user watches. */
export interface RunWatch {
  readonly runIds: () => readonly string[];
  readonly watch: (runId: string, isWatched: boolean) => void;
}

/**
 * Polls the watched runs. Notifies once when a run has ended, and stops watching it, and once when it becomes silent.
 * Stops watching deleted runs. Retries while the service does not respond.
 */
export function createRunWatch(effects: RunWatchEffects): RunWatch {
  /** Whether each watched run was silent at the last poll. */
  const watched = new Map<string, boolean>();
  let timer: NodeJS.Timeout | undefined;

  const forget = (runId: string) => {
    if (watched.delete(runId)) effects.onChange();
  };
  const look = async (runId: string) => {
    const run = await effects.read(runId).catch(() => undefined);
    const wasSilent = watched.get(runId);
    if (run === undefined || wasSilent === undefined) return;
    if (run === null) return forget(runId);
    const news = newsOf(runId, run, wasSilent);
    if (news !== null) effects.notify(news);
    if (isOver(run)) forget(runId);
    else watched.set(runId, run.progress?.silent ?? false);
  };
  const schedule = () => {
    clearTimeout(timer);
    if (watched.size === 0) return;
    timer = setTimeout(() => {
      void Promise.all([...watched.keys()].map(look)).then(schedule);
    }, effects.intervalMillis);
  };

  return {
    runIds: () => [...watched.keys()],
    watch: (runId, isWatched) => {
      if (!isWatched) return forget(runId);
      if (watched.has(runId)) return;
      watched.set(runId, false);
      effects.onChange();
      void look(runId).then(schedule);
    },
  };
}

/** Returns the notification for a run by its silence at the last poll; null if nothing changed. */
export function newsOf(runId: string, run: WatchedRun, wasSilent: boolean): RunNews | null {
  const what = whatHappened(run, wasSilent);
  if (what === null) return null;
  const subject = `${run.algorithmType} · ${run.problemType}`;
  return {
    runId,
    title: `Run ${runId.slice(0, 8)} ${what}`,
    body: run.runName === null ? subject : `${run.runName}: ${subject}`,
  };
}

function whatHappened(run: WatchedRun, wasSilent: boolean): string | null {
  if (!isOver(run)) return run.progress?.silent === true && !wasSilent ? 'fell silent' : null;
  const words: Record<string, string> = {
    COMPLETED: 'is completed',
    FAILED: 'failed',
    STOPPED: 'was stopped',
  };
  return words[run.status.toUpperCase()] ?? `ended as ${run.status}`;
}

function isOver({ status }: WatchedRun): boolean {
  return !/^running$/i.test(status);
}
