import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { ProblemError } from '#server/errors.ts';
import {
  equalSecrets,
  isAllowedHost,
  isAllowedOrigin,
  provesToken,
  tokenCookieHeader,
} from './security.ts';

/** Longest address of a request, in bytes. */
const maximumUrlBytes = 16_384;

/** Who may ask this service, and how. */
export interface AccessRules {
  allowedHosts: readonly string[];
  /** Asked for by every `/api` call but health; undefined: nobody has to prove anything. */
  token: string | undefined;
  /** The port listened on, known once it is. */
  port: () => number;
}

/**
 * Headers that tell the browser what our pages may do: scripts of this origin only and no `eval`, nothing
 * from elsewhere, no frame around them, no referrer to others.
 */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
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
  });
}

/** Refuses addresses longer than {@link maximumUrlBytes} with 414. */
export function limitUrl(request: Request, _response: Response, next: NextFunction): void {
  if (request.originalUrl.length > maximumUrlBytes) {
    throw new ProblemError('URI_TOO_LONG', 'The address is longer than 16 KiB');
  }
  next();
}

/** Refuses requests under a foreign host name, and changes that another site's page asks for, with 403. */
export function guardOrigin(rules: AccessRules): RequestHandler {
  return (request, _response, next) => {
    const { host, origin } = request.headers;
    if (!isAllowedHost(host, rules.port(), rules.allowedHosts)) {
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

/** Refuses calls that do not prove the token with 401; `/api/health` needs none. */
export function requireToken({ token }: AccessRules): RequestHandler {
  return (request, response, next) => {
    response.set('Cache-Control', 'no-cache');
    const needsToken = token !== undefined && request.path.replace(/\/+$/, '') !== '/health';
    if (needsToken && !provesToken(token, credentialsOf(request))) {
      throw new ProblemError('UNAUTHORIZED', 'Send the token as "Authorization: Bearer …"', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    next();
  };
}

/**
 * Gives the token to the pages as a cookie, when the request for the page proves it: by the header (the
 * desktop window), or by `?token=…` (a link from the console), which is then taken out of the address.
 * Nobody else gets it, on loopback either: any user of the machine can ask for a page.
 */
export function handOutToken({ token }: AccessRules): RequestHandler {
  return (request, response, next) => {
    if (token === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return next();
    const address = new URL(request.originalUrl, 'http://localhost');
    const given = address.searchParams.get('token');
    if (given !== null) {
      if (!equalSecrets(given, token)) throw new ProblemError('UNAUTHORIZED', 'The token is wrong');
      address.searchParams.delete('token');
      response.set('Cache-Control', 'no-store').set('Set-Cookie', tokenCookieHeader(token));
      return response.redirect(303, `/${address.pathname.replace(/^\/+/, '')}${address.search}`);
    }
    const authorization = request.headers.authorization;
    if (provesToken(token, { authorization, cookie: undefined })) {
      response.set('Set-Cookie', tokenCookieHeader(token));
    }
    next();
  };
}

function credentialsOf(request: Request) {
  return { authorization: request.headers.authorization, cookie: request.headers.cookie };
}
