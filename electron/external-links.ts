/** Sites that pages may open in the system's browser: papers and the COCO platform. */
const allowedHosts = new Set(['doi.org', 'arxiv.org', 'coco-platform.org', 'numbbo.github.io']);

/**
 * Returns whether a link may open in the system's browser: `https`, the standard port, no user name, and exactly one of
 * these sites. Invalid addresses are not allowed.
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
