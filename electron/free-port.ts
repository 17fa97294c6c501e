import { createServer } from 'node:net';

/**
 * Returns the port if a program can listen on it at 127.0.0.1. Otherwise, and for undefined, returns 0 (any free port).
 * Rejects with a RangeError for a port outside 0 to 65,535.
 */
export function findPort(port: number | undefined): Promise<number> {
  if (port === undefined) return Promise.resolve(0);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
