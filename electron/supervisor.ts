import { ServiceStartError, type RunningService, type ServiceProblem } from './server-process.ts';

const restartWindowMillis = 60_000;
const restartsWithinWindow = 3;

/** The dependencies of the supervisor. */
export interface SupervisorEffects {
  /** Forks a service and waits until it is ready; rejects with a {@link ServiceStartError}. */
  start(signal: AbortSignal): Promise<RunningService>;
  /**
   * Called with the address of the service after each start, and with the problem of the previous service if it ended
   * unexpectedly.
   */
  show(url: string, ended?: ServiceProblem): void;
  /** Shows a problem to the user and returns their choice. */
  ask(problem: ServiceProblem): Promise<'again' | 'quit'>;
  nowMillis(): number;
}

export interface Supervisor {
  /** Resolves when no service runs any more: `stopped` by {@link Supervisor.stop}, or `quit` by the user after a failure. */
  readonly finished: Promise<'stopped' | 'quit'>;
  /** Ends the service, even while it is starting. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Keeps one service running. Restarts it after an unexpected end; asks the user if it cannot start or ends too often
 * (see {@link mayRestart}). `finished` rejects with any error that is not a {@link ServiceStartError}.
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

  const serve = async (): Promise<'stopped' | 'quit'> => {
    const endsMillis: number[] = [];
    let ended: ServiceProblem | undefined;
    while (!stopping.signal.aborted) {
      const { problem, started } = await serveOnce(ended);
      if (stopping.signal.aborted) return 'stopped';
      endsMillis.push(effects.nowMillis());
      ended = started ? problem : undefined;
      if (started && mayRestart(endsMillis)) continue;
      if ((await effects.ask(problem)) === 'quit') return 'quit';
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
 * Returns whether to restart a service without a question. `endsMillis` are the times of its ends in ascending order;
 * at most three within a minute are allowed.
 */
export function mayRestart(endsMillis: readonly number[]): boolean {
  const last = endsMillis.at(-1) ?? 0;
  const recent = endsMillis.filter((end) => end > last - restartWindowMillis);
  return recent.length <= restartsWithinWindow;
}
