import * as z from 'zod';

/** What the service says of a run, as far as the watch cares. */
export const watchedRun = z.object({
  status: z.string(),
  runName: z.string().nullable(),
  algorithmType: z.string(),
  problemType: z.string(),
  progress: z.object({ silent: z.boolean() }).nullable(),
});
export type WatchedRun = z.infer<typeof watchedRun>;

/** Something that happened to a watched run, in words. */
export interface RunNews {
  readonly runId: string;
  readonly title: string;
  readonly body: string;
}

/** What watching needs from the outside. */
export interface RunWatchEffects {
  /** How the run stands; null when there is no such run. Rejects while nobody answers. */
  read(runId: string): Promise<WatchedRun | null>;
  notify(news: RunNews): void;
  /** Called when other runs than before are watched. */
  onChange(): void;
  readonly intervalMillis: number;
}

/** Runs that the user wants to hear of. */
export interface RunWatch {
  readonly runIds: () => readonly string[];
  readonly watch: (runId: string, isWatched: boolean) => void;
}

/**
 * Looks at the watched runs once they are watched and then again and again, and tells once when one ended, which is then
 * watched no more, and when one fell silent. A run that is gone is forgotten; while nobody answers, it is asked again.
 */
export function createRunWatch(effects: RunWatchEffects): RunWatch {
  /** Whether each watched run was silent when it was last looked at. */
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

/** What there is to tell of a run that was silent or not when it was last looked at; null when nothing is. */
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
