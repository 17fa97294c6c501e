import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Room for an address of 16 KiB, which the application refuses itself, and the other headers. */
const maximumHeaderBytes = 65_536;

/** What stands for the address of a request that cannot be read; no address is written so but that of OPTIONS. */
export const unreadableUrl = '*';

/** A client that takes nothing of an answer for so long is gone; one that takes it slowly has this long for all. */
const usualLimits = { stallMillis: 30_000, sendMillis: 600_000 };
const maximumConnections = 1_000;

/** How long the body of a request may take, unless its endpoint takes long ones. */
const receiveMillis = 30_000;
const receiving = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * A server that waits for nobody for long: 10 s for the headers of a request, 30 s for all of it (see
 * {@link liftReceiveLimit}), and connections closed after 10 s without one. Neither listens nor answers yet: the application is its `request`
 * listener.
 */
export function createHttpServer(): Server {
  const options = {
    maxHeaderSize: maximumHeaderBytes,
    headersTimeout: 10_000,
    // It would hold for all endpoints alike: bodies have their own limit.
    requestTimeout: 0,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
  };
  // Before the application: it would fail over an address that cannot be read, in words of its own.
  const server = createServer(options, (request, response) => {
    limitReceive(request, response);
    if (!URL.canParse(request.url ?? '', 'http://localhost')) request.url = unreadableUrl;
  });
  server.maxConnections = maximumConnections;
  return server;
}

function limitReceive(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent) response.writeHead(408, { Connection: 'close' }).end();
    request.socket.destroySoon();
  }, receiveMillis);
  receiving.set(request, timer.unref());
  request.once('close', () => clearTimeout(timer));
}

/** Lets the body of a request take its time: whoever reads it must limit that. */
export function liftReceiveLimit(request: IncomingMessage): void {
  clearTimeout(receiving.get(request));
}

/** Closes the connection of an answer, from now on, when the client does not take it. */
export function limitSend(
  response: ServerResponse,
  { stallMillis, sendMillis } = usualLimits,
): void {
  const { socket } = response;
  const cut = () => void socket?.destroy();
  // The time without any byte taken: the server sets it anew for the next request.
  response.setTimeout(stallMillis, cut);
  const timer = setTimeout(cut, sendMillis);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}
