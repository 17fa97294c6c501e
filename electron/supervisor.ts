import { ServiceStartError, type RunningService, type ServiceProblem } from './server-process.ts';

const restartWindowMillis = 60_000;
const restartsWithinWindow = 3;

/** What supervising needs from the outside. */
export interface SupervisorEffects {
  /** Forks a service and waits until it is ready; rejects with a {@link ServiceStartError}. */
  start(signal: AbortSignal): Promise<RunningService>;
  /** Called with the address of the service after each start; with how the last one ended, when it ended by itself. */
  show(url: string, ended?: ServiceProblem): void;
  /** Tells the user what happened and returns what they chose. */
  ask(problem: ServiceProblem): Promise<'again' | 'quit'>;
  nowMillis(): number;
}

export interface Supervisor {
  /** Settles when there is no service any more, and with who wanted that. */
  readonly finished: Promise<'stopped' | 'given up'>;
  /** Ends the service, also one that is still starting. Settles when it has ended. */
  stop(): Promise<void>;
}

/**
 * Keeps one service running: starts it again by itself when it ends unexpectedly, and asks the user when it
 * cannot be started or ends too often (see {@link mayRestart}). An error that is not a
 * {@link ServiceStartError} is not handled here: `finished` rejects with it.
 */
export function superviseService(effects: SupervisorEffects): Supervisor {
  const stopping = new AbortController();
  let running: RunningService | undefined;

  const serveOnce = async (ended?: ServiceProblem) => {
    try {
      running = await effects.start(stopping.signal);
    } catch (error) {
      if (error instanceof ServiceStartError) return { problem: error.problem, started: false };
      throw error;
    }
    effects.show(running.url, ended);
    const problem = await running.ended;
    running = undefined;
    return { problem, started: true };
  };

  const serve = async (): Promise<'stopped' | 'given up'> => {
    const endsMillis: number[] = [];
    let ended: ServiceProblem | undefined;
    while (!stopping.signal.aborted) {
      const { problem, started } = await serveOnce(ended);
      if (stopping.signal.aborted) return 'stopped';
      endsMillis.push(effects.nowMillis());
      ended = started ? problem : undefined;
      if (started && mayRestart(endsMillis)) continue;
      if ((await effects.ask(problem)) === 'quit') return 'given up';
      endsMillis.length = 0;
    }
    return 'stopped';
  };

  const finished = serve();
  return {
    finished,
    async stop() {
      stopping.abort();
      await running?.stop();
      await finished;
    },
  };
}

/**
 * Whether a service that ended at the last of these times (ascending, milliseconds) is started again without
 * asking: at most three times within a minute, so that one that cannot live does not flicker for ever.
 */
export function mayRestart(endsMillis: readonly number[]): boolean {
  const last = endsMillis.at(-1) ?? 0;
  const recent = endsMillis.filter((end) => end > last - restartWindowMillis);
  return recent.length <= restartsWithinWindow;
}
