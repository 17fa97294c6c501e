/** Exit codes by which a shell recognises that a signal ended a program. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 };

/**
 * Returns an abort signal that the first SIGINT or SIGTERM aborts, and the function `getExitCode`. Handles each of the
 * two signals only once: the second one of the same name ends the program. `getExitCode` returns the exit code of the
 * last handled signal, 143 before the first one.
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
