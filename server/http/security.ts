import { parseCookie, stringifySetCookie } from 'cookie';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a token is asked of: the service on this port, so that no other one can use its cookie. */
export interface TokenRule {
  token: string;
  port: number;
}

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

/** What a request brings to prove the token. */
export interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
}

/** Whether a request proves the token: as `Authorization: Bearer`, or by the cookie of our pages. */
export function provesToken(rule: TokenRule, headers: Credentials): boolean {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const inCookie = parseCookie(headers.cookie ?? '')[cookieName(rule)];
  return equalSecrets(bearer, rule.token) || equalSecrets(inCookie, cookieValue(rule));
}

/** Whether two secrets are equal, in a time that depends on neither; an absent one equals nothing. */
export function equalSecrets(given: string | undefined, expected: string): boolean {
  const isEqual = timingSafeEqual(digest(given ?? ''), digest(expected));
  return isEqual && given !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * The `Set-Cookie` value that lets the pages of this origin in, for as long as they are open. Browsers send
 * cookies to all ports of a host: so its name has the port, and its value is derived from the token and the
 * port and is neither.
 */
export function tokenCookieHeader(rule: TokenRule): string {
  const rules = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
  return stringifySetCookie(cookieName(rule), cookieValue(rule), rules);
}

function cookieName({ port }: TokenRule): string {
  return `evoscope-${port}`;
}

function cookieValue({ token, port }: TokenRule): string {
  return createHmac('sha256', token).update(`cookie of port ${port}`).digest('base64url');
}
