/** What a shell takes a program's exit for that a signal ended. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 };

/** A signal that the first SIGINT or SIGTERM aborts, and the exit code that says which of them came. */
export function abortOnSignals(): { signal: AbortSignal; exitCode: () => number } {
  const controller = new AbortController();
  let received = exitCodes.SIGTERM;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      received = exitCodes[name];
      controller.abort();
    });
  }
  return { signal: controller.signal, exitCode: () => received };
}
