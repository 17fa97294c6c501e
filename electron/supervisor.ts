import { ServiceStartError, type RunningService, type ServiceFailure } from './server-process.ts';

const restartWindowMillis = 60_000;
const maximumRestarts = 3;

/** Dependencies of the supervisor. */
export interface SupervisorDependencies {
  /** Forks a service and waits until it is ready; rejects with a {@link ServiceStartError}. */
  start(signal: AbortSignal): Promise<RunningService>;
  /**
   * Shows the service at this address after each start. `previousFailure` is the unexpected end of the previous
   * service; undefined for the first start and after a failed start.
   */
  show(url: string, previousFailure?: ServiceFailure): void;
  /** Shows a failure to the user. Resolves with the user's choice. */
  ask(failure: ServiceFailure): Promise<'retry' | 'quit'>;
  getNowMillis(): number;
}

/** The supervised service; see {@link superviseService}. */
export interface Supervisor {
  /**
   * Resolves with `stopped` after {@link Supervisor.stop}, or with `quit` if the user quits after a failure. The last
   * service has then ended.
   */
  readonly end: Promise<'stopped' | 'quit'>;
  /**
   * Stops the service, even while it is starting. Resolves when the service has ended and the user has closed the
   * dialog of a pending {@link SupervisorDependencies.ask}. Rejects with the error of `end`.
   */
  stop(): Promise<void>;
}

/**
 * Runs one service. Restarts it after an unexpected end. Asks the user if the service cannot start or ends too often
 * (see {@link canRestart}). `end` rejects with any error that is not a {@link ServiceStartError}.
 */
export function superviseService(dependencies: SupervisorDependencies): Supervisor {
  const stopController = new AbortController();
  let runningService: RunningService | undefined;

  const serveOnce = async (previousFailure?: ServiceFailure) => {
    try {
      runningService = await dependencies.start(stopController.signal);
    } catch (error) {
      if (error instanceof ServiceStartError) return { failure: error.failure, isStarted: false };
      throw error;
    }
    dependencies.show(runningService.url, previousFailure);
    const failure = await runningService.end;
    runningService = undefined;
    return { failure, isStarted: true };
  };

  const serve = async (): Promise<'stopped' | 'quit'> => {
    const endTimesMillis: number[] = [];
    let previousFailure: ServiceFailure | undefined;
    while (!stopController.signal.aborted) {
      const { failure, isStarted } = await serveOnce(previousFailure);
      if (stopController.signal.aborted) return 'stopped';
      endTimesMillis.push(dependencies.getNowMillis());
      previousFailure = isStarted ? failure : undefined;
      if (isStarted && canRestart(endTimesMillis)) continue;
      if ((await dependencies.ask(failure)) === 'quit') return 'quit';
      endTimesMillis.length = 0;
    }
    return 'stopped';
  };

  const end = serve();
  return {
    end,
    async stop() {
      stopController.abort();
      await runningService?.stop();
      await end;
    },
  };
}

/**
 * Returns whether to restart a service without asking the user. `endTimesMillis` are the times at which the service
 * ended, in ascending order. Allows at most three ends within a minute.
 */
export function canRestart(endTimesMillis: readonly number[]): boolean {
  const lastEndMillis = endTimesMillis.at(-1) ?? 0;
  const recentEnds = endTimesMillis.filter(
    (endMillis) => endMillis > lastEndMillis - restartWindowMillis,
  );
  return recentEnds.length <= maximumRestarts;
}
