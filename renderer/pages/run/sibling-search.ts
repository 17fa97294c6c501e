/** Names in the URL of a run that refer to one of its iterations, a page of them, or one of its findings. */
const ownNames = ['iteration', 'page', 'at', 'finding', 'show'];

/** Returns the search part of a URL for another run: the same view, without the names that refer to this run. */
export function getSiblingSearch(search: string): string {
  const params = new URLSearchParams(search);
  for (const name of ownNames) params.delete(name);
  return params.size === 0 ? '' : `?${params.toString()}`;
}
