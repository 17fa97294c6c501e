/** Exit codes by which a shell recognises that a signal ended a program. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 };

/**
 * Returns an abort signal and the function `getExitCode`. The first SIGINT or SIGTERM aborts the abort signal. Handles
 * SIGINT and SIGTERM only once each, so a second SIGINT or a second SIGTERM ends the program immediately. `getExitCode`
 * returns the exit code for the last handled signal; 143 if there is none.
 */
export function abortOnSignals(): { signal: AbortSignal; getExitCode: () => number } {
  const controller = new AbortController();
  let exitCode = exitCodes.SIGTERM;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      exitCode = exitCodes[name];
      controller.abort();
    });
  }
  return { signal: controller.signal, getExitCode: () => exitCode };
}
