import { parseCookie, stringifySetCookie } from 'cookie';
import { createHash, timingSafeEqual } from 'node:crypto';

/** Name of the cookie that carries the token for pages. */
export const tokenCookie = 'evoscope-token';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
const siteValuesOfOurPages = new Set(['same-origin', 'none']);

/**
 * Whether a `Host` header names this service: a loopback name with our port (which may be left out only
 * where it is 80), or one of the allowed names, with the port it is allowed with or, when it is allowed
 * without one, with any. A missing header names nothing. Guards against DNS rebinding.
 */
export function isAllowedHost(
  host: string | undefined,
  port: number,
  allowedHosts: readonly string[],
): boolean {
  if (host === undefined) return false;
  const asked = host.toLowerCase();
  const isOurs = loopbackNames.some(
    (name) => asked === `${name}:${port}` || (port === 80 && asked === name),
  );
  const withoutPort = asked.replace(/:\d*$/, '');
  return (
    isOurs || allowedHosts.some((name) => [asked, withoutPort].includes(name.trim().toLowerCase()))
  );
}

/** What of a request says which site sent it. */
export interface RequestOrigin {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

/**
 * Whether a request may change something: GET and HEAD always, others when the browser says that our own
 * page or the user sent it (`Sec-Fetch-Site` same-origin or none, or an `Origin` equal to the Host), or
 * when no browser sent it (neither header).
 */
export function isAllowedOrigin(request: RequestOrigin): boolean {
  const { method, host, origin, secFetchSite } = request;
  if (method === 'GET' || method === 'HEAD') return true;
  if (secFetchSite === undefined && origin === undefined) return true;
  if (secFetchSite !== undefined && siteValuesOfOurPages.has(secFetchSite)) return true;
  return origin !== undefined && host !== undefined && hostOfOrigin(origin) === host.toLowerCase();
}

function hostOfOrigin(origin: string): string | null {
  const match = /^https?:\/\/([^/]+)$/i.exec(origin);
  return match?.[1]?.toLowerCase() ?? null;
}

/** Whether a request proves the token: as `Authorization: Bearer`, or in the cookie of our pages. */
export function provesToken(
  token: string,
  headers: { authorization: string | undefined; cookie: string | undefined },
): boolean {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const inCookie = parseCookie(headers.cookie ?? '')[tokenCookie];
  return equalSecrets(bearer, token) || equalSecrets(inCookie, token);
}

/** Whether two secrets are equal, in a time that depends on neither; an absent one equals nothing. */
export function equalSecrets(given: string | undefined, expected: string): boolean {
  const isEqual = timingSafeEqual(digest(given ?? ''), digest(expected));
  return isEqual && given !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The `Set-Cookie` value that gives the token to the pages of this origin, for as long as they are open. */
export function tokenCookieHeader(token: string): string {
  const rules = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
  return stringifySetCookie(tokenCookie, token, rules);
}
