/** Returns at most `maximumLength` characters from the start of a text, without half of a surrogate pair at the end. */
export function getTextStart(text: string, maximumLength: number): string {
  return text.slice(0, maximumLength).replace(/[\uD800-\uDBFF]$/, '');
}
