import helmet from 'helmet';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';
import { makeProblemDocument, ProblemError } from '#server/errors.ts';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

// An import of this module would also load the HTTP client of Node, which takes 13 MB and 30 ms.
const { createServer } = process.getBuiltinModule('node:http');

/** Maximum size of the headers, in bytes: enough for a URL of {@link maximumUrlBytes} and for other headers. */
const maximumHeaderBytes = 65_536;

/** Replacement for a URL that the server cannot parse. In HTTP, only OPTIONS has this URL. */
export const unreadableUrl = '*';

/**
 * Limits of sending. The server closes a connection if it carries no byte for `stallMillis`, or if the client has not
 * read the whole response within `sendMillis`.
 */
const defaultSendLimits = { stallMillis: 30_000, sendMillis: 600_000 };
const maximumConnections = 1_000;

/** Times at which the server accepted connections, in milliseconds of `performance.now()`. */
const acceptTimes = new WeakMap<Socket, number>();

/** Timeout of a request body in milliseconds, unless {@link liftReceiveLimit} removes it. */
const defaultReceiveMillis = 30_000;
const receiveTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Returns a server for at most 1,000 connections with short timeouts: 10 s for the headers of a request,
 * `receiveMillis` for its body (30 s by default, see {@link liftReceiveLimit}), and about 10 s for idle connections.
 * The server replaces a URL that it cannot parse with {@link unreadableUrl}. It resets a connection of HTTP/1.0 that it
 * closes before the end of a response, because in HTTP/1.0 the end of the connection is the end of the response. It
 * does not listen yet. The caller must add the application as a `request` listener.
 */
export function createHttpServer(receiveMillis = defaultReceiveMillis): Server {
  const options = {
    maxHeaderSize: maximumHeaderBytes,
    headersTimeout: 10_000,
    // This limit would apply to all endpoints; `limitReceiving` limits bodies instead.
    requestTimeout: 0,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
  };
  // This listener runs before the application, which would fail for a URL that it cannot parse.
  const server = createServer(options, (request, response) => {
    limitReceiving(request, response, receiveMillis);
    if (request.httpVersion === '1.0') resetIncompleteResponse(request.socket, response);
    if (!URL.canParse(request.url ?? '', 'http://localhost')) request.url = unreadableUrl;
  });
  server.maxConnections = maximumConnections;
  server.on('connection', (socket: Socket) => acceptTimes.set(socket, performance.now()));
  return server;
}

/**
 * Makes the connection end with a reset if it is closed before the end of the response. Otherwise, a client of HTTP/1.0,
 * such as nginx by default, accepts an incomplete response without a length as complete.
 */
function resetIncompleteResponse(socket: Socket, response: ServerResponse): void {
  socket.destroy = (error) => {
    // The method of the class is then visible again.
    Reflect.deleteProperty(socket, 'destroy');
    return response.writableFinished ? socket.destroy(error) : socket.resetAndDestroy();
  };
}

function limitReceiving(
  request: IncomingMessage,
  response: ServerResponse,
  receiveMillis: number,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent) sendReceiveTimeout(request, response, receiveMillis);
    request.socket.destroySoon();
  }, receiveMillis);
  receiveTimers.set(request, timer.unref());
  request.once('close', () => clearTimeout(timer));
}

/** Sends the error REQUEST_TIMEOUT as a problem document. */
function sendReceiveTimeout(
  request: IncomingMessage,
  response: ServerResponse,
  receiveMillis: number,
): void {
  const error = new ProblemError(
    'REQUEST_TIMEOUT',
    `The body was incomplete after ${receiveMillis / 1_000} s. Send the request again`,
  );
  const [path = ''] = (request.url ?? '').split('?');
  const body = JSON.stringify(makeProblemDocument(error, path));
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Type': 'application/problem+json; charset=utf-8',
    // Without a length, the middleware would compress the body, and the caller would close the connection too early.
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  response.writeHead(408, headers).end(body);
}

/** Removes the timeout of a request body. The reader of the body must then enforce its own timeout. */
export function liftReceiveLimit(request: IncomingMessage): void {
  clearTimeout(receiveTimers.get(request));
}

/** Closes the connection of a response that exceeds the limits; see {@link defaultSendLimits}. */
export function limitSending(
  response: ServerResponse,
  { stallMillis, sendMillis } = defaultSendLimits,
): void {
  const { socket } = response;
  const disconnect = () => void socket?.destroy();
  // This is the time without any byte on the connection. The server resets this timeout for the next request.
  response.setTimeout(stallMillis, disconnect);
  const timer = setTimeout(disconnect, sendMillis);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}

/** Maximum length of a URL, in bytes. */
const maximumUrlBytes = 16_384;

/** Options that restrict access to this service. */
export interface AccessRules {
  allowedHosts: readonly string[];
  /**
   * Token that every request under `/api`, `/mlflow` and `/mcp` requires, except requests for health. If undefined,
   * other users of this machine have no access; see {@link isFromOtherUser}.
   */
  token: string | undefined;
  /** The port on which the server listens. */
  readonly port: number;
}

/**
 * Returns a handler that restricts our pages by headers: only scripts of this origin and no `eval`, no resources of
 * other sites, no frame around them, no referrer.
 */
export function createSecurityHeadersHandler(): RequestHandler {
  const headers = getHeaders(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:', 'blob:'],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          workerSrc: ["'self'"],
          objectSrc: ["'none'"],
          baseUri: ["'none'"],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
        },
      },
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
      // This header requires HTTPS, which a service on loopback does not have.
      strictTransportSecurity: false,
    }),
  );
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Returns the headers that a middleware sets, which are the same for every request. */
function getHeaders(middleware: ReturnType<typeof helmet>): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response = { setHeader: headers.set.bind(headers), removeHeader: () => {} };
  middleware({} as never, response as never, () => {});
  return headers;
}

/** Throws URI_TOO_LONG for a URL longer than {@link maximumUrlBytes}, and VALIDATION_FAILED for an invalid URL. */
export function guardUrl(request: Request, _response: Response, next: NextFunction): void {
  const { originalUrl } = request;
  if (originalUrl.length > maximumUrlBytes) {
    throw new ProblemError('URI_TOO_LONG', 'The URL is longer than 16 KiB. Send fewer parameters');
  }
  if (originalUrl === unreadableUrl) {
    throw new ProblemError(
      'VALIDATION_FAILED',
      'The URL is invalid. Encode its special characters',
    );
  }
  next();
}

/**
 * Returns a handler that refuses requests to other hosts and from other sites. It throws FORBIDDEN_HOST if {@link
 * isAllowedHost} is false for the host in the header or in the URL, and FORBIDDEN_ORIGIN if {@link isAllowedOrigin} is
 * false. It throws VALIDATION_FAILED for several `Host` headers.
 */
export function guardOrigin(rules: AccessRules): RequestHandler {
  return (request, _response, next) => {
    const { host, origin } = request.headers;
    if ((request.headersDistinct['host']?.length ?? 0) > 1) {
      throw new ProblemError(
        'VALIDATION_FAILED',
        'The request has more than one Host header. Send one',
      );
    }
    const isAllowed = (name: string | undefined) =>
      isAllowedHost(name, rules.port, rules.allowedHosts);
    if (!isAllowed(host) || !isAllowed(getHostOfTarget(request.originalUrl) ?? host)) {
      throw new ProblemError(
        'FORBIDDEN_HOST',
        'The service does not accept this host name; name it in SVC_ALLOWED_HOSTS if it is yours',
      );
    }
    const secFetchSite = request.get('sec-fetch-site');
    if (!isAllowedOrigin({ method: request.method, host, origin, secFetchSite })) {
      throw new ProblemError(
        'FORBIDDEN_ORIGIN',
        'Another site may not change anything here. Send the request from a page of this service or from a program',
      );
    }
    next();
  };
}

/** Returns the host of the target of a request if it is a whole URL, as for proxies; undefined for a path. */
function getHostOfTarget(target: string): string | undefined {
  return /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/**
 * Returns a handler that refuses clients without access. If `rules` contain a token, it throws UNAUTHORIZED for a
 * request that does not prove the token, after a delay if the request has an `Authorization` header. Otherwise it
 * throws FORBIDDEN_USER for other users of this machine. It does not refuse requests for `/health`, but sets {@link
 * noAccessKey}, because the response must not name the database to clients without access. The handler sets
 * `Cache-Control: no-cache`.
 */
export function guardAccess(rules: AccessRules): RequestHandler {
  return async (request, response, next) => {
    response.set('Cache-Control', 'no-cache');
    if (request.path.replace(/\/+$/, '') === '/health') {
      response.locals[noAccessKey] = hasNoAccess(rules, request);
      return next();
    }
    if (rules.token !== undefined) await requireToken(rules, request);
    else if (hasNoAccess(rules, request)) throw makeOtherUserError();
    next();
  };
}

/** Key in `response.locals` of a boolean: whether a request for health comes from a client without access. */
export const noAccessKey = 'hasNoAccess';

/** Returns whether a request does not prove the token or, without a token, comes from another user. */
export function hasNoAccess({ token, port }: AccessRules, request: Request): boolean {
  if (token === undefined) return isFromOtherUser(request.socket);
  const { authorization, cookie } = request.headers;
  return !hasToken({ token, port }, { authorization, cookie });
}

async function requireToken(rules: AccessRules, request: Request): Promise<void> {
  if (!hasNoAccess(rules, request)) return;
  if (request.headers.authorization !== undefined) await delayNextGuess();
  throw new ProblemError(
    'UNAUTHORIZED',
    'The token is missing or invalid. Send it as "Authorization: Bearer …", or open a page with ?token=… in the browser',
    {
      headers: { 'WWW-Authenticate': 'Bearer' },
    },
  );
}

function makeOtherUserError(): ProblemError {
  return new ProblemError(
    'FORBIDDEN_USER',
    'This service belongs to another user of this machine. It can serve other users with a token (SVC_TOKEN)',
  );
}

/** Time of the response to the latest invalid token, in milliseconds of `performance.now()`. */
let latestRejectionMillis = 0;

/**
 * Resolves when the service may reject an invalid token. The service rejects one invalid token per 0.1 s, but each one
 * after at most 5 s.
 */
async function delayNextGuess(): Promise<void> {
  const now = performance.now();
  latestRejectionMillis = Math.min(Math.max(latestRejectionMillis, now) + 100, now + 5_000);
  await delay(latestRejectionMillis - now);
}

/**
 * Returns a handler that sets the cookie of our pages if a GET or HEAD request for a page proves the token. The desktop
 * window proves it by the header `Authorization`. A link from the console proves it by `?token=…`. The handler
 * redirects a link to its URL without the token, and throws UNAUTHORIZED, after a delay, for an invalid token in a
 * link. No other client gets the cookie, even on loopback, because any user of the machine can request a page.
 */
export function sendTokenCookie({ token, port }: AccessRules): RequestHandler {
  return async (request, response, next) => {
    if (token === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return next();
    const scope = { token, port };
    const url = new URL(request.originalUrl, 'http://localhost');
    const tokenInLink = url.searchParams.get('token');
    if (tokenInLink !== null) {
      if (!isEqualSecret(tokenInLink, token)) {
        await delayNextGuess();
        throw new ProblemError(
          'UNAUTHORIZED',
          'The token in the link is invalid. Open the link with the token of this service (SVC_TOKEN)',
        );
      }
      url.searchParams.delete('token');
      response.set('Cache-Control', 'no-store').set('Set-Cookie', makeTokenCookieHeader(scope));
      return response.redirect(303, `/${url.pathname.replace(/^\/+/, '')}${url.search}`);
    }
    const authorization = request.headers.authorization;
    if (hasToken(scope, { authorization, cookie: undefined })) {
      response.set('Set-Cookie', makeTokenCookieHeader(scope));
    }
    next();
  };
}

const otherUserCache = new WeakMap<Socket, boolean>();

/**
 * Returns whether a connection comes from a process of another user of this machine except the superuser. Caches the
 * result for each connection. Works only on Linux, where the table of connections shows the user of each connection.
 * Returns false on other systems and for clients that do not use loopback. Returns true if the table does not show the
 * user, for example because the process has already ended.
 */
export function isFromOtherUser(socket: Socket): boolean {
  const cachedResult = otherUserCache.get(socket);
  if (cachedResult !== undefined) return cachedResult;
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  const isLocal = /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
  const ownUserId = process.getuid?.();
  const hasOtherOwner =
    process.platform === 'linux' &&
    isLocal &&
    ![0, ownUserId].includes(
      getOwner(
        [
          [remoteAddress, remotePort],
          [localAddress, localPort],
        ],
        acceptTimes.get(socket) ?? Infinity,
      ),
    );
  otherUserCache.set(socket, hasOtherOwner);
  return hasOtherOwner;
}

type End = readonly [address: string, port: number];

/**
 * Returns the user id of the process at the first end of a connection; undefined if the tables show no process. The
 * server accepted the connection at `acceptedAt`, in milliseconds of `performance.now()`.
 */
function getOwner(ends: readonly [End, End], acceptedAt: number): number | undefined {
  const isIpv4 = ends[0][0].includes('.');
  return (
    (isIpv4 ? findOwner(ends, { table: 'tcp', pack: packIpv4, acceptedAt }) : undefined) ??
    findOwner(ends, { table: 'tcp6', pack: packIpv6, acceptedAt })
  );
}

type ConnectionTable = 'tcp' | 'tcp6';

function findOwner(
  ends: readonly [End, End],
  options: { table: ConnectionTable; pack: (address: string) => string; acceptedAt: number },
): number | undefined {
  const { table, pack, acceptedAt } = options;
  const [clientEnd, serverEnd] = ends.map(
    ([address, port]) => `${pack(address)}:${formatHex(port, 4)}`,
  );
  const text = readConnections(table, acceptedAt);
  const start = text.indexOf(`: ${clientEnd} ${serverEnd} `);
  if (start < 0) return undefined;
  const [, , , , , , , uid, , inode] = text.slice(start, text.indexOf('\n', start)).split(/\s+/);
  return uid === undefined || inode === '0' ? undefined : Number(uid);
}

/** Cache of the tables of connections. The system needs milliseconds to write a table of many connections. */
const connectionTables = new Map<ConnectionTable, { text: string; readAt: number }>();

/**
 * Returns a table of connections. This is the cached one if the service read it after `earliestTime`, in milliseconds
 * of `performance.now()`, otherwise a new one.
 */
function readConnections(table: ConnectionTable, earliestTime: number): string {
  const cachedTable = connectionTables.get(table);
  if (cachedTable !== undefined && cachedTable.readAt > earliestTime) return cachedTable.text;
  const readAt = performance.now();
  const text = readFileSync(`/proc/net/${table}`, 'latin1');
  connectionTables.set(table, { text, readAt });
  return text;
}

/**
 * Returns an IPv4 address, also one mapped to IPv6, as the table writes it: in hexadecimal, with the last byte first.
 */
function packIpv4(address: string): string {
  const bytes = address.replace('::ffff:', '').split('.');
  return bytes
    .toReversed()
    .map((byte) => formatHex(Number(byte), 2))
    .join('');
}

/**
 * Returns the loopback address or an IPv4 address as the table of IPv6 connections writes it: in hexadecimal, as words
 * of 4 bytes with the last byte first.
 */
function packIpv6(address: string): string {
  return address === '::1'
    ? `${'0'.repeat(24)}01000000`
    : `${'0'.repeat(16)}FFFF0000${packIpv4(address)}`;
}

function formatHex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

/** A token and the port of its service. Only services with both accept the cookie. */
export interface TokenScope {
  token: string;
  port: number;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
const siteValuesOfOurPages = new Set(['same-origin', 'none']);

/**
 * Returns whether a `Host` header names this service, to protect against DNS rebinding. The host must be a loopback
 * name with our port, or without a port if our port is 80, or one of the allowed names. An allowed name with a port
 * matches only this port. An allowed name without a port matches any port or none. Returns false for a missing header.
 */
export function isAllowedHost(
  host: string | undefined,
  port: number,
  allowedHosts: readonly string[],
): boolean {
  if (host === undefined) return false;
  const hostName = host.toLowerCase();
  const isLoopbackHost = loopbackNames.some(
    (name) => hostName === `${name}:${port}` || (port === 80 && hostName === name),
  );
  const nameWithoutPort = hostName.replace(/:\d*$/, '');
  return (
    isLoopbackHost ||
    allowedHosts.some((name) => [hostName, nameWithoutPort].includes(name.trim().toLowerCase()))
  );
}

/** The method of a request, and its headers that show which site sent it. */
export interface RequestOrigin {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

/**
 * Returns whether the sender of a request may send it. Returns true for GET and HEAD, which change nothing. Returns
 * true for another method if the browser reports that our own page or the user sent the request: `Sec-Fetch-Site` is
 * same-origin or none, or `Origin` is the host of the `Host` header with `http` or `https`. Also returns true without
 * these two headers, because the request is then not from a browser.
 */
export function isAllowedOrigin(request: RequestOrigin): boolean {
  const { method, host, origin, secFetchSite } = request;
  if (method === 'GET' || method === 'HEAD') return true;
  if (secFetchSite === undefined && origin === undefined) return true;
  if (secFetchSite !== undefined && siteValuesOfOurPages.has(secFetchSite)) return true;
  return (
    origin !== undefined && host !== undefined && getHostOfOrigin(origin) === host.toLowerCase()
  );
}

function getHostOfOrigin(origin: string): string | null {
  const match = /^https?:\/\/([^/]+)$/i.exec(origin);
  return match?.[1]?.toLowerCase() ?? null;
}

/** The headers of a request that can prove the token. */
export interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
}

/** Returns whether a request proves the token: by `Authorization: Bearer`, or by the cookie of our pages. */
export function hasToken(scope: TokenScope, headers: Credentials): boolean {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const cookieValue = parseCookie(headers.cookie ?? '')[getCookieName(scope)];
  return isEqualSecret(bearer, scope.token) || isEqualSecret(cookieValue, makeCookieValue(scope));
}

/** Returns whether two secrets are equal, in a time that depends only on their lengths; false for an absent secret. */
export function isEqualSecret(actualSecret: string | undefined, expectedSecret: string): boolean {
  const isEqual = timingSafeEqual(hashText(actualSecret ?? ''), hashText(expectedSecret));
  return isEqual && actualSecret !== undefined;
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Returns the `Set-Cookie` value that grants the pages of this origin access until the browser closes. Browsers send
 * cookies to all ports of a host, so the name of the cookie contains the port, and its value depends on the token and
 * the port.
 */
export function makeTokenCookieHeader(scope: TokenScope): string {
  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
  return stringifySetCookie(getCookieName(scope), makeCookieValue(scope), cookieOptions);
}

function getCookieName({ port }: TokenScope): string {
  return `evoscope-${port}`;
}

function makeCookieValue({ token, port }: TokenScope): string {
  return createHmac('sha256', token).update(`cookie of port ${port}`).digest('base64url');
}
