import { createServer } from 'node:net';

/** Returns the port if it is free on this machine, else 0 (any free port). Returns 0 for undefined. */
export function portOrAny(port: number | undefined): Promise<number> {
  if (port === undefined) return Promise.resolve(0);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}
