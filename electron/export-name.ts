const maximumNameLength = 100;
/** File systems of Linux allow 255 bytes, of which the extension needs some. */
const maximumNameBytes = 200;

/**
 * Returns a file name for the title of a page. Characters that any system forbids become spaces. The name has at most
 * 100 characters and 200 bytes before the extension; it is `Evoscope` if the title has no other characters.
 */
export function makeExportName(title: string, extension: string): string {
  const plainTitle = title.replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ').slice(0, maximumNameLength);
  const titleBytes = new TextEncoder().encode(plainTitle).subarray(0, maximumNameBytes);
  // A stream decoder omits an incomplete character at the end.
  const shortTitle = new TextDecoder().decode(titleBytes, { stream: true });
  const trimmedName = shortTitle.replace(/^[\s.]+|[\s.]+$/g, '');
  return `${trimmedName || 'Evoscope'}.${extension}`;
}
