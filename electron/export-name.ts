const maximumNameLength = 100;
/** File systems of Linux allow names of 255 bytes. The extension needs some of these bytes. */
const maximumNameBytes = 200;

/**
 * Returns a file name for the title of a page. Each sequence of whitespace, control characters and characters that any
 * system forbids becomes a space. Removes dots and whitespace at both ends. Before the extension, the name has at most
 * 100 UTF-16 code units and 200 bytes. It is `Evoscope` if no character of the title remains.
 */
export function makeExportName(title: string, extension: string): string {
  // Removes the first half of a character that the limit splits, because half a character is not text.
  const plainTitle = title
    .replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ')
    .slice(0, maximumNameLength)
    .replace(/[\uD800-\uDBFF]$/, '');
  const titleBytes = new TextEncoder().encode(plainTitle).subarray(0, maximumNameBytes);
  // A stream decoder omits an incomplete character at the end.
  const shortTitle = new TextDecoder().decode(titleBytes, { stream: true });
  const trimmedName = shortTitle.replace(/^[\s.]+|[\s.]+$/g, '');
  return `${trimmedName || 'Evoscope'}.${extension}`;
}
