/** Sites that pages may send the user to, in the system's browser: papers and the COCO platform. */
const allowedHosts = new Set(['doi.org', 'arxiv.org', 'coco-platform.org', 'numbbo.github.io']);

/**
 * Whether a link may be opened in the system's browser: `https`, the standard port, no user name in it, and
 * one of the few sites above exactly. Text that is not an address is not allowed.
 */
export function mayOpenOutside(address: string): boolean {
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
