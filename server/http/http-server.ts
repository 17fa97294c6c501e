import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Room for an address of 16 KiB, which the application refuses itself, and the other headers. */
const maximumHeaderBytes = 65_536;

/** Replaces an address that cannot be parsed; only OPTIONS can have this address. */
export const unreadableUrl = '*';

/**
 * A client that reads nothing of a response for this time is disconnected; a slow one has this time for the whole
 * response.
 */
const usualLimits = { stallMillis: 30_000, sendMillis: 600_000 };
const maximumConnections = 1_000;

/** Timeout of a request body, unless its endpoint accepts long ones. */
const receiveMillis = 30_000;
const receiving = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Returns a server with short timeouts: 10 s for the headers of a request, 30 s for the whole request (see {@link
 * liftReceiveLimit}), and 10 s for idle connections. It does not listen yet, and the application is its `request`
 * listener.
 */
export function createHttpServer(): Server {
  const options = {
    maxHeaderSize: maximumHeaderBytes,
    headersTimeout: 10_000,
    // This limit would apply to all endpoints: bodies have their own.
    requestTimeout: 0,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
  };
  // Handled before the application, which would fail for an address that cannot be parsed, with its own message.
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

/** Removes the time limit of a request body: its reader must enforce one. */
export function liftReceiveLimit(request: IncomingMessage): void {
  clearTimeout(receiving.get(request));
}

/** Closes the connection of a response if the client does not read it. */
export function limitSend(
  response: ServerResponse,
  { stallMillis, sendMillis } = usualLimits,
): void {
  const { socket } = response;
  const cut = () => void socket?.destroy();
  // The time without any byte read: the server resets it for the next request.
  response.setTimeout(stallMillis, cut);
  const timer = setTimeout(cut, sendMillis);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}
