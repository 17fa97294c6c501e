import { createServer, type Server } from 'node:http';

/** Room for an address of 16 KiB, which the application refuses itself, and the other headers. */
const maximumHeaderBytes = 65_536;

/**
 * A server that waits for nobody for long: 10 s for the headers of a request, 30 s for all of it, and
 * connections closed after 10 s without one. Neither listens nor answers yet: the application is its `request`
 * listener.
 */
export function createHttpServer(): Server {
  return createServer({
    maxHeaderSize: maximumHeaderBytes,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
  });
}
