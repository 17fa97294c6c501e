const httpSchemes: Record<string, string> = { 'ws:': 'http:', 'wss:': 'https:' };

/** Browser permissions that pages get. To copy a table, pages write text to the clipboard on a click. */
const grantedPermissions = new Set(['clipboard-sanitized-write']);

/** The decision about a link: it opens in the window, in the system's browser, or not at all. */
export type LinkDecision = 'here' | 'outside' | 'deny';

/**
 * Returns whether an address belongs to the service at `serviceUrl`: the scheme, host and port are the same. `ws:`
 * counts as `http:`, and `wss:` as `https:`. A `blob:` has the origin of the page that created it. Returns false for an
 * invalid address. Throws a TypeError if `serviceUrl` is invalid.
 */
export function isOwnAddress(address: string, serviceUrl: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  const scheme = httpSchemes[url.protocol];
  const origin = scheme === undefined ? url.origin : `${scheme}//${url.host}`;
  return origin === new URL(serviceUrl).origin;
}

/**
 * Returns the decision about an address to which a page navigates or for which it requests a new window: `here` for a
 * page of the service, `outside` if {@link canOpenOutside} allows it, otherwise `deny`, also for an invalid address.
 */
export function decideLink(address: string, serviceUrl: string): LinkDecision {
  const isPage = /^https?:/i.test(address);
  if (isPage && isOwnAddress(address, serviceUrl)) return 'here';
  return canOpenOutside(address) ? 'outside' : 'deny';
}

/**
 * Returns whether a page may load an address. It may always load `data:`, such as the start page, and the developer
 * tools. If `serviceUrl` is defined, it may also load addresses of the service and `blob:` of its pages.
 */
export function canLoad(address: string, serviceUrl: string | undefined): boolean {
  if (/^(data|devtools):/i.test(address)) return true;
  return serviceUrl !== undefined && isOwnAddress(address, serviceUrl);
}

/** Returns whether the window may save a file: only if the service sent it or a page created it. */
export function canDownload(address: string, serviceUrl: string): boolean {
  return /^data:/i.test(address) || isOwnAddress(address, serviceUrl);
}

/** Returns whether the page at the address `requester` gets a browser permission. Subframes never get one. */
export function canUse(
  permission: string,
  requester: string,
  isMainFrame: boolean,
  serviceUrl: string,
): boolean {
  return isMainFrame && grantedPermissions.has(permission) && isOwnAddress(requester, serviceUrl);
}

/** Returns whether the page at the address `sender` may use the bridge of the window. Subframes may not. */
export function canUseBridge(sender: string, isMainFrame: boolean, serviceUrl: string): boolean {
  return isMainFrame && /^https?:/i.test(sender) && isOwnAddress(sender, serviceUrl);
}

/** Returns the headers of a request, with the token if the request goes to the service. */
export function makeHeaders(
  address: string,
  headers: Readonly<Record<string, string>>,
  serviceUrl: string,
  token: string,
): Record<string, string> {
  if (!isOwnAddress(address, serviceUrl)) return { ...headers };
  return { ...headers, Authorization: `Bearer ${token}` };
}

/** Sites that pages may open in the system's browser: papers and the COCO platform. */
const allowedHosts = new Set(['doi.org', 'arxiv.org', 'coco-platform.org', 'numbbo.github.io']);

/**
 * Returns whether a link may open in the system's browser. The link must have `https`, the standard port, no user name
 * or password, and one of the {@link allowedHosts}, but not a subdomain. Returns false for an invalid address.
 */
export function canOpenOutside(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null &&
    url.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    allowedHosts.has(url.hostname)
  );
}
