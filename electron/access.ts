import { mayOpenOutside } from './external-links.ts';

const httpOfWebSocket: Record<string, string> = { 'ws:': 'http:', 'wss:': 'https:' };

/** What pages may ask for: writing text to the clipboard, on a click. Copying a table needs it. */
const grantedPermissions = new Set(['clipboard-sanitized-write']);

/** What happens to a link: it is followed in the window, opened in the system's browser, or nothing. */
export type LinkDecision = 'here' | 'outside' | 'deny';

/**
 * Whether an address belongs to the service at `serviceUrl`: same scheme, host and port; a WebSocket counts as
 * the scheme it grew from, a `blob:` as the page that made it. Anything that is not an address is foreign.
 */
export function isOwnAddress(address: string, serviceUrl: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const scheme = httpOfWebSocket[url.protocol];
  const origin = scheme === undefined ? url.origin : `${scheme}//${url.host}`;
  return origin === new URL(serviceUrl).origin;
}

/** What happens when a page navigates, or asks for a new window: there is never a second window. */
export function decideLink(address: string, serviceUrl: string): LinkDecision {
  const isPage = /^https?:/i.test(address);
  if (isPage && isOwnAddress(address, serviceUrl)) return 'here';
  return mayOpenOutside(address) ? 'outside' : 'deny';
}

/**
 * Whether a page may load something: from the service, made by itself (`blob:`, `data:`), or by the inspector. Without a
 * service there is the page of the start, which is all in its address.
 */
export function mayLoad(address: string, serviceUrl: string | undefined): boolean {
  if (/^(data|devtools):/i.test(address)) return true;
  return serviceUrl !== undefined && isOwnAddress(address, serviceUrl);
}

/** Whether a file may be saved: sent by the service or made by one of its pages. */
export function mayDownload(address: string, serviceUrl: string): boolean {
  return /^data:/i.test(address) || isOwnAddress(address, serviceUrl);
}

/** Whether the page that `requester` is the address of gets a browser permission. Frames within it never do. */
export function mayUse(
  permission: string,
  requester: string,
  isMainFrame: boolean,
  serviceUrl: string,
): boolean {
  return isMainFrame && grantedPermissions.has(permission) && isOwnAddress(requester, serviceUrl);
}

/** Whether the page at `asker` may ask the window by its bridge. Frames within it never may. */
export function mayAsk(asker: string, isMainFrame: boolean, serviceUrl: string): boolean {
  return isMainFrame && /^https?:/i.test(asker) && isOwnAddress(asker, serviceUrl);
}

/** The headers to send with a request: the given ones, and the token when it goes to the service. */
export function headersFor(
  address: string,
  headers: Readonly<Record<string, string>>,
  serviceUrl: string,
  token: string,
): Record<string, string> {
  if (!isOwnAddress(address, serviceUrl)) return { ...headers };
  return { ...headers, Authorization: `Bearer ${token}` };
}
