/** The id as people read it: the first 8 of 64 hex characters; any other id whole. */
export function shortId(id: string): string {
  return /^[0-9a-f]{64}$/i.test(id) ? id.slice(0, 8) : id;
}
