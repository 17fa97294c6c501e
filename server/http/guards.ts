import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '#server/errors.ts';
import {
  equalSecrets,
  isAllowedHost,
  isAllowedOrigin,
  provesToken,
  tokenCookieHeader,
} from './security.ts';
import { unreadableUrl } from './http-server.ts';
import { isStranger } from './stranger.ts';

/** Longest address of a request, in bytes. */
const maximumUrlBytes = 16_384;

/** Who may ask this service, and how. */
export interface AccessRules {
  allowedHosts: readonly string[];
  /** Asked for by every `/api` call but health; undefined: only this user's processes get in, without proof. */
  token: string | undefined;
  /** The port listened on, known once it is. */
  port: () => number;
}

/**
 * Headers that tell the browser what our pages may do: scripts of this origin only and no `eval`, nothing
 * from elsewhere, no frame around them, no referrer to others.
 */
export function securityHeaders(): RequestHandler {
  const headers = headersOf(
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
      // Speaks of a transport that a service on loopback does not have.
      strictTransportSecurity: false,
    }),
  );
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** The headers that a step sets, which are the same for every request. */
function headersOf(step: ReturnType<typeof helmet>): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response = { setHeader: headers.set.bind(headers), removeHeader: () => {} };
  step({} as never, response as never, () => {});
  return headers;
}

/** Refuses addresses longer than {@link maximumUrlBytes} with 414, and with 400 what is no address. */
export function guardUrl(request: Request, _response: Response, next: NextFunction): void {
  const { originalUrl } = request;
  if (originalUrl.length > maximumUrlBytes) {
    throw new ProblemError('URI_TOO_LONG', 'The address is longer than 16 KiB');
  }
  if (originalUrl === unreadableUrl) {
    throw new ProblemError('VALIDATION_FAILED', 'The address cannot be read');
  }
  next();
}

/**
 * Refuses requests under a foreign host name, in the header or in an address that names one itself, and changes that
 * another site's page asks for, with 403; with 400 those with several `Host` headers.
 */
export function guardOrigin(rules: AccessRules): RequestHandler {
  return (request, _response, next) => {
    const { host, origin } = request.headers;
    if ((request.headersDistinct['host']?.length ?? 0) > 1) {
      throw new ProblemError('VALIDATION_FAILED', 'The request has more than one Host header');
    }
    const isAllowed = (name: string | undefined) =>
      isAllowedHost(name, rules.port(), rules.allowedHosts);
    if (!isAllowed(host) || !isAllowed(hostOfTarget(request.originalUrl) ?? host)) {
      throw new ProblemError(
        'FORBIDDEN_HOST',
        'This host name is not allowed; name it in SVC_ALLOWED_HOSTS if it is yours',
      );
    }
    const secFetchSite = request.get('sec-fetch-site');
    if (!isAllowedOrigin({ method: request.method, host, origin, secFetchSite })) {
      throw new ProblemError('FORBIDDEN_ORIGIN', 'Another site may not change anything here');
    }
    next();
  };
}

/** The host that an address names which is a whole URL, as proxies are sent; undefined for a path. */
function hostOfTarget(target: string): string | undefined {
  return /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/**
 * Refuses `/api` calls but `/api/health`: with 401 those that do not prove the token, where one is asked for,
 * wrong ones only after a while; else with 403 those of other users of this machine. Health does not name the database to
 * them.
 */
export function guardAccess(rules: AccessRules): RequestHandler {
  return async (request, response, next) => {
    response.set('Cache-Control', 'no-cache');
    if (request.path.replace(/\/+$/, '') === '/health') {
      response.locals[outsider] = isOutsider(rules, request);
      return next();
    }
    if (rules.token !== undefined) await requireToken(rules, request);
    else if (isOutsider(rules, request)) throw strangerProblem();
    next();
  };
}

/** Whether `response.locals` says that a request for health is one of an outsider. */
export const outsider = 'isOutsider';

/** Whether a request comes from another user of this machine; with a token, from a client that does not prove it. */
export function isOutsider({ token, port }: AccessRules, request: Request): boolean {
  if (token === undefined) return isStranger(request.socket);
  const { authorization, cookie } = request.headers;
  return !provesToken({ token, port: port() }, { authorization, cookie });
}

async function requireToken(rules: AccessRules, request: Request): Promise<void> {
  if (!isOutsider(rules, request)) return;
  if (request.headers.authorization !== undefined) await slowGuess();
  throw new ProblemError('UNAUTHORIZED', 'Send the token as "Authorization: Bearer …"', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function strangerProblem(): ProblemError {
  return new ProblemError(
    'FORBIDDEN_USER',
    'This service belongs to another user of this machine; with SVC_TOKEN it lets in who knows the token',
  );
}

/** When the answer to the next wrong guess may go. */
let nextGuessMillis = 0;

/** Settles when a wrong guess may be answered: one after another, a tenth of a second each, 5 s at most. */
async function slowGuess(): Promise<void> {
  const now = performance.now();
  nextGuessMillis = Math.min(Math.max(nextGuessMillis, now) + 100, now + 5_000);
  await delay(nextGuessMillis - now);
}

/**
 * Gives the token to the pages as a cookie, when the request for the page proves it: by the header (the
 * desktop window), or by `?token=…` (a link from the console), which is then taken out of the address.
 * Nobody else gets it, on loopback either: any user of the machine can ask for a page.
 */
export function handOutToken({ token, port }: AccessRules): RequestHandler {
  return async (request, response, next) => {
    if (token === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return next();
    const rule = { token, port: port() };
    const address = new URL(request.originalUrl, 'http://localhost');
    const given = address.searchParams.get('token');
    if (given !== null) {
      if (!equalSecrets(given, token)) {
        await slowGuess();
        throw new ProblemError('UNAUTHORIZED', 'The token is wrong');
      }
      address.searchParams.delete('token');
      response.set('Cache-Control', 'no-store').set('Set-Cookie', tokenCookieHeader(rule));
      return response.redirect(303, `/${address.pathname.replace(/^\/+/, '')}${address.search}`);
    }
    const authorization = request.headers.authorization;
    if (provesToken(rule, { authorization, cookie: undefined })) {
      response.set('Set-Cookie', tokenCookieHeader(rule));
    }
    next();
  };
}
