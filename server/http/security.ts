import { parseCookie, stringifySetCookie } from 'cookie';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The scope of a token: the service on this port, so that no other service can use its cookie. */
export interface TokenRule {
  token: string;
  port: number;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
const siteValuesOfOurPages = new Set(['same-origin', 'none']);

/**
 * Returns whether a `Host` header names this service: a loopback name with our port (which may be omitted only if it is
 * 80), or one of the allowed names, with its port or, if it has none, with any. False for a missing header. Protects
 * against DNS rebinding.
 */
export function isAllowedHost(
  host: string | undefined,
  port: number,
  allowedHosts: readonly string[],
): boolean {
  if (host === undefined) return false;
  const hostName = host.toLowerCase();
  const isOurs = loopbackNames.some(
    (name) => hostName === `${name}:${port}` || (port === 80 && hostName === name),
  );
  const withoutPort = hostName.replace(/:\d*$/, '');
  return (
    isOurs ||
    allowedHosts.some((name) => [hostName, withoutPort].includes(name.trim().toLowerCase()))
  );
}

/** The headers of a request that show which site sent it. */
export interface RequestOrigin {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

/**
 * Returns whether a request may change something: GET and HEAD always, others if the browser reports that our own page
 * or the user sent it (`Sec-Fetch-Site` same-origin or none, or an `Origin` equal to the Host), or if it was not sent
 * by a browser (neither header).
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

/** The headers of a request that can prove the token. */
export interface Credentials {
  authorization: string | undefined;
  cookie: string | undefined;
}

/** Returns whether a request proves the token: by `Authorization: Bearer`, or by the cookie of our pages. */
export function provesToken(rule: TokenRule, headers: Credentials): boolean {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const inCookie = parseCookie(headers.cookie ?? '')[cookieName(rule)];
  return equalSecrets(bearer, rule.token) || equalSecrets(inCookie, cookieValue(rule));
}

/** Returns whether two secrets are equal, in a time that does not depend on them; false for an absent one. */
export function equalSecrets(given: string | undefined, expected: string): boolean {
  const isEqual = timingSafeEqual(digest(given ?? ''), digest(expected));
  return isEqual && given !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Returns the `Set-Cookie` value that gives the pages of this origin access while they are open. Browsers send cookies
 * to all ports of a host, so its name contains the port, and its value is derived from the token and the port.
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
